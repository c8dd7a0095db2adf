// What a page costs before anybody has done anything, and that it asks nobody but the gateway.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { people } from "./support/people.mjs";

const at = people();
const FIRST_LOAD_MAX = 60 * 1024;
const dist = fileURLToPath(new URL("../../console/dist/", import.meta.url));

/** The files that a page loads at once: what its HTML names, and what those import (but for what they import later). */
function firstLoad(html) {
  const found = new Set([html]);
  const queue = [...readFileSync(join(dist, html), "utf8").matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]);
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (found.has(file)) continue;
    found.add(file);
    if (!file.endsWith(".js")) continue;
    const imports = readFileSync(join(dist, file), "utf8").matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g);
    queue.push(...[...imports].map((match) => join(dirname(file), match[1])));
  }
  return [...found];
}

for (const [html, path] of [["index.html", "/"], ["console.html", "/console/approvals"]]) {
  test(`the first load of ${path} is at most 60 KB`, async () => {
    const files = firstLoad(html);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
    assert.ok(files.length >= 4, files.join());
    assert.ok(bytes <= FIRST_LOAD_MAX, `${bytes} bytes: ${files.join(", ")}`);

    const asked = [];
    const person = await at.person();
    person.context.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await person.page(at.gateway, path);
    await person.context.pages()[0].getByLabel("Key", { exact: true }).waitFor();
    const expected = new Set([path, "/v1/site", ...files.slice(1).map((file) => `/${file}`)]);
    assert.deepEqual(asked.filter((each) => !expected.has(each)), [], "the browser loads what was counted");
  });
}
