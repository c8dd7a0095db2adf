// The chat page's two registries. What can be added to them is added here as the docs say it, in a copy of the one file, and the rest of the page is as it ships.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { FunctionComponent, VNode } from "preact";
import type { rendererOf } from "../../src/chat/activities/registry";
import type { CLIENT_TOOLS } from "../../src/chat/tools/registry";
import type { toldTools, turn } from "../../src/chat/tools/switches";
import { called, conversation, pending, PlayedDoor, run, said } from "./played";

// Bundled into console/.test.
const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../src");
const NOBODY: ReadonlySet<string> = new Set();

interface Page {
  readonly CLIENT_TOOLS: typeof CLIENT_TOOLS;
  readonly toldTools: typeof toldTools;
  readonly turn: typeof turn;
  readonly rendererOf: typeof rendererOf;
}

/** What of a browser the modules touch while they load, and where switches are kept. */
function browser(): void {
  const storage = () => {
    const kept = new Map<string, string>();
    return { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => void kept.set(name, value) };
  };
  Object.assign(globalThis, { addEventListener: () => undefined, document: { documentElement: { dataset: {} } }, localStorage: storage(), sessionStorage: storage() });
}

let built = 0;
/** The page's modules; `change` rewrites one file of `src`, and no other. */
async function page(change?: { readonly file: string; readonly to: (text: string) => string }): Promise<Page> {
  browser();
  const outdir = join(here, `registries-${(built += 1)}`);
  const changed = change && join(source, change.file);
  let times = 0;
  await build({
    stdin: { contents: 'export * from "./chat/tools/registry"; export * from "./chat/tools/switches"; export * from "./chat/activities/registry";', resolveDir: source, loader: "ts" },
    // In pieces, so that what the page loads when it draws is not loaded here.
    outdir, entryNames: "page", outExtension: { ".js": ".mjs" }, splitting: true, bundle: true, platform: "node", format: "esm", target: "node22", packages: "external", jsx: "automatic", jsxImportSource: "preact", logLevel: "warning",
    plugins: [{
      name: "one file changed, and no style sheets",
      setup({ onLoad, onResolve }) {
        onResolve({ filter: /\.css$/ }, ({ path }) => ({ path, namespace: "style" }));
        onLoad({ filter: /^/, namespace: "style" }, () => ({ contents: "", loader: "empty" }));
        onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
          if (path !== changed || change === undefined) return undefined;
          times += 1;
          const before = readFileSync(path, "utf8");
          const contents = change.to(before);
          assert.notEqual(contents, before);
          return { contents, loader: "ts" };
        });
      },
    }],
  });
  assert.equal(times, change === undefined ? 0 : 1);
  return (await import(pathToFileURL(join(outdir, "page.mjs")).href)) as Page;
}

const names = (tools: readonly { readonly definition: { readonly name: string } }[]): string[] => tools.map(({ definition }) => definition.name);

test("each tool of the browser can be told to a model and refused by none", async () => {
  const { CLIENT_TOOLS } = await page();
  assert.deepEqual(names(CLIENT_TOOLS), ["get_current_location", "request_user_approval"]);
  for (const { definition, defaultEnabled, handler } of CLIENT_TOOLS) {
    assert.match(definition.name, /^(?!toolgate_)[a-z][a-z0-9_]{0,47}$/);
    assert.ok(definition.description.length >= 20 && definition.description.length <= 1_024, definition.name);
    const { type, properties, required = [], additionalProperties } = definition.parameters as { type: string; properties: object; required?: string[]; additionalProperties: boolean };
    assert.deepEqual([type, additionalProperties, typeof defaultEnabled, typeof handler], ["object", false, "boolean", "function"], definition.name);
    for (const field of required) assert.ok(Object.hasOwn(properties, field), `${definition.name}: ${field}`);
  }
});

/** As the docs say it: the object of docs/chat-page.md, and its name in the list. */
const ADDED = readFileSync(join(here, "../../docs/chat-page.md"), "utf8").match(/^```ts\nexport (const copyText: ClientTool = \{[\s\S]*?^\};)\n```$/m)?.[1];

test("a tool of the browser is added by one object and its name in one file: it is switched on, told to the agent, runs, and answers", async () => {
  assert.ok(ADDED !== undefined, "docs/chat-page.md has the example");
  const { CLIENT_TOOLS, toldTools, turn } = await page({ file: "chat/tools/registry.ts", to: (text) => text.replace("requestUserApproval];", "requestUserApproval, copyText];").replace("export const CLIENT_TOOLS", `${ADDED}\nexport const CLIENT_TOOLS`) });
  assert.deepEqual(names(CLIENT_TOOLS), ["get_current_location", "request_user_approval", "copy_text"]);
  const added = CLIENT_TOOLS.at(-1);
  assert.ok(added !== undefined);
  // It says itself that it is off at first; it is switched on for one agent and stays off for another.
  assert.deepEqual(names(toldTools("acme", "bot", NOBODY)), ["get_current_location"]);
  turn(added, "acme", "bot", true);
  assert.deepEqual(names(toldTools("acme", "bot", NOBODY)), ["get_current_location", "copy_text"]);
  assert.deepEqual(names(toldTools("acme", "clerk", NOBODY)), ["get_current_location"]);
  assert.deepEqual(names(toldTools("acme", "bot", new Set(["copy_text"]))), ["get_current_location"], "a name that the gateway has is the gateway's");

  const copied: string[] = [];
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard: { writeText: async (text: string) => void copied.push(text) } } });
  const door = new PlayedDoor([run([...called("c1", "copy_text", '{"text":"4711"}', "m"), ...called("c2", "copy_text", '{"text":7}', "m")], pending("c1", "c2")), run(said("a", "Copied."))]);
  const { it } = conversation(door, toldTools("acme", "bot", NOBODY));
  await it.say("Copy my number");
  assert.deepEqual(door.inputs[0]?.tools, toldTools("acme", "bot", NOBODY).map(({ definition }) => definition));
  assert.deepEqual(door.inputs[1]?.messages.map(({ toolCallId, content }) => [toolCallId, content]), [["c1", '{"copied":true}'], ["c2", '{"error":"text must be a string"}']]);
  assert.deepEqual(copied, ["4711"]);
});

/** Files of the chat that say one of these words, but for those that are about it. */
function saying(words: readonly string[], but: readonly string[]): string[] {
  const files = readdirSync(join(source, "chat"), { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file) && !but.includes(file));
  return files.filter((file) => {
    const text = readFileSync(join(source, "chat", file), "utf8");
    return words.some((word) => text.includes(word));
  });
}

test("no other file of the page knows a tool or a drawing by name", async () => {
  const { CLIENT_TOOLS } = await page();
  const tools = names(CLIENT_TOOLS).map((name) => ({ name, object: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) }));
  for (const { name, object } of tools) {
    assert.deepEqual(saying([name], [join("tools", `${object}.ts`)]), [], name);
    assert.deepEqual(saying([object], [join("tools", `${object}.ts`)]), [join("tools", "registry.ts")], object);
  }
  for (const view of ["ChartView", "MapView"]) assert.deepEqual(saying([view], [join("activities", `${view}.tsx`)]), [join("activities", "registry.ts")], view);
  assert.deepEqual(saying(["application/json+"], []).map((file) => basename(file)), ["registry.ts"]);
});

/** All nodes below one, as its component gives them. */
function nodes(node: unknown): VNode<Record<string, unknown>>[] {
  if (Array.isArray(node)) return node.flatMap(nodes);
  if (typeof node !== "object" || node === null) return [];
  const one = node as VNode<Record<string, unknown>>;
  return [one, ...nodes(one.props["children"])];
}
const nameOf = (type: unknown): string => (type as FunctionComponent).name;

test("charts and maps have their drawings, and any other type is shown as the JSON that came", async () => {
  const { rendererOf } = await page();
  assert.equal(nameOf(rendererOf("application/json+echart")), "ChartView");
  assert.equal(nameOf(rendererOf("application/json+leaflet")), "MapView");
  const content = { seats: [{ row: 7, free: true }], "<b>": "\u202e" };
  for (const type of ["application/x-seats", "application/json", "application/json+echart2", "APPLICATION/JSON+ECHART", "", "constructor", "__proto__", "toString"]) {
    const shown = nodes((rendererOf(type) as FunctionComponent<{ type: string; content: unknown }>)({ type, content }));
    const json = shown.filter((node) => nameOf(node.type) === "JsonView");
    assert.deepEqual(json.map(({ props }) => props["text"]), [JSON.stringify(content)], type);
    assert.ok(shown.some((node) => nameOf(node.type) === "Seen" && node.props["text"] === type), `the type is named: ${type}`);
  }
});

test("a drawing is added by one component and its line in one file", async () => {
  const { rendererOf } = await page({ file: "chat/activities/registry.ts", to: (text) => text.replace(/^(const RENDERERS = .*\(\[)$/m, '$1\n  ["application/json+seats", function SeatsView() { return null; }],') });
  assert.equal(nameOf(rendererOf("application/json+seats")), "SeatsView");
  assert.equal(nameOf(rendererOf("application/json+echart")), "ChartView");
  assert.equal(nameOf(rendererOf("application/json+stands")), "JsonActivity");
});
