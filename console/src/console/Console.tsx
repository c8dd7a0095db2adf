import { useEffect } from "preact/hooks";
import { heldKeys, keyOf } from "../shared/keys";
import { Link, match, navigate, usePlace } from "../shared/router";
import { useStore } from "../shared/store";
import { Shell } from "../shared/ui/Shell";
import { rolesInWords } from "./Need";
import { PAGES, PageView } from "./pages";
import { isIn, SECTIONS } from "./sections";
import { useTitle } from "./title";

export function Console() {
  const { path, query } = usePlace();
  const keys = useStore(heldKeys);
  const home = /^\/console\/?$/.test(path);
  useEffect(() => {
    if (!home) return;
    const first = SECTIONS.find((section) => keyOf(keys, ...section.roles) !== undefined) ?? SECTIONS[0];
    if (first !== undefined) navigate(first.href, { replace: true });
  }, [home]);
  return (
    <Shell page="console" side={<Side path={path} />}>
      {!home && <View path={path} query={query} />}
    </Shell>
  );
}

function View({ path, query }: { readonly path: string; readonly query: URLSearchParams }) {
  for (const page of PAGES) {
    const found = match(page.path, path);
    // Another address is another page: nothing of the one before stays in it.
    if (found !== undefined) return <PageView key={path} page={page} name={found["name"] ?? ""} query={query} />;
  }
  return <Absent />;
}

function Absent() {
  useTitle("Not found");
  return (
    <section class="stack">
      <h1>There is no such page</h1>
      <p>
        <Link href="/console">To the console</Link>
      </p>
    </section>
  );
}

function Side({ path }: { readonly path: string }) {
  const keys = useStore(heldKeys);
  return (
    <nav class="side" aria-label="Console">
      <ul>
        {SECTIONS.map((section) => {
          const may = keyOf(keys, ...section.roles) !== undefined;
          return (
            <li key={section.href}>
              <Link href={section.href} aria-current={isIn(section, path) ? "page" : undefined} class={may ? "" : "locked"}>
                {section.name}
                {!may && <span class="small">needs {rolesInWords(section.roles)}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
