// What the built module shows to the runtime, compared with tests/exports.txt. Each name is a door: a class the runtime
// may construct, a method that another Worker with a service binding may call, a function of the Wasm module. A class
// missing here would be found at the first request in production; a stray #[wasm_bindgen] function would be found by
// somebody else. `node scripts/exports.mjs --write` accepts the present state.
import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../", import.meta.url);
const list = new URL("tests/exports.txt", root);
const wasm = new WebAssembly.Module(readFileSync(new URL("build/index_bg.wasm", root)));

// Outside the runtime its own modules are stubs, and the module handed to JavaScript is the compiled one.
globalThis.toolgateModule = wasm;
globalThis.addEventListener ??= () => {};
const stubs = {
  "cloudflare:workers": "export class WorkerEntrypoint {} export class DurableObject {} export const env = {};",
  "./index_bg.wasm": "export default globalThis.toolgateModule;",
};
registerHooks({
  resolve(specifier, context, next) {
    if (!(specifier in stubs)) return next(specifier, context);
    const url = `data:text/javascript,${encodeURIComponent(stubs[specifier])}`;
    return { url, format: "module", shortCircuit: true };
  },
});

const methods = (type) => Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
// Names that wasm-bindgen makes up, some with a hash that changes with the code.
const madeUp = /^(__|wasm_bindgen__|wasm_bindgen_|memory$)/;

const module = await import(new URL("build/index.js", root).href);
const found = [
  ...Object.keys(module).map((name) => `export ${name}`),
  ...methods(module.default).map((name) => `entrypoint ${name}`),
  ...["OrgRegistry", "PoolQueue"].flatMap((name) => methods(module[name] ?? class {}).map((m) => `object ${name}.${m}`)),
  ...WebAssembly.Module.exports(wasm)
    .map(({ name }) => name)
    .filter((name) => !madeUp.test(name))
    .map((name) => `wasm ${name}`),
].sort();

if (process.argv.includes("--write")) {
  writeFileSync(list, `${found.join("\n")}\n`);
} else {
  const wanted = readFileSync(list, "utf8").split("\n").filter(Boolean);
  const added = found.filter((line) => !wanted.includes(line));
  const missing = wanted.filter((line) => !found.includes(line));
  for (const line of added) console.error(`not in tests/exports.txt: ${line}`);
  for (const line of missing) console.error(`no longer in the module: ${line}`);
  if (added.length + missing.length > 0) {
    console.error("If this is meant: node scripts/exports.mjs --write, and say in the change why.");
    process.exit(1);
  }
  console.log(`${found.length} names of the built module are the ones in tests/exports.txt`);
}
