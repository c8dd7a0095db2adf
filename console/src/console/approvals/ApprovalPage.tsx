import { useRef, useState } from "preact/hooks";
import { ProblemError } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Fault } from "../../shared/ui/Fault";
import { Note } from "../../shared/ui/Note";
import { toast } from "../../shared/ui/Toast";
import { readApproval } from "../documents";
import { useTitle } from "../title";
import { Decide, type Question } from "./Decide";
import type { Outcome } from "./decisions";
import { Detail } from "./Detail";
import { Actions } from "./Inbox";

/** The page of one approval, where links from outside lead. Opening it decides nothing. */
export function ApprovalPage({ approver, id }: { readonly approver: HeldKey; readonly id: string }) {
  const { value, fault, reload } = useLoad((signal) => readApproval(approver, id, signal), [approver.id, id], 3_000);
  const [question, setQuestion] = useState<Question>();
  const [mine, setMine] = useState(false);
  const waited = useRef(false);
  if (value?.state === "pending") waited.current = true;
  useTitle(value === undefined ? "Approval" : `${value.tool}, approval`);
  const settled = (outcome: Outcome): void => {
    setQuestion(undefined);
    setMine(outcome.kind === "done");
    toast(outcome.words, outcome.kind === "done" ? "info" : "bad");
    reload();
  };
  const absent = fault instanceof ProblemError && fault.status === 404;
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/approvals">All approvals</Link>
      </p>
      {absent && (
        <>
          <h1>No such approval</h1>
          <Note kind="warn">Under this address there is none that this key may see. It may be of another org, or have ended over a week ago.</Note>
        </>
      )}
      {fault !== undefined && !absent && <Fault fault={fault} again={reload} />}
      {value !== undefined && (
        <Detail approval={value} level={1}>
          <Actions approval={value} elsewhere={waited.current && !mine} onAsk={setQuestion} />
        </Detail>
      )}
      {value !== undefined && question !== undefined && (
        <Decide key={question} question={question} approval={value} approver={approver} onClose={() => setQuestion(undefined)} onOutcome={settled} />
      )}
    </section>
  );
}
