// A customer's own database behind the database tools: D1, for the orgs that the operator lists, under the same guard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { query, shipped, statements, use } from "./support/builtin.mjs";
import { MiniGateway } from "./support/miniflare.mjs";
import { each } from "./support/until.mjs";

let gateway, mine, others;
before(async () => {
  gateway = await MiniGateway.start({ databases: ["DATA_LEDGER", "DATA_NOBODYS"], vars: { DATA_LEDGER_ORGS: "ledger-org another-org" } });
  const database = await gateway.database("DATA_LEDGER");
  for (const statement of [
    "CREATE TABLE permits (id INTEGER PRIMARY KEY, kind TEXT, amount INTEGER)",
    "CREATE INDEX by_kind ON permits (kind)",
    "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO permits (kind, amount) VALUES ('rent', 9007199254740993), ('wages', -5), ('tax', 12)",
    "INSERT INTO d1_migrations (name) VALUES ('0001.sql')",
  ]) await database.prepare(statement).run();
  mine = (await shipped(gateway, "ledger-org")).org;
  others = (await shipped(gateway, "strangers")).org;
  await mine.admin.must(200, "PUT", "/v1/agents/books", { capabilities: ["explore"], dataset: "ledger" });
});
after(() => gateway.stop());

const contents = async () => JSON.stringify((await (await gateway.database("DATA_LEDGER")).prepare("SELECT id, kind, CAST(amount AS TEXT) FROM permits UNION ALL SELECT rowid, name, sql FROM sqlite_master").all()).results);

test("the tools read a bound database, exactly, and tell of what is its own", async () => {
  const schema = (await use(mine, "get_database_schema", {}, { agent: "books" })).result;
  assert.deepEqual(schema.tables.map(({ table, rows }) => [table, rows]), [["permits", 3]]);
  assert.deepEqual(schema.tables[0].example.columns, ["id", "kind", "amount"]);
  const { call } = await mine.accepted("execute_query", { query: "SELECT kind, amount FROM permits ORDER BY amount DESC" }, { agent: "books", wait: 20 });
  assert.ok((await mine.caller.get(`/v1/calls/${call}`)).text.includes('"columns":["kind","amount"],"rows":[["rent",9007199254740993],["tax",12],["wages",-5]]'));
  const none = await query(mine, "SELECT kind FROM permits WHERE id > 100", { agent: "books" });
  assert.deepEqual(none, { columns: ["kind"], rows: [], row_count: 0 });
  assert.equal((await query(mine, "SELECT colour FROM permits", { agent: "books" })).code, "query_failed");
});

test("no hostile query changes it", async () => {
  const before = await contents();
  const hostile = Object.entries(await statements("hostile")).filter(([why]) => !["time", "memory"].includes(why)).flatMap(([, list]) => list);
  const faults = [];
  await each(hostile, 8, async (sql) => {
    const { code, message } = await query(mine, sql, { agent: "books" });
    if (!["query_refused", "query_failed"].includes(code) || !message) faults.push(sql.slice(0, 200));
  });
  assert.deepEqual(faults, []);
  assert.equal(await contents(), before);
  for (const sql of (await statements("hostile")).time.filter((each) => /RECURSIVE|n\(x\)/.test(each))) {
    const { code } = await query(mine, sql, { agent: "books" });
    assert.ok(["query_refused", "query_failed"].includes(code), sql);
  }
});

test("a database is of the orgs that are listed for it, and of nobody else", async () => {
  for (const [org, dataset] of [[others, "ledger"], [mine, "nobodys"], [others, "nobodys"]]) {
    const { status, body } = await org.admin.put("/v1/agents/thief", { capabilities: ["explore"], dataset });
    assert.deepEqual([status, body.field], [422, "dataset"], dataset);
  }
});
