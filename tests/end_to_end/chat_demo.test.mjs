// Where nobody named a model the demo model answers: no network, labelled everywhere, and the path around it is the whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { query, shipped } from "./support/builtin.mjs";
import { Chat, person } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

test("the demo model says so in its name, in every message, in the capabilities and where agents are read, and calls what fits", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([
    definition("get_order_status", "read_only", { description: "Look up the status of an order.", input: { order_id: "integer" } }),
    definition("refund_order", "consequential", { description: "Give the money of an order back.", input: { order_id: "integer" }, permissions: ["refunds:write"] }),
  ]);
  await org.grant(["get_order_status", "refund_order"]);
  // Ids of calls are the demo's own, and not scripted.
  const chat = new Chat(await person(org, { unseen: ["look", "pay"] }));
  const body = await chat.capabilities();
  assert.deepEqual(body.custom.model, { label: "Demo model", demo: true });
  // Who reads agents is told too, though no model is written there; and it is no part of what is written.
  const { body: one } = await org.admin.must(200, "GET", "/v1/agents/bot");
  assert.deepEqual([one.model, one.chat_model], [undefined, body.custom.model]);
  assert.deepEqual((await org.admin.must(200, "GET", "/v1/agents")).body.agents, [one]);
  assert.equal((await org.admin.put("/v1/agents/bot", { capabilities: ["bot"], chat_model: one.chat_model })).code, "invalid_request");

  const running = chat.say("What is the status of order 12345?");
  const job = await worker.job();
  assert.deepEqual([job.tool, job.arguments], ["get_order_status", { order_id: 12345 }]);
  await worker.result(job.claim, '{"status":"shipped"}');
  const ran = await running;
  assert.deepEqual(ran.outcome, { type: "success" });
  assert.match(ran.text, /shipped/);

  const asked = await chat.say("Please refund order 12345");
  assert.equal(asked.outcome.type, "interrupt", JSON.stringify(asked.events));
  const [interrupt] = asked.outcome.interrupts;
  await org.decide(interrupt.id, { decision: "approve", digest: interrupt.metadata.argsDigest });
  const going = chat.run({ resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }] });
  const paid = await worker.job();
  assert.deepEqual([paid.tool, paid.arguments], ["refund_order", { order_id: 12345 }]);
  await worker.accept(paid.claim);
  await worker.result(paid.claim, '"refunded"');
  assert.deepEqual((await going).outcome, { type: "success" });

  for (const { role, content, metadata } of (await chat.kept()).messages) {
    if (role !== "assistant") continue;
    assert.deepEqual(metadata, { model: "Demo model", demo: true });
    if (content !== undefined) assert.match(content, /^Demo model: /);
  }
  for (const { metadata } of [...ran.of("TEXT_MESSAGE_START"), ...ran.of("TOOL_CALL_START")]) assert.equal(metadata.demo, true);
});

/** Asks the demo model in a new thread about the permits; the calls it makes, by what they were of, and what came of it. */
async function ask(org, question, names) {
  const chat = new Chat(await person(org, { unseen: [...names] }, { agent: "permits" }));
  const ran = await chat.say(question);
  assert.deepEqual(ran.outcome, { type: "success" }, JSON.stringify(ran.last));
  const args = (id) => JSON.parse(ran.of("TOOL_CALL_ARGS").filter(({ toolCallId }) => toolCallId === id).map(({ delta }) => delta).join(""));
  assert.deepEqual(ran.of("TOOL_CALL_START").map(({ toolCallId, toolCallName }) => [toolCallId, toolCallName]), Object.entries({ schema: "get_database_schema", query: "execute_query", chart: "create_chart", map: "create_map" }).filter(([name]) => names.includes(name)));
  assert.deepEqual(ran.custom("toolgate.call").filter(({ state }) => state === "succeeded").map(({ toolCallId, side_effect }) => [toolCallId, side_effect]), names.map((name) => [name, "read_only"]));
  return { chat, ran, args };
}

/** The one activity of a run, as the client got it, as the official client keeps it, and as the thread does. */
async function drawn({ chat, ran }, id, type) {
  const snapshots = ran.of("ACTIVITY_SNAPSHOT");
  assert.deepEqual(snapshots.map(({ messageId, activityType }) => [messageId, activityType]), [[`activity-${id}`, type]]);
  const [{ content }] = snapshots;
  for (const messages of [chat.named(chat.client.messages), (await chat.kept()).messages]) {
    assert.deepEqual(messages.filter(({ role }) => role === "activity"), [{ id: `activity-${id}`, role: "activity", activityType: type, content }]);
  }
  return content;
}

test("a question about the data set that ships is answered by its schema, a query, and a chart", async () => {
  const { org } = await shipped(gateway);
  const asked = await ask(org, "Chart of permits by district", ["schema", "query", "chart"]);
  const { rows } = await query(org, "SELECT district, count(*) FROM permits GROUP BY district");
  const content = await drawn(asked, "chart", "application/json+echart");
  assert.equal(JSON.parse(asked.ran.results.schema).dataset, "city_permits");
  assert.ok(rows.length > 1 && rows.every(([, count]) => count > 0));
  const [series, ...more] = content.series;
  assert.deepEqual([series.type, more, content.xAxis.data.length], ["bar", [], rows.length]);
  assert.deepEqual(Object.fromEntries(content.xAxis.data.map((district, at) => [district, series.data[at]])), Object.fromEntries(rows));
  // What the model wrote, and nothing of its own but what keeps HTML out of the tooltip.
  const { tooltip, ...written } = asked.args("chart").config;
  assert.deepEqual(content, { ...written, tooltip: { ...tooltip, renderMode: "richText" } });
  assert.match(asked.ran.results.chart, /^Chart created: /);
});

test("and by a map, with a point for each row", async () => {
  const { org } = await shipped(gateway);
  const asked = await ask(org, "Show the permits on a map", ["schema", "query", "map"]);
  const { columns, rows } = JSON.parse(asked.ran.results.query);
  const content = await drawn(asked, "map", "application/json+leaflet");
  const [north, east] = ["latitude", "longitude"].map((name) => columns.indexOf(name));
  assert.deepEqual(content, asked.args("map").data);
  const { features: { type, features }, center } = content;
  assert.ok(rows.length > 1 && type === "FeatureCollection");
  assert.deepEqual(features.map(({ geometry }) => geometry), rows.map((row) => ({ type: "Point", coordinates: [row[east], row[north]] })));
  for (const [at, place] of [[0, north], [1, east]]) {
    const values = rows.map((row) => row[place]);
    assert.ok(Math.min(...values) <= center[at] && center[at] <= Math.max(...values));
  }
  assert.match(asked.ran.results.map, new RegExp(`^Map created: ${rows.length} features`));
});
