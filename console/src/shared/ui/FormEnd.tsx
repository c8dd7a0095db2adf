import type { ComponentChildren } from "preact";
import type { FormAction } from "../form";
import { Button } from "./Button";
import { Fault } from "./Fault";

interface Props {
  readonly form: FormAction;
  /** What the button says. */
  readonly word: string;
  /** Why it cannot be sent. */
  readonly disabled?: string | undefined;
  /** Beside the button. */
  readonly children?: ComponentChildren;
}

/** The end of a form: how the last sending failed, and the button that sends it. */
export function FormEnd({ form, word, disabled, children }: Props) {
  return (
    <>
      {form.fault !== undefined && <Fault fault={form.fault} />}
      <div class="row">
        <Button kind="primary" type="submit" busy={form.busy} disabled={disabled}>
          {word}
        </Button>
        {children}
      </div>
    </>
  );
}
