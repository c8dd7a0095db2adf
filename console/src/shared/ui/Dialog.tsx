import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly wide?: boolean;
}

/** A modal dialog. Escape closes it; focus goes back to where it was. */
export function Dialog({ title, children, onClose, wide }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      gone.current = true;
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser may close it without asking; when it goes by itself there is nothing to say.
      onClose={() => gone.current || onClose()}
    >
      <div class="row spread">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button small" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
