import { useState } from "preact/hooks";
import { ProblemError } from "../../shared/api";
import { bodyText, jsonFault, Verbatim } from "../../shared/json";
import { type HeldKey, heldKeys, keyOf } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { useStore } from "../../shared/store";
import { Button } from "../../shared/ui/Button";
import { Confirm } from "../../shared/ui/Confirm";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { Seen } from "../../shared/ui/Seen";
import { Time } from "../../shared/ui/Time";
import { toast } from "../../shared/ui/Toast";
import { type CallEvents, type CallView, changeCall, readCall, readEvents, readRun } from "../documents";
import { useMissing } from "../Need";
import { useTitle } from "../title";
import { isEnded } from "../words";
import { OfferView } from "./OfferView";
import { Outcome } from "./Outcome";

/** One call: what became of it, and how. */
export function CallPage({ reader, id }: { readonly reader: HeldKey; readonly id: string }) {
  const call = useLoad((signal) => readCall(reader, id, signal), [reader.id, id], 3_000);
  const events = useLoad((signal) => readEvents(reader, id, signal), [reader.id, id], 3_000);
  useTitle(call.value === undefined ? "Call" : `${call.value.tool}, call`);
  const reload = (): void => {
    call.reload();
    events.reload();
  };
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/calls">Calls</Link>
      </p>
      <h1>Call</h1>
      <p>
        <code>
          <Seen text={id} />
        </code>
      </p>
      {call.fault !== undefined && <Fault fault={call.fault} again={call.reload} />}
      {call.value !== undefined && (
        <div class="card">
          <Outcome call={call.value} {...(events.value && { asked: events.value.arguments })} />
          <Actions call={call.value} onDone={reload} />
        </div>
      )}
      {events.value !== undefined && <Timeline events={events.value} />}
      {call.value !== undefined &&
        (call.value.run === undefined ? (
          <p class="quiet">It was not made in a run: no offer is kept with it. The offers of a conversation stand in the chat.</p>
        ) : (
          <RunOffer reader={reader} id={call.value.run} />
        ))}
    </section>
  );
}

const EVENTS: Readonly<Record<string, string>> = {
  parked: "Asked for, and parked for a decision",
  queued: "Asked for, and queued",
  joined: "Asked for again within its run: it is the same call",
  approval_given: "Approved by one; more must say yes",
  approve: "Approved; queued",
  reject: "Rejected",
  approval_expired: "Nobody decided in time",
  cancel: "Cancelled",
  invalidate: "Invalidated",
  hand_out: "Handed out",
  accept: "Accepted by the executor: from here on it may have happened",
  return: "Given back unstarted",
  lease_lapsed: "The executor was lost",
  execution_deadline: "The execution deadline passed",
  queue_deadline: "The queue deadline passed",
  settle: "The executor answered",
  refuse: "Refused by the executor",
  not_sent: "Not sent",
  postpone: "Postponed",
  transport_lost: "No valid reply",
  resolve: "Resolved by a person",
};

function Timeline({ events }: { readonly events: CallEvents }) {
  return (
    <section class="card" aria-label="Timeline">
      <h2>Timeline</h2>
      <ol class="timeline">
        {events.events.map((event, at) => (
          <li key={at}>
            <strong>{EVENTS[event.event] ?? event.event}</strong> <code class="quiet">{event.event}</code>
            <div class="quiet">
              <Time at={event.at} /> by <Seen text={event.by} />
              {event.attempt !== undefined && `, attempt ${event.attempt}`}
            </div>
            {event.note !== undefined && (
              <div>
                <Seen text={event.note} breaks />
              </div>
            )}
          </li>
        ))}
      </ol>
      {events.evidence.length > 0 && (
        <>
          <h3>Said too late to count</h3>
          <ul class="list">
            {events.evidence.map((each, at) => (
              <li key={at}>
                <Time at={each.at} />, hand-over {each.hand_over}: <Seen text={each.says} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** What the run of a call was last offered, and why. A run is kept for a week. */
function RunOffer({ reader, id }: { readonly reader: HeldKey; readonly id: string }) {
  const run = useLoad((signal) => readRun(reader, id, signal), [reader.id, id]);
  const { fault, value } = run;
  return (
    <section class="card" aria-label="Offer of its run">
      <h2>What its run was offered</h2>
      {fault !== undefined && (fault instanceof ProblemError && fault.status === 404 ? <p>The run is no longer kept.</p> : <Fault fault={fault} again={run.reload} />)}
      {value !== undefined && (
        <>
          <p class="quiet">
            {`Turn ${value.turns}, `}
            <Time at={value.turned_at} />. A call of an earlier turn, or of a conversation, may have been offered otherwise. Offered is not allowed: whether a call runs is decided when
            it is made.
          </p>
          {value.text !== "" && (
            <blockquote>
              <Seen text={value.text} breaks />
            </blockquote>
          )}
          {value.offer === undefined ? <p>Its offer was not kept.</p> : <OfferView offer={value.offer} />}
        </>
      )}
    </section>
  );
}

function Actions({ call, onDone }: { readonly call: CallView; readonly onDone: () => void }) {
  const keys = useStore(heldKeys);
  const [asked, setAsked] = useState<"cancel" | "resolve">();
  const canceller = keyOf(keys, "admin", "caller", "agent");
  const resolver = keyOf(keys, "admin", "approver");
  const noCanceller = useMissing("admin", "caller", "agent");
  const noResolver = useMissing("admin", "approver");
  if (isEnded(call.state)) return null;
  return (
    <div class="row">
      {call.state === "unknown" ? (
        <Button disabled={noResolver} onClick={() => setAsked("resolve")}>
          Resolve…
        </Button>
      ) : (
        <Button disabled={noCanceller} onClick={() => setAsked("cancel")}>
          Cancel the call…
        </Button>
      )}
      {asked === "cancel" && canceller !== undefined && (
        <Confirm
          title="Cancel the call?"
          word="Cancel the call"
          danger
          onClose={() => setAsked(undefined)}
          work={async () => {
            await changeCall(canceller, call.call, "cancel", "{}");
            toast("The call is cancelled.");
            onDone();
          }}
        >
          <p>A call that waits or is queued will not run. A write that is accepted already goes on.</p>
        </Confirm>
      )}
      {asked === "resolve" && resolver !== undefined && <Resolve resolver={resolver} call={call} onClose={() => setAsked(undefined)} onDone={onDone} />}
    </div>
  );
}

interface ResolveProps {
  readonly resolver: HeldKey;
  readonly call: CallView;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A write whose outcome nobody knows: a person looked, and says what they found. */
function Resolve({ resolver, call, onClose, onDone }: ResolveProps) {
  const [outcome, setOutcome] = useState<"succeeded" | "failed">("failed");
  const [note, setNote] = useState("");
  const [result, setResult] = useState("");
  const fault = result.trim() === "" || outcome === "failed" ? undefined : jsonFault(result);
  return (
    <Confirm
      title="What did you find?"
      word="Save"
      onClose={onClose}
      work={async () => {
        const body = bodyText({ outcome, note, result: outcome === "succeeded" && result.trim() !== "" ? new Verbatim(result) : undefined });
        await changeCall(resolver, call.call, "resolution", body);
        toast("The outcome is recorded.");
        onDone();
      }}
    >
      <p>The write may have happened. Look in your own system, then say what you found. It is never run again.</p>
      <fieldset>
        <legend>Outcome</legend>
        <label class="check">
          <input type="radio" name="outcome" checked={outcome === "failed"} onChange={() => setOutcome("failed")} />
          It did not happen
        </label>
        <label class="check">
          <input type="radio" name="outcome" checked={outcome === "succeeded"} onChange={() => setOutcome("succeeded")} />
          It happened
        </label>
      </fieldset>
      <Field label="How you know" hint="Stands in the timeline.">
        {(ids) => <textarea {...ids} required value={note} onInput={(event) => setNote(event.currentTarget.value)} />}
      </Field>
      {outcome === "succeeded" && (
        <Field label="Result" hint="JSON, where it is known." error={fault}>
          {(ids) => <textarea {...ids} class="code" spellcheck={false} value={result} onInput={(event) => setResult(event.currentTarget.value)} />}
        </Field>
      )}
    </Confirm>
  );
}
