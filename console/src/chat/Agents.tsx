import { useState } from "preact/hooks";
import { request, type Schemas } from "../shared/api";
import { useForm } from "../shared/form";
import { type HeldKey, heldKeys, keyOf } from "../shared/keys";
import { useLoad } from "../shared/load";
import { allOf } from "../shared/pages";
import { signIn } from "../shared/signin/session";
import { useStore } from "../shared/store";
import { Button } from "../shared/ui/Button";
import { Dialog } from "../shared/ui/Dialog";
import { Fault } from "../shared/ui/Fault";
import { Field } from "../shared/ui/Field";
import { FormEnd } from "../shared/ui/FormEnd";

interface Props {
  /** Keys of agents. */
  readonly keys: readonly HeldKey[];
  readonly current: HeldKey | undefined;
  readonly onChoose: (keyId: string) => void;
}

/** Which agent is spoken with, and for whom; with an admin key, a way to another one. */
export function Agents({ keys, current, onChoose }: Props) {
  const admin = keyOf(useStore(heldKeys), "admin");
  const [open, setOpen] = useState(false);
  return (
    <div class="stack">
      {current !== undefined && (
        <Field label="Agent">
          {(ids) => (
            <select {...ids} value={current.id} onChange={(event) => onChoose(event.currentTarget.value)}>
              {keys.map((key) => (
                <option key={key.id} value={key.id}>
                  {nameOf(key)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {admin !== undefined && (
        <Button small={current !== undefined} kind={current === undefined ? "primary" : "plain"} onClick={() => setOpen(true)}>
          Another agent or person…
        </Button>
      )}
      {admin === undefined && current === undefined && <p>None of the keys held is of an agent. Add one with the button "Keys" above.</p>}
      {open && admin !== undefined && <MakeKey admin={admin} onClose={() => setOpen(false)} onMade={onChoose} />}
    </div>
  );
}

function nameOf(key: HeldKey): string {
  const person = key.principal_id ?? (key.principal as { readonly id?: string } | undefined)?.id;
  return person === undefined ? `${key.agent ?? ""} (${key.name})` : `${key.agent ?? ""} for ${person}`;
}

interface MakeProps {
  readonly admin: HeldKey;
  readonly onClose: () => void;
  readonly onMade: (keyId: string) => void;
}

/** Makes an agent key for a person, and holds it. */
function MakeKey({ admin, onClose, onMade }: MakeProps) {
  const agents = useLoad((signal) => allOf<Schemas["AgentPage"]["agents"][number]>("/v1/agents", "agents", { key: admin, signal }), [admin.id]);
  const [agent, setAgent] = useState("");
  const [person, setPerson] = useState("me");
  const [tenant, setTenant] = useState("main");
  const [permissions, setPermissions] = useState("");
  const found = agents.value ?? [];
  const chosen = agent === "" ? found[0]?.name : agent;
  const form = useForm(async () => {
    const principal = { id: person.trim(), tenant_id: tenant.trim(), permissions: permissions.split(/[\s,]+/).filter((word) => word !== "") };
    const { body } = await request<{ readonly key: string }>("POST", "/v1/keys", { role: "agent", name: `Chat of ${person.trim()}`.slice(0, 60), agent: chosen, principal, expires_in_days: 30 }, { key: admin });
    const held = await signIn(body.key, false);
    onClose();
    onMade(held.id);
  });
  return (
    <Dialog title="Speak with an agent" onClose={onClose}>
      <p class="quiet">This makes a key of the agent for one person, valid for 30 days, and holds it in this tab. What the agent may do follows from both.</p>
      {agents.fault !== undefined && <Fault fault={agents.fault} again={agents.reload} />}
      {agents.value !== undefined && found.length === 0 && <p>The org has no agent yet. The console makes one.</p>}
      <form class="stack" onSubmit={form.onSubmit}>
        <Field label="Agent">
          {(ids) => (
            <select {...ids} value={chosen ?? ""} onChange={(event) => setAgent(event.currentTarget.value)}>
              {found.map(({ name, chat_model }) => (
                <option key={name} value={name}>
                  {chat_model?.demo === true ? `${name} (demo model)` : name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Person" hint="The id of the principal on whose behalf the agent acts.">
          {(ids) => <input {...ids} required value={person} onInput={(event) => setPerson(event.currentTarget.value)} />}
        </Field>
        <Field label="Tenant" hint="Your own tenant that the person belongs to.">
          {(ids) => <input {...ids} required value={tenant} onInput={(event) => setTenant(event.currentTarget.value)} />}
        </Field>
        <Field label="Permissions" hint="What the person may do, separated by blanks: refunds:write.">
          {(ids) => <input {...ids} value={permissions} onInput={(event) => setPermissions(event.currentTarget.value)} />}
        </Field>
        <FormEnd form={form} word="Make the key" disabled={chosen === undefined ? "There is no agent" : undefined}>
          <Button onClick={onClose}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}
