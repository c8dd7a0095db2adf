import { ToolgateError } from "../errors.js";
import type { OpenCall, ParkedCall } from "./call.js";

/**
 * Whether a submission was accepted is not known: no readable answer came, at every attempt. `cause` is the last fault.
 * The same request with this `idempotencyKey` finds the call if there is one, and makes it otherwise.
 */
export class CallUnanswered extends ToolgateError {
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string, cause: Error) {
    super("call_unanswered", `no answer to the call, so it may have been accepted; repeat it with the same idempotencyKey: ${cause.message}`, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** The call has not ended in the time that `wait` was given. It goes on, and may be waited for again. */
export class WaitTimeout extends ToolgateError {
  /** As it was last seen; undefined when no read was answered. `cause` is the last fault then. */
  readonly call: ParkedCall | OpenCall | undefined;

  constructor(id: string, call: ParkedCall | OpenCall | undefined, cause: unknown) {
    super("wait_timeout", `${id} has not ended in time${call === undefined ? "" : `; it is ${call.state}`}`, cause === undefined ? undefined : { cause });
    this.call = call;
  }
}
