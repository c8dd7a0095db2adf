// Taking a call back, and finding out what became of one whose outcome is unknown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

const soon = { execution_deadline_seconds: 1 };
const TOOLS = [
  definition("get", "read_only"),
  definition("set", "reversible_write"),
  definition("pay", "consequential"),
  definition("brief", "reversible_write", soon),
];

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(TOOLS.map(({ name }) => name));
  return { org, worker };
}

const cancel = (org, call) => org.caller.post(`/v1/calls/${call}/cancel`);

async function assertCancelled(org, call) {
  const answer = await cancel(org, call);
  assert.deepEqual([answer.status, answer.body.state, answer.body.error.code], [200, "cancelled", "cancelled"]);
  const again = await cancel(org, call);
  assert.deepEqual([again.status, again.code], [409, "already_ended"]);
}

test("a parked call can be cancelled, and can then no longer be approved", async () => {
  const { org, worker } = await shop();
  const parked = await org.accepted("pay", "{}", { key: "k" });
  await assertCancelled(org, parked.call);
  const late = await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest });
  assert.deepEqual([late.status, late.code], [409, "approval_withdrawn"]);
  assert.deepEqual(await worker.jobs(), []);
});

test("a queued call can be cancelled and is then handed to nobody", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("get");
  await assertCancelled(org, call);
  assert.deepEqual(await worker.jobs(), []);
});

test("a write that was handed over but not accepted can be cancelled, and its accept is refused", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("set", "{}", { key: "k" });
  const job = await worker.job();
  await assertCancelled(org, call);
  assert.deepEqual(await worker.accept(job.claim), ["claim_lost"]);
});

test("a running read can be cancelled; its worker is told at the renewal, for that job alone", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("get");
  await org.accepted("get");
  const jobs = await worker.jobs();
  await assertCancelled(org, call);
  const renewals = new Map((await worker.renew(...jobs.map(({ claim }) => claim))).map(({ claim, status }) => [claim, status]));
  assert.deepEqual(jobs.map((job) => renewals.get(job.claim)), jobs.map((job) => (job.call === call ? "claim_lost" : "renewed")));
  const { claim } = jobs.find((job) => job.call === call);
  assert.equal(await worker.result(claim, "1"), "late");
  assert.deepEqual([(await org.call(call)).state, (await org.call(call)).result], ["cancelled", undefined]);
});

test("an accepted write cannot be cancelled; its worker learns of the wish and its result counts", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("set", "{}", { key: "k" });
  const job = await worker.job();
  await worker.accept(job.claim);
  const answer = await cancel(org, call);
  assert.deepEqual([answer.status, answer.code], [409, "already_running"]);
  const [renewed] = await worker.renew(job.claim);
  assert.deepEqual([renewed.status, renewed.cancel_requested], ["renewed", true]);
  assert.equal(await worker.result(job.claim, "1"), "recorded");
  assert.deepEqual([(await org.call(call)).state, (await org.call(call)).result], ["succeeded", 1]);
});

test("an ended call cannot be cancelled", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("get");
  await worker.result((await worker.job()).claim, "1");
  const answer = await cancel(org, call);
  assert.deepEqual([answer.status, answer.code, answer.body.state], [409, "already_ended", "succeeded"]);
});

async function unknownCall(org, worker, key) {
  const { call } = await org.accepted("brief", "{}", { key });
  const job = await worker.job();
  assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  await org.callIn(call, "unknown");
  return { call, claim: job.claim };
}

test("an unknown call cannot be cancelled, and is resolved once, by an admin or an approver with a note", async () => {
  const { org, worker } = await shop();
  const { call } = await unknownCall(org, worker, "a");
  assert.equal((await cancel(org, call)).code, "already_ended");
  const path = `/v1/calls/${call}/resolution`;
  for (const body of [{ outcome: "succeeded" }, { outcome: "succeeded", note: "" }, { outcome: "unknown", note: "x" }, { outcome: "failed", note: "x", by: "me" }]) {
    assert.equal((await org.admin.post(path, body)).status, 422, JSON.stringify(body));
  }
  for (const door of [org.caller, org.worker]) assert.equal((await door.post(path, { outcome: "failed", note: "x" })).code, "role_not_allowed");
  const resolved = await org.approver.post(path, '{"outcome":"succeeded","note":"seen in the ledger","result":{"id":9007199254740993}}');
  assert.equal(resolved.status, 200);
  const shown = await org.caller.get(`/v1/calls/${call}`);
  assert.deepEqual([shown.body.state, shown.body.resolved_by], ["succeeded", "Ann"]);
  assert.ok(shown.text.includes('"result":{"id":9007199254740993}'), shown.text);
  const twice = await org.admin.post(path, { outcome: "failed", note: "x" });
  assert.deepEqual([twice.status, twice.code], [409, "not_unknown"]);
});

test("an unknown call that a person found not to have happened is failed; a result after that is evidence and re-opens nothing", async () => {
  const { org, worker } = await shop();
  const { call, claim } = await unknownCall(org, worker, "b");
  assert.equal((await org.admin.post(`/v1/calls/${call}/resolution`, { outcome: "failed", note: "not in the ledger" })).status, 200);
  assert.equal(await worker.result(claim, '"it did"'), "late");
  const ended = await org.call(call);
  assert.deepEqual([ended.state, ended.error.code], ["failed", "resolved_failed"]);
  const { evidence } = await org.events(call);
  assert.match(evidence[0].says, /it did/);
});

test("only an unknown call can be resolved", async () => {
  const { org, worker } = await shop();
  const parked = await org.accepted("pay", "{}", { key: "k" });
  const queued = await org.accepted("get");
  for (const { call } of [parked, queued]) {
    const answer = await org.admin.post(`/v1/calls/${call}/resolution`, { outcome: "succeeded", note: "x" });
    assert.deepEqual([answer.status, answer.code], [409, "not_unknown"]);
  }
  assert.equal((await worker.job()).call, queued.call);
});

test("what has not started can be given back and goes to the next worker under its old deadline; a running write cannot", async () => {
  const { org, worker } = await shop();
  const write = await org.accepted("set", "{}", { key: "k" });
  const read = await org.accepted("get");
  const jobs = await worker.jobs();
  assert.deepEqual(await worker.giveBack(...jobs.map(({ claim }) => claim)), ["returned", "returned"]);
  const again = await worker.jobs();
  assert.deepEqual(again.map(({ call, attempt }) => [call, attempt]), [[write.call, 1], [read.call, 1]]);
  assert.deepEqual(await worker.accept(jobs.find(({ call }) => call === write.call).claim), ["claim_lost"]);
  const { claim } = again.find(({ call }) => call === write.call);
  assert.deepEqual(await worker.accept(claim), ["accepted"]);
  assert.deepEqual(await worker.accept(claim), ["accepted"]);
  assert.deepEqual(await worker.giveBack(claim), ["already_accepted"]);
});
