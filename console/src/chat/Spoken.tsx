import { useEffect, useRef, useState } from "preact/hooks";
import type { Talk } from "./loop";
import type { Ask } from "./tools/asks";

const SPOKEN_CHARS_MAX = 2_000;
const KEPT = 6;

/** What a screen reader hears: messages once they are whole, and what waits for the user. The transcript itself is silent, because it grows letter by letter. */
export function Spoken({ talk, questions }: { readonly talk: Talk; readonly questions: readonly Ask[] }) {
  const [lines, setLines] = useState<readonly { readonly id: string; readonly text: string }[]>([]);
  const heard = useRef<Set<string> | undefined>(undefined);
  useEffect(() => {
    const running = talk.status === "running";
    const whole = talk.messages.filter(({ role, content }, at) => role === "assistant" && typeof content === "string" && content !== "" && !(running && at === talk.messages.length - 1));
    const found = [
      ...whole.map(({ id, content }) => ({ id, text: String(content) })),
      ...questions.map(({ toolCallId, action }) => ({ id: `ask-${toolCallId}`, text: `The assistant asks you: ${action}` })),
      ...talk.interrupts.map(({ id, message }) => ({ id: `gate-${id}`, text: `The gateway requires approval. ${message ?? ""}` })),
    ];
    // What stood there when the page was opened is read, not announced.
    if (heard.current === undefined) {
      if (talk.messages.length > 0) heard.current = new Set(talk.status === "running" ? [] : found.map(({ id }) => id));
      return;
    }
    const fresh = found.filter(({ id }) => !heard.current?.has(id));
    if (fresh.length === 0) return;
    for (const { id } of fresh) heard.current.add(id);
    setLines((before) => [...before, ...fresh].slice(-KEPT));
  }, [talk, questions.length]);
  return (
    <div class="hidden" role="log" aria-live="polite" aria-label="What was said">
      {lines.map(({ id, text }) => (
        <p key={id}>{text.slice(0, SPOKEN_CHARS_MAX)}</p>
      ))}
    </div>
  );
}
