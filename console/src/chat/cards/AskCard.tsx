import { useId } from "preact/hooks";
import { Button } from "../../shared/ui/Button";
import { Seen } from "../../shared/ui/Seen";
import type { Ask, Decision } from "../tools/asks";

/** The assistant asks the user. It is a question of the model and looks like one: what the user answers is told to the model, and nothing holds it to that. */
export function AskCard({ question, onDone }: { readonly question: Ask; readonly onDone: () => void }) {
  const id = useId();
  const decide = (decision: Decision): void => {
    question.decide(decision);
    onDone();
  };
  return (
    <section class="card ask" aria-labelledby={`${id}-title`} aria-describedby={`${id}-what`} tabIndex={-1}>
      <h3 id={`${id}-title`}>The assistant asks you</h3>
      <div id={`${id}-what`} class="stack">
        <p class="asked">
          <Seen text={question.action} breaks />
        </p>
        {question.details !== undefined && (
          <p>
            <Seen text={question.details} breaks />
          </p>
        )}
      </div>
      <p class="quiet small">Your answer goes to the assistant. It is no approval of the gateway: what needs one is asked for separately.</p>
      <div class="row">
        <Button kind="primary" label={`Yes, go on: ${question.action}`} onClick={() => decide("approved")}>
          Yes, go on
        </Button>
        <Button label={`No: ${question.action}`} onClick={() => decide("rejected")}>
          No
        </Button>
      </div>
    </section>
  );
}
