import { useState } from "preact/hooks";
import type { HeldKey } from "../../shared/keys";
import { Badge } from "../../shared/ui/Badge";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import { Field } from "../../shared/ui/Field";
import { JsonView } from "../../shared/ui/JsonView";
import { Seen } from "../../shared/ui/Seen";
import type { Approval } from "../documents";
import { Principal } from "../words";
import { approve, type Outcome, reject } from "./decisions";

interface Props {
  readonly kind: "approve" | "reject";
  readonly approvals: readonly Approval[];
  readonly approver: HeldKey;
  readonly onClose: () => void;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Decides several, one after the other. Each has its own digest, its own answer and its own line here. */
export function Bulk({ kind, approvals, approver, onClose, onOutcome }: Props) {
  const [shown] = useState(approvals);
  const [results, setResults] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const done = results.size === shown.length;
  const word = kind === "approve" ? "Approve" : "Reject";

  const run = async (): Promise<void> => {
    setBusy(true);
    for (const approval of shown) {
      const outcome = kind === "approve" ? await approve(approver, approval) : await reject(approver, approval, reason);
      setResults((before) => new Map(before).set(approval.id, outcome));
      onOutcome(outcome);
    }
    setBusy(false);
  };
  return (
    <Dialog title={done ? "What came of it" : `${word} ${shown.length} calls?`} onClose={onClose} wide>
      <ul class="list bulk">
        {shown.map((approval) => (
          <li key={approval.id} class="card">
            <div class="row spread">
              <span>
                <strong>
                  <Seen text={approval.tool} />
                </strong>{" "}
                by <Seen text={approval.agent} /> for <Principal text={approval.principal} />
              </span>
              <Result outcome={results.get(approval.id)} busy={busy} />
            </div>
            {!done && <JsonView full text={approval.arguments_text || approval.arguments} label={`Arguments of ${approval.tool}`} />}
          </li>
        ))}
      </ul>
      <p role="status" class="hidden">
        {results.size > 0 ? `${results.size} of ${shown.length} decided` : ""}
      </p>
      {kind === "reject" && !done && (
        <Field label="Reason for all of them" hint="It goes back to the model.">
          {(ids) => <textarea {...ids} autofocus value={reason} onInput={(event) => setReason(event.currentTarget.value)} />}
        </Field>
      )}
      <div class="row">
        {done ? (
          <Button kind="primary" autofocus onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button
              kind={kind === "approve" ? "primary" : "danger"}
              autofocus={kind === "approve"}
              busy={busy}
              disabled={kind === "reject" && reason.trim() === "" ? "a rejection needs a reason" : undefined}
              onClick={() => void run()}
            >
              {`${word} all ${shown.length}`}
            </Button>
            <Button onClick={onClose}>Not now</Button>
          </>
        )}
      </div>
    </Dialog>
  );
}

function Result({ outcome, busy }: { readonly outcome: Outcome | undefined; readonly busy: boolean }) {
  if (outcome === undefined) return busy ? <span class="quiet">…</span> : null;
  const tone = outcome.kind === "done" ? "good" : outcome.kind === "elsewhere" ? "warn" : "bad";
  return (
    <span class="result">
      <Badge tone={tone}>{outcome.kind === "done" ? "done" : outcome.kind === "elsewhere" ? "decided elsewhere" : "failed"}</Badge>{" "}
      <Seen text={outcome.words} />
    </span>
  );
}
