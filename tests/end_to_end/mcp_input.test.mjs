// A tool that asks its client for something, and clients that hang up: by hand at the MCP door.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { able, Mcp, mcpScene, serve, TOOLS } from "./support/mcp.mjs";
import { definition, PRINCIPAL } from "./support/org.mjs";
import { until } from "./support/until.mjs";
import { hooked } from "./support/webhooks.mjs";

let gateway, internet;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const STATUS = "toolgate_approval_status";
const INPUT = "application/vnd.modelcontextprotocol.input-required+json";
const FORM = { method: "elicitation/create", params: { message: "Which one?", requestedSchema: { type: "object", properties: { id: { type: "integer" } } } } };
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 9 } };
const asks = (inputRequests, requestState) => ({ result: null, activity: { type: INPUT, content: { inputRequests, requestState } } });
const forms = able({ elicitation: {} });
const call = (mcp, name, args = {}, options) => mcp.result("tools/call", { name, arguments: args }, options);

/** The text of a poll that brings a job. */
async function jobText(worker) {
  return until("a job comes", async () => (await worker.poll({ max: 1, wait: 5 })).text);
}

test("a read asks, and is called again with the answer and its own state, digit by digit", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const first = mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta: forms });
  const job = await worker.job();
  assert.equal(job.input, undefined);
  const content = `{"inputRequests":{"which":{"method":"elicitation/create","params":{"message":"?","max":9007199254740993}}},"requestState":{"seen":9007199254740993,"huge":1e400}}`;
  const put = `{"session":"${worker.session}","results":[{"claim":"${job.claim}","result":null,"activity":{"type":"${INPUT}","content":${content}}}]}`;
  assert.equal((await worker.post("results", put)).status, 200);
  const asked = await first;
  assert.ok(asked.text.includes('"resultType":"input_required"') && asked.text.includes('"max":9007199254740993'), asked.text);
  const { requestState } = asked.message.result;
  const responses = '{"more":{},"which":{"action":"accept","content":{"id":9007199254740993}}}';
  const again = mcp.request("tools/call", `{"name":"look","arguments":{"id":1},"requestState":"${requestState}","inputResponses":${responses}}`, { meta: forms });
  const text = await jobText(worker);
  assert.ok(text.includes(`"input":{"responses":${responses},"state":{"seen":9007199254740993,"huge":1e400}}`), text);
  assert.ok(text.includes('"arguments":{"id":1}'), "it is no argument");
  const [second] = JSON.parse(text).jobs;
  await worker.result(second.claim, '"found"');
  assert.equal((await again).message.result.content[0].text, "found");
  // Nobody else is shown it, and no other door takes it.
  const all = (await org.admin.get(`/v1/calls/${second.call}`)).text + (await org.admin.get(`/v1/calls/${second.call}/events`)).text + (await org.admin.get("/v1/audit")).text;
  assert.ok(!all.includes("9007199254740993") && !all.includes("responses"), all);
  const rest = await org.caller.post("/v1/calls", { tool: "look", arguments: { id: 1 }, agent: "bot", principal: JSON.parse(PRINCIPAL), input: { responses: {} } });
  assert.deepEqual([rest.status, rest.code], [422, "invalid_request"]);
});

test("what comes back is believed for its own call alone, and must have the shape of answers", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const served = serve(worker, { look: ({ input }) => (input === undefined ? asks({ which: FORM }) : { result: input.responses }), rename: () => ({ result: 1 }) });
  try {
    const { requestState } = await call(mcp, "look", { id: 1 }, { meta: forms });
    const repeat = (params) => mcp.request("tools/call", { name: "look", arguments: { id: 1 }, requestState, ...params }, { meta: forms });
    const [kind, end, rest, mac] = requestState.split(".");
    for (const params of [
      { arguments: { id: 2 } },
      { name: "rename", arguments: { name: "a" } },
      { requestState: `${requestState}x` },
      { requestState: [kind, Number(end) + 1, rest, mac].join(".") },
      { requestState: ["call", end, rest, mac].join(".") },
      { requestState: 7 },
      ...[null, 7, [], "x", { which: 12345 }, { which: null }, { which: { x: "y".repeat(70_000) } }].map((inputResponses) => ({ inputResponses })),
    ]) {
      const refused = await repeat(params);
      assert.deepEqual([refused.status, refused.message.error?.code], [400, -32602], JSON.stringify(params).slice(0, 200));
    }
    assert.equal(served.jobs.length, 1, "nothing of it reached the tool");
    const other = await mcpScene(gateway);
    const elsewhere = await other.mcp.request("tools/call", { name: "look", arguments: { id: 1 }, requestState }, { meta: forms });
    assert.equal(elsewhere.message.error.code, -32602, "not in another org");
    assert.deepEqual((await repeat({ inputResponses: { which: { action: "decline" } } })).message.result.structuredContent, { which: { action: "decline" } });
    assert.deepEqual((await repeat({})).message.result.structuredContent, {}, "no answer: the tool decides what that means");
  } finally {
    await served.stop();
  }
});

test("a client is asked for what it declares, and told what it lacks", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const served = serve(worker, {
    look: ({ arguments: { id } }) => (id === 1 ? asks({ which: FORM, text: SAMPLE, page: { ...FORM, params: { mode: "url", message: "m", url: "https://x.example" } } }) : asks(id === 2 ? { which: { method: "tools/call" } } : {})),
    rename: () => asks({ which: FORM }),
  });
  try {
    const keys = async (capabilities) => Object.keys((await call(mcp, "look", { id: 1 }, { meta: able(capabilities) })).inputRequests);
    assert.deepEqual(await keys({ elicitation: {} }), ["which"]);
    assert.deepEqual(await keys({ elicitation: { url: {} }, sampling: {} }), ["page", "text"]);
    assert.deepEqual(await keys({ elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }), ["page", "text", "which"]);
    const lacking = await mcp.request("tools/call", { name: "look", arguments: { id: 1 } });
    assert.deepEqual([lacking.status, lacking.message.error.code, lacking.message.error.data], [400, -32021, { requiredCapabilities: { elicitation: { form: {}, url: {} }, sampling: {} } }]);
    const old = (await mcp.legacy("tools/call", { name: "look", arguments: { id: 1 } })).message.result;
    assert.ok(old.isError && old.content[0].text.includes('{"elicitation":{"form":{},"url":{}},"sampling":{}}'), old.content[0].text);
    for (const id of [2, 3]) {
      const odd = await call(mcp, "look", { id }, { meta: forms });
      assert.deepEqual([odd.isError, odd.structuredContent.status, odd.structuredContent.executed], [true, "input_required", true]);
    }
    // What was accepted must be all that a write's code is given: it may not ask, and no answer reaches it.
    const wrote = await mcp.result("tools/call", { name: "rename", arguments: { name: "a" }, inputResponses: { which: { action: "accept" } } }, { meta: forms });
    assert.ok(wrote.isError && wrote.content[0].text.includes("only a read_only tool may ask"), wrote.content[0].text);
    assert.equal(served.jobs.find(({ tool }) => tool === "rename").input, undefined);
  } finally {
    await served.stop();
  }
});

test("an endpoint is told the answer like a worker", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const { key } = await org.key({ role: "agent", name: "mcp", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  endpoint.on["tool.call"] = ({ input }, out) => out.signed(input === undefined ? asks({ which: FORM }, 7) : { result: "found" });
  const mcp = new Mcp(gateway, key);
  const { requestState } = await call(mcp, "look", {}, { meta: forms });
  const answer = '{"which":{"action":"accept","content":{"id":9007199254740993}}}';
  const found = await mcp.request("tools/call", `{"name":"look","arguments":{},"requestState":"${requestState}","inputResponses":${answer}}`, { meta: forms });
  assert.equal(found.message.result.content[0].text, "found");
  assert.ok(endpoint.of("tool.call")[1].text.includes(`"input":{"responses":${answer},"state":7}`), endpoint.of("tool.call")[1].text);
  assert.deepEqual(endpoint.faults, []);
});

test("a client that hangs up ends no write that was handed out, and its outcome can be fetched later", async () => {
  const { mcp, org, worker } = await mcpScene(gateway, TOOLS);
  const tasks = able({ extensions: { "io.modelcontextprotocol/tasks": {} } });
  for (const [hangsUp, accepted] of [["before the worker accepts", false], ["while it runs", true]]) {
    const line = new AbortController();
    const asked = mcp.request("tools/call", { name: "rename", arguments: { name: hangsUp } }, { signal: line.signal });
    const job = await worker.job();
    if (accepted) assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
    line.abort();
    await assert.rejects(asked, { name: "AbortError" });
    // The notification of older clients says the same, and changes as little.
    assert.equal((await mcp.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })).status, 202);
    if (!accepted) assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
    const [renewed] = await worker.renew(job.claim);
    assert.deepEqual([renewed.status, renewed.cancel_requested], ["renewed", undefined], hangsUp);
    assert.equal((await call(mcp, STATUS, { id: job.call })).structuredContent.status, "running");
    assert.equal(await worker.result(job.claim, '"renamed"'), "recorded");
    const told = await call(mcp, STATUS, { id: job.call });
    assert.deepEqual([told.isError, told.structuredContent.status, told.structuredContent.result], [false, "succeeded", "renamed"], hangsUp);
    const task = await mcp.result("tasks/get", { taskId: job.call }, { meta: tasks });
    assert.deepEqual([task.status, task.result.content[0].text], ["completed", "renamed"]);
    assert.equal((await org.call(job.call)).state, "succeeded");
  }
  assert.equal((await worker.jobs()).length, 0, "each ran once");
});
