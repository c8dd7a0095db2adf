/** Every error that this package throws or rejects with is a `ToolgateError`; `code` is stable and may be matched on. */
export class ToolgateError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A definition or an option that cannot work. Nothing was sent. */
export class ConfigurationError extends ToolgateError {
  constructor(message: string) {
    super("configuration", message);
  }
}

/** No readable answer came: the request may or may not have reached the gateway. */
export class TransportError extends ToolgateError {
  constructor(message: string, options?: ErrorOptions) {
    super("transport", message, options);
  }
}

/** What a problem answer (RFC 9457, `application/problem+json`) said. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  /** From `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** With `unknown_session`: another process registered with the same worker id. */
  readonly superseded?: boolean;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The gateway answered, and refused. */
export class GatewayProblem extends ToolgateError {
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The session was taken over by another process with the same worker id. */
  readonly isSuperseded: boolean;
  /** All members of the answer, under their names on the wire. `isProblem` gives them their types. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(problem: Problem) {
    super(problem.code, `${problem.status} ${problem.code}: ${problem.detail ?? problem.title}`);
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.isSuperseded = problem.superseded === true;
    this.members = problem.members ?? {};
  }

  /** Whether the same request may succeed later without anybody changing anything. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408 || this.status === 425;
  }
}

/** The gateway does not take this key for this pool (401 or 403 at registration). */
export class KeyRefused extends ToolgateError {
  readonly status: number;

  constructor(problem: GatewayProblem) {
    super("key_refused", `the gateway refused the worker key: ${problem.message}`, { cause: problem });
    this.status = problem.status;
  }
}

/** Another process registered with this worker id; the newer one keeps it. */
export class SessionSuperseded extends ToolgateError {
  constructor(workerId: string) {
    super("session_superseded", `another process registered as worker "${workerId}"; each replica needs a workerId of its own`);
  }
}

/** `ready` rejects with this when the worker was stopped before it had registered. */
export class WorkerStopped extends ToolgateError {
  constructor() {
    super("worker_stopped", "the worker was stopped before it had registered");
  }
}

export type AbortCode = "deadline_exceeded" | "claim_lost" | "cancel_requested" | "drain_timeout";

const ABORT_MESSAGES: Record<AbortCode, string> = {
  deadline_exceeded: "the call's execution deadline has passed",
  claim_lost: "the gateway no longer counts this worker as the holder of the call",
  cancel_requested: "cancellation of the call was requested",
  drain_timeout: "the worker is stopping and its drain time is over",
};

/** The reason of `ctx.signal`: `error.code` says why the call was aborted. */
export class CallAborted extends ToolgateError {
  declare readonly code: AbortCode;

  constructor(code: AbortCode) {
    super(code, ABORT_MESSAGES[code]);
  }
}

/** Ends one call with an error result without running its handler. */
export class CallRefused extends ToolgateError {}
