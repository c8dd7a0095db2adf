// Decisions that come one by one, in any order, over restarts, from other processes, and after what they are about has
// changed its name. What a model is told at each end.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ToolgateClient, toolResult } from "@toolgate/sdk/caller";

import { ageParked } from "./support/aging.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, ENDED, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

const INPUT = { n: "integer", note: "string?" };
const PAY = definition("pay", "consequential", { input: INPUT });
const RESUMING = fileURLToPath(new URL("support/resume_main.mjs", import.meta.url));

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop(tools = [PAY]) {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(tools);
  await org.grant(tools.map(({ name }) => name));
  return { org, worker };
}

const park = (org, n, options = {}) => org.accepted("pay", { n }, { key: `k${n}`, ...options });
const reject = (org, { approval }) => org.decide(approval.id, { decision: "reject", reason: "Not this one." });

/** Does a job, and says what it was given. */
async function finish(worker, job) {
  assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  assert.equal(await worker.result(job.claim, { done: job.arguments }), "recorded");
}

test("three parallel calls, decided at once and in different ways: each decision reaches its own call", async () => {
  const { org, worker } = await shop();
  const calls = await Promise.all([1, 2, 3].map((n) => park(org, n)));
  assert.equal(new Set(calls.flatMap(({ call, approval: { id, digest } }) => [call, id, digest])).size, 9);
  const [approved, rejected, edited] = calls;
  const answers = await Promise.all([
    org.decide(edited.approval.id, { decision: "approve", digest: edited.approval.digest, arguments: { n: 33, note: "less" } }),
    reject(org, rejected),
    org.decide(approved.approval.id, { decision: "approve", digest: approved.approval.digest }),
  ]);
  assert.deepEqual(answers.map(({ status, body }) => [status, body.state]), [[200, "approved"], [200, "rejected"], [200, "approved"]]);
  const jobs = [await worker.job(), await worker.job()].toSorted((one, other) => one.arguments.n - other.arguments.n);
  assert.deepEqual(jobs.map(({ call, arguments: args }) => [call, args]), [[approved.call, { n: 1 }], [edited.call, { n: 33, note: "less" }]]);
  for (const job of jobs) await finish(worker, job);
  const ends = await Promise.all(calls.map(({ call }) => org.call(call)));
  assert.deepEqual(ends.map(({ state, result, error }) => [state, result?.done.n ?? error.code]), [["succeeded", 1], ["rejected", "rejected"], ["succeeded", 33]]);
  assert.deepEqual(await worker.jobs(), []);
});

test("decided out of order, with a restart before each: a decision runs its own call once and nothing that was decided before", async () => {
  const { org, worker } = await shop();
  const calls = [];
  for (const n of [0, 1, 2, 3]) calls.push(await park(org, n));
  const open = new Set(calls.map(({ call }) => call));
  for (const n of [2, 0, 3, 1]) {
    await gateway.killAndRestart();
    const { call } = calls[n];
    const listed = await until("the index shows what waits", async () => {
      const found = await org.approver.all("/v1/approvals?state=pending", "approvals");
      return found.length === open.size && found;
    });
    assert.deepEqual(new Set(listed.map((each) => each.call)), open);
    await org.approve(calls[n]);
    const job = await worker.job();
    assert.deepEqual([job.call, job.attempt], [call, 1]);
    await finish(worker, job);
    open.delete(call);
    assert.deepEqual(await worker.jobs(), [], "nothing of before runs again");
  }
  for (const { call } of calls) assert.equal((await org.events(call)).events.filter(({ event }) => event === "accept").length, 1);
});

test("two people decide days apart: the first yes is kept, nothing runs before the second, and the end that was set is kept too", async () => {
  const { org, worker } = await shop();
  const days = (count) => count * 86_400_000;
  await org.grant(["pay"], { more: { approvals_required: 2, approval_seconds: days(30) / 1_000 } });
  const ben = (await org.key({ role: "approver", name: "Ben" })).door;
  const calls = [await park(org, 1), await park(org, 2), await park(org, 3)];
  const [approved, rejected, forgotten] = calls;
  const left = calls.map(({ approval }) => Date.parse(approval.expires_at) - Date.now());
  for (const ms of left) assert.ok(ms > days(30) - 60_000 && ms <= days(30), `${ms} ms to decide`);
  const pass = async (count) => {
    await gateway.kill();
    assert.ok(ageParked(gateway.storage, days(count)) > 0);
    await gateway.start();
  };
  const yes = ({ approval: { id, digest } }, door) => org.decide(id, { decision: "approve", digest }, door);

  await pass(3);
  for (const call of [approved, rejected]) assert.equal((await yes(call)).body.state, "pending");
  await pass(9);
  assert.equal((await yes(approved)).code, "already_decided", "her yes of nine days ago counts");
  assert.deepEqual([await worker.jobs(), (await org.call(approved.call)).state], [[], "waiting_approval"]);
  const { state, decisions } = (await yes(approved, ben)).body;
  assert.deepEqual([state, decisions.map(({ by }) => by)], ["approved", ["Ann", "Ben"]]);
  const job = await worker.job();
  assert.deepEqual([job.call, job.arguments], [approved.call, { n: 1 }]);
  await finish(worker, job);
  await pass(17);
  assert.equal((await org.decide(rejected.approval.id, { decision: "reject", reason: "Too late for me." }, ben)).body.state, "rejected");
  assert.equal((await yes(forgotten)).body.state, "pending", "29 days on");
  await pass(1);
  assert.equal((await yes(forgotten, ben)).code, "approval_expired");
  const ends = await Promise.all(calls.map(({ call }) => org.call(call)));
  assert.deepEqual(ends.map(({ state }) => state), ["succeeded", "rejected", "expired"]);
  assert.deepEqual(await worker.jobs(), []);
});

test("a call is gone on with by another process, which has only its id", async () => {
  const { org, worker } = await shop();
  const { call } = await park(org, 7);
  await gateway.killAndRestart();
  const env = { ...process.env, TOOLGATE_URL: gateway.url, TOOLGATE_KEY: org.caller.key, TOOLGATE_APPROVER_KEY: org.approver.key, CALL: call };
  const resume = promisify(execFile)(process.execPath, [RESUMING], { env, timeout: 60_000 });
  await finish(worker, await worker.job(30));
  const { was, decided, state, told } = JSON.parse((await resume).stdout);
  assert.deepEqual([was, decided, state, told], ["waiting_approval", "approved", "succeeded", '{"done":{"n":7}}']);
  assert.deepEqual(await worker.jobs(), []);
});

test("a tool that changes its name takes no approval along: the old call runs nowhere, and ends saying why", async () => {
  const { org, worker } = await shop();
  const [approved, parked] = [await park(org, 1), await park(org, 2)];
  await worker.register([{ ...PAY, name: "pay_out" }]);
  await org.grant(["pay", "pay_out"]);
  await org.approve(approved);
  assert.deepEqual([await worker.jobs(), (await org.call(approved.call)).state], [[], "queued"]);
  await org.admin.must(200, "POST", "/v1/tools/pay/releases");
  for (const { call } of [parked, approved]) {
    // A queued call is judged when it would be handed out.
    await worker.jobs();
    const { state, error, tool_result } = await org.callIn(call, "invalidated");
    assert.deepEqual([state, error.code], ["invalidated", "definition_changed"]);
    assert.match(error.message, /pay/);
    assert.match(tool_result, /^This call did not run\./);
  }
  const late = await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest });
  assert.deepEqual([late.status, late.code], [409, "approval_withdrawn"]);
  assert.deepEqual(await worker.jobs(), []);
});

test("an agent that goes on under another name takes no approval along", async () => {
  const { org, worker } = await shop();
  const parked = await park(org, 1);
  await org.admin.must(200, "PUT", "/v1/agents/bot2", { capabilities: ["bot"] });
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [] });
  const { error } = await org.callIn(parked.call, "invalidated");
  assert.equal(error.code, "not_granted");
  assert.match(error.message, /bot/);
  assert.equal((await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest })).code, "approval_withdrawn");
  assert.deepEqual(await worker.jobs(), []);
  const own = await park(org, 1, { agent: "bot2" });
  assert.equal(own.state, "waiting_approval");
  assert.notEqual(own.approval.id, parked.approval.id);
});

/** A call in each state that there is. */
async function everyState() {
  const tools = [
    PAY,
    definition("look", "read_only", { input: INPUT }),
    definition("gone", "read_only", { input: INPUT, queue_deadline_seconds: 1 }),
    definition("hang", "reversible_write", { input: INPUT, execution_deadline_seconds: 1 }),
    definition("lost", "consequential", { input: INPUT }),
  ];
  const { org, worker } = await shop(tools);
  const submit = async (tool, n) => (await org.accepted(tool, { n }, { key: `${tool} ${n}` })).call;
  const expired = await submit("gone", 1);
  await org.callIn(expired, "expired");
  const [succeeded, failed, running] = [await submit("look", 1), await submit("look", 2), await submit("look", 3)];
  const [one, two] = await worker.jobs();
  await worker.result(one.claim, '{"id": 9007199254740993}');
  await worker.error(two.claim, { code: "order_unknown", message: "No such order." });
  const unknown = await submit("hang", 1);
  await worker.accept((await worker.job()).claim);
  await org.callIn(unknown, "unknown");
  const [cancelled, waiting_approval] = [await submit("pay", 1), await submit("pay", 2)];
  await org.caller.must(200, "POST", `/v1/calls/${cancelled}/cancel`);
  const rejected = await park(org, 3);
  await reject(org, rejected);
  const invalidated = await submit("lost", 1);
  await org.grant(tools.filter(({ name }) => name !== "lost").map(({ name }) => name));
  const queued = await submit("look", 4);
  return { org, calls: { expired, succeeded, failed, running, unknown, cancelled, waiting_approval, rejected: rejected.call, invalidated, queued } };
}

test("a call in any state has something to be the result of a model's tool call", async () => {
  const { org, calls } = await everyState();
  assert.deepEqual(Object.keys(calls).toSorted(), [...ENDED, "waiting_approval", "queued", "running"].toSorted());
  const client = new ToolgateClient({ baseUrl: gateway.url, apiKey: org.caller.key });
  const told = new Map();
  for (const [state, id] of Object.entries(calls)) {
    const [raw, read] = [await org.call(id), await client.calls.get(id)];
    assert.deepEqual([raw.state, read.state], [state, state]);
    told.set(state, toolResult(read));
    if (state === "succeeded") assert.deepEqual([raw.tool_result, told.get(state)], [undefined, '{"id": 9007199254740993}']);
    else assert.equal(told.get(state), raw.tool_result);
  }
  for (const [state, words] of told) assert.ok(typeof words === "string" && words.trim().length > 10 && words.isWellFormed(), state);
  assert.equal(new Set(told.values()).size, told.size, "no two are told alike");
  for (const [state, pattern] of [["failed", /No such order\.$/], ["rejected", /Not this one\.$/], ["unknown", /will not be run again/], ["expired", /will not be/]]) assert.match(told.get(state), pattern);
  const listed = new Map((await org.caller.all("/v1/calls?pool=main", "calls")).map(({ call, tool_result }) => [call, tool_result]));
  for (const [state, id] of Object.entries(calls)) if (state !== "succeeded") assert.equal(listed.get(id), told.get(state));
});
