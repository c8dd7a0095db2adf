import { useState } from "preact/hooks";
import { path } from "../../shared/api";
import { useForm } from "../../shared/form";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link, navigate } from "../../shared/router";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { FormEnd } from "../../shared/ui/FormEnd";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { toast } from "../../shared/ui/Toast";
import { NewName } from "../NewName";
import { useTitle } from "../title";
import { EffectBadge } from "../words";
import { type Access, type Capability, readAccess, saveCapability, savedWords } from "./access";
import { Checks } from "./Checks";

/** One capability, or a new one: tools that are granted together, and the rules for their calls. */
export function CapabilityPage({ admin, name }: { readonly admin: HeldKey; readonly name: string | undefined }) {
  const { value, fault, reload } = useLoad((signal) => readAccess(admin, signal), [admin.id, name]);
  useTitle(name ?? "New capability");
  const capability = value?.capabilities.find((each) => each.name === name);
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/agents">Agents and capabilities</Link>
      </p>
      <h1>{name === undefined ? "New capability" : <Seen text={name} />}</h1>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && name !== undefined && capability === undefined && <Note kind="warn">There is no capability of this name.</Note>}
      {value !== undefined && (capability !== undefined || name === undefined) && (
        <Form key={name} admin={admin} capability={capability} access={value} onSaved={reload} />
      )}
    </section>
  );
}

const HOUR_SECONDS = 3_600;

function timeToDecide(hours: string): { readonly approval_seconds?: number } {
  return hours === "" ? {} : { approval_seconds: Math.max(60, Math.round(Number(hours) * HOUR_SECONDS)) };
}

interface FormProps {
  readonly admin: HeldKey;
  readonly capability: Capability | undefined;
  readonly access: Access;
  readonly onSaved: () => void;
}

function Form({ admin, capability, access, onSaved }: FormProps) {
  const [name, setName] = useState(capability?.name ?? "");
  const [tools, setTools] = useState(capability?.tools ?? []);
  const [writes, setWrites] = useState(capability?.allow_reversible_writes ?? false);
  const [required, setRequired] = useState(capability?.approvals_required ?? 1);
  const [own, setOwn] = useState(capability?.requester_may_approve ?? true);
  const [hours, setHours] = useState(capability?.approval_seconds === undefined ? "" : String(capability.approval_seconds / HOUR_SECONDS));
  const holders = access.agents.filter((agent) => agent.capabilities.includes(name)).map((agent) => agent.name);
  const save = async (): Promise<void> => {
    const body = { tools, allow_reversible_writes: writes, approvals_required: required, requester_may_approve: own, ...timeToDecide(hours) };
    toast(savedWords(`The capability ${name}`, await saveCapability(admin, name, body)));
    if (capability === undefined) navigate(path`/console/capabilities/${name}`);
    else onSaved();
  };
  const form = useForm(save);
  const effect = (tool: string) => {
    const found = access.tools.find((each) => each.name === tool);
    return found === undefined ? <span class="quiet">gone</span> : <EffectBadge effect={found.definition.side_effect} />;
  };
  return (
    <form class="card" onSubmit={form.onSubmit}>
      {capability === undefined && (
        <NewName name={name} onChange={setName} />
      )}
      {holders.length > 0 && (
        <p>
          Held by: <Seen text={holders.join(", ")} />. A tool that is taken out can no longer be called by them, and what of it waits for a decision is invalidated.
        </p>
      )}
      <Checks legend="Tools" names={access.tools.filter((tool) => !tool.released).map((tool) => tool.name)} chosen={tools} onChange={setTools} beside={effect} empty="The catalogue is empty." />
      <label class="check">
        <input type="checkbox" checked={writes} onChange={(event) => setWrites(event.currentTarget.checked)} />
        Reversible writes may run without a decision. Consequential ones never do.
      </label>
      <Field label="Approvers who must say yes to a consequential call">
        {(ids) => (
          <input {...ids} class="short" type="number" min="1" max="5" required value={required} onInput={(event) => setRequired(event.currentTarget.valueAsNumber || 1)} />
        )}
      </Field>
      <Field label="Hours to decide" hint="Empty: 24. From a minute (0.0167) to 30 days (720). Of several capabilities the shortest counts.">
        {(ids) => <input {...ids} class="short" type="number" min="0.0166" max="720" step="any" value={hours} onInput={(event) => setHours(event.currentTarget.value)} />}
      </Field>
      <label class="check">
        <input type="checkbox" checked={own} onChange={(event) => setOwn(event.currentTarget.checked)} />
        Who asked may approve
      </label>
      <FormEnd form={form} word="Save" />
    </form>
  );
}
