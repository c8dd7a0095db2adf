// Tasks at the MCP door whose tools ask their client, and what becomes of the answers: by hand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { able, Mcp, mcpScene, TOOLS } from "./support/mcp.mjs";
import { definition, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";
import { hooked } from "./support/webhooks.mjs";

let gateway, internet;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const form = (message) => ({ method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties: { id: { type: "integer" } } } } });
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 9 } };
const asks = (inputRequests, requestState) => ({ result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests, requestState } } });
const follows = (capabilities) => able({ ...capabilities, extensions: { "io.modelcontextprotocol/tasks": {} } });
const meta = follows({ elicitation: {} });
const get = (mcp, taskId, options = { meta }) => mcp.result("tasks/get", { taskId }, options);
const update = (mcp, taskId, inputResponses) => mcp.request("tasks/update", typeof inputResponses === "string" ? `{"taskId":"${taskId}","inputResponses":${inputResponses}}` : { taskId, inputResponses }, { meta });
const acked = async (answer) => assert.deepEqual((await answer).message.result?.resultType, "complete", (await answer).text);

/** A call that has become a task, and its job. */
async function begun(mcp, worker, name = "look", args = { id: 1 }) {
  const made = mcp.result("tools/call", { name, arguments: args }, { meta });
  const job = await worker.job();
  if (job.side_effect !== "read_only") await worker.accept(job.claim);
  const { resultType, taskId } = await made;
  assert.equal(resultType, "task");
  return { job, taskId };
}

test("a task waits for its client's answers, one after the other, and goes on with all of them", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const { job, taskId } = await begun(mcp, worker);
  assert.equal((await get(mcp, taskId)).status, "working");
  await worker.outcome(job.claim, asks({ which: form("Which?"), why: form("Why?") }, { seen: 1 }));
  const asked = await get(mcp, taskId);
  assert.deepEqual([asked.taskId, asked.status, asked.resultType, "result" in asked, asked.inputRequests], [taskId, "input_required", "complete", false, { "0.which": form("Which?"), "0.why": form("Why?") }]);
  await acked(update(mcp, taskId, { "0.why": { action: "decline" }, "1.which": {}, which: {}, more: {} }));
  assert.deepEqual(Object.keys((await get(mcp, taskId)).inputRequests), ["0.which"], "what was answered is not asked again");
  assert.equal((await worker.jobs()).length, 0, "and nothing runs before all is");
  await acked(update(mcp, taskId, '{"0.why":{"action":"accept"},"0.which":{"action":"accept","content":{"id":9007199254740993}}}'));
  const { text } = await until("the next call comes", async () => {
    const polled = await worker.poll({ max: 1, wait: 5 });
    return polled.text !== "" && polled;
  });
  assert.ok(text.includes('"input":{"responses":{"which":{"action":"accept","content":{"id":9007199254740993}},"why":{"action":"decline"}},"state":{"seen":1}}'), text);
  const [next] = JSON.parse(text).jobs;
  assert.deepEqual([next.tool, next.arguments, next.call === taskId], ["look", { id: 1 }, false]);
  const working = await get(mcp, taskId);
  assert.deepEqual([working.taskId, working.status], [taskId, "working"]);
  // Asked once more, under a key that the task has not had.
  await worker.outcome(next.claim, asks({ which: form("Sure?") }));
  assert.deepEqual((await get(mcp, taskId)).inputRequests, { "1.which": form("Sure?") });
  await acked(update(mcp, taskId, { "0.which": { action: "accept" } }));
  assert.equal((await get(mcp, taskId)).status, "input_required", "an answer to an earlier question is none to this one");
  await acked(update(mcp, taskId, { "1.which": { action: "accept", content: {} } }));
  const last = await worker.job();
  assert.deepEqual(last.input, { responses: { which: { action: "accept", content: {} } } });
  await worker.result(last.claim, '"found"');
  const ended = await get(mcp, taskId);
  assert.deepEqual([ended.taskId, ended.status, ended.result.content[0].text, ended.inputRequests], [taskId, "completed", "found", undefined]);
  assert.ok(ended.createdAt < ended.lastUpdatedAt);
  await acked(update(mcp, taskId, { "1.which": { action: "accept" } }));
  assert.equal((await worker.jobs()).length, 0, "an answer to an ended task starts nothing");
  // What a client answered is shown nowhere.
  const all = (await org.admin.get(`/v1/calls/${taskId}`)).text + (await org.admin.get(`/v1/calls/${last.call}`)).text + (await org.admin.get("/v1/audit")).text;
  assert.ok(!all.includes("9007199254740993"), all);
});

test("answers that come at once start one call, and a killed gateway has kept them", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const { job, taskId } = await begun(mcp, worker);
  await worker.outcome(job.claim, asks({ which: form("Which?"), why: form("Why?") }));
  await acked(update(mcp, taskId, { "0.why": { action: "accept" } }));
  await gateway.killAndRestart();
  assert.deepEqual(Object.keys((await get(mcp, taskId)).inputRequests), ["0.which"]);
  for (const answer of await Promise.all(Array.from({ length: 5 }, () => update(mcp, taskId, { "0.which": { action: "accept" } })))) await acked(answer);
  await gateway.killAndRestart();
  assert.equal((await get(mcp, taskId)).status, "working");
  const again = new RawWorker(org.worker);
  await again.register(TOOLS);
  const jobs = await until("the call comes", async () => {
    const taken = await again.jobs({ wait: 5 });
    return taken.length > 0 && taken;
  });
  assert.deepEqual([jobs.length, Object.keys(jobs[0].input.responses)], [1, ["which", "why"]]);
  await again.result(jobs[0].claim, "1");
  assert.equal((await get(mcp, taskId)).status, "completed");
  assert.equal((await again.jobs()).length, 0);
});

test("a task that is asked may be given up, and is answered by its own client alone", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const { job, taskId } = await begun(mcp, worker);
  await worker.outcome(job.claim, asks({ which: form("Which?") }));
  const { key } = await org.key({ role: "agent", name: "other", agent: "bot", principal: { id: "u2", tenant_id: "t1", permissions: [] } });
  for (const door of [new Mcp(gateway, key), (await mcpScene(gateway)).mcp]) {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const foreign = await door.request(method, { taskId, inputResponses: { "0.which": {} } }, { meta });
      assert.deepEqual([foreign.status, foreign.message.error.code], [200, -32602], method);
    }
  }
  for (const wrong of [null, 7, [], `"x"`, { "0.which": 1 }, { "0.which": { x: "y".repeat(70_000) } }]) assert.equal((await update(mcp, taskId, wrong)).message.error.code, -32602);
  assert.equal((await get(mcp, taskId)).status, "input_required");
  await mcp.result("tasks/cancel", { taskId }, { meta });
  assert.equal((await get(mcp, taskId)).status, "cancelled");
  await acked(update(mcp, taskId, { "0.which": { action: "accept" } }));
  assert.deepEqual([(await get(mcp, taskId)).status, (await worker.jobs()).length], ["cancelled", 0]);
  // One that runs again is cancelled like any call.
  const other = await begun(mcp, worker, "look", { id: 2 });
  await worker.outcome(other.job.claim, asks({ which: form("Which?") }));
  await acked(update(mcp, other.taskId, { "0.which": { action: "accept" } }));
  const next = await worker.job();
  await mcp.result("tasks/cancel", { taskId: other.taskId }, { meta });
  assert.equal((await get(mcp, other.taskId)).status, "cancelled");
  assert.equal((await org.call(next.call)).state, "cancelled");
});

test("a client is asked for what it declares; what nobody can be asked for ends the task as it would have ended the call", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const both = await begun(mcp, worker);
  await worker.outcome(both.job.claim, asks({ which: form("Which?"), text: SAMPLE }));
  assert.deepEqual(Object.keys((await get(mcp, both.taskId)).inputRequests), ["0.which"]);
  assert.deepEqual(Object.keys((await get(mcp, both.taskId, { meta: follows({ elicitation: {}, sampling: {} }) })).inputRequests), ["0.text", "0.which"]);
  const failed = await get(mcp, both.taskId, { meta: follows({}) });
  assert.deepEqual([failed.status, failed.error.code, failed.result, failed.inputRequests], ["failed", -32021, undefined, undefined]);
  assert.deepEqual(failed.error.data, { requiredCapabilities: { elicitation: { form: {} }, sampling: {} } });
  // The tool is told what this client could answer, and no more.
  await acked(update(mcp, both.taskId, { "0.which": { action: "accept" }, "0.text": {} }));
  const next = await worker.job();
  assert.deepEqual(next.input.responses, { which: { action: "accept" } });
  await worker.outcome(next.claim, asks({}));
  const odd = await get(mcp, both.taskId);
  assert.deepEqual([odd.status, odd.result.isError, odd.result.structuredContent.status], ["completed", true, "input_required"]);
  const wrote = await begun(mcp, worker, "rename", { name: "a" });
  await worker.outcome(wrote.job.claim, asks({ which: form("Which?") }));
  const told = await get(mcp, wrote.taskId);
  assert.deepEqual([told.status, told.result.isError], ["completed", true]);
  assert.match(told.result.content[0].text, /only a read_only tool may ask/);
});

test("a task whose tool may not be called any more is not called again, and can still be answered when it may", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const { job, taskId } = await begun(mcp, worker);
  await worker.outcome(job.claim, asks({ which: form("Which?") }));
  await org.grant(["rename"]);
  const refused = await update(mcp, taskId, { "0.which": { action: "accept" } });
  assert.deepEqual([refused.status, refused.message.error.code], [403, -32603], refused.text);
  assert.equal((await get(mcp, taskId)).status, "input_required");
  // A read that has become a write needs a person, or a key: it is not run for answers to a read.
  await org.grant(["look", "rename"]);
  await worker.register([definition("look", "consequential", { description: "Look at an order.", input: { id: "integer" } }), ...TOOLS.slice(1)]);
  assert.equal((await update(mcp, taskId, { "0.which": { action: "accept" } })).message.error.code, -32603);
  assert.equal((await worker.jobs()).length, 0);
});

test("a task is called again for the principal as the key that answers has it, and not as it was", async () => {
  const { org, worker } = await mcpScene(gateway);
  const principal = JSON.parse(PRINCIPAL);
  await worker.register([definition("look", "read_only", { description: "Look.", input: { id: "integer" }, permissions: ["hr"] }), ...TOOLS.slice(1)]);
  const of = async (permissions) => new Mcp(gateway, (await org.key({ role: "agent", name: "mcp", agent: "bot", principal: { ...principal, permissions } })).key);
  const [may, may_not] = [await of(["hr"]), await of([])];
  const { job, taskId } = await begun(may, worker);
  await worker.outcome(job.claim, asks({ which: form("Which?") }));
  assert.notEqual((await update(may_not, taskId, { "0.which": { action: "accept" } })).message.error, undefined);
  assert.equal((await worker.jobs()).length, 0);
  assert.equal((await get(may, taskId)).status, "input_required");
  await acked(update(may, taskId, { "0.which": { action: "accept" } }));
  assert.equal((await worker.job()).tool, "look");
});

test("an endpoint's tool asks as a task, too", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const { key } = await org.key({ role: "agent", name: "mcp", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  let release;
  const asked = new Promise((resolve) => (release = resolve));
  endpoint.on["tool.call"] = async ({ input }, out) => {
    if (input === undefined) await asked;
    return out.signed(input === undefined ? asks({ which: form("Which?") }, 7) : { result: input });
  };
  const mcp = new Mcp(gateway, key);
  const { taskId, resultType } = await mcp.result("tools/call", { name: "look", arguments: {} }, { meta });
  assert.equal(resultType, "task");
  release();
  await until("it asks", async () => (await get(mcp, taskId)).status === "input_required");
  await acked(update(mcp, taskId, { "0.which": { action: "accept", content: { id: 3 } } }));
  const ended = await until("it ends", async () => {
    const task = await get(mcp, taskId);
    return task.status === "completed" && task;
  });
  assert.deepEqual(ended.result.structuredContent, { responses: { which: { action: "accept", content: { id: 3 } } }, state: 7 });
  assert.deepEqual(endpoint.faults, []);
});
