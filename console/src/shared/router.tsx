// Paths by the History API. One page (chat or console) handles the paths below its prefixes; others are loaded.
import type { ComponentChildren } from "preact";
import { Store, useStore } from "./store";

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const place = new Store<Place>(here());
let prefixes: readonly string[] = ["/"];
let asked: (() => boolean) | undefined;

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

addEventListener("popstate", () => place.set(here()));

/** Says which paths this page handles itself. */
export function startRouter(...handled: readonly string[]): void {
  prefixes = handled;
}

function isHandled(path: string): boolean {
  return prefixes.some((prefix) => path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`));
}

/** Something that is not saved may ask before a link leads away. */
export function askBeforeLeaving(question: (() => boolean) | undefined): void {
  asked = question;
}

export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = new URL(to, location.href);
  if (url.origin !== location.origin || !isHandled(url.pathname)) return location.assign(url);
  if (asked !== undefined && !asked()) return;
  history[replace ? "replaceState" : "pushState"](null, "", url);
  place.set(here());
}

export function usePlace(): Place {
  return useStore(place);
}

/** A pattern such as `/console/calls/:pool/:call` against a path: its parameters, decoded, or undefined. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return undefined;
      continue;
    }
    try {
      found[part.slice(1)] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return found;
}

interface LinkProps {
  readonly href: string;
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly "aria-current"?: "page" | "true" | undefined;
  readonly "aria-label"?: string | undefined;
  readonly id?: string;
}

/** A link inside of the pages; opened in the page itself unless a new tab or window is asked for. */
export function Link({ href, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (!isHandled(new URL(href, location.href).pathname)) return;
    event.preventDefault();
    navigate(href);
    // As after a page that was loaded: a screen reader reads on from the top of what is new.
    document.getElementById("main")?.focus();
    scrollTo(0, 0);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
