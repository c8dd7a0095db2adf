import type { Principal } from "../call-context.js";
import { ConfigurationError, ToolgateError } from "../errors.js";
import { exactJsonText } from "../json/write.js";
import { checkWhole } from "../options.js";
import { type Call, readCall } from "./call.js";
import { CallUnanswered } from "./errors.js";
import { mayPass, type RestDoor } from "./rest-door.js";

/** An object, where a bigint is written as its digits, or JSON text such as a model's own, which is taken digit for digit. */
export type Arguments = Readonly<Record<string, unknown>> | string;

export interface CallRequest {
  readonly tool: string;
  readonly arguments?: Arguments;
  /** With a caller key: who acts. An agent key says it itself. */
  readonly agent?: string;
  /** With a caller key: on whose behalf. */
  readonly principal?: Principal;
  /** Names this one call: a repeat with the same key is the same call. Default: a random one. */
  readonly idempotencyKey?: string;
  /** How long the answer may wait for the call's end, 0 (default) to 25. A parked call is answered at once. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** A call with the key that finds it again. */
export type SubmittedCall<Result = unknown> = Call<Result> & { readonly idempotencyKey: string };

export const WAIT_SECONDS_MAX = 25;
const KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** See `ToolgateClient.call`. */
export async function submit<Result>(door: RestDoor, request: CallRequest): Promise<SubmittedCall<Result>> {
  const { tool, arguments: args, agent, principal, idempotencyKey = randomKey(), waitSeconds, signal } = request;
  if (!KEY.test(idempotencyKey)) throw new ConfigurationError("idempotencyKey must be 1 to 255 printable ASCII characters without blanks around them");
  checkWhole(waitSeconds, 0, WAIT_SECONDS_MAX, "waitSeconds");
  const body = jsonText({ tool, arguments: args, agent, principal });
  let isLost = false;
  const ask = { what: "call", method: "POST", path: "/calls", body, idempotencyKey, waitSeconds, signal } as const;
  try {
    const call = await door.ask(ask, readCall<Result>, () => (isLost = true));
    return { ...call, idempotencyKey };
  } catch (error) {
    // A lost attempt that made a call would be found by the next one: a refusal for good says that there was none.
    throw isLost && error instanceof ToolgateError && mayPass(error) ? new CallUnanswered(idempotencyKey, error) : error;
  }
}

/** JSON text of what the customer gave; what has no such form is the customer's mistake. */
export function jsonText(value: object): string {
  try {
    return exactJsonText(value);
  } catch (cause) {
    throw new ConfigurationError(cause instanceof Error ? cause.message : String(cause));
  }
}

// Not randomUUID, which pages without TLS do not have.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
