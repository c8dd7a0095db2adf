// The gateway dies by kill -9 while it runs its own tools: they only read, so each is tried again, and ends.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { shipped } from "./support/builtin.mjs";
import { Gateway } from "./support/gateway.mjs";
import { each, until } from "./support/until.mjs";
import { ended } from "./support/webhooks.mjs";

// The dearest thing that is not refused: the data set with itself.
const SLOW = "SELECT count(*) AS n FROM permits a, permits b WHERE a.cost + b.cost > 0 AND a.address <> b.district";
const CALLS = 16;

let gateway;
before(async () => {
  gateway = await Gateway.start();
});
after(() => gateway.stop());

/** Whether a text is on disk. */
async function isStored(text) {
  const entries = await readdir(gateway.storage, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map((file) => readFile(file).then((bytes) => bytes.includes(text), () => false)));
  return found.includes(true);
}

test("killed in the middle of queries: every call ends with its result, and what was under way is tried again", async () => {
  const { org } = await shipped(gateway);
  const begin = (n) => org.submit("execute_query", { query: `${SLOW} AND ${n} = ${n}` }, { agent: "permits", key: `slow-${n}` });
  // Their lines break, which is meant.
  const begun = Array.from({ length: CALLS }, (_, n) => begin(n).catch(() => undefined));
  // The data set computes, one query after the other, and until it has done so nobody is answered; but what was accepted is
  // on disk before it is run.
  await until("a call is on disk", () => isStored(`${SLOW} AND `));
  await gateway.kill();
  await Promise.all(begun);
  await gateway.start();
  const tries = await each(Array.from({ length: CALLS }, (_, n) => n), CALLS, async (n) => {
    const { call } = (await begin(n)).body;
    const { state, result, error } = await ended(org, call);
    assert.equal(state, "succeeded", JSON.stringify(error));
    assert.ok(result.rows[0][0] > 3_000_000);
    return (await org.events(call)).events.filter(({ event }) => event === "hand_out").length;
  });
  assert.ok(tries.some((count) => count > 1), `none was under way: ${tries}`);
});
