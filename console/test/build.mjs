// The tests are TypeScript that imports the pages' sources: bundled one by one into .test, which Node.js runs.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../.test");
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(here, { recursive: true }).filter((name) => name.endsWith(".test.ts") || name.endsWith(".test.tsx")).map((name) => join(here, name)),
  outdir: out,
  outbase: here,
  entryNames: "[name]",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  packages: "external",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
