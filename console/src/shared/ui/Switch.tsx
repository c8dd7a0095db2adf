interface Props {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly disabled?: string | undefined;
}

export function Switch({ label, on, onChange, disabled }: Props) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      aria-disabled={disabled !== undefined || undefined}
      title={disabled}
      onClick={() => disabled === undefined && onChange(!on)}
    >
      <span class="knob" aria-hidden="true" />
      {label}
    </button>
  );
}
