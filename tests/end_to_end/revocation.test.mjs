// A grant or a key that goes: when the admin's answer has arrived, nothing that rested on it runs any more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { mcpScene } from "./support/mcp.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [definition("get", "read_only"), definition("set", "reversible_write"), definition("pay", "consequential")];
const NAMED = TOOLS.map(({ name }) => name);

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(NAMED);
  return { org, worker };
}

/** One call of each class that waits: two in the queue, one parked, one approved and in the queue. */
async function waitingCalls(org, door = org.caller) {
  const calls = {
    read: await org.accepted("get", "{}", { key: "r", door }),
    write: await org.accepted("set", "{}", { key: "w", door }),
    parked: await org.accepted("pay", "{}", { key: "p", door }),
    approved: await org.accepted("pay", "{}", { key: "a", door }),
  };
  await org.approve(calls.approved);
  return calls;
}

async function assertNoneRuns({ org, worker }, calls, code, read = org.caller) {
  assert.deepEqual(await worker.jobs(), []);
  for (const [what, { call }] of Object.entries(calls)) {
    const { state, error } = (await read.must(200, "GET", `/v1/calls/${call}`)).body;
    assert.deepEqual([what, state, error?.code], [what, "invalidated", code]);
  }
  const { approval } = calls.parked;
  const late = await org.decide(approval.id, { decision: "approve", digest: approval.digest });
  assert.deepEqual([late.status, late.code], [409, "approval_withdrawn"]);
  assert.deepEqual(await worker.jobs(), []);
}

test("a grant that goes takes its queued, parked and approved calls along: none runs", async () => {
  const scene = await shop();
  const calls = await waitingCalls(scene.org);
  assert.equal((await scene.org.admin.put("/v1/agents/bot", { capabilities: [] })).status, 200);
  for (const tool of NAMED) assert.equal((await scene.org.submit(tool, "{}", { key: "new" })).code, "not_granted");
  await assertNoneRuns(scene, calls, "not_granted");
});

test("a tool taken out of a capability takes its calls along, and no others", async () => {
  const { org, worker } = await shop();
  const calls = await waitingCalls(org);
  await org.grant(["get"]);
  assert.deepEqual((await worker.jobs()).map(({ call }) => call), [calls.read.call]);
  for (const what of ["write", "parked", "approved"]) assert.equal((await org.call(calls[what].call)).state, "invalidated", what);
});

test("an opt-in for reversible writes that goes takes the queued writes along", async () => {
  const { org, worker } = await shop();
  const calls = await waitingCalls(org);
  await org.grant(NAMED, { more: { allow_reversible_writes: false } });
  const handed = (await worker.jobs()).map(({ call }) => call);
  assert.deepEqual(handed.toSorted(), [calls.read.call, calls.approved.call].toSorted());
  const ended = await org.call(calls.write.call);
  assert.deepEqual([ended.state, ended.error.code], ["invalidated", "write_not_enabled"]);
});

test("a caller key that is revoked takes its calls along and opens nothing any more", async () => {
  const scene = await shop();
  const { org } = scene;
  const { id, door } = await org.key({ role: "caller", name: "to go" });
  const calls = await waitingCalls(org, door);
  const kept = await org.accepted("get", "{}", { key: "kept" });
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  for (const answer of [
    await org.submit("get", "{}", { door }),
    await door.get(`/v1/calls/${calls.read.call}`),
    await door.get("/v1/calls?pool=main"),
    await door.post(`/v1/calls/${calls.read.call}/cancel`),
  ]) {
    assert.deepEqual([answer.status, answer.code], [401, "invalid_key"]);
  }
  assert.deepEqual((await scene.worker.jobs()).map(({ call }) => call), [kept.call], "another key's call runs");
  await assertNoneRuns(scene, calls, "key_revoked");
});

test("a write handed over when its grant goes is lost at its accept and never runs; a running one keeps its result", async () => {
  const { org, worker } = await shop();
  const handed = await org.accepted("set", "{}", { key: "handed" });
  const running = await org.accepted("set", "{}", { key: "running" });
  const jobs = await worker.jobs();
  const claims = new Map(jobs.map(({ call, claim }) => [call, claim]));
  assert.deepEqual(await worker.accept(claims.get(running.call)), ["accepted"]);
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [] });
  assert.deepEqual(await worker.accept(claims.get(handed.call)), ["claim_lost"]);
  assert.deepEqual([(await org.call(handed.call)).state, (await org.call(handed.call)).error.code], ["invalidated", "not_granted"]);
  assert.equal(await worker.result(claims.get(running.call), "1"), "recorded");
  assert.equal((await org.call(running.call)).state, "succeeded");
});

test("with SDK workers polling, a revoked grant is over at once: not one handler starts after the admin's answer", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const worker = await crew.start({ concurrency: 4 });
  await org.grant(NAMES);
  const busy = [];
  for (let n = 0; n < 4; n += 1) busy.push(await org.accepted("look", { mode: "gate", note: "go" }));
  await until("every slot is taken", () => crew.starts.size === 4);
  const queued = [];
  for (let n = 0; n < 10; n += 1) queued.push(await org.accepted(n % 2 === 0 ? "look" : "edit", {}, { key: `k${n}` }));
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [] });
  crew.open("go");
  for (const { call } of queued) assert.equal((await org.callIn(call, "invalidated")).error.code, "not_granted");
  for (const { call } of busy) assert.equal((await org.callIn(call, "succeeded")).state, "succeeded");
  assert.equal(crew.starts.size, 4);
  await stopWorker(worker);
});

test("a worker key that is revoked registers, polls, accepts, renews, returns and settles nothing any more", async () => {
  const { org } = await shop();
  const { id, door } = await org.key({ role: "worker", name: "to go", pools: ["main"] });
  const gone = new RawWorker(door);
  await gone.register(TOOLS);
  const call = await org.accepted("set", "{}", { key: "k" });
  const job = await gone.job();
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  const { session } = gone;
  const answers = [
    await gone.post("workers", { worker: "again", manifest: { tools: TOOLS } }),
    await gone.poll(),
    await gone.post("accepts", { session, claims: [job.claim] }),
    await gone.post("renewals", { session, claims: [job.claim] }),
    await gone.post("returns", { session, claims: [job.claim] }),
    await gone.post("results", { session, results: [{ claim: job.claim, result: 1 }] }),
    await gone.post("goodbyes", { session }),
  ];
  for (const answer of answers) assert.deepEqual([answer.status, answer.code], [401, "invalid_key"]);
  assert.equal((await org.call(call.call)).result, undefined);
});

test("a poll that a worker key holds when it is revoked is handed nothing any more", async () => {
  const { org, worker } = await shop();
  const { id, door } = await org.key({ role: "worker", name: "to go", pools: ["main"] });
  const gone = new RawWorker(door);
  await gone.register(TOOLS);
  const held = gone.poll({ wait: 8 });
  await until("it polls", async () => {
    const { workers } = (await org.admin.get("/v1/pools/main/stats")).body;
    return workers.some(({ worker: name, polling }) => name === gone.name && polling);
  });
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  const { call } = await org.accepted("get");
  const answer = await held;
  assert.ok(answer.status === 401 || answer.status === 204, `the revoked worker was handed ${answer.text}`);
  assert.deepEqual((await worker.jobs()).map((job) => job.call), [call]);
});

test("an answer that a caller key waits for when it is revoked is not given to it", async () => {
  const { org, worker } = await shop();
  const { id, door } = await org.key({ role: "caller", name: "to go" });
  const held = org.submit("get", "{}", { door, wait: 10 });
  const job = await worker.job();
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  assert.equal(await worker.result(job.claim, '"not for you"'), "recorded");
  const answer = await held;
  assert.ok(!answer.text.includes("not for you"), answer.text);
  assert.deepEqual([answer.status, answer.code], [401, "invalid_key"]);
});

test("an approver key that is revoked decides nothing any more, an admin key changes nothing", async () => {
  const { org } = await shop();
  const parked = await org.accepted("pay", "{}", { key: "k" });
  const approver = await org.key({ role: "approver", name: "Gone" });
  const admin = await org.key({ role: "admin", name: "gone" });
  for (const { id } of [approver, admin]) await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  const decision = await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest }, approver.door);
  const grant = await admin.door.put("/v1/agents/bot", { capabilities: [] });
  const list = await approver.door.get("/v1/approvals");
  for (const answer of [decision, grant, list]) assert.deepEqual([answer.status, answer.code], [401, "invalid_key"]);
  assert.equal((await org.call(parked.call)).state, "waiting_approval");
});

test("a session of an agent key that is revoked sets no level of log messages any more", async () => {
  const { mcp, org, keyId } = await mcpScene(gateway);
  const session = await mcp.session({ elicitation: {} });
  assert.deepEqual((await session.request("logging/setLevel", { level: "info" })).message.result, {});
  await org.admin.must(200, "DELETE", `/v1/keys/${keyId}`);
  const { status, message } = await session.request("logging/setLevel", { level: "debug" });
  assert.deepEqual([status, message.code], [401, "invalid_key"]);
});

test("a revocation holds after a restart", async () => {
  const scene = await shop();
  const { org } = scene;
  const { id, door } = await org.key({ role: "caller", name: "to go" });
  const calls = await waitingCalls(org, door);
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  await gateway.killAndRestart();
  assert.equal((await org.submit("get", "{}", { door })).status, 401);
  await assertNoneRuns(scene, calls, "key_revoked");
});
