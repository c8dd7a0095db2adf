import { useEffect, useRef, useState } from "preact/hooks";
import { path } from "../../shared/api";
import { useForm } from "../../shared/form";
import { bodyText, jsonFault, Verbatim } from "../../shared/json";
import { type HeldKey, heldKeys, keyOf } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { useStore } from "../../shared/store";
import { Button } from "../../shared/ui/Button";
import { Field } from "../../shared/ui/Field";
import { FormEnd } from "../../shared/ui/FormEnd";
import { allTools, type CallView, readCall, submitCall, type Tool } from "../documents";
import { useTitle } from "../title";
import { EffectBadge, isEnded } from "../words";
import { argumentsText } from "./contract";
import { Fields } from "./Fields";
import { Outcome } from "./Outcome";
import { NO_PRINCIPAL, PrincipalFields, principalText } from "./PrincipalFields";
import { KeyField, NameField, namesOf, useAgentNames } from "./who";

const WAIT_SECONDS = 20;

/** Asks for a tool as a product would: the same door, the same checks, the same queue. */
export function TryCall({ first }: { readonly first: HeldKey }) {
  const [key, setKey] = useState(first);
  const admin = keyOf(useStore(heldKeys), "admin");
  const looked = useLoad(admin && ((signal) => allTools(admin, signal)), [admin?.id]);
  const tools = looked.value?.filter((tool) => !tool.released);
  const [agent, setAgent] = useState("");
  const [principal, setPrincipal] = useState(NO_PRINCIPAL);
  const [name, setName] = useState("");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState("{}");
  const [asText, setAsText] = useState(false);
  const [idempotencyKey, setIdempotencyKey] = useState<string>(crypto.randomUUID());
  const [call, setCall] = useState<CallView>();
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  useTitle("Try a call");

  const agents = useAgentNames(key);
  const tool = tools?.find((each) => each.name === name);
  const byFields = tool !== undefined && !asText;
  const send = async (): Promise<void> => {
    setCall(undefined);
    const args = byFields ? argumentsText(tool.definition.input, values) : text;
    const fault = jsonFault(args);
    if (fault !== undefined) throw new Error(`The arguments are not JSON: ${fault}.`);
    const who = key.role === "caller" ? { agent, principal: new Verbatim(principalText(principal)) } : {};
    const body = bodyText({ tool: name, arguments: new Verbatim(args), ...who });
    let view = await submitCall(key, body, idempotencyKey, WAIT_SECONDS, abort.current.signal);
    setCall(view);
    while (!isEnded(view.state) && view.state !== "unknown" && view.state !== "waiting_approval") {
      view = await readCall(key, view.call, abort.current.signal, WAIT_SECONDS);
      setCall(view);
    }
  };
  const form = useForm(send);
  return (
    <section class="stack narrow">
      <h1>Try a call</h1>
      <p>This is a real call: what the tool does, it does. A consequential one waits for a decision first.</p>
      <form class="card" onSubmit={form.onSubmit}>
        <div class="filters">
          <KeyField roles={["caller", "agent"]} chosen={key} onChange={setKey} />
          {key.role === "caller" && <NameField label="Agent" names={agents} name={agent} onChange={setAgent} />}
          <NameField label="Tool" names={namesOf(looked, tools)} name={name} onChange={(next) => (setName(next), setValues({}))} />
        </div>
        {key.role === "caller" && <PrincipalFields draft={principal} onChange={setPrincipal} />}
        {tool !== undefined && (
          <p class="row">
            <EffectBadge effect={tool.definition.side_effect} />
            <label class="check">
              <input type="checkbox" checked={asText} onChange={(event) => (setText(textOf(tool, values)), setAsText(event.currentTarget.checked))} />
              Arguments as JSON
            </label>
          </p>
        )}
        {byFields ? (
          <Fields input={tool.definition.input} values={values} onChange={setValues} />
        ) : (
          <Field label="Arguments" hint={tools === undefined ? "With an admin key the fields of the tool's contract stand here." : undefined} error={jsonFault(text)}>
            {(ids) => <textarea {...ids} class="code" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />}
          </Field>
        )}
        <Field label="Idempotency key" hint="The same key again is the same call, whatever else the form says.">
          {(ids) => (
            <div class="row">
              <input {...ids} class="mono long" required autocomplete="off" value={idempotencyKey} onInput={(event) => setIdempotencyKey(event.currentTarget.value)} />
              <Button small onClick={() => setIdempotencyKey(crypto.randomUUID())}>
                New key
              </Button>
            </div>
          )}
        </Field>
        <FormEnd form={form} word="Call">
          {form.busy && <span class="quiet">Waiting for the outcome…</span>}
        </FormEnd>
      </form>
      <div role="status">
        {call !== undefined && (
          <div class="card">
            <h2>Outcome</h2>
            <Outcome call={call} />
            <p>
              <Link href={path`/console/calls/${call.call}`}>Timeline of the call</Link>
            </p>
          </div>
        )}
      </div>
    </section>
  );
}

/** What the fields say so far, for who goes on in JSON. */
function textOf(tool: Tool, values: Readonly<Record<string, string>>): string {
  try {
    return argumentsText(tool.definition.input, values);
  } catch {
    return "{}";
  }
}
