import { GatewayProblem } from "./errors.js";

/** Durations of the protocol's client side. Tests shorten them; customers have no reason to. */
export interface Timing {
  /** How long the gateway may hold an idle poll. */
  readonly pollWaitSeconds: number;
  /** What a poll may take beyond its wait before the connection counts as dead. */
  readonly pollMarginSeconds: number;
  /** The deadline of every request that the gateway answers at once. */
  readonly requestSeconds: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** How often goodbye is tried before the gateway is left to notice by itself. */
  readonly goodbyeAttempts: number;
  /** How long returning a claim is worth trying: its lease has lapsed by then. */
  readonly returnSeconds: number;
}

export const DEFAULT_TIMING: Timing = {
  pollWaitSeconds: 20,
  pollMarginSeconds: 5,
  requestSeconds: 10,
  backoffMs: 250,
  backoffMsMax: 10_000,
  goodbyeAttempts: 3,
  returnSeconds: 30,
};

const RETRY_AFTER_SECONDS_MAX = 300;

/** The pause before try number `attempt + 1`: doubling, capped, with half of it random, never less than `Retry-After`. */
export function backoffMs(timing: Pick<Timing, "backoffMs" | "backoffMsMax">, attempt: number, error?: unknown): number {
  const full = Math.min(timing.backoffMs * 2 ** Math.min(attempt, 20), timing.backoffMsMax);
  const jittered = full / 2 + (Math.random() * full) / 2;
  const asked = error instanceof GatewayProblem ? Math.min(error.retryAfterSeconds ?? 0, RETRY_AFTER_SECONDS_MAX) * 1_000 : 0;
  return Math.max(jittered, asked);
}
