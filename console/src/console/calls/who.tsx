import { type Schemas } from "../../shared/api";
import { type HeldKey, heldKeys, keyOf, type Role } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { useStore } from "../../shared/store";
import { Field } from "../../shared/ui/Field";
import { allOf } from "../documents";

/** The names of agents that a key may speak for, as far as this page can know them. */
export function useAgentNames(key: HeldKey): readonly string[] {
  const admin = keyOf(useStore(heldKeys), "admin");
  const { value } = useLoad(admin && ((signal) => allOf<Schemas["AgentView"]>("/v1/agents", "agents", { key: admin, signal })), [admin?.id]);
  return key.agents ?? value?.map((agent) => agent.name) ?? [];
}

/** Which of several held keys of these roles asks. */
export function KeyField({ roles, chosen, onChange }: { readonly roles: readonly Role[]; readonly chosen: HeldKey; readonly onChange: (key: HeldKey) => void }) {
  const keys = useStore(heldKeys).filter((key) => roles.includes(key.role));
  return (
    <Field label="Key">
      {(ids) => (
        <select {...ids} value={chosen.id} onChange={(event) => onChange(keys.find((key) => key.id === event.currentTarget.value) ?? chosen)}>
          {keys.map((key) => (
            <option key={key.id} value={key.id}>
              {`${key.role}: ${key.name}${key.agent === undefined ? "" : ` (${key.agent})`}`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function AgentField({ names, agent, onChange }: { readonly names: readonly string[]; readonly agent: string; readonly onChange: (agent: string) => void }) {
  return (
    <Field label="Agent">
      {(ids) =>
        names.length === 0 ? (
          <input {...ids} required autocomplete="off" value={agent} onInput={(event) => onChange(event.currentTarget.value)} />
        ) : (
          <select {...ids} required value={agent} onChange={(event) => onChange(event.currentTarget.value)}>
            <option value="">Choose…</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )
      }
    </Field>
  );
}
