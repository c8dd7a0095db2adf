// The tools that ship with the gateway, called as any other tool: grants, history, activities, one data set per agent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { query, shipped, TOOLS, use } from "./support/builtin.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { each } from "./support/until.mjs";

let gateway;
before(async () => {
  gateway = await Gateway.start();
});
after(() => gateway.stop());

const CHART = { title: "Permits", xAxis: { type: "category", data: ["a"] }, yAxis: {}, series: [{ type: "bar", data: [7] }] };
const MAP = { center: [46.19, -123.83], features: { type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "Point", coordinates: [-123.83, 46.19] }, properties: { popup: "Old Town" } }] } };

test("a builtin pool registers what ships, once in an org, and stays what it is", async () => {
  const { org, registration } = await shipped(gateway);
  assert.deepEqual(registration.tools.map(({ name, status }) => [name, status]), TOOLS.map((name) => [name, "added"]));
  const again = await org.admin.must(200, "PUT", "/v1/pools/shipped", { transport: "builtin" });
  assert.ok(again.body.registration.tools.every(({ status }) => status === "unchanged"));
  const { body } = await org.admin.must(200, "GET", "/v1/tools/execute_query");
  const { managed_by, pool, enabled, definition } = body;
  assert.deepEqual([managed_by, pool, enabled, definition.side_effect], ["builtin", "shipped", true, "read_only"]);
  const refused = async (path, request, wanted) => {
    const { status, body } = await org.admin.put(path, request);
    assert.deepEqual([status, body.code], wanted, JSON.stringify(body));
    return body;
  };
  const second = await refused("/v1/pools/other", { transport: "builtin" }, [409, "transport_in_use"]);
  assert.equal(second.pool, "shipped");
  await refused("/v1/pools/main", { transport: "builtin" }, [409, "transport_in_use"]);
  await refused("/v1/pools/shipped", { transport: "worker" }, [409, "transport_in_use"]);
  await refused("/v1/pools/fresh", { transport: "builtin", url: "https://hooks.example.com/" }, [422, "invalid_request"]);
  await refused("/v1/tools/execute_query", { pool: "shipped", description: "Mine.", side_effect: "read_only", input: {} }, [409, "transport_in_use"]);
  const poll = await org.worker.post("/v1/pools/shipped/workers", { worker: "w", manifest: { tools: [] } });
  assert.equal(poll.status, 403);
});

test("a name that a worker of the org has is not taken from it", async () => {
  const org = await Org.make(gateway);
  const tool = { name: "create_chart", description: "Mine.", side_effect: "read_only", input: {} };
  await org.worker.must(200, "POST", "/v1/pools/main/workers", { worker: "w", manifest: { tools: [tool] } });
  const { registration } = (await org.admin.must(201, "PUT", "/v1/pools/shipped", { transport: "builtin" })).body;
  const codes = Object.fromEntries(registration.tools.map(({ name, status, code }) => [name, code ?? status]));
  assert.deepEqual(codes, { get_database_schema: "added", execute_query: "added", create_chart: "name_taken", create_map: "added" });
});

test("a chart and a map answer shortly, and are activities", async () => {
  const { org } = await shipped(gateway);
  const chart = await use(org, "create_chart", { config: CHART });
  assert.equal(chart.result, 'Chart created: "Permits" (bar, 1 series). The user sees it now; do not repeat its data.');
  assert.equal(chart.activity.type, "application/json+echart");
  assert.deepEqual(chart.activity.content, { ...CHART, title: { text: "Permits" }, tooltip: { renderMode: "richText" } });
  const text = `{"config":${JSON.stringify(CHART).replace("[7]", "[9007199254740993,1.10]")}}`;
  const { call } = await org.accepted("create_chart", text, { agent: "permits", wait: 20 });
  assert.ok((await org.caller.get(`/v1/calls/${call}`)).text.includes('"data":[9007199254740993,1.10]'), "numbers keep their text");
  const map = await use(org, "create_map", { data: MAP }, { agent: "blank" });
  assert.deepEqual([map.activity.type, map.activity.content], ["application/json+leaflet", MAP]);
  assert.match(map.result, /^Map created: 1 feature around latitude 46.19/);
  const bad = [
    ["create_chart", { config: { series: [{ type: "bar", data: [1] }], tooltip: { formatter: "<img src=x onerror=alert(1)>" } } }, "chart_refused"],
    ["create_chart", { config: { series: [{ type: "gauge" }] } }, "chart_refused"],
    ["create_map", { data: { ...MAP, center: [-123.83, 46.19] } }, "map_refused"],
  ];
  for (const [tool, args, code] of bad) {
    const { state, error, activity } = await use(org, tool, args);
    assert.deepEqual([state, error.code, activity], ["failed", code, undefined]);
  }
});

test("two agents read two data sets, and one without gets a clear word", async () => {
  const { org } = await shipped(gateway);
  const schemas = await each(["permits", "grants"], 2, async (agent) => (await use(org, "get_database_schema", {}, { agent })).result);
  assert.deepEqual(schemas.map(({ dataset, tables }) => [dataset, tables.map(({ table, rows, example }) => [table, rows, example.rows.length])]), [
    ["city_permits", [["permits", 2000, 3]]],
    ["research_grants", [["grants", 2000, 3]]],
  ]);
  assert.match(schemas[0].tables[0].sql, /cost INTEGER NOT NULL, -- declared cost in dollars/);
  const { columns, rows, row_count, truncated } = await query(org, "SELECT id, kind, latitude FROM permits ORDER BY id");
  assert.deepEqual([columns, row_count, truncated, rows.at(-1)[0]], [["id", "kind", "latitude"], 200, true, 200]);
  assert.equal((await query(org, "SELECT count(*) AS n FROM grants", { agent: "grants" })).rows[0][0], 2000);
  assert.match((await query(org, "SELECT * FROM permits", { agent: "grants" })).message, /no such table: permits/);
  for (const tool of ["get_database_schema", "execute_query"]) {
    const { state, error } = await use(org, tool, tool === "execute_query" ? { query: "SELECT 1" } : {}, { agent: "blank" });
    assert.deepEqual([state, error.code], ["failed", "no_dataset"], error.message);
  }
  const unknown = await org.admin.put("/v1/agents/permits", { capabilities: ["explore"], dataset: "payroll" });
  assert.deepEqual([unknown.status, unknown.code, unknown.body.field], [422, "invalid_request", "dataset"]);
  await org.admin.must(200, "PUT", "/v1/agents/blank", { capabilities: ["explore"], dataset: "city_permits" });
  assert.deepEqual((await query(org, "SELECT 1 AS one", { agent: "blank" })).rows, [[1]], "the change is there at once");
});

test("what is not granted does not run, and the timeline says who ran what did", async () => {
  const { org } = await shipped(gateway);
  await org.admin.must(200, "PUT", "/v1/capabilities/draw", { tools: ["create_chart"] });
  await org.admin.must(200, "PUT", "/v1/agents/painter", { capabilities: ["draw"], dataset: "city_permits" });
  const refused = await org.submit("execute_query", { query: "SELECT 1" }, { agent: "painter" });
  assert.deepEqual([refused.status, refused.code], [403, "not_granted"]);
  assert.equal((await org.submit("execute_query", { sql: "SELECT 1" }, { agent: "permits" })).code, "invalid_arguments");
  const { call } = await org.accepted("execute_query", { query: "SELECT 1" }, { agent: "permits", wait: 20 });
  const { events } = await org.events(call);
  assert.deepEqual(events.map(({ event, by }) => [event, by]).slice(-2), [["hand_out", "builtin"], ["settle", "builtin"]]);
  const same = async () => (await org.accepted("execute_query", { query: "SELECT 2" }, { agent: "permits", key: "once", wait: 20 })).call;
  assert.equal(await same(), await same(), "an idempotency key names one call");
});

test("calls in numbers end, each with its own result", async () => {
  const { org } = await shipped(gateway);
  const wanted = Array.from({ length: 120 }, (_, n) => n);
  const got = await each(wanted, 40, async (n) => (await query(org, `SELECT ${n} AS n, count(*) FROM permits`)).rows[0]);
  assert.deepEqual(got, wanted.map((n) => [n, 2000]));
});
