import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../shared/ui/Button";

interface Props {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** A run is under way: nothing can be said now. */
  readonly busy: boolean;
  /** Somebody is waited for: something can be said, and waiting can end. */
  readonly waiting: boolean;
  /** Whether the gateway took it. */
  readonly onSay: (text: string) => Promise<boolean>;
  readonly onStop: () => void;
}

/** Where the user writes. Enter sends, Shift and Enter begin a line. */
export function Composer({ field, busy, waiting, onSay, onStop }: Props) {
  const [text, setText] = useState("");
  useEffect(() => field.current?.focus(), []);
  const send = async (): Promise<void> => {
    const said = text.trim();
    if (said === "" || busy) return;
    setText("");
    // What was not taken is the user's again, unless something new stands there.
    if (!(await onSay(said))) setText((now) => (now === "" ? said : now));
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="hidden" for="say">
        Message
      </label>
      <textarea
        id="say"
        ref={field}
        rows={2}
        placeholder="Say what you need"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="row end">
        {(busy || waiting) && <Button onClick={onStop}>Stop</Button>}
        <Button kind="primary" type="submit" disabled={busy ? "An answer is under way" : undefined}>
          Send
        </Button>
      </div>
    </form>
  );
}
