/** On whose behalf a call runs: data of the caller, verbatim; integers beyond 2^53-1 in extra members are bigint. */
export interface Principal {
  readonly id: string;
  readonly tenant_id: string;
  readonly permissions: readonly string[];
  readonly [extra: string]: unknown;
}

export interface Deadline {
  /** What the handler was given in all, in seconds. */
  readonly seconds: number;
  /** What is left of it by the monotonic clock; 0 when it has passed. */
  remainingSeconds(): number;
}

/** The second argument of every handler. */
export interface CallContext {
  /** Stable across attempts: use it as the idempotency key of your own writes. */
  readonly callId: string;
  readonly principal: Principal;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly tool: string;
  readonly run?: string;
  /** Aborted with a `CallAborted` as reason: deadline, lost claim, requested cancellation, end of the drain time. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}
