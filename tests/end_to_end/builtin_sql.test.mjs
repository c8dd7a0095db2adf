// Hostile and honest queries against the real object under the real runtime: none of the former runs, whatever it is, and
// the data is the same afterwards, to the last row.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";

import { query, shipped, statements, use } from "./support/builtin.mjs";
import { Gateway } from "./support/gateway.mjs";
import { each } from "./support/until.mjs";

const ROWS = 2_000;
const PAGE = 200;

let gateway;
before(async () => {
  gateway = await Gateway.start();
});
after(() => gateway.stop());

/** A hash over all that the data set holds, and what it says of itself. */
async function hash(org) {
  const pages = Array.from({ length: ROWS / PAGE }, (_, n) => `SELECT * FROM permits WHERE id > ${n * PAGE} ORDER BY id LIMIT ${PAGE}`);
  const read = await each(pages, 4, async (sql) => (await query(org, sql)).rows);
  const rows = read.flat();
  assert.equal(rows.length, ROWS);
  const schema = (await use(org, "get_database_schema", {})).result;
  return createHash("sha256").update(JSON.stringify([rows, schema])).digest("hex");
}

test("no hostile query runs, and the data is the same afterwards", async () => {
  const { org } = await shipped(gateway);
  const before = await hash(org);
  const hostile = Object.entries(await statements("hostile")).flatMap(([why, list]) => list.map((sql) => [why, sql]));
  assert.ok(hostile.length >= 200, `${hostile.length} statements`);
  const faults = [];
  await each(hostile, 8, async ([why, sql]) => {
    const { code, message, ...rest } = await query(org, sql);
    if (!["query_refused", "query_failed"].includes(code) || !message) faults.push([why, sql.slice(0, 200), JSON.stringify(rest).slice(0, 200)]);
  });
  assert.deepEqual(faults, []);
  assert.equal(await hash(org), before);
  await gateway.killAndRestart();
  assert.equal(await hash(org), before, "also after a restart");
});

test("honest queries run, exactly", async () => {
  const { org } = await shipped(gateway);
  const honest = await statements("honest");
  const asked = [["permits", honest.city_permits], ["grants", honest.research_grants]].flatMap(([agent, list]) => list.map((sql) => [agent, sql]));
  assert.ok(asked.length >= 60, `${asked.length} statements`);
  const faults = [];
  await each(asked, 8, async ([agent, sql]) => {
    const said = await query(org, sql, { agent });
    if (!Array.isArray(said.rows) || said.rows.some((row) => row.length !== said.columns.length)) faults.push([sql, JSON.stringify(said).slice(0, 300)]);
  });
  assert.deepEqual(faults, []);
  const { call } = await org.accepted("execute_query", { query: "SELECT 9007199254740993 AS big, 0.1 AS tenth, x'00' AS bytes" }, { agent: "permits", wait: 20 });
  assert.ok((await org.caller.get(`/v1/calls/${call}`)).text.includes('[9007199254740993,0.1,"(1 bytes)"]'));
});
