import type { Fetch } from "../exchange.js";
import { checkConnection, checkWhole } from "../options.js";

export interface ClientOptions {
  /** Where the gateway is, e.g. `https://gate.example.com`. */
  readonly baseUrl: string;
  /** A caller or agent key for calls, an approver key for approvals. Never logged. */
  readonly apiKey: string;
  readonly fetch?: Fetch;
  /** How long an answer may take beyond the time that the gateway was asked to hold it. Default 10,000. */
  readonly timeoutMs?: number;
  /** How often a request is sent in all, while no answer or a passing refusal comes. Default 4. */
  readonly attempts?: number;
}

export const ATTEMPTS = 4;
export const TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 100;
/** Longer timers fire at once. */
const TIMEOUT_MS_MAX = 2_000_000_000;

/** Durations of the client. Tests shorten them; customers have no reason to. */
export interface ClientTiming {
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** A refusal that asks for a longer pause than this is handed to the caller. */
  readonly retryAfterMsMax: number;
  /** How long one read of `wait` is held: less than most proxies allow. */
  readonly holdSeconds: number;
  /** The longest pause between two rounds of `watch` while nothing changes, unless the interval is longer. */
  readonly watchMsMax: number;
}

export const CLIENT_TIMING: ClientTiming = {
  backoffMs: 250,
  backoffMsMax: 5_000,
  retryAfterMsMax: 30_000,
  holdSeconds: 20,
  watchMsMax: 15_000,
};

/** Faults that no retry can heal throw at once, where the mistake was made. */
export function checkClientOptions(options: ClientOptions): void {
  checkConnection(options);
  checkWhole(options.attempts, 1, ATTEMPTS_MAX, "attempts");
  checkWhole(options.timeoutMs, 1, TIMEOUT_MS_MAX, "timeoutMs");
}
