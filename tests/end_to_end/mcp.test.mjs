// The MCP door, by hand: what each era is answered, and what becomes of calls in each class.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ageEnded } from "./support/aging.mjs";
import { Gateway } from "./support/gateway.mjs";
import { able, eventsOf, Mcp, mcpScene, META, MODERN, serve, TOOLS } from "./support/mcp.mjs";
import { definition, PRINCIPAL } from "./support/org.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const STATUS = "toolgate_approval_status";
const call = (mcp, name, args = {}, options) => mcp.result("tools/call", { name, arguments: args }, options);

test("discover and list say what there is, for this key alone", async () => {
  const { mcp, org } = await mcpScene(gateway);
  const discovered = await mcp.result("server/discover");
  assert.deepEqual([discovered.resultType, discovered.supportedVersions[0], discovered.cacheScope], ["complete", MODERN, "public"]);
  assert.ok(discovered.ttlMs >= 0 && discovered.capabilities.tools && !discovered.capabilities.prompts && !discovered.capabilities.resources);
  const listed = await mcp.result("tools/list");
  assert.deepEqual(listed.tools.map(({ name }) => name), ["look", "refund", "rename", STATUS]);
  assert.deepEqual([listed.cacheScope, listed.resultType, listed.nextCursor], ["private", "complete", undefined]);
  const [look, refund] = listed.tools;
  assert.deepEqual(look.annotations.readOnlyHint, true);
  assert.deepEqual([refund.annotations.readOnlyHint, refund.annotations.destructiveHint], [false, true]);
  assert.deepEqual(look.inputSchema.required, ["id"]);
  // What may not be called is not listed.
  await org.admin.must(200, "PUT", "/v1/capabilities/bot", { tools: ["look", "rename"] });
  assert.deepEqual((await mcp.result("tools/list")).tools.map(({ name }) => name), ["look", STATUS]);
});

test("a list of many comes in pages", async () => {
  const { mcp } = await mcpScene(gateway, Array.from({ length: 256 }, (_, n) => definition(`tool_${String(n).padStart(3, "0")}`, "read_only")));
  const first = await mcp.result("tools/list");
  assert.equal(first.tools.length, 200);
  const rest = await mcp.result("tools/list", { cursor: first.nextCursor });
  assert.deepEqual([rest.tools.length, rest.nextCursor, rest.cacheScope], [57, undefined, "private"]);
  assert.equal(new Set([...first.tools, ...rest.tools].map(({ name }) => name)).size, 257);
  assert.equal((await mcp.request("tools/list", { cursor: "no such" })).message.error.code, -32602);
});

test("calls answer with text and structure, no digit lost; faults are results that a model can act on", async () => {
  const { mcp, worker } = await mcpScene(gateway, [...TOOLS, definition("draw", "read_only"), definition("speak", "read_only"), definition("fail", "read_only")]);
  const one = mcp.request("tools/call", '{"name":"look","arguments":{"id":9007199254740993}}');
  let { text } = { text: "" };
  while (text === "") ({ text } = await worker.poll({ max: 1, wait: 10 }));
  assert.ok(text.includes('"arguments":{"id":9007199254740993}'));
  await worker.result(JSON.parse(text).jobs[0].claim, '{"total":9007199254740993.10}');
  const answered = await one;
  assert.ok(answered.text.includes('"structuredContent":{"total":9007199254740993.10}'), answered.text);
  assert.ok(answered.text.includes('{\\"total\\":9007199254740993.10}'));
  const served = serve(worker, {
    draw: () => ({ result: "a chart", activity: { type: "application/json+echart", content: { series: [] } } }),
    speak: () => ({ result: null, activity: { type: "application/vnd.modelcontextprotocol.content+json", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] } }),
    fail: () => ({ error: { message: "no such order", code: "gone" } }),
    rename: ({ arguments: { name } }) => ({ result: name }),
  });
  try {
    const drawn = await call(mcp, "draw");
    assert.deepEqual([drawn.content, drawn.isError, drawn._meta["toolgate/activity"].type], [[{ type: "text", text: "a chart" }], false, "application/json+echart"]);
    assert.deepEqual((await call(mcp, "speak")).content, [{ type: "image", data: "AAAA", mimeType: "image/png" }]);
    const failed = await call(mcp, "fail");
    assert.deepEqual([failed.isError, failed.structuredContent.error], [true, { code: "gone", message: "no such order" }]);
    assert.match(failed.content[0].text, /This call failed\. no such order/);
    const faulty = await call(mcp, "look", { id: "x", more: 1 });
    assert.deepEqual([faulty.isError, faulty.structuredContent.code], [true, "invalid_arguments"]);
    // Each request is a write of its own: nothing says that two are one.
    const renamed = await Promise.all([call(mcp, "rename", { name: "a" }), call(mcp, "rename", { name: "a" })]);
    assert.notEqual(renamed[0]._meta["toolgate/call"], renamed[1]._meta["toolgate/call"]);
    const unknown = await mcp.request("tools/call", { name: "nothing", arguments: {} });
    assert.deepEqual([unknown.status, unknown.message.error.code], [200, -32602]);
  } finally {
    await served.stop();
  }
});

test("a parked call is pending at once; the same again joins it, runs once, and later returns the outcome", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const parked = await call(mcp, "refund", { id: 7 });
  const { status, executed, approval_id, approval_url, call: id } = parked.structuredContent;
  assert.deepEqual([parked.isError, parked.resultType, status, executed], [true, "complete", "pending_approval", false]);
  assert.match(approval_url, new RegExp(`/v1/approvals/${approval_id}$`));
  const again = await call(mcp, "refund", { id: 7 });
  assert.deepEqual([again.structuredContent.call, again.structuredContent.approval_id], [id, approval_id]);
  assert.notEqual((await call(mcp, "refund", { id: 8 })).structuredContent.call, id);
  const waiting = await call(mcp, STATUS, { id: approval_id });
  assert.deepEqual([waiting.isError, waiting.structuredContent.status, waiting.structuredContent.executed], [false, "waiting_approval", false]);
  await org.approve((await org.caller.must(200, "GET", `/v1/calls/${id}`)).body);
  const job = await worker.job();
  assert.equal(job.call, id);
  await worker.accept(job.claim);
  await worker.result(job.claim, '{"refunded":9007199254740993}');
  const done = await mcp.request("tools/call", { name: "refund", arguments: { id: 7 } });
  assert.deepEqual([done.message.result.isError, done.message.result._meta["toolgate/call"], done.message.result._meta["toolgate/replayed"]], [false, id, true]);
  assert.ok(done.text.includes('"structuredContent":{"refunded":9007199254740993}'));
  const status2 = await mcp.request("tools/call", { name: STATUS, arguments: { id } });
  assert.ok(status2.text.includes('"result":{"refunded":9007199254740993}'), status2.text);
  assert.deepEqual((await worker.jobs()).length, 0, "it ran once");
  assert.equal((await call(mcp, STATUS, { id: "call_x" })).structuredContent.code, "not_found");
  assert.equal((await call(mcp, STATUS, {})).structuredContent.code, "invalid_request");
});

test("a rejected call says why, and is not raised again", async () => {
  const { mcp, org } = await mcpScene(gateway);
  const { approval_id } = (await call(mcp, "refund", { id: 1 })).structuredContent;
  await org.decide(approval_id, { decision: "reject", reason: "not this customer" });
  const told = await call(mcp, "refund", { id: 1 });
  assert.deepEqual([told.isError, told.structuredContent.status, told._meta["toolgate/replayed"]], [true, "rejected", true]);
  assert.match(told.content[0].text, /not this customer/);
  assert.equal((await org.approver.must(200, "GET", "/v1/approvals?state=pending")).body.approvals.length, 0);
});

test("a client that follows tasks gets one for a parked call, can take it back, and reads what became of it", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const meta = able({ extensions: { "io.modelcontextprotocol/tasks": {} } });
  const made = await call(mcp, "refund", { id: 1 }, { meta });
  assert.deepEqual([made.resultType, made.status, made.pollIntervalMs >= 5000, made.ttlMs], ["task", "working", true, null]);
  const task = async () => mcp.result("tasks/get", { taskId: made.taskId }, { meta });
  assert.deepEqual([(await task()).resultType, (await task()).status], ["complete", "working"]);
  await org.approve((await org.caller.must(200, "GET", `/v1/calls/${made.taskId}`)).body);
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, '"done"');
  const ended = await task();
  assert.deepEqual([ended.status, ended.result.content[0].text, ended.result.isError], ["completed", "done", false]);
  const other = await call(mcp, "refund", { id: 2 }, { meta });
  await mcp.result("tasks/cancel", { taskId: other.taskId }, { meta });
  assert.equal((await mcp.result("tasks/get", { taskId: other.taskId }, { meta })).status, "cancelled");
  const rejected = await call(mcp, "refund", { id: 3 }, { meta });
  const { approval } = (await org.caller.must(200, "GET", `/v1/calls/${rejected.taskId}`)).body;
  await org.decide(approval.id, { decision: "reject", reason: "no" });
  const said = await mcp.result("tasks/get", { taskId: rejected.taskId }, { meta });
  assert.deepEqual([said.status, said.result.isError, said.result.structuredContent.status], ["completed", true, "rejected"]);
  assert.equal((await mcp.request("tasks/get", { taskId: "call_x" }, { meta })).message.error.code, -32602);
  assert.equal((await mcp.request("tasks/get", { taskId: made.taskId })).message.error.code, -32021);
  // Without the capability there is never a task.
  assert.equal((await call(mcp, "refund", { id: 4 })).resultType, "complete");
});

test("a client that opens URLs is asked to, and repeats the call with the state it was given", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const meta = able({ elicitation: { form: {}, url: {} } });
  const asked = await call(mcp, "refund", { id: 1 }, { meta });
  const { mode, url } = asked.inputRequests.approval.params;
  assert.deepEqual([asked.resultType, mode], ["input_required", "url"]);
  assert.match(url, /\/v1\/approvals\/apr_/);
  const repeat = (args, requestState) => mcp.request("tools/call", { name: "refund", arguments: args, requestState, inputResponses: { approval: { action: "accept" } } }, { meta });
  assert.equal((await repeat({ id: 1 }, asked.requestState)).message.result.resultType, "input_required", "nobody has decided: a click is no consent");
  for (const [args, state] of [[{ id: 2 }, asked.requestState], [{ id: 1 }, `${asked.requestState}x`], [{ id: 1 }, "call_x.AAAA"]]) {
    assert.equal((await repeat(args, state)).message.error.code, -32602);
  }
  const [parked] = (await org.approver.must(200, "GET", "/v1/approvals?state=pending")).body.approvals;
  await org.decide(parked.id, { decision: "approve", digest: parked.digest });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, '"done"');
  assert.equal((await repeat({ id: 1 }, asked.requestState)).message.result.content[0].text, "done");
  assert.equal((await worker.jobs()).length, 0);
});

test("a client that comes back days after the decision, with the state it was given, is told what came of that call", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const meta = able({ elicitation: { url: {} } });
  const { requestState } = await call(mcp, "refund", { id: 1 }, { meta });
  const [parked] = (await org.approver.must(200, "GET", "/v1/approvals?state=pending")).body.approvals;
  await org.decide(parked.id, { decision: "approve", digest: parked.digest });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, '"refunded"');
  await org.callIn(parked.call, "succeeded");
  await gateway.kill();
  assert.ok(ageEnded(gateway.storage, 3 * 86_400_000) > 0);
  await gateway.start();
  const late = (await mcp.request("tools/call", { name: "refund", arguments: { id: 1 }, requestState, inputResponses: { approval: { action: "accept" } } }, { meta })).message.result;
  assert.deepEqual([late.resultType, late.content[0].text, late._meta["toolgate/call"]], ["complete", "refunded", parked.call]);
  assert.deepEqual((await org.approver.must(200, "GET", "/v1/approvals?state=pending")).body.approvals, [], "nobody is asked again");
  // Without the state it is a new call by now.
  assert.equal((await call(mcp, "refund", { id: 1 }, { meta })).resultType, "input_required");
});

test("clients before 2026-07-28 are served on the same URL", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const hello = await mcp.legacy("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }, {});
  assert.deepEqual([hello.status, hello.message.result.protocolVersion, hello.headers.get("mcp-session-id")], [200, "2025-06-18", null]);
  assert.equal((await mcp.legacy("initialize", { protocolVersion: "1999-01-01" }, {})).message.result.protocolVersion, "2025-11-25");
  const noted = await mcp.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  assert.deepEqual([noted.status, noted.text], [202, ""]);
  assert.deepEqual((await mcp.legacy("ping")).message.result, {});
  const { result } = (await mcp.legacy("tools/list")).message;
  assert.deepEqual([result.tools.length, result.resultType, result.ttlMs], [4, undefined, undefined]);
  const served = serve(worker, { look: ({ arguments: { id } }) => ({ result: [id] }) });
  const looked = (await mcp.legacy("tools/call", { name: "look", arguments: { id: 3 } })).message.result;
  await served.stop();
  assert.deepEqual([looked.content[0].text, looked.structuredContent, looked.isError, looked.resultType], ["[3]", undefined, false, undefined], "before 2026-07-28 only objects are structured");
  assert.equal((await mcp.legacy("tools/call", { name: "refund", arguments: { id: 1 } })).message.result.structuredContent.status, "pending_approval");
  for (const method of ["GET", "DELETE"]) assert.equal((await fetch(mcp.url, { method, headers: { authorization: `Bearer ${mcp.key}` } })).status, 405);
});

test("headers are compared with the body, and versions that are not spoken are named", async () => {
  const { mcp } = await mcpScene(gateway);
  for (const headers of [{ "mcp-name": "refund" }, { "mcp-method": "tools/list" }, { "mcp-protocol-version": "2025-11-25" }]) {
    const { status, message } = await mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { headers });
    assert.deepEqual([status, message.error.code, typeof message.id], [400, -32020, "number"], JSON.stringify(headers));
  }
  const { status, message } = await mcp.request("tools/list", {}, { meta: { ...META, "io.modelcontextprotocol/protocolVersion": "v9" }, headers: { "mcp-protocol-version": "v9" } });
  assert.deepEqual([status, message.error.code, message.error.data.requested], [400, -32022, "v9"]);
  assert.ok(message.error.data.supported.includes(MODERN) && message.error.data.supported.includes("2025-11-25"));
  for (const method of ["initialize", "ping", "logging/setLevel", "prompts/list", "resources/list", "no/such"]) {
    const refused = await mcp.request(method, {}, { id: "é" });
    assert.deepEqual([refused.status, refused.message.error.code, refused.message.id], [404, -32601, "é"]);
  }
  for (const body of ["", "{", "[]", "7", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":"a","result":{}}']) {
    assert.equal((await mcp.post(body)).status, 400, body);
  }
});

test("only an agent's own key opens its door, from no foreign page, and a revoked one no more", async () => {
  const { mcp, org, keyId } = await mcpScene(gateway);
  const nobody = await fetch(mcp.url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  assert.deepEqual([nobody.status, nobody.headers.get("www-authenticate")], [401, "Bearer"]);
  assert.equal((await new Mcp(gateway, org.callerKey.key).request("tools/list")).status, 403);
  assert.equal((await new Mcp(gateway, mcp.key, "other").request("tools/list")).status, 403);
  assert.equal((await mcp.request("tools/list", {}, { headers: { origin: "https://evil.example" } })).status, 403);
  assert.equal((await mcp.request("tools/list", {}, { headers: { origin: gateway.url } })).status, 200);
  await org.admin.must(200, "DELETE", `/v1/keys/${keyId}`);
  for (const [method, params] of [["tools/list", {}], ["tools/call", { name: "look", arguments: { id: 1 } }], ["subscriptions/listen", { notifications: {} }]]) {
    assert.equal((await mcp.request(method, params)).status, 401, method);
  }
});

test("a run's token lists what was offered, and its calls belong to the run", async () => {
  const { org, worker } = await mcpScene(gateway);
  const { body } = await org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal: JSON.parse(PRINCIPAL), message: "look at my order", budget_tokens: 100, doors: ["mcp", "rest"] });
  const mcp = new Mcp(gateway, body.token);
  const offered = body.offer.tools.map(({ name }) => name);
  assert.deepEqual((await mcp.result("tools/list")).tools.map(({ name }) => name), [...offered, STATUS]);
  assert.ok(offered.length < TOOLS.length);
  const made = call(mcp, "look", { id: 1 });
  const job = await worker.job();
  assert.equal(job.run, body.run);
  await worker.result(job.claim, "1");
  await made;
  const closed = await org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal: JSON.parse(PRINCIPAL) });
  assert.equal((await new Mcp(gateway, closed.body.token).request("tools/list")).status, 403, "a run for rest alone");
});

test("a subscription says when the list is another one, and ends when its key does", async () => {
  const { mcp, org, keyId } = await mcpScene(gateway);
  const listen = (notifications) => fetch(mcp.url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${mcp.key}`, "mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "s1", method: "subscriptions/listen", params: { notifications, _meta: META } }),
  });
  const response = await listen({ toolsListChanged: true, promptsListChanged: true });
  assert.deepEqual([response.status, response.headers.get("content-type"), response.headers.get("x-accel-buffering")], [200, "text/event-stream", "no"]);
  const messages = eventsOf(response);
  const next = async () => (await messages.next()).value;
  const first = await next();
  assert.deepEqual([first.method, first.params.notifications, first.params._meta["io.modelcontextprotocol/subscriptionId"]], ["notifications/subscriptions/acknowledged", { toolsListChanged: true }, "s1"]);
  await org.admin.must(200, "PUT", "/v1/capabilities/bot", { tools: ["look"] });
  const changed = await next();
  assert.deepEqual([changed.method, changed.params._meta["io.modelcontextprotocol/subscriptionId"]], ["notifications/tools/list_changed", "s1"]);
  await org.admin.must(200, "DELETE", `/v1/keys/${keyId}`);
  const last = await next();
  assert.deepEqual([last.id, last.result.resultType], ["s1", "complete"]);
  assert.equal((await messages.next()).done, true);
});
