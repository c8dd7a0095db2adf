/**
 * The shapes of the 31 events. A check returns the value without what the protocol does not describe, and notes what it removed and what is wrong.
 * Unknown members and unknown members of a union are removed; a wrong type in a known place is a fault, and a fault ends the run.
 * A part that holds something unknown where it must hold something known is removed whole, and then its faults do not count.
 */
export interface Notes { removed: string[]; faults: string[] }

/** Says "nothing here is known", to whoever asked. */
const UNKNOWN = Symbol("unknown");
type Shape = (value: unknown, path: string, notes: Notes) => unknown;
interface Field { shape: Shape; optional: boolean }
type Fields = Record<string, Field>;

const must = (shape: Shape): Field => ({ shape, optional: false });
const may = (shape: Shape): Field => ({ shape, optional: true });

function fault(value: unknown, path: string, notes: Notes): unknown {
  notes.faults.push(path);
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

const text: Shape = (value, path, notes) => (typeof value === "string" ? value : fault(value, path, notes));
const flag: Shape = (value, path, notes) => (typeof value === "boolean" ? value : fault(value, path, notes));
const integer = (least: number): Shape => (value, path, notes) => (Number.isSafeInteger(value) && (value as number) >= least ? value : fault(value, path, notes));
const any: Shape = (value) => value;
const notNull: Shape = (value, path, notes) => (value === null ? fault(value, path, notes) : value);
/** An object whose members are nobody's business: metadata, the content of an activity. */
const open: Shape = (value, path, notes) => (isObject(value) ? value : fault(value, path, notes));
const oneOf = (...words: string[]): Shape => (value, path, notes) => (words.includes(value as string) ? value : fault(value, path, notes));
const pointer: Shape = (value, path, notes) => (typeof value === "string" && /^(\/([^/~]|~[01])*)*$/.test(value) ? value : fault(value, path, notes));

/** An object with these members. `loose`: members that are not described stay, as RFC 6902 wants for its operations. */
function object(fields: Fields, loose = false): Shape {
  return (value, path, notes) => {
    if (!isObject(value)) return fault(value, path, notes);
    const result: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field === undefined) {
        if (loose) Object.defineProperty(result, key, { value: member, enumerable: true, writable: true, configurable: true });
        else notes.removed.push(`${path}/${key}`);
        continue;
      }
      const [removed, faults] = [notes.removed.length, notes.faults.length];
      const checked = field.shape(member, `${path}/${key}`, notes);
      if (checked !== UNKNOWN) {
        result[key] = checked;
        continue;
      }
      notes.removed.length = removed;
      notes.faults.length = faults;
      if (!field.optional) return UNKNOWN;
      notes.removed.push(`${path}/${key}`);
    }
    for (const [key, field] of Object.entries(fields)) {
      if (!field.optional && !Object.hasOwn(value, key)) notes.faults.push(`${path}/${key}`);
    }
    return result;
  };
}

function list(shape: Shape, least = 0): Shape {
  return (value, path, notes) => {
    if (!Array.isArray(value)) return fault(value, path, notes);
    const result: unknown[] = [];
    value.forEach((entry: unknown, index) => {
      const [removed, faults] = [notes.removed.length, notes.faults.length];
      const checked = shape(entry, `${path}/${index}`, notes);
      if (checked !== UNKNOWN) return void result.push(checked);
      notes.removed.length = removed;
      notes.faults.length = faults;
      notes.removed.push(`${path}/${index}`);
    });
    return result.length < least ? fault(result, path, notes) : result;
  };
}

/** One of several objects, told apart by a member. */
function union(tag: string, members: Record<string, Shape>): Shape {
  return (value, path, notes) => {
    if (!isObject(value)) return fault(value, path, notes);
    const word = value[tag];
    if (typeof word !== "string" || !Object.hasOwn(members, word)) return UNKNOWN;
    return (members[word] as Shape)(value, path, notes);
  };
}

const stringOr = (shape: Shape): Shape => (value, path, notes) => (typeof value === "string" ? value : shape(value, path, notes));

const source = union("type", {
  data: object({ type: must(any), value: must(text), mimeType: must(text) }),
  url: object({ type: must(any), value: must(text), mimeType: may(text) }),
  file: object({ type: must(any), value: must(text), provider: may(text), mimeType: may(text) }),
});
const media = object({ type: must(any), id: may(text), source: must(source), metadata: may(notNull) });
const part = union("type", {
  text: object({ type: must(any), id: may(text), text: must(text), metadata: may(notNull) }),
  image: media,
  audio: media,
  video: media,
  document: media,
});
const content = stringOr(list(part));

const operation = (fields: Fields) => object({ op: must(any), path: must(pointer), ...fields }, true);
const patch = list(union("op", {
  add: operation({ value: must(any) }),
  replace: operation({ value: must(any) }),
  test: operation({ value: must(any) }),
  remove: operation({}),
  move: operation({ from: must(pointer) }),
  copy: operation({ from: must(pointer) }),
}));

const call = object({
  id: must(text),
  type: must(oneOf("function")),
  function: must(object({ name: must(text), arguments: must(text) })),
  encryptedValue: may(text),
  metadata: may(open),
});
const said = (fields: Fields) => object({ id: must(text), role: must(any), metadata: may(open), subagentRunId: may(text), ...fields });
const named: Fields = { name: may(text), encryptedValue: may(text) };
const message = union("role", {
  developer: said({ ...named, content: must(text) }),
  system: said({ ...named, content: must(text) }),
  assistant: said({ ...named, content: may(text), toolCalls: may(list(call)) }),
  user: said({ ...named, content: must(content) }),
  tool: said({ content: must(content), toolCallId: must(text), error: may(text), encryptedValue: may(text) }),
  activity: said({ activityType: must(text), content: must(open) }),
  reasoning: said({ content: must(text), encryptedValue: may(text) }),
});

const tokens = may(integer(0));
const usage = may(list(object({
  provider: may(text), model: may(text), inputTokens: tokens, outputTokens: tokens, totalTokens: tokens,
  reasoningTokens: tokens, cachedInputTokens: tokens, cacheWriteInputTokens: tokens,
})));
const interrupt = object({
  id: must(text), reason: must(text), message: may(text), toolCallId: may(text), responseSchema: may(open), expiresAt: may(text), metadata: may(open), subagentRunId: may(text),
});
const outcome = union("type", {
  success: object({ type: must(any), pendingToolCallIds: may(list(text)) }),
  interrupt: object({ type: must(any), interrupts: must(list(interrupt, 1)) }),
  cancelled: object({ type: must(any) }),
});
const input = object({
  threadId: must(text), runId: must(text), protocolVersion: may(text), parentRunId: may(text), state: may(any), messages: must(list(message)),
  tools: may(list(object({ name: must(text), description: must(text), parameters: may(notNull), metadata: may(open) }))),
  context: may(list(object({ description: must(text), value: must(text) }))),
  forwardedProps: may(notNull),
  resume: may(list(object({ interruptId: must(text), status: must(oneOf("resolved", "cancelled")), payload: may(notNull), metadata: may(open) }))),
});

/** What every event may carry. */
const common: Fields = { type: must(any), timestamp: may(integer(Number.MIN_SAFE_INTEGER)), rawEvent: may(notNull), metadata: may(open) };
const ofRun = (fields: Fields) => object({ ...common, ...fields });
/** Events that may be said by a subagent. */
const event = (fields: Fields) => object({ ...common, subagentRunId: may(text), ...fields });
const ofSubagent = (fields: Fields) => object({ ...common, subagentRunId: must(text), ...fields });

const messageId: Fields = { messageId: must(text) };
const role = may(oneOf("developer", "system", "assistant", "user"));

const EVENTS: Record<string, Shape> = {
  RUN_STARTED: ofRun({ threadId: must(text), runId: must(text), protocolVersion: may(text), parentRunId: may(text), input: may(input) }),
  RUN_FINISHED: ofRun({ threadId: must(text), runId: must(text), result: may(notNull), outcome: may(outcome), usage }),
  RUN_ERROR: ofRun({ message: must(text), code: may(text), usage }),
  STEP_STARTED: event({ stepName: must(text) }),
  STEP_FINISHED: event({ stepName: must(text) }),
  TEXT_MESSAGE_START: event({ ...messageId, role, name: may(text) }),
  TEXT_MESSAGE_CONTENT: event({ ...messageId, delta: must(text) }),
  TEXT_MESSAGE_END: event(messageId),
  TEXT_MESSAGE_CHUNK: event({ messageId: may(text), role, delta: may(text), name: may(text) }),
  TOOL_CALL_START: event({ toolCallId: must(text), toolCallName: must(text), parentMessageId: may(text) }),
  TOOL_CALL_ARGS: event({ toolCallId: must(text), delta: must(text) }),
  TOOL_CALL_END: event({ toolCallId: must(text) }),
  TOOL_CALL_CHUNK: event({ toolCallId: may(text), toolCallName: may(text), parentMessageId: may(text), delta: may(text) }),
  TOOL_CALL_RESULT: event({ ...messageId, toolCallId: must(text), content: must(content), role: may(oneOf("tool")) }),
  STATE_SNAPSHOT: event({ snapshot: must(any) }),
  STATE_DELTA: event({ delta: must(patch) }),
  MESSAGES_SNAPSHOT: ofRun({ messages: must(list(message)) }),
  ACTIVITY_SNAPSHOT: event({ ...messageId, activityType: must(text), content: must(open), replace: may(flag) }),
  ACTIVITY_DELTA: event({ ...messageId, activityType: must(text), patch: must(patch) }),
  RAW: event({ event: must(any), source: may(text) }),
  CUSTOM: event({ name: must(text), value: must(any) }),
  REASONING_START: event(messageId),
  REASONING_END: event(messageId),
  REASONING_MESSAGE_START: event({ ...messageId, role: must(oneOf("reasoning")) }),
  REASONING_MESSAGE_CONTENT: event({ ...messageId, delta: must(text) }),
  REASONING_MESSAGE_END: event(messageId),
  REASONING_MESSAGE_CHUNK: event({ messageId: may(text), delta: may(text) }),
  REASONING_ENCRYPTED_VALUE: event({ subtype: must(oneOf("tool-call", "message")), entityId: must(text), encryptedValue: must(text) }),
  SUBAGENT_STARTED: ofSubagent({ name: must(text), description: may(text), parentSubagentRunId: may(text), parentToolCallId: may(text), parentMessageId: may(text) }),
  SUBAGENT_FINISHED: ofSubagent({ result: may(notNull), outcome: may(union("type", { success: object({ type: must(any) }), suspended: object({ type: must(any), interruptIds: may(list(text)) }) })) }),
  SUBAGENT_ERROR: ofSubagent({ message: must(text), code: may(text) }),
};

/** The event without what is not known of it; nothing where its type is not known. */
export function checked(raw: Record<string, unknown>, notes: Notes): Record<string, unknown> | undefined {
  const type = raw.type as string;
  if (!Object.hasOwn(EVENTS, type)) {
    notes.removed.push(type);
    return undefined;
  }
  return (EVENTS[type] as Shape)(raw, "", notes) as Record<string, unknown>;
}
