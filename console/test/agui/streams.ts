// Streams by chance, from a seed: mostly in order, and then bent in one place.
import type { Raw } from "./official";

/** mulberry32: small, and the same everywhere. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  number(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }
  chance(of: number): boolean {
    return this.number(of) === 0;
  }
  one<Thing>(...things: readonly Thing[]): Thing {
    return things[this.number(things.length)] as Thing;
  }
}

const TEXTS = ["", "a", "Row B", "ü", "\u{1F469}\u200D", "\n", "{\"n\":9007199254740993}", "<b>", "\\", "0"];
const THREAD = "thread";

export function stream(dice: Dice): Raw[] {
  const events: Raw[] = [];
  const runs = dice.chance(5) ? 2 : 1;
  for (let run = 0; run < runs; run += 1) {
    events.push({ type: "RUN_STARTED", threadId: THREAD, runId: `run-${run}`, ...(dice.chance(6) && { input: { threadId: THREAD, runId: `run-${run}`, messages: messages(dice) } }) });
    new Run(dice, events).write();
    if (dice.chance(12)) events.push({ type: "RUN_ERROR", message: "it failed", ...(dice.chance(2) && { code: "model_error" }) });
    else events.push({ type: "RUN_FINISHED", threadId: THREAD, runId: `run-${run}`, ...outcome(dice) });
  }
  return events;
}

function outcome(dice: Dice): Raw {
  return dice.one<Raw>(
    {},
    { outcome: { type: "success" } },
    { outcome: { type: "success", pendingToolCallIds: ["c1"] } },
    { outcome: { type: "cancelled" } },
    { outcome: { type: "interrupt", interrupts: [{ id: "q1", reason: "tool_call", toolCallId: "c1", metadata: { call: "call_1" } }] } },
    { outcome: { type: "paused" } },
  );
}

/** Ids are few, so that they meet. */
const ids = { message: ["m1", "m2", "m3"], call: ["c1", "c2"], activity: ["x1", "m1"], thought: ["r1", "m2"] } as const;
const SUBAGENTS = ["s1", "s2"] as const;

function tag(dice: Dice): Raw {
  return dice.chance(12) ? { subagentRunId: dice.one(...SUBAGENTS) } : {};
}

function noted(dice: Dice): Raw {
  return dice.chance(6) ? { metadata: { [dice.one("a", "b")]: dice.one<unknown>(1, null, ["x"], { deep: 1 }) } } : {};
}

/** An id stands once in a list: the official client holds one message twice otherwise, and changes both. */
function messages(dice: Dice): Raw[] {
  const made = Array.from({ length: dice.number(4) }, () =>
    dice.one<Raw>(
      { id: dice.one(...ids.message), role: "user", content: dice.one<unknown>("hello", [{ type: "text", text: "hello" }, { type: "smell" }]) },
      { id: dice.one(...ids.message), role: "assistant", content: "hm", ...(dice.chance(2) && { toolCalls: [{ id: dice.one(...ids.call), type: "function", function: { name: "f", arguments: "{}" } }] }) },
      { id: dice.one(...ids.activity), role: "activity", activityType: dice.one("shelf", "cart"), content: { n: dice.number(5) } },
      { id: dice.one(...ids.thought), role: "reasoning", content: "because" },
      { id: "t1", role: "tool", toolCallId: dice.one(...ids.call), content: "1" },
    ),
  );
  return [...new Map(made.map((message) => [message["id"], message])).values()];
}

function operation(dice: Dice): Raw {
  const path = dice.one("", "/n", "/list", "/list/0", "/list/1", "/list/-", "/deep/n", "/none/n", "/a~1b", "/a~0b");
  // The library of the official client lets a patch into a number pass as if it had done something, so a document is a container.
  const whole = path === "" ? { deep: { n: 3 }, list: ["z"] } : undefined;
  return dice.one<Raw>(
    { op: "add", path, value: whole ?? dice.one<unknown>(1, "x", null, [1, 2], { n: 1, list: ["a"] }) },
    { op: "replace", path, value: whole ?? dice.one<unknown>(2, { deep: { n: 1 }, list: [] }) },
    { op: "remove", path: path === "" ? "/n" : path, left: "over" },
    { op: "test", path, value: dice.one<unknown>(1, [1, 2]) },
    { op: "move", from: dice.one("/n", "/list", "/deep/n"), path: path === "" ? "/moved" : path },
    { op: "copy", from: dice.one("/n", "/list", "/list/0"), path: path === "" ? "/copied" : path },
    { op: "double", path },
  );
}

/** One run. It remembers what it opened, and closes it nearly always. */
class Run {
  #open: (() => Raw)[] = [];
  constructor(
    private readonly dice: Dice,
    private readonly events: Raw[],
  ) {}

  write(): void {
    const steps = this.dice.number(14);
    for (let step = 0; step < steps; step += 1) this.#step();
    while (this.#open.length > 0) {
      const close = this.#open.splice(this.dice.number(this.#open.length), 1)[0];
      if (close !== undefined && !this.dice.chance(60)) this.events.push(close());
    }
  }

  #step(): void {
    const { dice } = this;
    const owner = tag(dice);
    switch (dice.number(16)) {
      case 0:
      case 1:
        return this.#streamed("TEXT_MESSAGE", "CONTENT", { messageId: dice.one(...ids.message) }, { ...(dice.chance(2) && { role: dice.one("assistant", "user", "system") }) }, owner);
      case 2:
      case 3:
        return this.#streamed("TOOL_CALL", "ARGS", { toolCallId: dice.one(...ids.call) }, { toolCallName: dice.one("f", "g"), ...(dice.chance(2) && { parentMessageId: dice.one(...ids.message) }) }, owner);
      case 4:
        return this.#streamed("REASONING_MESSAGE", "CONTENT", { messageId: dice.one(...ids.thought) }, { role: "reasoning" }, owner);
      case 5:
        return this.#opens({ type: "REASONING_START", messageId: dice.one(...ids.thought), ...owner }, "REASONING_END");
      case 6:
        return this.#opens({ type: "STEP_STARTED", stepName: dice.one("look", "say"), ...owner }, "STEP_FINISHED");
      case 7:
        return this.#chunks(owner);
      case 8:
        return this.#one({ type: "TOOL_CALL_RESULT", messageId: `result-${this.events.length}`, toolCallId: dice.one(...ids.call), content: dice.one<unknown>("1", [{ type: "text", text: "1" }, { type: "image", source: { type: "crystal" } }]), ...owner, ...noted(dice) });
      case 9:
        return this.#one({ type: "STATE_SNAPSHOT", snapshot: dice.one<unknown>({ n: 1, list: ["a"], deep: { n: 2 } }, { "a/b": 1, "a~b": 2 }, [1], null) });
      case 10:
        return this.#one({ type: "STATE_DELTA", delta: Array.from({ length: 1 + dice.number(3) }, () => operation(dice)) });
      case 11:
        return this.#one({ type: "MESSAGES_SNAPSHOT", messages: messages(dice), ...(dice.chance(3) && { metadata: { "@ag-ui/client": dice.one<unknown>({ authoritativeActivityTypes: null }, { authoritativeActivityTypes: ["shelf"] }, { authoritativeActivityTypes: 3 }, {}, 7) } }) });
      case 12:
        return this.#one({ type: "ACTIVITY_SNAPSHOT", messageId: dice.one(...ids.activity), activityType: dice.one("shelf", "cart"), content: { n: 1, list: ["a"] }, ...(dice.chance(3) && { replace: dice.one(true, false) }), ...owner, ...noted(dice) });
      case 13:
        return this.#one({ type: "ACTIVITY_DELTA", messageId: dice.one(...ids.activity), activityType: dice.one("shelf", "cart"), patch: [operation(dice)], ...owner, ...noted(dice) });
      case 14:
        return this.#one(dice.one<Raw>(
          { type: "RAW", event: null },
          { type: "CUSTOM", name: "bell", value: dice.one<unknown>(1, null) },
          { type: "BOOK_DROPPED" },
          { type: "REASONING_ENCRYPTED_VALUE", subtype: dice.one("message", "tool-call"), entityId: dice.one("m1", "c1", "r1", "x1", "none"), encryptedValue: "c2Vh", ...owner },
        ));
      default: {
        const subagentRunId = dice.one(...SUBAGENTS);
        this.events.push({ type: "SUBAGENT_STARTED", subagentRunId, name: "archivist", ...(dice.chance(3) && { parentSubagentRunId: dice.one(...SUBAGENTS) }) });
        this.#open.push(() => dice.one<Raw>({ type: "SUBAGENT_FINISHED", subagentRunId, ...(dice.chance(2) && { outcome: { type: "suspended", interruptIds: ["q1"] } }) }, { type: "SUBAGENT_ERROR", subagentRunId, message: "lost" }));
      }
    }
  }

  #one(event: Raw): void {
    this.events.push(event);
  }

  #opens(event: Raw, closes: string): void {
    this.events.push(event);
    this.#open.push(() => ({ ...event, type: closes }));
  }

  #streamed(kind: string, content: string, id: Raw, extra: Raw, owner: Raw): void {
    const { dice } = this;
    this.events.push({ type: `${kind}_START`, ...id, ...extra, ...owner, ...noted(dice) });
    const parts = dice.number(3);
    for (let part = 0; part < parts; part += 1) this.events.push({ type: `${kind}_${content}`, ...id, delta: dice.one(...TEXTS), ...(dice.chance(2) ? owner : {}), ...noted(dice) });
    const end = { type: `${kind}_END`, ...id, ...(dice.chance(2) ? owner : {}), ...noted(dice) };
    if (dice.chance(4)) this.#open.push(() => end);
    else this.events.push(end);
  }

  #chunks(owner: Raw): void {
    const { dice } = this;
    const form = dice.one(
      { type: "TEXT_MESSAGE_CHUNK", id: { messageId: dice.one(...ids.message) }, more: dice.chance(2) ? { role: dice.one("assistant", "user") } : {} },
      { type: "TOOL_CALL_CHUNK", id: { toolCallId: dice.one(...ids.call) }, more: { toolCallName: dice.one("f", "g"), ...(dice.chance(3) && { parentMessageId: dice.one(...ids.message) }) } },
      { type: "REASONING_MESSAGE_CHUNK", id: { messageId: dice.one(...ids.thought) }, more: {} },
    );
    this.events.push({ type: form.type, ...form.id, ...form.more, ...owner, ...(dice.chance(3) ? {} : { delta: dice.one(...TEXTS) }), ...noted(dice) });
    const parts = dice.number(3);
    for (let part = 0; part < parts; part += 1) {
      this.events.push({ type: form.type, ...(dice.chance(2) && form.id), ...(dice.chance(3) && form.more), ...(dice.chance(2) ? owner : {}), ...(dice.chance(4) ? {} : { delta: dice.one(...TEXTS) }), ...noted(dice), ...(dice.chance(6) && { rawEvent: { id: 1 } }) });
      if (dice.chance(5)) this.#step();
    }
  }
}

/** Null is the official client's to repair in these places, for producers before 1.0. */
const REPAIRED = new Set(["rawEvent", "result", "outcome", "parentMessageId", "parameters", "forwardedProps", "payload"]);

/** The stream, with one event lost, doubled, moved, retyped or holding a value that is none of its own. */
export function bent(dice: Dice, events: readonly Raw[]): Raw[] {
  const result = structuredClone(events) as Raw[];
  const at = dice.number(result.length);
  const event = result[at] as Raw;
  switch (dice.number(6)) {
    case 0:
      result.splice(at, 1);
      break;
    case 1:
      result.splice(at, 0, structuredClone(event));
      break;
    case 2:
      result.splice(dice.number(result.length), 0, ...result.splice(at, 1));
      break;
    case 3: {
      const name = dice.one(...Object.keys(event).filter((key) => key !== "type"), "subagentRunId", "metadata", "timestamp");
      const value = dice.one<unknown>(1, "x", true, [], {}, 1.5, null);
      if (!(value === null && REPAIRED.has(name))) event[name] = value;
      break;
    }
    case 4: {
      const names = Object.keys(event).filter((key) => key !== "type");
      if (names.length > 0) delete event[dice.one(...names)];
      break;
    }
    default:
      event[dice.one("toString", "futureMember", "constructor")] = 1;
  }
  return result;
}
