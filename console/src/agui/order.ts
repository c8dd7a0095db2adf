/**
 * The order of a stream: what must be open to be continued, closed before the run ends, and who may continue it. Rules of 1.0, and four of the draft
 * that cost a producer nothing: the two ends of a run agree on their ids, the runs of a stream are of one thread, interrupts have ids of
 * their own, and a stream does not stop in the middle of a run.
 */
import { type Event, type Interrupt, type Message, ProtocolError } from "./types";

/** Who said it: `undefined` is the agent itself. In an object, because "not known" is something else. */
interface Owner { by: string | undefined }

class Opened {
  open = new Set<string>();
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
  start(id: string): void {
    if (this.open.has(id)) throw new ProtocolError("already_open", `The ${this.what} ${id} is begun again before it ended.`);
    this.open.add(id);
  }
  need(id: string): void {
    if (!this.open.has(id)) throw new ProtocolError("not_open", `The ${this.what} ${id} goes on without having begun.`);
  }
}

function agree(owner: Owner | undefined, by: string | undefined, id: string): void {
  if (by !== undefined && owner !== undefined && owner.by !== by) {
    throw new ProtocolError("wrong_owner", `An event for ${id} is said to be of ${by}, which did not begin it.`);
  }
}

export class Order {
  #run: { threadId: string; runId: string } | undefined;
  #thread: string | undefined;
  #state: "before" | "running" | "finished" | "failed" = "before";

  #texts = new Opened("message");
  #calls = new Opened("tool call");
  #spans = new Opened("reasoning");
  #thoughts = new Opened("reasoning message");
  #steps = new Opened("step");
  #subagents = new Opened("subagent");
  #endedSubagents = new Set<string>();
  #owners = { message: new Map<string, Owner>(), call: new Map<string, Owner>(), activity: new Map<string, Owner>(), reasoning: new Map<string, Owner>() };

  /** Throws where the event is out of order. */
  check(event: Event): void {
    this.#checkPlace(event.type);
    const by = event.subagentRunId;
    const id = (event.messageId ?? event.toolCallId) as string;
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        return this.#start(this.#texts, this.#owners.message, id, by);
      case "TEXT_MESSAGE_CONTENT":
      case "TEXT_MESSAGE_END":
        return this.#goOn(this.#texts, this.#owners.message, id, by, event.type === "TEXT_MESSAGE_END");
      case "TOOL_CALL_START":
        return this.#startCall(id, by, event.parentMessageId as string | undefined);
      case "TOOL_CALL_ARGS":
      case "TOOL_CALL_END":
        return this.#goOn(this.#calls, this.#owners.call, id, by, event.type === "TOOL_CALL_END");
      case "TOOL_CALL_RESULT":
        // It makes a message of its own, and whoever sends it owns that.
        this.#owners.message.set(event.messageId as string, { by });
        return;
      case "REASONING_START":
      case "REASONING_MESSAGE_START":
        return this.#start(event.type === "REASONING_START" ? this.#spans : this.#thoughts, this.#owners.reasoning, id, by);
      case "REASONING_END":
      case "REASONING_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_END":
        return this.#goOn(event.type === "REASONING_END" ? this.#spans : this.#thoughts, this.#owners.reasoning, id, by, event.type !== "REASONING_MESSAGE_CONTENT");
      case "REASONING_ENCRYPTED_VALUE": {
        const entity = event.entityId as string;
        const { message, call, reasoning } = this.#owners;
        return agree(event.subtype === "tool-call" ? call.get(entity) : message.get(entity) ?? reasoning.get(entity), by, entity);
      }
      case "ACTIVITY_SNAPSHOT":
        if (event.replace !== false || !this.#owners.activity.has(id)) this.#owners.activity.set(id, { by });
        return;
      case "ACTIVITY_DELTA":
        return agree(this.#owners.activity.get(id), by, id);
      case "STEP_STARTED":
      case "STEP_FINISHED":
        return this.#step(event.type === "STEP_STARTED", event.stepName as string, by);
      case "SUBAGENT_STARTED":
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        return this.#subagent(event);
      case "MESSAGES_SNAPSHOT":
        return this.#learn(event.messages as Message[], true);
      case "RUN_STARTED":
        return this.#begin(event);
      case "RUN_FINISHED":
        return this.#finish(event);
      case "RUN_ERROR":
        this.#state = "failed";
    }
  }

  /** The stream ended. */
  end(): void {
    if (this.#state === "running" || this.#state === "before") throw new ProtocolError("truncated", "The stream ended before the run did.");
  }

  #checkPlace(type: string): void {
    if (type === "RUN_STARTED") {
      if (this.#state === "running") throw new ProtocolError("run_in_run", "A run begins before the one before it ended.");
    } else if (type !== "RUN_ERROR" || this.#state === "failed") {
      if (this.#state === "before") throw new ProtocolError("not_started", "The stream does not begin with a run.");
      if (this.#state !== "running") throw new ProtocolError("after_end", `${type} comes after the end of its run.`);
    }
  }

  #start(opened: Opened, owners: Map<string, Owner>, id: string, by: string | undefined): void {
    if (opened.open.has(id)) return opened.start(id);
    // What was closed may be opened again, by whom it belongs to.
    agree(owners.get(id), by, id);
    opened.start(id);
    if (!owners.has(id)) owners.set(id, { by });
  }

  #goOn(opened: Opened, owners: Map<string, Owner>, id: string, by: string | undefined, last: boolean): void {
    opened.need(id);
    agree(owners.get(id), by, id);
    if (last) opened.open.delete(id);
  }

  #startCall(id: string, by: string | undefined, parent: string | undefined): void {
    if (this.#calls.open.has(id)) return this.#calls.start(id);
    const carrier = parent === undefined ? undefined : this.#owners.message.get(parent);
    agree(carrier, by, parent ?? "");
    const owner = this.#owners.call.get(id);
    agree(owner, by, id);
    if (by === undefined && carrier !== undefined && owner !== undefined && carrier.by !== owner.by) {
      throw new ProtocolError("wrong_owner", `The tool call ${id} is in a message of somebody else.`);
    }
    this.#calls.start(id);
    if (owner === undefined) this.#owners.call.set(id, by === undefined && carrier !== undefined ? carrier : { by });
  }

  /** A step's name is its owner's own; the separator cannot be in the length in front of it. */
  #step(starts: boolean, name: string, by: string | undefined): void {
    const id = by === undefined ? `:${name}` : `${by.length}:${by}${name}`;
    if (starts) return this.#steps.start(id);
    this.#steps.need(id);
    this.#steps.open.delete(id);
  }

  #subagent(event: Event): void {
    const id = event.subagentRunId as string;
    if (event.type !== "SUBAGENT_STARTED") {
      this.#subagents.need(id);
      this.#subagents.open.delete(id);
      this.#endedSubagents.add(id);
      return;
    }
    const parent = event.parentSubagentRunId as string | undefined;
    if (this.#endedSubagents.has(id)) throw new ProtocolError("already_open", `The subagent ${id} begins a second time.`);
    this.#subagents.start(id);
    if (parent === undefined || (parent !== id && this.#subagents.open.has(parent)) || this.#endedSubagents.has(parent)) return;
    throw new ProtocolError("not_open", `The subagent ${id} is of ${parent}, which never began.`);
  }

  #begin(event: Event): void {
    const [threadId, runId] = [event.threadId as string, event.runId as string];
    if (this.#thread !== undefined && this.#thread !== threadId) throw new ProtocolError("other_thread", "A stream speaks of two threads.");
    this.#thread = threadId;
    this.#run = { threadId, runId };
    this.#state = "running";
    for (const opened of [this.#texts, this.#calls, this.#spans, this.#thoughts, this.#steps, this.#subagents]) opened.open.clear();
    for (const owners of Object.values(this.#owners)) owners.clear();
    this.#endedSubagents.clear();
    this.#learn((event.input as { messages?: Message[] } | undefined)?.messages ?? [], false);
  }

  #finish(event: Event): void {
    if (event.threadId !== this.#run?.threadId || event.runId !== this.#run?.runId) throw new ProtocolError("other_run", "The end of the run names another run.");
    for (const opened of [this.#steps, this.#texts, this.#thoughts, this.#spans, this.#calls, this.#subagents]) {
      if (opened.open.size > 0) throw new ProtocolError("left_open", `The run ends with an open ${opened.what}.`);
    }
    const interrupts = (event.outcome as { interrupts?: Interrupt[] } | undefined)?.interrupts ?? [];
    if (new Set(interrupts.map(({ id }) => id)).size < interrupts.length) throw new ProtocolError("same_interrupt", "Two interrupts have one id.");
    this.#state = "finished";
  }

  /** Messages that come whole have owners too. A snapshot says how it is; an echo of the input only fills gaps. */
  #learn(messages: Message[], overwrite: boolean): void {
    for (const { id, role, subagentRunId, toolCalls } of messages) {
      const owners = role === "reasoning" ? this.#owners.reasoning : role === "activity" ? this.#owners.activity : this.#owners.message;
      const owner = { by: subagentRunId };
      if (overwrite || !owners.has(id)) owners.set(id, owner);
      for (const call of toolCalls ?? []) {
        if (overwrite || !this.#owners.call.has(call.id)) this.#owners.call.set(call.id, owner);
      }
    }
  }
}
