import type { ComponentChildren } from "preact";
import { useAction } from "../action";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Fault } from "./Fault";

interface Props {
  readonly title: string;
  readonly word: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  /** What it does; it closes when it went well. */
  readonly work: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done, and says when it failed. */
export function Confirm({ title, word, danger, wide, work, onClose, children }: Props) {
  const action = useAction();
  return (
    <Dialog title={title} onClose={onClose} {...(wide && { wide })}>
      {children}
      {action.fault !== undefined && <Fault fault={action.fault} />}
      <div class="row">
        <Button kind={danger ? "danger" : "primary"} autofocus busy={action.busy} onClick={() => void action.run(work).then((done) => done && onClose())}>
          {word}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
