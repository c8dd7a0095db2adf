import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Store, useStore } from "../../shared/store";
import { Dialog } from "../../shared/ui/Dialog";
import { Switch } from "../../shared/ui/Switch";

const NAME = "toolgate.shortcuts";
/** Keys without Ctrl or Alt can be pressed by accident or by dictation (WCAG 2.2, 2.1.4), so they can be turned off. */
const enabled = new Store(localStorage.getItem(NAME) !== "off");

function setEnabled(on: boolean): void {
  if (on) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, "off");
  enabled.set(on);
}

/** Single keys, while no dialog is open and nobody is writing. None of them decides anything by itself. */
export function useShortcuts(active: boolean, actions: Readonly<Record<string, () => void>>): void {
  // What was drawn last counts: a key may come before effects have run.
  const current = useRef({ active, actions });
  current.current = { active, actions };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!current.current.active || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
      if (!enabled.value && event.key !== "?") return;
      const actions = current.current.actions;
      const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

const KEYS: readonly (readonly [string, string])[] = [
  ["j", "the next one"],
  ["k", "the one before"],
  ["a", "approve: opens the question, Enter confirms it"],
  ["r", "reject: opens the question for a reason, Ctrl+Enter confirms it"],
  ["e", "edit the arguments, then approve"],
  ["x", "select for bulk decisions"],
  ["?", "this help"],
  ["Esc", "close a question; nothing is decided"],
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys of the inbox" onClose={onClose}>
      <dl class="facts">
        {KEYS.map(([key, meaning]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="quiet">No single key decides anything: each opens a question that must be confirmed.</p>
      <Switch label="Single keys" on={useStore(enabled)} onChange={setEnabled} />
    </Dialog>
  );
}
