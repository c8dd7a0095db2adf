import type { ComponentChildren, Ref } from "preact";

interface Props {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: "primary" | "danger" | "plain";
  readonly type?: "button" | "submit";
  readonly small?: boolean;
  /** At work: not to be pressed again. */
  readonly busy?: boolean | undefined;
  /** Why it cannot be used. It stays focusable, so that the reason can be read and heard. */
  readonly disabled?: string | undefined;
  /** For who does not see what is around it. */
  readonly label?: string;
  readonly pressed?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly autofocus?: boolean;
}

export function Button({ children, onClick, kind = "plain", type = "button", small, busy, disabled, label, pressed, buttonRef, autofocus }: Props) {
  const off = busy === true || disabled !== undefined;
  return (
    <button
      ref={buttonRef ?? null}
      type={type}
      class={`button ${kind}${small ? " small" : ""}`}
      aria-disabled={off || undefined}
      aria-label={disabled === undefined ? label : `${label ?? textOf(children)}: ${disabled}`}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      title={disabled}
      autofocus={autofocus}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

function textOf(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(textOf).join("");
  return typeof children === "string" || typeof children === "number" ? String(children) : "";
}
