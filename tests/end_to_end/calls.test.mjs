// A call of each class from submission to its end, seen through the API alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [
  definition("get", "read_only", { input: { id: "integer" } }),
  definition("set", "reversible_write", { input: { id: "integer" } }),
  definition("pay", "consequential", { input: { id: "integer" } }),
];

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["get", "set", "pay"]);
  return { org, worker };
}

test("a read is carried to the worker and its result comes back to the waiting caller", async () => {
  const { org, worker } = await shop();
  const answer = org.submit("get", { id: 7 }, { wait: 20 });
  const job = await worker.job();
  assert.deepEqual([job.tool, job.arguments, job.attempt, job.side_effect], ["get", { id: 7 }, 1, "read_only"]);
  assert.deepEqual(job.principal, { id: "u1", tenant_id: "t1", permissions: ["refunds:write"] });
  assert.equal(await worker.result(job.claim, { status: "shipped" }), "recorded");
  assert.equal(await worker.result(job.claim, { status: "lost" }), "repeated");
  const { status, body } = await answer;
  assert.deepEqual([status, body.state, body.result, body.call], [200, "succeeded", { status: "shipped" }, job.call]);
  assert.deepEqual((await org.call(job.call)).result, { status: "shipped" });
});

test("a handler's own error is the call's outcome, and the call is not tried again", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("get", { id: 1 });
  const job = await worker.job();
  assert.equal(await worker.error(job.claim, { message: "no such order", code: "unknown_order" }), "recorded");
  const ended = await org.call(call);
  assert.deepEqual([ended.state, ended.error], ["failed", { code: "unknown_order", message: "no such order" }]);
  assert.deepEqual(await worker.jobs(), []);
});

test("a reversible write needs the opt-in of a capability and an idempotency key", async () => {
  const { org, worker } = await shop();
  await org.grant(["set"], { agent: "careful", more: {} });
  const refused = await org.submit("set", { id: 1 }, { agent: "careful", key: "k" });
  assert.deepEqual([refused.status, refused.code], [403, "write_not_enabled"]);
  const keyless = await org.submit("set", { id: 1 });
  assert.deepEqual([keyless.status, keyless.code], [428, "idempotency_key_required"]);
  const { call } = await org.accepted("set", { id: 1 }, { key: "k" });
  const job = await worker.job();
  assert.equal(job.call, call);
  assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  assert.equal(await worker.result(job.claim, { done: true }), "recorded");
  assert.deepEqual((await org.call(call)).result, { done: true });
});

test("the same idempotency key gives the same call, other arguments a conflict, another principal another call", async () => {
  const { org, worker } = await shop();
  const first = await org.accepted("set", '{"id":1}', { key: "same" });
  assert.equal((await org.accepted("set", '{ "id" : 1 }', { key: "same" })).call, first.call);
  const other = await org.submit("set", '{"id":2}', { key: "same" });
  assert.deepEqual([other.status, other.code], [409, "idempotency_conflict"]);
  const somebody = await org.accepted("set", '{"id":2}', { key: "same", principal: '{"id":"u2","tenant_id":"t1"}' });
  assert.notEqual(somebody.call, first.call);
  const jobs = await worker.jobs();
  assert.equal(jobs.length, 2);
  await worker.accept(...jobs.map(({ claim }) => claim));
  for (const { claim, call } of jobs) await worker.result(claim, { call });
  assert.deepEqual((await org.accepted("set", '{"id":1}', { key: "same" })).result, { call: first.call });
  assert.deepEqual(await worker.jobs(), []);
});

test("a repeat by key is that call before every other check, also when the grant is gone", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("set", { id: 1 }, { key: "early" });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, "1");
  await org.grant(["get"]);
  const repeat = await org.submit("set", { id: 1 }, { key: "early" });
  assert.deepEqual([repeat.status, repeat.body.call, repeat.body.state], [200, call, "succeeded"]);
  assert.equal((await org.submit("set", { id: 1 }, { key: "late" })).code, "not_granted");
});

test("Prefer: wait holds a submission and a read until the end, or answers with how far it is", async () => {
  const { org, worker } = await shop();
  const short = await org.submit("get", { id: 1 }, { wait: 1 });
  assert.deepEqual([short.status, short.body.state], [202, "queued"]);
  const { call } = short.body;
  const read = org.caller.get(`/v1/calls/${call}`, { headers: { prefer: "wait=20" } });
  const job = await worker.job();
  await worker.result(job.claim, "[1,2]");
  const ended = await read;
  assert.deepEqual([ended.status, ended.body.state, ended.body.result], [200, "succeeded", [1, 2]]);
});

test("an agent key calls for its own agent and principal only", async () => {
  const { org, worker } = await shop();
  const principal = { id: "u9", tenant_id: "t9", permissions: [], badge: "blue" };
  const { door } = await org.key({ role: "agent", name: "bot's", agent: "bot", principal });
  const named = await door.post("/v1/calls", { tool: "get", arguments: { id: 1 }, agent: "bot" });
  assert.deepEqual([named.status, named.code], [422, "invalid_request"]);
  const answer = door.post("/v1/calls", { tool: "get", arguments: { id: 1 } }, { headers: { prefer: "wait=20" } });
  const job = await worker.job();
  assert.deepEqual(job.principal, principal);
  await worker.result(job.claim, "true");
  assert.equal((await answer).body.result, true);
  const foreign = await org.accepted("get", { id: 2 });
  assert.equal((await door.get(`/v1/calls/${foreign.call}`)).status, 404);
});

test("the timeline of a call tells what happened, when, and by whom", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("set", { id: 1 }, { key: "t" });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, "null");
  const { arguments: asked, events } = await org.events(call);
  assert.deepEqual(asked, { id: 1 });
  assert.deepEqual(events.map(({ event }) => event), ["queued", "hand_out", "accept", "settle"]);
  for (const { at } of events) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.ok(events.some(({ by }) => by === worker.name), "the worker is named");
});

test("lists of calls are filtered, paged, newest first, and never carry results", async () => {
  const { org, worker } = await shop();
  const made = [];
  for (let id = 0; id < 7; id += 1) made.push((await org.accepted("get", { id })).call);
  const job = await worker.job();
  await worker.result(job.claim, '"secret"');
  const all = await org.caller.all("/v1/calls?pool=main&limit=3", "calls");
  assert.deepEqual(all.map(({ call }) => call), made.toReversed());
  assert.ok(all.every((call) => !("result" in call)));
  const states = await org.caller.all("/v1/calls?pool=main&state=succeeded", "calls");
  assert.deepEqual(states.map(({ call }) => call), [job.call]);
  assert.deepEqual(await org.caller.all("/v1/calls?pool=main&tool=set", "calls"), []);
  assert.equal((await org.admin.all("/v1/calls?pool=main&agent=bot&tool=get", "calls")).length, 7);
  for (const query of ["", "?pool=main&state=done", "?pool=main&limit=0", "?pool=main&limit=101", "?pool=main&cursor=x", "?pool=main&stat=queued"]) {
    assert.equal((await org.caller.get(`/v1/calls${query}`)).status, 422, query);
  }
});

test("a call that nobody takes ends as expired with no_worker", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("brief", "read_only", { queue_deadline_seconds: 1 })]);
  await org.grant(["brief"]);
  const { status, body } = await org.submit("brief", "{}", { wait: 20 });
  assert.deepEqual([status, body.state, body.error.code], [200, "expired", "no_worker"]);
});

test("a job that runs beyond its execution deadline fails as a read and is unknown as a write", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(["read_only", "reversible_write"].map((kind) => definition(kind, kind, { execution_deadline_seconds: 1 })));
  await org.grant(["read_only", "reversible_write"]);
  const read = await org.accepted("read_only");
  const write = await org.accepted("reversible_write", "{}", { key: "k" });
  const jobs = await worker.jobs();
  await worker.accept(...jobs.map(({ claim }) => claim));
  const [failed, unknown] = await Promise.all([org.callIn(read.call, "failed"), org.callIn(write.call, "unknown")]);
  assert.deepEqual([failed.error.code, unknown.error.code], ["deadline_exceeded", "deadline_exceeded"]);
  const claims = new Map(jobs.map(({ call, claim }) => [call, claim]));
  assert.equal(await worker.result(claims.get(read.call), "1"), "late");
  assert.equal(await worker.result(claims.get(write.call), "2"), "late");
  assert.deepEqual([(await org.call(read.call)).state, (await org.call(read.call)).result], ["failed", undefined]);
  const resolved = await org.call(write.call);
  assert.deepEqual([resolved.state, resolved.result, resolved.resolved_by], ["succeeded", 2, "late_result"]);
});

test("the health of a pool shows its depth, its workers and their failures", async () => {
  const { org, worker } = await shop();
  await org.accepted("get", { id: 1 });
  const job = await worker.job();
  await worker.error(job.claim, { message: "broken" });
  await org.accepted("pay", { id: 1 }, { key: "p" });
  await org.accepted("get", { id: 2 });
  const stats = await until("the stats agree", async () => {
    const { body } = await org.admin.get("/v1/pools/main/stats");
    return body.depth === 1 && body.waiting_approval === 1 && body;
  });
  assert.equal(stats.running, 0);
  const shown = stats.workers.find((each) => each.worker === worker.name);
  assert.deepEqual([shown.failed, shown.failure_rate], [1, 1]);
});
