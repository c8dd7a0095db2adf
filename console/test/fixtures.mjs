// AG-UI's own stream fixtures through the pages' reader: `node console/test/fixtures.mjs FOLDER`, with FOLDER a copy of spec/<version>/conformance/streams
// of the protocol's repository. What they say of a client's request and of its warnings is not asked.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outfile = join(here, "../.test/fixtures.js");
await build({ entryPoints: [join(here, "agui/fixtures.ts")], outfile, bundle: true, platform: "node", format: "esm", target: "node22", packages: "external", logLevel: "warning" });
const { judgeFolder } = await import(pathToFileURL(outfile).href);
const folder = process.argv[2];
if (folder === undefined) throw new Error("Which folder? See docs/chat-page.md.");
process.exitCode = (await judgeFolder(folder, console.log)) ? 0 : 1;
