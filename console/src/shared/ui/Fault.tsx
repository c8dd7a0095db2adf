import { ProblemError, wordsOf } from "../api";
import { Button } from "./Button";
import { Note } from "./Note";
import { Seen } from "./Seen";

/** A failure in words, with a way to try again where there is one. */
export function Fault({ fault, again }: { readonly fault: unknown; readonly again?: () => void }) {
  return (
    <Note kind="bad" alert>
      <p>
        <Seen text={wordsOf(fault)} breaks />
        {fault instanceof ProblemError && <code class="quiet"> {fault.code}</code>}
      </p>
      {again !== undefined && (
        <Button small onClick={again}>
          Try again
        </Button>
      )}
    </Note>
  );
}
