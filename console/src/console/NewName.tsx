import { Field } from "../shared/ui/Field";

/** The name of something new, as the gateway takes names. */
export function NewName({ name, onChange }: { readonly name: string; readonly onChange: (name: string) => void }) {
  return (
    <Field label="Name" hint="Lower case letters, digits, - and _.">
      {(ids) => <input {...ids} class="short" required autocomplete="off" value={name} onInput={(event) => onChange(event.currentTarget.value)} />}
    </Field>
  );
}
