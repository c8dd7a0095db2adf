import { Copy } from "./Copy";

/** A text that is shown this once. */
export function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="secret" role="group" aria-label={label}>
      <code>{text}</code>
      <Copy text={text} label={label} />
      <span>Shown once. Keep it now: nobody can read it again.</span>
    </div>
  );
}
