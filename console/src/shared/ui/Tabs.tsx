import { Link } from "../router";
import type { ComponentChildren } from "preact";

export interface Tab {
  readonly href: string;
  readonly label: ComponentChildren;
  readonly current: boolean;
}

/** Places as links, the current one marked. */
export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={tab.current ? "page" : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
