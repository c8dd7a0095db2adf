import { GatewayProblem } from "../errors.js";
import type { Wire } from "../wire.js";
import type { CallState } from "./call.js";

/** The stable codes of the gateway's refusals; docs/errors has a page for each. A newer gateway may know more. */
export const PROBLEM_CODES = [
  "access_refused",
  "access_unavailable",
  "agent_not_in_scope",
  "already_decided",
  "already_ended",
  "already_running",
  "approval_expired",
  "approval_withdrawn",
  "busy",
  "definition_refused",
  "destination_refused",
  "digest_mismatch",
  "door_not_allowed",
  "endpoint_suspended",
  "forged_tool_result",
  "idempotency_conflict",
  "idempotency_key_required",
  "internal",
  "invalid_arguments",
  "invalid_json",
  "invalid_key",
  "invalid_request",
  "invalid_run_input",
  "jurisdiction_unsupported",
  "loop_detected",
  "managed_elsewhere",
  "manifest_unavailable",
  "method_not_allowed",
  "not_found",
  "not_granted",
  "not_unknown",
  "nothing_to_accept",
  "object_unavailable",
  "org_exists",
  "origin_not_allowed",
  "payload_too_large",
  "permission_missing",
  "pool_not_in_scope",
  "recently_rejected",
  "registry_unavailable",
  "requester_may_not_approve",
  "resolver_unavailable",
  "role_not_allowed",
  "secret_in_use",
  "secret_refused",
  "storage_unavailable",
  "thread_busy",
  "thread_full",
  "too_many_pending",
  "too_many_threads",
  "tool_disabled",
  "tool_in_use",
  "tool_name_clash",
  "transport_in_use",
  "unknown_capability",
  "unknown_session",
  "unknown_tool",
  "unsupported_media_type",
  "write_not_enabled",
] as const satisfies readonly Wire["ProblemBody"]["code"][];

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** The members that a code brings along, under their names on the wire. Codes that are not here bring none. */
export interface ProblemMembers {
  readonly already_decided: { readonly decision: "approve" | "reject"; readonly by: string; readonly at: string };
  readonly already_ended: { readonly state: CallState };
  readonly approval_withdrawn: { readonly state: "cancelled" | "invalidated" };
  readonly busy: { readonly retry_after_seconds?: number };
  readonly definition_refused: { readonly fence?: string };
  readonly idempotency_conflict: { readonly call: string };
  readonly invalid_arguments: { readonly faults?: readonly { readonly field: string; readonly message: string }[] };
  readonly invalid_request: { readonly field?: string };
  readonly method_not_allowed: { readonly allow: string };
  readonly not_unknown: { readonly state: CallState };
  readonly payload_too_large: { readonly limit_bytes: number; readonly bytes: number };
  readonly permission_missing: { readonly permission: string };
  readonly role_not_allowed: { readonly roles: readonly string[] };
  readonly storage_unavailable: { readonly call?: string };
  readonly unknown_capability: { readonly capability: string };
  readonly unknown_session: { readonly superseded?: boolean };
  readonly unknown_tool: { readonly tool?: string };
}

/** A refusal of a known code, with the types of its members. */
export type ProblemOf<Code extends ProblemCode> = Code extends ProblemCode
  ? GatewayProblem & { readonly code: Code; readonly members: Code extends keyof ProblemMembers ? ProblemMembers[Code] : {} }
  : never;

/** A refusal of any known code: `switch` over its `code`. */
export type KnownProblem = ProblemOf<ProblemCode>;

/** Whether this is a refusal by the gateway; with a code, whether it is that one. */
export function isProblem(error: unknown): error is GatewayProblem;
export function isProblem<Code extends ProblemCode>(error: unknown, code: Code): error is ProblemOf<Code>;
export function isProblem(error: unknown, code?: ProblemCode): boolean {
  return error instanceof GatewayProblem && (code === undefined || error.code === code);
}

/** The refusal, if it is one and its code is known here. */
export function knownProblem(error: unknown): KnownProblem | undefined {
  const isKnown = error instanceof GatewayProblem && PROBLEM_CODES.some((code) => code === error.code);
  return isKnown ? (error as KnownProblem) : undefined;
}
