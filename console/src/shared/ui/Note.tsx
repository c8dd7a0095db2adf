import type { ComponentChildren } from "preact";

interface Props {
  readonly kind?: "info" | "warn" | "bad";
  readonly children: ComponentChildren;
  /** Read out as soon as it appears. */
  readonly alert?: boolean;
}

/** A boxed remark. */
export function Note({ kind = "info", children, alert }: Props) {
  return (
    <div class={`note ${kind}`} role={alert ? "alert" : undefined}>
      {children}
    </div>
  );
}
