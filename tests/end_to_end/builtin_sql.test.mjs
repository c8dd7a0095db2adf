// Hostile and honest queries against the real object under the real runtime: none of the former runs, whatever it is, and
// the data is the same afterwards, to the last row.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { cpuMs } from "../bench/support/measure.mjs";
import { query, shipped, statements, use } from "./support/builtin.mjs";
import { DEAR } from "./support/dear_queries.mjs";
import { Gateway } from "./support/gateway.mjs";
import { each } from "./support/until.mjs";

const ROWS = 2_000;
const PAGE = 200;
/** What the platform gives a request to an object, in CPU time; SQLite cannot be interrupted in one. On a machine that does much else the same work takes
 * longer, but little more of this. */
const DEAREST_CPU_SECONDS = 30;

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

test("of every kind of work the dearest query that is accepted ends in time", async (t) => {
  const { org } = await shipped(gateway);
  await query(org, "SELECT count(*) FROM permits");
  const pid = Number(await readFile(join(gateway.storage, "pid"), "utf8"));
  const faults = [];
  for (const [kind, [most, make]] of Object.entries(DEAR)) {
    // From above: what is refused costs nothing, so one alone of each kind runs.
    let [refused, accepted] = [0, 0];
    for (let n = most; n > 0 && accepted === 0; n = n > 40 ? Math.floor(n * 0.93) : n - 1) {
      const before = cpuMs(pid);
      const { code, message } = await query(org, make(n));
      const took = (cpuMs(pid) - before) / 1_000;
      if (code === "query_refused") {
        assert.match(message, /could take too long|bytes; the limit is|columns; name/, `${kind} ${n}`);
        refused += 1;
        continue;
      }
      accepted = n;
      t.diagnostic(`${kind}, ${n} of it: ${took.toFixed(1)} s`);
      if (code !== undefined || took > DEAREST_CPU_SECONDS) faults.push(`${kind} ${n}: ${took.toFixed(1)} s ${code} ${message}`);
    }
    if (refused === 0 || accepted === 0) faults.push(`${kind}: the dearest one is not among these`);
  }
  assert.deepEqual(faults, []);
});
