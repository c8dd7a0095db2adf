import { ProblemError, wordsOf } from "../../shared/api";
import { bodyText, Verbatim } from "../../shared/json";
import type { HeldKey } from "../../shared/keys";
import { momentOf } from "../../shared/ui/Time";
import { visible } from "../../shared/visible";
import { type Approval, decide, readApproval } from "../documents";

/** What came of a decision. */
export interface Outcome {
  readonly kind: "done" | "elsewhere" | "failed";
  readonly words: string;
  /** As it stands now, where that is known. */
  readonly approval?: Approval;
  readonly fault?: unknown;
}

/** Codes after which somebody or something else has settled it. */
const SETTLED = new Set(["already_decided", "approval_withdrawn", "approval_expired"]);

/** Approves what was shown: its digest goes along, with other arguments where they were edited. */
export function approve(key: HeldKey, shown: Approval, edited?: string): Promise<Outcome> {
  const body = bodyText({ decision: "approve", digest: shown.digest, arguments: edited === undefined ? undefined : new Verbatim(edited) });
  return decided(key, shown, body);
}

export function reject(key: HeldKey, shown: Approval, reason: string): Promise<Outcome> {
  return decided(key, shown, bodyText({ decision: "reject", digest: shown.digest, reason }));
}

async function decided(key: HeldKey, shown: Approval, body: string): Promise<Outcome> {
  try {
    const approval = await decide(key, shown.id, body);
    return { kind: "done", words: doneWords(approval), approval };
  } catch (fault) {
    if (!(fault instanceof ProblemError) || !SETTLED.has(fault.code)) return { kind: "failed", words: wordsOf(fault), fault };
    const approval = await readApproval(key, shown.id).catch(() => undefined);
    return { kind: "elsewhere", words: elsewhereWords(fault, approval), fault, ...(approval && { approval }) };
  }
}

function doneWords(approval: Approval): string {
  const said = approval.decisions.filter((decision) => decision.decision === "approve").length;
  if (approval.state === "pending") return `${approval.tool}: your approval counts, ${said} of ${approval.required}.`;
  if (approval.state === "approved") return `${approval.tool}: approved. It has not run yet: the call is queued.`;
  return `${approval.tool}: ${approval.state}. It will not run.`;
}

/** Who decided, when and what, in one sentence. */
export function elsewhereWords(fault: ProblemError | undefined, approval: Approval | undefined): string {
  const last = approval?.decisions.at(-1);
  const by = typeof fault?.members["by"] === "string" ? fault.members["by"] : last?.by;
  const at = typeof fault?.members["at"] === "string" ? fault.members["at"] : last?.at;
  const kind = typeof fault?.members["decision"] === "string" ? fault.members["decision"] : last?.decision;
  const settled = fault === undefined || fault.code === "already_decided";
  if (settled && by !== undefined && at !== undefined) {
    return `Decided elsewhere: ${kind === "approve" ? "approved" : "rejected"} by ${visible(by)} at ${momentOf(at)}.`;
  }
  if (fault !== undefined) return wordsOf(fault);
  return approval === undefined ? "Decided elsewhere." : `It no longer waits: ${approval.state}.`;
}
