import { useState } from "preact/hooks";
import { ProblemError } from "../../shared/api";
import { jsonFault, membersOf, pretty } from "../../shared/json";
import type { HeldKey } from "../../shared/keys";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import { Diff } from "../../shared/ui/Diff";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import type { Approval } from "../documents";
import { Principal } from "../words";
import { changesOf } from "./changes";
import { approve, elsewhereWords, type Outcome, reject } from "./decisions";

export type Question = "approve" | "reject" | "edit";

interface Props {
  readonly question: Question;
  readonly approval: Approval;
  readonly approver: HeldKey;
  readonly onClose: () => void;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Asks once more before anything is decided. What is approved is what stood here when it was opened. */
export function Decide({ question, approval, approver, onClose, onOutcome }: Props) {
  // A later answer of the gateway must not change what is being decided on.
  const [shown] = useState(approval);
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const run = async (decision: () => Promise<Outcome>): Promise<void> => {
    setBusy(true);
    setOutcome(undefined);
    const came = await decision();
    setBusy(false);
    if (came.kind === "failed") setOutcome(came);
    else onOutcome(came);
  };
  const gone = approval.state === "pending" ? undefined : elsewhereWords(undefined, approval);
  const asked = { shown, busy, run, outcome, approver, onClose, gone };
  if (question === "edit") return <Edit {...asked} />;
  return question === "approve" ? <Approve {...asked} /> : <Reject {...asked} />;
}

interface Asked {
  readonly shown: Approval;
  readonly approver: HeldKey;
  readonly busy: boolean;
  readonly outcome: Outcome | undefined;
  readonly run: (decision: () => Promise<Outcome>) => Promise<void>;
  readonly onClose: () => void;
  /** Somebody else has decided while this was open. */
  readonly gone: string | undefined;
}

function About({ shown, approver, gone }: Pick<Asked, "shown" | "approver" | "gone">) {
  return (
    <>
      {gone !== undefined && (
        <Note kind="warn" alert>
          {gone}
        </Note>
      )}
      <p>
        <strong>
          <Seen text={shown.tool} />
        </strong>{" "}
        by <Seen text={shown.agent} /> for <Principal text={shown.principal} />. You decide as{" "}
        <strong>
          <Seen text={approver.name} />
        </strong>
        .
      </p>
    </>
  );
}

function Approve({ shown, approver, busy, run, outcome, onClose, gone }: Asked) {
  return (
    <Dialog title="Approve this call?" onClose={onClose}>
      <About shown={shown} approver={approver} gone={gone} />
      <JsonView full text={shown.arguments_text || shown.arguments} label="Arguments" />
      {shown.required > 1 && <Note>{shown.required} approvers must say yes. Yours is one of them.</Note>}
      {outcome !== undefined && <Fault fault={outcome.fault} />}
      <div class="row">
        <Button kind="primary" autofocus busy={busy} disabled={gone} onClick={() => void run(() => approve(approver, shown))}>
          Approve
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </Dialog>
  );
}

function Reject({ shown, approver, busy, run, outcome, onClose, gone }: Asked) {
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const send = (): void => {
    if (busy || gone !== undefined) return;
    if (reason.trim() === "") setMissing(true);
    else void run(() => reject(approver, shown, reason));
  };
  return (
    <Dialog title="Reject this call?" onClose={onClose}>
      <About shown={shown} approver={approver} gone={gone} />
      <JsonView text={shown.arguments_text || shown.arguments} label="Arguments" />
      <Field
        label="Reason"
        hint="It goes back to the model. The same call is refused for an hour. Ctrl+Enter rejects."
        error={missing && reason.trim() === "" ? "A rejection needs a reason." : undefined}
      >
        {(ids) => (
          <textarea
            {...ids}
            autofocus
            required
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
            }}
          />
        )}
      </Field>
      {outcome !== undefined && <Fault fault={outcome.fault} />}
      <div class="row">
        <Button kind="danger" busy={busy} disabled={gone} onClick={send}>
          Reject
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </Dialog>
  );
}

function Edit({ shown, approver, busy, run, outcome, onClose, gone }: Asked) {
  const before = pretty(shown.arguments_text || shown.arguments);
  const [text, setText] = useState(before);
  const fault = jsonFault(text) ?? (membersOf(text) === undefined ? "the arguments are an object: { … }" : undefined);
  const changes = fault === undefined ? changesOf(shown.arguments, text) : [];
  const off = gone ?? (fault !== undefined ? "the text is not JSON yet" : changes.length === 0 ? "nothing was changed" : undefined);
  return (
    <Dialog title="Edit and approve" onClose={onClose} wide>
      <About shown={shown} approver={approver} gone={gone} />
      <Field label="Arguments to send instead" hint="All of them, as JSON. They are checked like those of a call." error={fault}>
        {(ids) => (
          <textarea {...ids} class="code" autofocus spellcheck={false} rows={Math.min(20, text.split("\n").length + 1)} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        )}
      </Field>
      <h3>What you change</h3>
      <Diff changes={changes} label="What the edit changes" />
      {outcome !== undefined && <EditFault outcome={outcome} />}
      <div class="row">
        <Button kind="primary" busy={busy} disabled={off} onClick={() => void run(() => approve(approver, shown, text))}>
          Approve with these arguments
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </Dialog>
  );
}

function EditFault({ outcome }: { readonly outcome: Outcome }) {
  const faults = outcome.fault instanceof ProblemError ? outcome.fault.members["faults"] : undefined;
  if (!Array.isArray(faults)) return <Fault fault={outcome.fault} />;
  return (
    <Note kind="bad" alert>
      <p>The gateway does not take these arguments:</p>
      <ul>
        {(faults as { readonly field: string; readonly message: string }[]).map((each) => (
          <li key={each.field}>
            <code>
              <Seen text={each.field} />
            </code>
            : <Seen text={each.message} />
          </li>
        ))}
      </ul>
    </Note>
  );
}
