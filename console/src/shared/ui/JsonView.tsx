import { useMemo } from "preact/hooks";
import { pretty, tokens } from "../json";
import { Seen } from "./Seen";

interface Props {
  /** JSON text; other text is shown as it is. */
  readonly text: string;
  /** What it is, for who cannot see where it stands. */
  readonly label: string;
  /** Lets it grow as long as it is. */
  readonly full?: boolean;
}

/** JSON in full length, numbers and order as they came, unseen characters as marked escapes. */
export function JsonView({ text, label, full }: Props) {
  const parts = useMemo(() => coloured(text), [text]);
  return (
    <pre class={`json${full ? " full" : ""}`} tabIndex={0} role="region" aria-label={label}>
      <code>
        {parts.map((part, at) => (
          <span key={at} class={part.kind}>
            <Seen text={part.text} breaks />
          </span>
        ))}
      </code>
    </pre>
  );
}

function coloured(text: string): { readonly kind: string; readonly text: string }[] {
  const shown = pretty(text);
  try {
    let at = 0;
    const parts: { kind: string; text: string }[] = [];
    for (const token of tokens(shown)) {
      const blank = shown.slice(at, token.start);
      const last = parts.at(-1);
      const kind = token.kind === "mark" ? "mark" : token.kind;
      if (last !== undefined && last.kind === kind) last.text += blank + token.text;
      else parts.push({ kind, text: blank + token.text });
      at = token.end;
    }
    return parts;
  } catch {
    return [{ kind: "plain", text: shown }];
  }
}
