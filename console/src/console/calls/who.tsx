import { type Schemas } from "../../shared/api";
import { type HeldKey, heldKeys, keyOf, type Role } from "../../shared/keys";
import { type Loaded, useLoad } from "../../shared/load";
import { allOf } from "../../shared/pages";
import { useStore } from "../../shared/store";
import { Field } from "../../shared/ui/Field";

/** Names to choose from: unknown where this page may not ask for them, or could not. */
type Names = readonly string[] | "looking" | undefined;

/** What a question for named things has come to. `named` are those of its answer that count. */
export function namesOf({ loading, value, fault }: Loaded<unknown>, named: readonly { readonly name: string }[] | undefined): Names {
  if (named !== undefined) return named.map(({ name }) => name);
  return loading && value === undefined && fault === undefined ? "looking" : undefined;
}

/** The names of agents that a key may speak for, as far as this page can know them. */
export function useAgentNames(key: HeldKey): Names {
  const admin = keyOf(useStore(heldKeys), "admin");
  const looked = useLoad(admin && ((signal) => allOf<Schemas["AgentView"]>("/v1/agents", "agents", { key: admin, signal })), [admin?.id]);
  return key.agents ?? namesOf(looked, looked.value);
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

interface NameProps {
  readonly label: string;
  readonly names: Names;
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** A name, chosen where there are names to choose from, else typed. While they are looked for it waits: what is typed into a field must not go away with it. */
export function NameField({ label, names, name, onChange }: NameProps) {
  return (
    <Field label={label}>
      {(ids) =>
        names === "looking" ? (
          <select {...ids} disabled>
            <option>Looking…</option>
          </select>
        ) : names === undefined || names.length === 0 ? (
          <input {...ids} required autocomplete="off" value={name} onInput={(event) => onChange(event.currentTarget.value)} />
        ) : (
          <select {...ids} required value={name} onChange={(event) => onChange(event.currentTarget.value)}>
            <option value="">Choose…</option>
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )
      }
    </Field>
  );
}
