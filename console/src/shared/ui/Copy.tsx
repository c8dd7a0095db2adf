import { useState } from "preact/hooks";
import { Button } from "./Button";

/** Copies a text; says whether it worked. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [word, setWord] = useState("Copy");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      setWord("Select and copy by hand");
    }
  };
  return (
    <span aria-live="polite">
      <Button small label={`${word}: ${label}`} onClick={() => void copy()}>
        {word}
      </Button>
    </span>
  );
}
