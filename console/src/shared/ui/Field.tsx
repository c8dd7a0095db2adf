import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Ids {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Draws the control with the attributes that tie it to its label, hint and error. */
  readonly children: (ids: Ids) => ComponentChildren;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error !== undefined || undefined })}
      {hint !== undefined && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="fault" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
