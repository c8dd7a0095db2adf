import { Store, useStore } from "../store";

interface Message {
  readonly id: number;
  readonly text: string;
  readonly kind: "info" | "bad";
}

const SHOWN_MS = 8_000;
const messages = new Store<readonly Message[]>([]);
let last = 0;

/** Says something that happened; it is read out, and goes away by itself. */
export function toast(text: string, kind: Message["kind"] = "info"): void {
  last += 1;
  const id = last;
  messages.set([...messages.value.slice(-3), { id, text, kind }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  messages.set(messages.value.filter((message) => message.id !== id));
}

/** Stands once on a page, from the start: a live region is only heard when it was there before. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(messages).map((message) => (
        <div key={message.id} class={`toast ${message.kind}`}>
          <span>{message.text}</span>
          <button type="button" class="button small" aria-label="Dismiss" onClick={() => dismiss(message.id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
