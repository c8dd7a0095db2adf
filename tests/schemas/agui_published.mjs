// Whether a published schema of AG-UI says what the tests here check by: `node tests/schemas/agui_published.mjs FILE`, with FILE
// what docs.ag-ui.com/spec/1.0/schema.json serves.
import { readFileSync } from "node:fs";

import { canonical, digest, normal, SCHEMAS } from "./agui.mjs";

/** Where two normal forms differ: the shortest paths. */
function differences(one, other, path = "") {
  if (canonical(one ?? null) === canonical(other ?? null)) return [];
  const [a, b] = [one, other].map((value) => (typeof value === "object" && value !== null ? value : undefined));
  if (a === undefined || b === undefined || Array.isArray(a) !== Array.isArray(b)) return [`${path}: here ${canonical(one) ?? "nothing"}, there ${canonical(other) ?? "nothing"}`];
  if (Array.isArray(a)) {
    const name = (each) => each?.properties?.type?.const ?? each?.properties?.role?.const ?? each?.properties?.op?.const ?? canonical(each);
    const [by, to] = [a, b].map((list) => Object.fromEntries(list.map((each) => [name(each), each])));
    return differences(by, to, path);
  }
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => differences(a[key], b[key], `${path}/${key}`));
}

const file = JSON.parse(readFileSync(process.argv[2], "utf8"));
let same = true;
for (const [kind, schema] of Object.entries(SCHEMAS)) {
  const published = normal({ $ref: `#/$defs/${kind}` }, file);
  const found = differences(schema, published);
  same &&= found.length === 0;
  console.log(`${kind}: ${found.length === 0 ? "the same" : "not the same"}, sha256 ${digest(published)} of the normal form`);
  for (const line of found) console.log(`  ${line}`);
}
process.exitCode = same ? 0 : 1;
