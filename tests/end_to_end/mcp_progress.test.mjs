// A call whose client wants to hear how it gets on; and what an agent's admin says of its tools at the MCP door: headers that
// mirror arguments, and tools that are kept for clients with tasks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { able, mcpScene, messagesOf, META, serve, TOOLS } from "./support/mcp.mjs";
import { definition } from "./support/org.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const hears = (progressToken, capabilities) => ({ ...(capabilities === undefined ? META : able(capabilities)), progressToken });
const STREAM = "text/event-stream";

test("each event of a call's life is told as it happens, and the result ends the stream", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const asked = mcp.request("tools/call", '{"name":"look","arguments":{"id":9007199254740993}}', { meta: hears("p1"), id: "c1" });
  const job = await worker.job();
  await worker.result(job.claim, '{"id":9007199254740993}');
  const { status, headers, text } = await asked;
  assert.deepEqual([status, headers.get("content-type"), headers.get("x-accel-buffering")], [200, STREAM, "no"]);
  const told = messagesOf(text);
  const last = told.pop();
  assert.deepEqual([last.id, last.result.isError, text.includes('"structuredContent":{"id":9007199254740993}')], ["c1", false, true]);
  assert.deepEqual(told.map(({ method, params }) => [method, params.progressToken, params.progress]), [1, 2, 3].map((step) => ["notifications/progress", "p1", step]));
  assert.deepEqual(told.map(({ params }) => params.message), ["The call is accepted and waits for its code.", "The call was handed to its code.", "The code has answered."]);
});

test("a read that is tried again, a write, and a client of before 2026-07-28 hear of each step", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const steps = (text) => messagesOf(text).slice(0, -1).map(({ params }) => params.progress);
  const read = mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta: hears(7) });
  const first = await worker.job();
  await worker.giveBack(first.claim);
  const second = await worker.job();
  assert.equal(second.call, first.call);
  await worker.result(second.claim, "1");
  assert.deepEqual(steps((await read).text), [1, 2, 3, 4, 5]);
  const write = mcp.legacy("tools/call", { name: "rename", arguments: { name: "a" }, _meta: { progressToken: "w" } });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, '"renamed"');
  const { text } = await write;
  assert.deepEqual([steps(text), messagesOf(text).at(-1).result.content[0].text], [[1, 2, 3, 4], "renamed"]);
});

test("a call to which more happens than its timeline keeps is heard of to its end", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const asked = mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta: hears("p") });
  let job = await worker.job();
  for (let times = 0; times < 40; times += 1) {
    await worker.giveBack(job.claim);
    job = await worker.job();
  }
  await worker.result(job.claim, '{\n"id":\r\n1}');
  const told = messagesOf((await asked).text);
  assert.deepEqual(told.pop().result.structuredContent, { id: 1 }, "a line break in a result breaks no event");
  const steps = told.map(({ params }) => params.progress);
  assert.equal((await org.caller.must(200, "GET", `/v1/calls/${job.call}/events`)).body.events.length, 64);
  assert.deepEqual([steps.at(-1), told.at(-1).params.message], [83, "The code has answered."]);
  assert.ok(steps.every((step, at) => at === 0 || step > steps[at - 1]), steps.join());
});

test("what is answered at once has no stream, and neither has a client that cannot read one", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const parked = await mcp.request("tools/call", { name: "refund", arguments: { id: 1 } }, { meta: hears("p") });
  assert.deepEqual([parked.headers.get("content-type"), parked.message.result.structuredContent.status], ["application/json", "pending_approval"]);
  const faulty = await mcp.request("tools/call", { name: "look", arguments: {} }, { meta: hears("p") });
  assert.equal(faulty.message.result.structuredContent.code, "invalid_arguments");
  assert.equal((await mcp.request("tools/call", { name: "nothing", arguments: {} }, { meta: hears("p") })).message.error.code, -32602);
  const served = serve(worker, { look: () => ({ result: 1 }) });
  try {
    for (const [meta, headers] of [[hears("p"), { accept: "application/json" }], [hears(null), {}], [hears(1.5), {}]]) {
      const plain = await mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta, headers });
      assert.deepEqual([plain.headers.get("content-type"), plain.message.result.content[0].text], ["application/json", "1"]);
    }
  } finally {
    await served.stop();
  }
});

test("a stream ends with a task, with a question, and with a key that is revoked", async () => {
  const { mcp, org, worker, keyId } = await mcpScene(gateway);
  const long = mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta: hears("p", tasks) });
  const job = await worker.job();
  const made = messagesOf((await long).text).at(-1).result;
  assert.deepEqual([made.resultType, made.taskId], ["task", job.call]);
  const asks = mcp.request("tools/call", { name: "look", arguments: { id: 2 } }, { meta: hears("p") });
  const content = { inputRequests: { which: { method: "elicitation/create", params: { message: "?" } } } };
  await worker.outcome((await worker.job()).claim, { result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content } });
  assert.equal(messagesOf((await asks).text).at(-1).error.code, -32021);
  const open = mcp.request("tools/call", { name: "look", arguments: { id: 3 } }, { meta: hears("p"), id: "last" });
  const third = await worker.job();
  await org.admin.must(200, "DELETE", `/v1/keys/${keyId}`);
  const told = messagesOf((await open).text).at(-1);
  assert.deepEqual([told.id, told.error.code], ["last", -32603]);
  assert.equal(await worker.result(third.claim, "1"), "recorded", "the call does not depend on who listens");
});

test("arguments are mirrored where the agent's admin says so, and compared", async () => {
  const { mcp, org, worker } = await mcpScene(gateway, [...TOOLS, definition("routed", "read_only", { input: { region: "string", count: "integer?", ratio: "number?" } })]);
  const put = (headers, more = {}) => org.admin.put("/v1/agents/bot", { capabilities: ["bot"], mcp: { headers, ...more } });
  for (const [headers, code] of [
    [{ gone: { region: "R" } }, "unknown_tool"],
    [{ routed: { nothing: "R" } }, "invalid_request"],
    [{ routed: { ratio: "R" } }, "invalid_request"],
    [{ routed: { region: "a b" } }, "invalid_request"],
    [{ routed: { region: "R", count: "r" } }, "invalid_request"],
  ]) {
    const refused = await put(headers);
    assert.deepEqual([refused.status, refused.code], [422, code], JSON.stringify(headers));
  }
  assert.equal((await put({ routed: { region: "Region", count: "Count" } })).status, 200);
  assert.deepEqual((await org.admin.must(200, "GET", "/v1/agents/bot")).body.mcp, { headers: { routed: { region: "Region", count: "Count" } } });
  const listed = async (list) => (await list).tools.find(({ name }) => name === "routed").inputSchema.properties;
  const modern = await listed(mcp.result("tools/list"));
  assert.deepEqual(modern, { count: { type: "integer", "x-mcp-header": "Count" }, ratio: { type: "number" }, region: { type: "string", "x-mcp-header": "Region" } });
  assert.equal((await listed((async () => (await mcp.legacy("tools/list")).message.result)())).region["x-mcp-header"], undefined);
  const served = serve(worker, { routed: ({ arguments: { region } }) => ({ result: region }) });
  try {
    const sent = (args, headers) => mcp.request("tools/call", { name: "routed", arguments: args }, { headers });
    for (const [args, headers] of [
      [{ region: "eu" }, { "Mcp-Param-Region": "eu" }],
      [{ region: "Grüße" }, { "MCP-PARAM-REGION": `=?base64?${Buffer.from("Grüße").toString("base64")}?=` }],
      [{ region: "eu", count: 42 }, { "mcp-param-region": "eu", "mcp-param-count": "42.0" }],
      [{ region: "eu", count: null }, { "mcp-param-region": "eu" }],
    ]) {
      const { status, message } = await sent(args, headers);
      assert.deepEqual([status, message.error], [200, undefined], JSON.stringify([args, headers]));
    }
    for (const [args, headers] of [
      [{ region: "eu" }, {}],
      [{ region: "eu" }, { "mcp-param-region": "us" }],
      [{ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }],
      [{ region: "eu" }, { "mcp-param-region": "eu", "mcp-param-count": "1" }],
      [{ region: "eu", count: 1 }, { "mcp-param-region": "eu", "mcp-param-count": "2" }],
    ]) {
      const { status, message } = await sent(args, headers);
      assert.deepEqual([status, message.error?.code], [400, -32020], JSON.stringify([args, headers]));
    }
    const headers = { origin: "https://page.example", "access-control-request-method": "POST", "access-control-request-headers": "authorization,mcp-param-region,x-other" };
    const preflight = await fetch(mcp.url, { method: "OPTIONS", headers });
    assert.match(preflight.headers.get("access-control-allow-headers"), /^authorization, .*, mcp-param-region$/, "a page may send them");
    assert.equal((await mcp.legacy("tools/call", { name: "routed", arguments: { region: "eu" } })).message.result.content[0].text, "eu", "older clients know of no such headers");
  } finally {
    await served.stop();
  }
});

test("a tool that is kept for clients with tasks is called by no other", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  assert.equal((await org.admin.put("/v1/agents/bot", { capabilities: ["bot"], mcp: { tasks_required: ["gone"] } })).code, "unknown_tool");
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: ["bot"], mcp: { tasks_required: ["look"] } });
  const refused = await mcp.request("tools/call", { name: "look", arguments: { id: 1 } });
  assert.deepEqual([refused.status, refused.message.error.code, refused.message.error.data], [400, -32021, { requiredCapabilities: tasks }]);
  const old = (await mcp.legacy("tools/call", { name: "look", arguments: { id: 1 } })).message.result;
  assert.deepEqual([old.isError, old.structuredContent.executed], [true, false]);
  assert.equal((await worker.jobs()).length, 0);
  const served = serve(worker, { look: () => ({ result: 1 }) });
  try {
    assert.equal((await mcp.result("tools/call", { name: "look", arguments: { id: 1 } }, { meta: able(tasks) })).content[0].text, "1");
  } finally {
    await served.stop();
  }
});
