/** One conversation as its streams tell it: checks each event, applies it, and says how a run ended. */
import { Chunks } from "./chunks";
import { Order } from "./order";
import { type Held, reduce } from "./reduce";
import { checked, type Notes } from "./shapes";
import { type Event, type Interrupt, type Message, type Outcome, ProtocolError } from "./types";

/** The protocol that this reader speaks. */
export const PROTOCOL_VERSION = "1.0";

export class Stream {
  messages: readonly Message[];
  state: unknown;
  /** How the last run of the stream ended, once it did. */
  outcome: Outcome | undefined;
  /** What was left aside: unknown members and events, patches that do not fit. */
  warnings: string[] = [];

  #chunks = new Chunks();
  #order = new Order();
  #calls: string[] = [];
  #answered = new Set<string>();

  constructor(held: Held) {
    this.messages = held.messages;
    this.state = held.state;
  }

  /** Calls that the run began and that have no result yet, in their order. */
  get unanswered(): string[] {
    return this.#calls.filter((id) => !this.#answered.has(id));
  }

  /** Takes what came over the wire; gives the events that it meant. Throws a `ProtocolError`, after which the stream is worth nothing more. */
  take(raw: Record<string, unknown>): Event[] {
    const notes: Notes = { removed: [], faults: [] };
    const event = checked(raw, notes);
    this.warnings.push(...notes.removed.map((path) => `${String(raw.type)}: ${path} is not known.`));
    if (event === undefined) return [];
    if (notes.faults.length > 0) throw new ProtocolError("malformed", `A ${String(raw.type)} is malformed at ${notes.faults.join(", ")}.`);
    const events = this.#chunks.expand(event as Event);
    for (const each of events) {
      this.#order.check(each);
      this.#note(each);
      const held = reduce(this, each, (warning) => this.warnings.push(warning));
      this.messages = held.messages;
      this.state = held.state;
    }
    return events;
  }

  /** The stream ended; throws where a run had not. */
  end(): void {
    this.#order.end();
  }

  #note(event: Event): void {
    if (event.type === "RUN_STARTED") {
      this.outcome = undefined;
      this.#calls = [];
      this.#answered.clear();
      this.#noteVersion(event.protocolVersion as string | undefined);
    } else if (event.type === "TOOL_CALL_START" && !this.#calls.includes(event.toolCallId as string)) {
      this.#calls.push(event.toolCallId as string);
    } else if (event.type === "TOOL_CALL_RESULT") {
      this.#answered.add(event.toolCallId as string);
    } else if (event.type === "RUN_ERROR") {
      this.outcome = { type: "failed", message: event.message as string, ...(event.code !== undefined && { code: event.code as string }) };
    } else if (event.type === "RUN_FINISHED") {
      this.outcome = this.#finished(event.outcome as { type: string; pendingToolCallIds?: string[]; interrupts?: Interrupt[] } | undefined);
    }
  }

  /** No outcome is success; a list of waiting calls that is not there is the run's unanswered calls. */
  #finished(outcome: { type: string; pendingToolCallIds?: string[]; interrupts?: Interrupt[] } | undefined): Outcome {
    if (outcome?.type === "interrupt") return { type: "interrupt", interrupts: outcome.interrupts ?? [] };
    if (outcome?.type === "cancelled") return { type: "cancelled" };
    const named = outcome?.pendingToolCallIds ?? [];
    return { type: "success", pendingToolCallIds: named.length > 0 ? named : this.unanswered };
  }

  #noteVersion(version: string | undefined): void {
    if (version !== undefined && !isSpoken(version)) this.warnings.push(`The agent speaks AG-UI ${version}, this page ${PROTOCOL_VERSION}.`);
  }
}

/** A version that this reader knows: its own, or an older one. What is no version is none that it knows. */
function isSpoken(version: string): boolean {
  const [given, own] = [version, PROTOCOL_VERSION].map((text) => /^(\d+)\.(\d+)(?:\.\d+)?$/.exec(text)?.slice(1, 3).map(Number));
  if (given === undefined || own === undefined) return false;
  const [[major = 0, minor = 0], [ownMajor = 0, ownMinor = 0]] = [given, own];
  return major < ownMajor || (major === ownMajor && minor <= ownMinor);
}
