import { ConfigurationError, GatewayProblem } from "../errors.js";
import { checkWhole } from "../options.js";
import { type Call, type CallState, type CallSummary, type EndedCall, readCall, readSummary } from "./call.js";
import { optional, type Wire } from "../wire.js";
import type { Document } from "./document.js";
import { paged } from "./paging.js";
import { idPart, type RestDoor } from "./rest-door.js";
import { jsonText, WAIT_SECONDS_MAX } from "./submission.js";
import { waitForEnd } from "./waiting.js";

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends ReadOptions {
  /** How long the answer may wait for the call's end, 0 (default) to 25. */
  readonly waitSeconds?: number;
}

export interface WaitOptions extends ReadOptions {
  /** After this, `WaitTimeout`. Default 600,000 (10 minutes); a parked call may take up to 30 days. */
  readonly timeoutMs?: number;
}

export interface CallFilter extends ReadOptions {
  readonly pool: string;
  readonly state?: CallState;
  readonly tool?: string;
  readonly agent?: string;
}

export interface Resolution {
  readonly outcome: "succeeded" | "failed";
  /** How you know. It stands in the call's timeline. */
  readonly note: string;
  readonly result?: unknown;
}

/** One entry of a call's timeline. */
export interface CallEvent {
  readonly event: string;
  readonly at: string;
  readonly by: string;
  readonly attempt?: number;
  readonly note?: string;
}

/** A result that came and did not settle the call. */
export interface Evidence {
  readonly says: string;
  readonly at: string;
}

export interface CallHistory {
  readonly events: readonly CallEvent[];
  readonly evidence: readonly Evidence[];
}

/** A call, or its id. */
export type CallRef = string | { readonly id: string };

const WAIT_MS = 600_000;

/** Calls that were accepted. */
export class Calls {
  readonly #door: RestDoor;

  constructor(door: RestDoor) {
    this.#door = door;
  }

  /** The call as it stands, or as it stands after `waitSeconds`. */
  async get<Result = unknown>(call: CallRef, { waitSeconds, signal }: GetOptions = {}): Promise<Call<Result>> {
    checkWhole(waitSeconds, 0, WAIT_SECONDS_MAX, "waitSeconds");
    return this.#door.ask({ what: "get call", method: "GET", path: path(call), waitSeconds, signal }, readCall<Result>);
  }

  /** The call once it has ended. Broken connections and passing refusals are survived; other refusals are thrown. */
  async wait<Result = unknown>(call: CallRef, { timeoutMs = WAIT_MS, signal }: WaitOptions = {}): Promise<EndedCall<Result>> {
    if (!(timeoutMs > 0)) throw new ConfigurationError("timeoutMs must be above 0");
    return waitForEnd<Result>(this.#door, { what: "wait for call", method: "GET", path: path(call), signal }, idOf(call), timeoutMs);
  }

  /** Takes a call back that has certainly not started. `already_running` and `already_ended` are the refusals to expect. */
  async cancel(call: CallRef, { signal }: ReadOptions = {}): Promise<Call> {
    let isLost = false;
    const ask = { what: "cancel", method: "POST", path: `${path(call)}/cancel`, signal } as const;
    try {
      return await this.#door.ask(ask, readCall, () => (isLost = true));
    } catch (error) {
      // The attempt without an answer may have done it.
      const isDone = isLost && error instanceof GatewayProblem && error.code === "already_ended" && error.members["state"] === "cancelled";
      if (!isDone) throw error;
      return this.get(call, optional("signal", signal));
    }
  }

  /** What happened to the call, in order. */
  async events(call: CallRef, { signal }: ReadOptions = {}): Promise<CallHistory> {
    return this.#door.ask({ what: "events", method: "GET", path: `${path(call)}/events`, signal }, readHistory);
  }

  /** Calls of a pool, newest first, page by page as they are asked for. */
  list({ pool, state, tool, agent, signal }: CallFilter): AsyncGenerator<CallSummary, void, undefined> {
    return paged(this.#door, { what: "list calls", method: "GET", path: "/calls", query: { pool, state, tool, agent }, signal }, "calls", readSummary);
  }

  /** Says what an `unknown` call turned out to be. It is sent once: after a `TransportError` read the call. */
  async resolve(call: CallRef, resolution: Resolution, { signal }: ReadOptions = {}): Promise<Call> {
    const { outcome, note, result } = resolution;
    return this.#door.once({ what: "resolve", method: "POST", path: `${path(call)}/resolution`, body: jsonText({ outcome, note, result }), signal }, readCall);
  }
}

function idOf(call: CallRef): string {
  return typeof call === "string" ? call : call.id;
}

function path(call: CallRef): string {
  return `/calls/${idPart(idOf(call))}`;
}

function readHistory(answer: Document<Wire["CallEvents"]>): CallHistory {
  return {
    events: answer.list("events").map((entry) => ({
      event: entry.text("event"),
      at: entry.text("at"),
      by: entry.text("by"),
      ...optional("attempt", entry.has("attempt") ? entry.number("attempt") : undefined),
      ...optional("note", entry.optionalText("note")),
    })),
    evidence: answer.list("evidence").map((piece) => ({ says: piece.text("says"), at: piece.text("at") })),
  };
}
