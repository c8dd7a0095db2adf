// A D1 database that is lost, slow or restarted: the runtime's own code of the binding, and on its other side a server that speaks D1's wire over SQLite.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DatabaseSync } from "node:sqlite";

import { BoundGateway, FarSide } from "./support/bound.mjs";
import { query, shipped, use } from "./support/builtin.mjs";

const QUERY = "SELECT kind, amount FROM entries ORDER BY amount";
const ANSWER = { columns: ["kind", "amount"], rows: [["wages", -5], ["rent", 700]], row_count: 2 };

const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE entries (id INTEGER PRIMARY KEY, kind TEXT, amount INTEGER); INSERT INTO entries (kind, amount) VALUES ('rent', 700), ('wages', -5)");

/** What D1 answers to a statement. */
function d1({ path, text }, response) {
  const { sql } = JSON.parse(text);
  const body = { success: true, meta: { duration: 0 } };
  try {
    const statement = database.prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    const rows = statement.all();
    assert.match(path, /resultsFormat=ROWS_AND_COLUMNS/);
    body.results = { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
  } catch (fault) {
    Object.assign(body, { success: false, error: `${fault.message}: SQLITE_ERROR` });
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([body]));
}
const says = (error) => (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ success: false, error }));

let far, gateway, org;
before(async () => {
  far = await FarSide.start(d1);
  gateway = await BoundGateway.start({ wrapped: { DATA_LEDGER: { module: "cloudflare-internal:d1-api", at: far.address } }, vars: { DATA_LEDGER_ORGS: "ledger-org" } });
  org = (await shipped(gateway, "ledger-org")).org;
  await org.admin.must(200, "PUT", "/v1/agents/books", { capabilities: ["explore"], dataset: "ledger" });
});
after(async () => {
  await gateway?.stop();
  await far?.stop();
});

/** How often a call was tried. */
const attempts = async ({ call }) => Math.max(...(await org.events(call)).events.map(({ attempt = 0 }) => attempt));

/** Answers like D1 but for the n-th statement that is asked from now on, which this answers. */
function once(at, answer) {
  far.asked.length = 0;
  far.answer = (asked, response) => (far.asked.length === at ? answer : d1)(asked, response);
}

test("a statement whose answer is lost is asked again, as any read is", async () => {
  for (const lost of [
    (_, response) => response.destroy(),
    says("Network connection lost."),
    says("D1 DB reset because its code was updated."),
    says("Internal error in D1 DB storage caused object to be reset."),
    says("D1 DB is overloaded. Requests queued for too long."),
    (_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>bad gateway</html>"),
  ]) {
    once(3, lost);
    const call = await use(org, "execute_query", { query: QUERY }, { agent: "books" });
    assert.deepEqual([call.state, call.result, await attempts(call)], ["succeeded", ANSWER, 2], JSON.stringify(call));
  }
});

test("what D1 says of the query itself is told at once, whatever words it holds", async () => {
  once(2, says('no such column: "Network connection lost." at offset 7: SQLITE_ERROR'));
  const { code, message } = await query(org, QUERY, { agent: "books" });
  assert.deepEqual([code, message, far.asked.length], ["query_failed", 'no such column: "Network connection lost." at offset 7', 2]);
  once(2, says("D1 DB exceeded its CPU time limit and was reset."));
  assert.equal((await query(org, QUERY, { agent: "books" })).code, "query_failed");
});

test("a query that the database does not answer in time is over after ten seconds, and says so", async () => {
  once(4, () => undefined);
  const began = Date.now();
  const { code, message } = await query(org, QUERY, { agent: "books" });
  assert.deepEqual([code, message], ["query_failed", "The database did not answer within 10 s; ask for less."]);
  assert.ok(Date.now() - began >= 9_000, "it was waited for");
  assert.equal(far.asked.length, 4, "and asked once");
});

test("a database that is gone is data_unreachable, after three attempts", async () => {
  await far.stop();
  const call = await use(org, "execute_query", { query: QUERY }, { agent: "books" });
  assert.deepEqual([call.state, call.error.code, await attempts(call)], ["failed", "data_unreachable", 3], JSON.stringify(call));
});
