import { Approvals } from "./approvals.js";
import { Calls } from "./calls.js";
import { checkClientOptions, CLIENT_TIMING, type ClientOptions, type ClientTiming } from "./options.js";
import { RestDoor } from "./rest-door.js";
import { type CallRequest, submit, type SubmittedCall } from "./submission.js";

/** The gateway for products that submit calls for agents, and for screens where people decide. */
export class ToolgateClient {
  readonly calls: Calls;
  readonly approvals: Approvals;
  readonly #door: RestDoor;

  /** A mistake in the options throws a `ConfigurationError`. */
  constructor(options: ClientOptions, timing: ClientTiming = CLIENT_TIMING) {
    checkClientOptions(options);
    this.#door = new RestDoor(options, timing);
    this.calls = new Calls(this.#door);
    this.approvals = new Approvals(this.#door);
  }

  /**
   * Submits one call. Attempts share one idempotency key, so that a lost answer never makes a second call. A refusal is a
   * `GatewayProblem`; when every attempt stays without an answer, `CallUnanswered` has the key.
   */
  call<Result = unknown>(request: CallRequest): Promise<SubmittedCall<Result>> {
    return submit<Result>(this.#door, request);
  }
}
