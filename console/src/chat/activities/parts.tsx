import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "../../shared/api";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";

/** What cannot be drawn is said, and shown as it came. */
export function Failed({ what, fault, content }: { readonly what: string; readonly fault: unknown; readonly content: unknown }) {
  return (
    <div class="activity stack">
      <Note kind="warn">
        <p>The {what} cannot be drawn. {wordsOf(fault)}</p>
      </Note>
      <details>
        <summary>What was sent</summary>
        <JsonView text={JSON.stringify(content)} label={`The ${what} as it was sent`} />
      </details>
    </div>
  );
}

/** Whether the system is dark, now and when that changes. */
export function useDark(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = (): void => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return dark;
}
