import { Field } from "../../shared/ui/Field";
import { type FieldShape, fieldText, shapeOf } from "./contract";

interface Props {
  readonly input: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

/** One control for each field of a tool's contract. */
export function Fields({ input, values, onChange }: Props) {
  const fields = Object.entries(input);
  if (fields.length === 0) return <p class="quiet">It takes no arguments.</p>;
  return (
    <fieldset>
      <legend>Arguments</legend>
      <div class="stack">
        {fields.map(([name, type]) => {
          const shape = shapeOf(type);
          const value = values[name] ?? "";
          return <Control key={name} name={name} shape={shape} value={value} onChange={(next) => onChange({ ...values, [name]: next })} />;
        })}
      </div>
    </fieldset>
  );
}

interface ControlProps {
  readonly name: string;
  readonly shape: FieldShape;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Control({ name, shape, value, onChange }: ControlProps) {
  const set = (event: { readonly currentTarget: { readonly value: string } }): void => onChange(event.currentTarget.value);
  const hint = `${shape.type}${shape.optional ? "; empty: left out" : ""}`;
  return (
    <Field label={name} hint={hint} error={value === "" ? undefined : faultOf(shape, value)}>
      {(ids) => {
        const needed = !shape.optional && shape.kind !== "text";
        if (shape.kind === "boolean") {
          return (
            <select {...ids} class="short" required={needed} value={value} onChange={set}>
              <option value="">{shape.optional ? "left out" : "Choose…"}</option>
              <option>true</option>
              <option>false</option>
            </select>
          );
        }
        if (shape.kind === "json") return <textarea {...ids} class="code" spellcheck={false} required={needed} value={value} onInput={set} />;
        return <input {...ids} autocomplete="off" inputMode={shape.kind === "number" ? "decimal" : "text"} required={needed} value={value} onInput={set} />;
      }}
    </Field>
  );
}

function faultOf(shape: FieldShape, value: string): string | undefined {
  try {
    fieldText(shape, value);
    return undefined;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}
