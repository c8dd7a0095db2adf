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

/** What the client of a call answered to what the handler had asked for with `askClient`. Data of the client. */
export interface CallInput {
  /** By the key it was asked under; a client may leave some out, and may send more. */
  readonly responses: { readonly [key: string]: unknown };
  /** The state that the handler gave along with its question, as it was. */
  readonly state?: unknown;
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
  /** When the client answers what an earlier call of the handler asked for; reads only. */
  readonly input?: CallInput;
  /** Aborted with a `CallAborted` as reason: deadline, lost claim, requested cancellation, end of the drain time. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}
