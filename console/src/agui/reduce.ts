/** What each event does to the messages and the state. Messages are replaced, never changed, so that a page can tell by identity what to draw again. */
import { type Operation, patched } from "./patch";
import type { Content, Event, Message, Metadata, Role, ToolCall } from "./types";

export interface Held {
  messages: readonly Message[];
  state: unknown;
}

/** Applies an event that was checked; `warn` hears of what could not be applied and does no harm. */
export function reduce(held: Held, event: Event, warn: (text: string) => void): Held {
  const { messages } = held;
  switch (event.type) {
    case "TEXT_MESSAGE_START":
      return { ...held, messages: opened(messages, event, (event.role ?? "assistant") as Role) };
    case "REASONING_MESSAGE_START":
      return { ...held, messages: opened(messages, event, "reasoning") };
    case "TEXT_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CONTENT":
      return { ...held, messages: changed(messages, event.messageId as string, (message) => appended(message, event)) };
    case "TEXT_MESSAGE_END":
    case "REASONING_MESSAGE_END":
      return { ...held, messages: changed(messages, event.messageId as string, (message) => (message.role === "activity" ? message : marked(message, event.metadata))) };
    case "TOOL_CALL_START":
      return { ...held, messages: callOpened(messages, event) };
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_END":
      return { ...held, messages: callChanged(messages, event.toolCallId as string, (call) => argued(call, event)) };
    case "TOOL_CALL_RESULT":
      return { ...held, messages: answered(messages, event) };
    case "STATE_SNAPSHOT":
      return { ...held, state: event.snapshot };
    case "STATE_DELTA":
      return { ...held, state: attempt(() => patched(held.state, event.delta as Operation[]), held.state, warn) };
    case "MESSAGES_SNAPSHOT":
      return { ...held, messages: reconciled(messages, event) };
    case "ACTIVITY_SNAPSHOT":
      return { ...held, messages: shown(messages, event) };
    case "ACTIVITY_DELTA":
      return { ...held, messages: changed(messages, event.messageId as string, (message) => adjusted(message, event, warn)) };
    case "REASONING_ENCRYPTED_VALUE":
      return { ...held, messages: sealed(messages, event) };
    case "RUN_STARTED": {
      const echoed = (event.input as { messages?: Message[] } | undefined)?.messages ?? [];
      return { ...held, messages: echoed.reduce<readonly Message[]>((known, message) => (known.some(({ id }) => id === message.id) ? known : [...known, message]), messages) };
    }
    default:
      return held;
  }
}

function attempt<T>(make: () => T, otherwise: T, warn: (text: string) => void): T {
  try {
    return make();
  } catch (error) {
    warn(`A patch does not fit: ${error instanceof Error ? error.message : String(error)}.`);
    return otherwise;
  }
}

/** Metadata is merged key by key; the last one said counts, and a value is replaced whole. */
function marked<T extends { metadata?: Metadata }>(thing: T, metadata: Metadata | undefined): T {
  return metadata === undefined ? thing : { ...thing, metadata: { ...thing.metadata, ...metadata } };
}

function changed(messages: readonly Message[], id: string, change: (message: Message) => Message): readonly Message[] {
  const at = messages.findIndex((message) => message.id === id);
  const message = messages[at];
  return message === undefined ? messages : messages.with(at, change(message));
}

function opened(messages: readonly Message[], event: Event, role: Role): readonly Message[] {
  const id = event.messageId as string;
  const known = messages.find((message) => message.id === id);
  // An activity under this id is a mistake of the producer: it is not written over.
  if (known?.role === "activity") return messages;
  if (known !== undefined) return changed(messages, id, (message) => marked(message, event.metadata));
  const { name, subagentRunId } = event as { name?: string; subagentRunId?: string };
  return [...messages, marked<Message>({ id, role, content: "", ...(name !== undefined && { name }), ...(subagentRunId !== undefined && { subagentRunId }) }, event.metadata)];
}

function appended(message: Message, event: Event): Message {
  if (message.role === "activity") return message;
  return marked({ ...message, content: `${typeof message.content === "string" ? message.content : ""}${event.delta as string}` }, event.metadata);
}

function callChanged(messages: readonly Message[], id: string, change: (call: ToolCall) => ToolCall): readonly Message[] {
  const at = messages.findIndex((message) => message.toolCalls?.some((call) => call.id === id));
  const owner = messages[at];
  if (owner?.toolCalls === undefined) return messages;
  const place = owner.toolCalls.findIndex((call) => call.id === id);
  return messages.with(at, { ...owner, toolCalls: owner.toolCalls.with(place, change(owner.toolCalls[place] as ToolCall)) });
}

function callOpened(messages: readonly Message[], event: Event): readonly Message[] {
  const [id, name] = [event.toolCallId as string, event.toolCallName as string];
  if (messages.some((message) => message.toolCalls?.some((call) => call.id === id))) {
    // Told again, as a replay does: its arguments are here already.
    return callChanged(messages, id, (call) => marked({ ...call, function: { ...call.function, name } }, event.metadata));
  }
  const call: ToolCall = marked<ToolCall>({ id, type: "function", function: { name, arguments: "" } }, event.metadata);
  const parent = event.parentMessageId as string | undefined;
  const carrier = parent === undefined || parent === "" ? undefined : messages.find((message) => message.id === parent);
  if (carrier?.role === "assistant") return changed(messages, carrier.id, (message) => ({ ...message, toolCalls: [...(message.toolCalls ?? []), call] }));
  const fresh = carrier !== undefined || parent === undefined || parent === "" ? id : parent;
  const taken = messages.some((message) => message.id === fresh);
  return [...messages, { id: fresh, role: "assistant", toolCalls: [call], ...(event.subagentRunId !== undefined && !taken && { subagentRunId: event.subagentRunId }) }];
}

function argued(call: ToolCall, event: Event): ToolCall {
  const text = event.type === "TOOL_CALL_ARGS" ? `${call.function.arguments}${event.delta as string}` : call.function.arguments;
  return marked({ ...call, function: { ...call.function, arguments: text } }, event.metadata);
}

/** A result stands directly behind the message that made its call, and behind the results that are there already: providers want that. */
function answered(messages: readonly Message[], event: Event): readonly Message[] {
  const { messageId, toolCallId, content, subagentRunId } = event as unknown as { messageId: string; toolCallId: string; content: Content; subagentRunId?: string };
  const result: Message = marked<Message>({ id: messageId, toolCallId, role: "tool", content, ...(subagentRunId !== undefined && { subagentRunId }) }, event.metadata);
  const owner = messages.findIndex((message) => message.role === "assistant" && message.toolCalls?.some((call) => call.id === toolCallId));
  let at = owner === -1 ? messages.length : owner + 1;
  while (owner !== -1 && messages[at]?.role === "tool") at += 1;
  return messages.toSpliced(at, 0, result);
}

/** Which activities a snapshot speaks for: nothing said, all of them (`null`), or these types. */
function spokenFor(event: Event): string[] | null | undefined {
  const metadata = event.metadata;
  if (metadata === undefined || !Object.hasOwn(metadata, "@ag-ui/client")) return undefined;
  const said = metadata["@ag-ui/client"];
  if (typeof said !== "object" || said === null || Array.isArray(said)) return [];
  if (!Object.hasOwn(said, "authoritativeActivityTypes")) return undefined;
  const types = (said as Record<string, unknown>).authoritativeActivityTypes;
  if (types === null) return null;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

/** A snapshot is the conversation: what it lacks goes, but for activities and reasoning where it speaks of none. */
function reconciled(messages: readonly Message[], event: Event): readonly Message[] {
  const told = event.messages as Message[];
  const byId = new Map(told.map((message) => [message.id, message]));
  const types = spokenFor(event);
  const tellsActivities = told.some(({ role }) => role === "activity");
  const tellsReasoning = told.some(({ role }) => role === "reasoning");
  const stays = (message: Message): boolean => {
    if (message.role === "reasoning") return !tellsReasoning;
    if (message.role !== "activity") return false;
    return types === undefined ? !tellsActivities : types !== null && !types.includes(message.activityType as string);
  };
  const kept = messages.filter((message) => byId.has(message.id) || stays(message)).map((message) => byId.get(message.id) ?? message);
  const ids = new Set(kept.map(({ id }) => id));
  return [...kept, ...told.filter(({ id }) => !ids.has(id))];
}

function shown(messages: readonly Message[], event: Event): readonly Message[] {
  const { messageId: id, activityType, content, subagentRunId } = event as unknown as { messageId: string; activityType: string; content: Record<string, unknown>; subagentRunId?: string };
  const fresh: Message = { id, role: "activity", activityType, content, ...(subagentRunId !== undefined && { subagentRunId }) };
  const known = messages.find((message) => message.id === id);
  if (known === undefined) return [...messages, marked(fresh, event.metadata)];
  if (known.role !== "activity") return event.replace === false ? messages : changed(messages, id, () => marked(fresh, event.metadata));
  // Replacing replaces the content and the owner; what was said about it so far stays.
  const base: Message = event.replace === false ? known : { ...fresh, ...(known.metadata !== undefined && { metadata: known.metadata }) };
  return changed(messages, id, () => marked(base, event.metadata));
}

function adjusted(message: Message, event: Event, warn: (text: string) => void): Message {
  if (message.role !== "activity") return message;
  const known = marked(message, event.metadata);
  return attempt(() => ({ ...known, content: patched(known.content ?? {}, event.patch as Operation[]) as Record<string, unknown>, activityType: event.activityType as string }), known, warn);
}

function sealed(messages: readonly Message[], event: Event): readonly Message[] {
  const [entity, encryptedValue] = [event.entityId as string, event.encryptedValue as string];
  if (event.subtype === "tool-call") return callChanged(messages, entity, (call) => ({ ...call, encryptedValue }));
  return changed(messages, entity, (message) => (message.role === "activity" ? message : { ...message, encryptedValue }));
}
