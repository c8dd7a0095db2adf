import type { Principal } from "../call-context.js";
import { optional, type Wire } from "../wire.js";
import type { Document } from "./document.js";

export type ApprovalState = Wire["ApprovalView"]["state"];

/** A decision that was made. */
export interface Decision {
  readonly decision: Wire["DecisionKind"];
  /** The approver's name. */
  readonly by: string;
  /** The id of the key it was made with. */
  readonly key: string;
  readonly at: string;
  /** That of what was shown. */
  readonly digest?: string;
  /** That of what is sent, where the decision edited it. */
  readonly sentDigest?: string;
  readonly reason?: string;
}

/** A decision on an earlier call of the same tool for the same principal. */
export interface EarlierDecision {
  /** That approval. */
  readonly approval: string;
  readonly decision: Wire["DecisionKind"];
  readonly by: string;
  readonly at: string;
  readonly reason?: string;
  readonly sameArguments: boolean;
}

/** A member of the arguments that a decision changed; JSON text, digit for digit. */
export interface ArgumentChange {
  readonly field: string;
  /** Absent for a new member. */
  readonly fromText?: string;
  /** Absent for a removed one. */
  readonly toText?: string;
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
  /** Exactly the bytes that the code will receive, unless a decision edits them. */
  readonly argumentsText: string;
  /** The same to be shown to a person: every control, invisible or turning character stands as an escape. */
  readonly shownText: string;
  /** What the code receives instead, after an edit. */
  readonly editedText?: string;
  /** What the edit changed. */
  readonly changes: readonly ArgumentChange[];
  /** What a decision must name. */
  readonly digest: string;
  /** The text of the turn in which it was asked for. Nobody has verified it. */
  readonly purpose?: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** How many approvers must say yes. */
  readonly required: number;
  readonly decisions: readonly Decision[];
  /** Newest first. */
  readonly earlier: readonly EarlierDecision[];
  readonly state: ApprovalState;
}

/** Throws a `TransportError` that names the member which is missing or of another kind. */
export function readApproval(from: Document<Wire["ApprovalView"]>): Approval {
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
    shownText: from.text("arguments_text"),
    ...optional("editedText", from.has("edited_arguments") ? from.source("edited_arguments") : undefined),
    changes: from.has("changes") ? from.list("changes").map(readChange) : [],
    digest: from.text("digest"),
    ...optional("purpose", from.optionalText("purpose")),
    createdAt: from.text("created_at"),
    expiresAt: from.text("expires_at"),
    required: from.number("required"),
    decisions: from.list("decisions").map(readDecision),
    earlier: from.list("earlier").map(readEarlier),
    state: from.text("state") as ApprovalState,
  };
}

function readDecision(from: Document<Wire["DecisionView"]>): Decision {
  return {
    decision: from.text("decision") as Decision["decision"],
    by: from.text("by"),
    key: from.text("key"),
    at: from.text("at"),
    ...optional("digest", from.optionalText("digest")),
    ...optional("sentDigest", from.optionalText("sent_digest")),
    ...optional("reason", from.optionalText("reason")),
  };
}

function readEarlier(from: Document<Wire["EarlierDecision"]>): EarlierDecision {
  return {
    approval: from.text("approval"),
    decision: from.text("decision") as EarlierDecision["decision"],
    by: from.text("by"),
    at: from.text("at"),
    ...optional("reason", from.optionalText("reason")),
    sameArguments: from.value("same_arguments") === true,
  };
}

function readChange(from: Document<Wire["ArgumentChange"]>): ArgumentChange {
  const source = (name: "from" | "to") => (from.has(name) ? from.source(name) : undefined);
  return { field: from.text("field"), ...optional("fromText", source("from")), ...optional("toText", source("to")) };
}
