import icon from "../icon.svg";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { heldKeys } from "../keys";
import { Link } from "../router";
import { KeysDialog } from "../signin/KeysDialog";
import { useStore } from "../store";
import { ThemeSwitch } from "./ThemeSwitch";
import { Toasts } from "./Toast";

interface Props {
  readonly page: "console" | "chat";
  /** Landmarks beside the main part: a navigation, a panel. */
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What both pages have around them: a way past the header, the header, the messages. */
export function Shell({ page, side, children }: Props) {
  const [open, setOpen] = useState(false);
  const keys = useStore(heldKeys);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link href={page === "console" ? "/console" : "/chat"} class="brand">
          <img src={icon} alt="" width={24} height={24} />
          Toolgate
        </Link>
        <nav aria-label="Pages" class="pages">
          <Link href="/chat" aria-current={page === "chat" ? "page" : undefined}>
            Chat
          </Link>
          <Link href="/console" aria-current={page === "console" ? "page" : undefined}>
            Console
          </Link>
        </nav>
        <div class="row end">
          {keys[0] !== undefined && <span class="org">{keys[0].org}</span>}
          <ThemeSwitch />
          <button type="button" class="button small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            {keys.length === 0 ? "Sign in" : `Keys (${keys.length})`}
          </button>
        </div>
      </header>
      <div class={side === undefined ? "body" : "body sided"}>
        {side}
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      {open && <KeysDialog onClose={() => setOpen(false)} />}
      <Toasts />
    </div>
  );
}
