import { bodyText, jsonFault } from "../../shared/json";
import { Field } from "../../shared/ui/Field";

export interface PrincipalDraft {
  readonly id: string;
  readonly tenant: string;
  readonly permissions: string;
}

export const NO_PRINCIPAL: PrincipalDraft = { id: "", tenant: "", permissions: "" };

export function principalText(draft: PrincipalDraft): string {
  const permissions = draft.permissions.split(/[\s,]+/).filter((each) => each !== "");
  const text = bodyText({ id: draft.id, tenant_id: draft.tenant, permissions });
  const fault = jsonFault(text);
  if (fault !== undefined) throw new Error(fault);
  return text;
}

/** On whose behalf: only a caller key says so, an agent key has its own. */
export function PrincipalFields({ draft, onChange }: { readonly draft: PrincipalDraft; readonly onChange: (draft: PrincipalDraft) => void }) {
  return (
    <fieldset>
      <legend>On behalf of</legend>
      <div class="filters">
        <Field label="Principal's id">
          {(ids) => <input {...ids} required autocomplete="off" value={draft.id} onInput={(event) => onChange({ ...draft, id: event.currentTarget.value })} />}
        </Field>
        <Field label="Tenant">
          {(ids) => <input {...ids} required autocomplete="off" value={draft.tenant} onInput={(event) => onChange({ ...draft, tenant: event.currentTarget.value })} />}
        </Field>
        <Field label="Permissions" hint="Apart by blanks.">
          {(ids) => <input {...ids} autocomplete="off" value={draft.permissions} onInput={(event) => onChange({ ...draft, permissions: event.currentTarget.value })} />}
        </Field>
      </div>
    </fieldset>
  );
}
