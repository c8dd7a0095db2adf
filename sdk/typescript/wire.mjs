// Makes src/wire.gen.ts, the types of what crosses the wire, from the gateway's own description of its HTTP API.
//   node wire.mjs           writes it
//   node wire.mjs --check   says whether it is current
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const file = new URL("src/wire.gen.ts", import.meta.url);
const { openapi, info, components } = JSON.parse(await readFile(new URL("../../protocol/openapi.json", import.meta.url), "utf8"));
// The paths are the client's own words; what it needs to know is the form of bodies and answers.
const document = { openapi, info, paths: {}, components: { schemas: components.schemas } };
// A member with a default may be left out of a request.
const types = astToString(await openapiTS(document, { immutable: true, defaultNonNullable: false }));
const text = `// Made from protocol/openapi.json by wire.mjs. Not to be edited.\n\n${types}`;

if (process.argv.includes("--check")) {
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== text) {
    console.error("src/wire.gen.ts is not current: `npm run wire` in sdk/typescript writes it");
    process.exitCode = 1;
  }
} else {
  await writeFile(file, text);
}
