import { Field } from "../../shared/ui/Field";
import type { Agent } from "./access";

export interface ModelChoice {
  readonly kind: "default" | "demo" | "named" | "endpoint";
  readonly name: string;
  readonly url: string;
  /** A new one; empty keeps what is there. */
  readonly apiKey: string;
  readonly apiKeySet: boolean;
  /** The one that is there goes. */
  readonly dropKey: boolean;
}

export function modelChoice(model: Agent["model"]): ModelChoice {
  const none: ModelChoice = { kind: "default", name: "", url: "", apiKey: "", apiKeySet: false, dropKey: false };
  if (model === undefined || model === null) return none;
  if (typeof model === "string") return model === "demo" ? { ...none, kind: "demo" } : { ...none, kind: "named", name: model };
  return { ...none, kind: "endpoint", name: model.name, url: model.url, apiKeySet: model.api_key_set === true };
}

/** The member of an agent's document; nothing where the environment decides. */
export function modelBody(choice: ModelChoice): { readonly model?: unknown } {
  switch (choice.kind) {
    case "default":
      return {};
    case "demo":
      return { model: "demo" };
    case "named":
      return { model: choice.name.trim() };
    case "endpoint": {
      const key = choice.dropKey ? { api_key: "" } : choice.apiKey === "" ? {} : { api_key: choice.apiKey };
      return { model: { url: choice.url.trim(), name: choice.name.trim(), ...key } };
    }
  }
}

const KINDS: readonly (readonly [ModelChoice["kind"], string])[] = [
  ["default", "What the environment has; without one the demo model"],
  ["demo", "The demo model: no language model, picks a tool by its words"],
  ["named", "A model at the environment's endpoint"],
  ["endpoint", "A model at an endpoint of its own"],
];

export function ModelField({ model, onChange }: { readonly model: ModelChoice; readonly onChange: (model: ModelChoice) => void }) {
  const set = (changed: Partial<ModelChoice>): void => onChange({ ...model, ...changed });
  return (
    <fieldset>
      <legend>Model of the chat</legend>
      <div class="stack">
        {KINDS.map(([kind, words]) => (
          <label key={kind} class="check">
            <input type="radio" name="model" checked={model.kind === kind} onChange={() => set({ kind })} />
            {words}
          </label>
        ))}
        {model.kind === "endpoint" && (
          <Field label="Endpoint" hint="The base of an OpenAI-compatible API, such as https://models.example.com/v1">
            {(ids) => <input {...ids} type="url" required value={model.url} onInput={(event) => set({ url: event.currentTarget.value })} />}
          </Field>
        )}
        {(model.kind === "endpoint" || model.kind === "named") && (
          <Field label="Name of the model">
            {(ids) => <input {...ids} class="short" required autocomplete="off" value={model.name} onInput={(event) => set({ name: event.currentTarget.value })} />}
          </Field>
        )}
        {model.kind === "endpoint" && (
          <Field label="API key" hint={model.apiKeySet ? "One is kept and never shown. Leave this empty to keep it; another endpoint drops it." : "Kept sealed and never shown again. Empty: none."}>
            {(ids) => <input {...ids} type="password" autocomplete="off" value={model.apiKey} onInput={(event) => set({ apiKey: event.currentTarget.value })} />}
          </Field>
        )}
        {model.kind === "endpoint" && model.apiKeySet && (
          <label class="check">
            <input type="checkbox" checked={model.dropKey} onChange={(event) => set({ dropKey: event.currentTarget.checked })} />
            Take the key away
          </label>
        )}
      </div>
    </fieldset>
  );
}
