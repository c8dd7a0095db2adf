import type { Principal } from "../call-context.js";
import { optional } from "./call.js";
import type { Document } from "./document.js";

export type ApprovalState = "pending" | "approved" | "rejected" | "expired" | "cancelled" | "invalidated";

/** A decision that was made. */
export interface Decision {
  readonly decision: "approve" | "reject";
  /** The approver's name. */
  readonly by: string;
  /** The id of the key it was made with. */
  readonly key: string;
  readonly at: string;
  readonly digest?: string;
  readonly reason?: string;
}

/** A call that waits for a person, or waited. */
export interface Approval {
  readonly id: string;
  readonly call: string;
  readonly agent: string;
  readonly principal: Principal;
  readonly tool: string;
  /** Of the tool's definition. */
  readonly version: string;
  /** An integer beyond 2^53-1 is a bigint, a number beyond what JavaScript can hold its text. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Exactly the bytes that the code will receive. What is shown to a person is this. */
  readonly argumentsText: string;
  /** What a decision must name. */
  readonly digest: string;
  /** The text of the turn in which it was asked for. Nobody has verified it. */
  readonly purpose?: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** How many approvers must say yes. */
  readonly required: number;
  readonly decisions: readonly Decision[];
  /** Earlier decisions on the like: same tool and principal. */
  readonly earlier: readonly Decision[];
  readonly state: ApprovalState;
}

/** Throws a `TransportError` that names the member which is missing or of another kind. */
export function readApproval(from: Document): Approval {
  // The gateway sends objects for both; reading them as such is the check.
  from.object("principal");
  from.object("arguments");
  return {
    id: from.text("id"),
    call: from.text("call"),
    agent: from.text("agent"),
    principal: from.value("principal") as Principal,
    tool: from.text("tool"),
    version: from.text("version"),
    arguments: from.value("arguments") as Approval["arguments"],
    argumentsText: from.source("arguments"),
    digest: from.text("digest"),
    ...optional("purpose", from.optionalText("purpose")),
    createdAt: from.text("created_at"),
    expiresAt: from.text("expires_at"),
    required: from.number("required"),
    decisions: from.list("decisions").map(readDecision),
    earlier: from.list("earlier").map(readDecision),
    state: from.text("state") as ApprovalState,
  };
}

function readDecision(from: Document): Decision {
  return {
    decision: from.text("decision") as Decision["decision"],
    by: from.text("by"),
    key: from.text("key"),
    at: from.text("at"),
    ...optional("digest", from.optionalText("digest")),
    ...optional("reason", from.optionalText("reason")),
  };
}
