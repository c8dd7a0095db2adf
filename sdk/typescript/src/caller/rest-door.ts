import { pause } from "../clock.js";
import { ConfigurationError, GatewayProblem, TransportError } from "../errors.js";
import { exchange, type Fetch } from "../exchange.js";
import { backoffMs } from "../timing.js";
import { Document } from "./document.js";
import { ATTEMPTS, type ClientOptions, type ClientTiming, TIMEOUT_MS } from "./options.js";

/** One request of the REST door. */
export interface Ask {
  /** Names the request in errors. */
  readonly what: string;
  readonly method: "GET" | "POST";
  /** Below `/v1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON text. */
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** How long the gateway may hold the answer. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The gateway's HTTP API seen with one key. */
export class RestDoor {
  readonly apiKey: string;
  readonly timing: ClientTiming;
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #attempts: number;

  constructor(options: ClientOptions, timing: ClientTiming) {
    this.apiKey = options.apiKey;
    this.timing = timing;
    this.#baseUrl = `${options.baseUrl.replace(/\/+$/, "")}/v1`;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#attempts = options.attempts ?? ATTEMPTS;
  }

  /** Asks once; `deadlineMs` may shorten the time for the answer. Rejects with the reason of an aborted signal. */
  async once<Type, Answer>(ask: Ask, read: (answer: Document<Type>) => Answer, deadlineMs = Number.POSITIVE_INFINITY): Promise<Answer> {
    const { what, method, body, waitSeconds = 0, idempotencyKey, signal } = ask;
    signal?.throwIfAborted();
    const headers: Record<string, string> = {};
    if (waitSeconds > 0) headers["prefer"] = `wait=${waitSeconds}`;
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const message = { what, method, url: this.#url(ask), apiKey: this.apiKey, body, headers };
    try {
      const limitMs = Math.min(waitSeconds * 1_000 + this.#timeoutMs, deadlineMs);
      return read(Document.read(what, (await exchange(this.#fetch, message, { deadlineMs: limitMs, signal })).text));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * Asks until it is answered, for requests that do no more harm the second time. `onLost` hears of every attempt that
   * may have been carried out although no answer came.
   */
  async ask<Type, Answer>(ask: Ask, read: (answer: Document<Type>) => Answer, onLost: () => void = () => {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(ask, read);
      } catch (error) {
        if (mayHaveHappened(error)) onLost();
        const pauseMs = backoffMs(this.timing, attempt - 1, error);
        if (attempt >= this.#attempts || !mayPass(error) || pauseMs > this.timing.retryAfterMsMax) throw error;
        await pause(pauseMs, ask.signal);
      }
    }
  }

  #url({ path, query = {} }: Ask): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
    const text = parameters.toString();
    return `${this.#baseUrl}${path}${text === "" ? "" : `?${text}`}`;
  }
}

/** Whether the same request may be answered otherwise without anybody changing anything. */
export function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  if (!(error instanceof GatewayProblem) || !error.isTemporary) return false;
  // "Too many" passes by itself only where the answer says when.
  return error.status === 429 ? error.retryAfterSeconds !== undefined : ![501, 505, 508].includes(error.status);
}

function mayHaveHappened(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof GatewayProblem && error.status >= 500);
}

/** An id as a part of a path. Nothing else may stand there: `..` would lead to another resource. */
export function idPart(id: unknown): string {
  if (typeof id === "string" && /^[A-Za-z0-9_-]{1,100}$/.test(id)) return id;
  throw new ConfigurationError("an id has 1 to 100 of A-Z a-z 0-9 _ -");
}
