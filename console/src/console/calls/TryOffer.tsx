import { useState } from "preact/hooks";
import { path, request, type Schemas } from "../../shared/api";
import { useForm } from "../../shared/form";
import { bodyText, Verbatim } from "../../shared/json";
import type { HeldKey } from "../../shared/keys";
import { Button } from "../../shared/ui/Button";
import { Field } from "../../shared/ui/Field";
import { FormEnd } from "../../shared/ui/FormEnd";
import { Seen } from "../../shared/ui/Seen";
import { type Offer, type RunAnswer, startRun } from "../documents";
import { useTitle } from "../title";
import { OfferView } from "./OfferView";
import { NO_PRINCIPAL, PrincipalFields, principalText } from "./PrincipalFields";
import { KeyField, NameField, useAgentNames } from "./who";

interface Turn {
  readonly message: string;
  readonly offer: Offer;
  readonly grounding?: Schemas["Grounding"];
}

/** Says something as a user would, and shows which tools are offered for it, and why. */
export function TryOffer({ first }: { readonly first: HeldKey }) {
  const [key, setKey] = useState(first);
  const [agent, setAgent] = useState("");
  const [principal, setPrincipal] = useState(NO_PRINCIPAL);
  const [message, setMessage] = useState("");
  const [budget, setBudget] = useState("");
  const [screen, setScreen] = useState({ type: "", id: "" });
  const [run, setRun] = useState<RunAnswer>();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const agents = useAgentNames(key);
  useTitle("Try an offer");

  const context = screen.type === "" ? undefined : { context_type: screen.type, ...(screen.id !== "" && { context_id: screen.id }) };
  const begin = async (): Promise<void> => {
    const who = { agent, principal: new Verbatim(principalText(principal)) };
    const answer = await startRun(key, bodyText({ ...who, message, context, budget_tokens: budget === "" ? undefined : Number(budget) }));
    setRun(answer);
    setTurns([{ message, offer: answer.offer, ...(answer.grounding && { grounding: answer.grounding }) }]);
  };
  const form = useForm(begin);
  const goOn = async ({ run: id, token }: RunAnswer): Promise<void> => {
    // The run's own token takes its turns; it is held nowhere else.
    const own: HeldKey = { ...key, key: token, role: "agent" };
    const { body } = await request<Omit<Turn, "message">>("POST", path`/v1/runs/${id}/turns`, bodyText({ message, context }), { key: own, raw: ["offer.tools.*.definition"] });
    setTurns([{ message, ...body }, ...turns]);
  };
  return (
    <section class="stack">
      <h1>Try an offer</h1>
      <p>Offered is not allowed: what an agent may call is decided by its grants. Nothing is called here, but for the lookup of a screen that you name.</p>
      <form class="card narrow" onSubmit={form.onSubmit}>
        <div class="filters">
          <KeyField roles={["caller"]} chosen={key} onChange={setKey} />
          <NameField label="Agent" names={agents} name={agent} onChange={setAgent} />
          <Field label="Budget, in tokens" hint="Empty: the agent's own.">
            {(ids) => <input {...ids} type="number" min="1" value={budget} onInput={(event) => setBudget(event.currentTarget.value)} />}
          </Field>
        </div>
        <PrincipalFields draft={principal} onChange={setPrincipal} />
        <div class="filters">
          <Field label="Screen" hint="A registered type, or empty.">
            {(ids) => <input {...ids} autocomplete="off" value={screen.type} onInput={(event) => setScreen({ ...screen, type: event.currentTarget.value })} />}
          </Field>
          <Field label="Id of what is on it">
            {(ids) => <input {...ids} autocomplete="off" value={screen.id} onInput={(event) => setScreen({ ...screen, id: event.currentTarget.value })} />}
          </Field>
        </div>
        <Field label="Message">{(ids) => <textarea {...ids} required value={message} onInput={(event) => setMessage(event.currentTarget.value)} />}</Field>
        <FormEnd form={form} word="Offer">
          {run !== undefined && (
            <Button busy={form.busy} onClick={() => void form.run(() => goOn(run))}>
              As the next message of the same run
            </Button>
          )}
        </FormEnd>
      </form>
      <div role="status" class="stack">
        {turns.map((turn, at) => (
          <article key={turns.length - at} class="card">
            <h2>{`Turn ${turns.length - at}`}</h2>
            <blockquote>
              <Seen text={turn.message} breaks />
            </blockquote>
            {turn.grounding !== undefined && <Grounding grounding={turn.grounding} />}
            <OfferView offer={turn.offer} />
          </article>
        ))}
      </div>
    </section>
  );
}

function Grounding({ grounding }: { readonly grounding: Schemas["Grounding"] }) {
  return (
    <p>
      Screen <Seen text={grounding.context_type} /> <Seen text={grounding.context_id ?? ""} />:{" "}
      {grounding.failed !== undefined ? (
        <code>
          <Seen text={grounding.failed} />
        </code>
      ) : (
        (grounding.digest ?? []).map((fact, at) => (
          <span key={at}>
            {at > 0 && ", "}
            <Seen text={fact.label} /> <Seen text={fact.value} />
          </span>
        ))
      )}
    </p>
  );
}
