import { useId, useState } from "preact/hooks";
import { get, path, ProblemError, request, type Schemas } from "../../shared/api";
import type { Interrupt, Message } from "../../agui/types";
import { type HeldKey, heldKeys, keyOf } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { useStore } from "../../shared/store";
import { Badge } from "../../shared/ui/Badge";
import { Button } from "../../shared/ui/Button";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Time } from "../../shared/ui/Time";

type Approval = Omit<Schemas["ApprovalView"], "arguments">;

interface Props {
  readonly interrupt: Interrupt;
  readonly messages: readonly Message[];
  readonly onDone: () => void;
}

/** The gateway holds a call back until a person with an approver's key decided. Nothing that the model says changes that. */
export function GatewayCard({ interrupt, messages, onDone }: Props) {
  const id = useId();
  const approver = keyOf(useStore(heldKeys), "approver");
  const meta = interrupt.metadata ?? {};
  const tool = String(meta["tool"] ?? "a tool");
  const called = messages.flatMap(({ toolCalls }) => toolCalls ?? []).find((call) => call.id === interrupt.toolCallId);
  return (
    <section class="card gate" aria-labelledby={`${id}-title`} aria-describedby={`${id}-what`} tabIndex={-1}>
      <div class="row spread">
        <h3 id={`${id}-title`}>The gateway requires approval</h3>
        <span class="row">
          <Badge tone="bad">{String(meta["sideEffect"] ?? "consequential")}</Badge>
          {interrupt.expiresAt !== undefined && <span class="small"><Time at={interrupt.expiresAt} mode="left" /></span>}
        </span>
      </div>
      <p id={`${id}-what`}>
        The agent wants to run <strong><Seen text={tool} /></strong>. It does not run before a person decided.
      </p>
      {approver === undefined ? (
        <>
          <JsonView text={called?.function.arguments ?? "{}"} label={`Arguments of ${tool}, as the agent wrote them`} full />
          <p class="quiet">
            This page holds no approver's key. Whoever has one decides under <Link href={`/console/approvals/${encodeURIComponent(interrupt.id)}`}>this approval</Link>; the conversation goes on by itself then.
          </p>
        </>
      ) : (
        <Decide approver={approver} id={interrupt.id} digest={typeof meta["argsDigest"] === "string" ? meta["argsDigest"] : undefined} tool={tool} onDone={onDone} />
      )}
    </section>
  );
}

interface DecideProps {
  readonly approver: HeldKey;
  readonly id: string;
  /** What the run said. */
  readonly digest: string | undefined;
  readonly tool: string;
  readonly onDone: () => void;
}

const LOOK_MS = 5_000;

function Decide({ approver, id, digest, tool, onDone }: DecideProps) {
  const approval = useLoad((signal) => get<Approval>(path`/v1/approvals/${id}`, { key: approver, signal, raw: ["arguments", "edited_arguments", "changes.*.from", "changes.*.to", "principal"] }), [approver.id, id], LOOK_MS);
  const [rejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [sent, setSent] = useState<string>();
  const shown = approval.value;
  if (shown === undefined) return approval.fault === undefined ? <p class="quiet">Reading what is asked for…</p> : <Fault fault={approval.fault} again={approval.reload} />;
  const decide = async (body: Schemas["DecisionRequest"], word: string): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await request("POST", path`/v1/approvals/${id}/decision`, body, { key: approver, raw: ["arguments"] });
      setSent(word);
      onDone();
    } catch (thrown) {
      if (thrown instanceof ProblemError && thrown.code === "already_decided") approval.reload();
      else setFault(thrown);
    } finally {
      setBusy(false);
    }
  };
  const decided = shown.decisions.at(-1);
  if (sent !== undefined || shown.state !== "pending") {
    return (
      <Note>
        <p>
          {sent ?? `It is ${shown.state}`}
          {sent === undefined && decided !== undefined && (
            <>
              {" "}
              by <Seen text={decided.by} />, decided elsewhere
            </>
          )}
          . The conversation goes on.
        </p>
      </Note>
    );
  }
  const changed = digest !== undefined && digest !== shown.digest;
  return (
    <>
      <JsonView text={shown.arguments_text} label={`Exactly what ${tool} receives`} full />
      <p class="quiet small">
        Asked for by <Seen text={shown.agent} />. Decided by this digest: <code>{shown.digest}</code>. <Link href={`/console/approvals/${encodeURIComponent(id)}`}>Edit, or see all of it</Link>
      </p>
      {shown.required > 1 && <p class="quiet small">{shown.decisions.length} of {shown.required} approvals are given.</p>}
      {changed && <Note kind="bad">What waits at the gateway is not what the run named. Look at it in the console.</Note>}
      {rejecting ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void decide({ decision: "reject", reason: reason.trim() }, "Rejected");
          }}
        >
          <Field label="Why not" hint="The assistant is told.">
            {(ids) => <input {...ids} required autofocus maxLength={1_000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />}
          </Field>
          <div class="row">
            <Button kind="danger" type="submit" busy={busy}>
              Reject
            </Button>
            <Button onClick={() => setRejecting(false)}>Back</Button>
          </div>
        </form>
      ) : (
        <div class="row">
          <Button kind="primary" busy={busy} disabled={changed ? "It is not what the run named" : undefined} label={`Approve ${tool} with these arguments`} onClick={() => void decide({ decision: "approve", digest: shown.digest }, shown.required > 1 ? "Your approval is given" : "Approved")}>
            Approve
          </Button>
          <Button label={`Reject ${tool}…`} onClick={() => setRejecting(true)}>
            Reject…
          </Button>
        </div>
      )}
      {fault !== undefined && <Fault fault={fault} />}
    </>
  );
}
