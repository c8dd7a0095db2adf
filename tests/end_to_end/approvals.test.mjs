// A consequential call from parking to its end: nothing runs without a decision on exactly that call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [definition("pay", "consequential", { input: { id: "integer", cents: "integer?" }, permissions: ["refunds:write"] })];

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["pay"], { more: {} });
  return { org, worker };
}

const pending = (org) => org.approver.all("/v1/approvals?state=pending", "approvals");

/** What the index says, once it says it: it may lag a moment. */
const listed = (org, id) => until("the index lists the approval", async () => (await pending(org)).find((each) => each.id === id));

test("a consequential call parks at once, is listed with its exact arguments, and runs once after the approval", async () => {
  const { org, worker } = await shop();
  const poll = worker.jobs({ wait: 15 });
  const answer = await org.submit("pay", '{ "id": 7, "cents": 100 }', { key: "k", wait: 25 });
  const { call, state, approval } = answer.body;
  assert.deepEqual([answer.status, state], [202, "waiting_approval"]);
  assert.equal(approval.url, `${gateway.url}/v1/approvals/${approval.id}`);
  const shown = await listed(org, approval.id);
  assert.deepEqual(shown.arguments, { cents: 100, id: 7 });
  assert.deepEqual([shown.call, shown.agent, shown.tool, shown.digest, shown.state], [call, "bot", "pay", approval.digest, "pending"]);
  assert.equal((await org.call(call)).state, "waiting_approval");

  const decided = await org.approve(answer.body);
  assert.deepEqual([decided.state, decided.decisions[0].by], ["approved", "Ann"]);
  const [job] = await poll;
  assert.deepEqual([job.call, job.arguments], [call, { cents: 100, id: 7 }]);
  assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  await worker.result(job.claim, "true");
  assert.equal((await org.call(call)).state, "succeeded");
  assert.deepEqual(await worker.jobs(), []);
  assert.deepEqual(await until("the index drops it", async () => (await pending(org)).length === 0), true);
});

test("no poll is handed a parked call, and no decision comes by itself", async () => {
  const { org, worker } = await shop();
  const { call } = await org.accepted("pay", { id: 1 }, { key: "k" });
  assert.deepEqual(await worker.jobs({ wait: 2 }), []);
  assert.equal((await org.call(call)).state, "waiting_approval");
});

test("a rejection ends the call with the reason, which reaches the caller that waits", async () => {
  const { org, worker } = await shop();
  const { call, approval } = await org.accepted("pay", { id: 1 }, { key: "k" });
  const waiting = org.caller.get(`/v1/calls/${call}`, { headers: { prefer: "wait=20" } });
  const answer = await org.decide(approval.id, { decision: "reject", reason: "not this customer" });
  assert.deepEqual([answer.status, answer.body.state], [200, "rejected"]);
  const { body } = await waiting;
  assert.deepEqual([body.state, body.error.code], ["rejected", "rejected"]);
  assert.match(body.error.message, /not this customer/);
  assert.deepEqual(await worker.jobs(), []);
});

test("a decision that is not about exactly these bytes is refused, and the call stays parked", async () => {
  const { org, worker } = await shop();
  const one = await org.accepted("pay", { id: 1 }, { key: "a" });
  const other = await org.accepted("pay", { id: 2 }, { key: "b" });
  const refusals = [
    [{ decision: "approve", digest: other.approval.digest }, 409, "digest_mismatch"],
    [{ decision: "approve", digest: "" }, 409, "digest_mismatch"],
    [{ decision: "approve" }, 422, "invalid_request"],
    [{ decision: "reject" }, 422, "invalid_request"],
    [{ decision: "reject", reason: " " }, 422, "invalid_request"],
    [{ decision: "maybe", digest: one.approval.digest }, 422, "invalid_request"],
    [{ decision: "approve", digest: one.approval.digest, arguments: {} }, 422, "invalid_arguments"],
    [{}, 422, "invalid_request"],
  ];
  for (const [body, status, code] of refusals) {
    const answer = await org.decide(one.approval.id, body);
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(body));
  }
  assert.equal((await org.call(one.call)).state, "waiting_approval");
  assert.deepEqual(await worker.jobs(), []);
});

test("only an approver key decides or sees approvals", async () => {
  const { org, worker } = await shop();
  const { call, approval } = await org.accepted("pay", { id: 1 }, { key: "k" });
  const agent = (await org.key({ role: "agent", name: "a", agent: "bot", principal: { id: "u1", tenant_id: "t1" } })).door;
  for (const door of [org.admin, org.caller, org.worker, agent]) {
    const answers = [
      await org.decide(approval.id, { decision: "approve", digest: approval.digest }, door),
      await door.get(`/v1/approvals/${approval.id}`),
      await door.get("/v1/approvals"),
    ];
    for (const answer of answers) assert.deepEqual([answer.status, answer.code], [403, "role_not_allowed"]);
  }
  assert.equal((await org.call(call)).state, "waiting_approval");
  assert.deepEqual(await worker.jobs(), []);
});

test("a decided approval decides nothing again: neither its own call nor an identical later one", async () => {
  const { org, worker } = await shop();
  const first = await org.accepted("pay", { id: 1 }, { key: "a" });
  await org.approve(first);
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, "1");
  const again = await org.decide(first.approval.id, { decision: "approve", digest: first.approval.digest });
  assert.deepEqual([again.status, again.code, again.body.by], [409, "already_decided", "Ann"]);
  const second = await org.accepted("pay", { id: 1 }, { key: "b" });
  assert.equal(second.state, "waiting_approval");
  assert.notEqual(second.approval.digest, first.approval.digest);
  assert.deepEqual(await worker.jobs(), []);
});

test("three parallel calls are decided one by one: each decision reaches its own call", async () => {
  const { org, worker } = await shop();
  const calls = [];
  for (const id of [1, 2, 3]) calls.push(await org.accepted("pay", { id }, { key: `k${id}` }));
  await org.decide(calls[2].approval.id, { decision: "reject", reason: "no" });
  await org.approve(calls[0]);
  const jobs = await worker.jobs();
  assert.deepEqual(jobs.map(({ call, arguments: { id } }) => [call, id]), [[calls[0].call, 1]]);
  const states = await Promise.all(calls.map(({ call }) => org.call(call).then(({ state }) => state)));
  assert.deepEqual(states, ["running", "waiting_approval", "rejected"]);
});

test("approvals are listed from either end, page by page, and the two orders are the same list", async () => {
  const { org } = await shop();
  for (const id of [1, 2, 3]) await org.accepted("pay", { id }, { key: `k${id}` });
  await until("the index lists them", async () => (await pending(org)).length === 3);
  const ids = async (query) => (await org.approver.all(`/v1/approvals?${query}`, "approvals")).map((each) => each.arguments.id);
  assert.deepEqual(await ids("state=pending"), [1, 2, 3]);
  for (const query of ["state=pending&order=newest", "state=pending&order=newest&limit=1", "order=newest&limit=2"]) assert.deepEqual(await ids(query), [3, 2, 1], query);
  assert.deepEqual(await ids("order=oldest&limit=2"), [1, 2, 3]);
  const refused = await org.approver.get("/v1/approvals?order=best");
  assert.deepEqual([refused.status, refused.code], [422, "invalid_request"]);
});

test("a definition that changed while the call was parked invalidates it, and says what changed", async () => {
  const { org, worker } = await shop();
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  await worker.register([{ ...TOOLS[0], input: { id: "integer", cents: "integer" } }]);
  const ended = await org.callIn(parked.call, "invalidated");
  assert.equal(ended.error.code, "definition_changed");
  assert.match(ended.error.message, /input of pay changed/);
  const late = await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest });
  assert.deepEqual([late.status, late.code], [409, "approval_withdrawn"]);
  assert.deepEqual(await worker.jobs(), []);
});

test("new words for the model invalidate nothing", async () => {
  const { org, worker } = await shop();
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  await worker.register([{ ...TOOLS[0], description: "Pays.", routing: { keywords: ["pay"] } }]);
  await org.approve(parked);
  assert.equal((await worker.job()).call, parked.call);
});

test("who asked may not approve where a capability says so", async () => {
  const { org } = await shop();
  await org.grant(["pay"], { more: { requester_may_approve: false } });
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  const decision = { decision: "approve", digest: parked.approval.digest };
  const self = (await org.key({ role: "approver", name: "Uma", principal_id: "u1" })).door;
  const other = (await org.key({ role: "approver", name: "Ole", principal_id: "u2" })).door;
  for (const door of [org.approver, self]) {
    assert.equal((await org.decide(parked.approval.id, decision, door)).code, "requester_may_not_approve");
  }
  assert.equal((await org.decide(parked.approval.id, decision, other)).status, 200);
});

test("what who asked has said does not count any more once a capability forbids it", async () => {
  const { org, worker } = await shop();
  await org.grant(["pay"], { more: { approvals_required: 2 } });
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  const decision = { decision: "approve", digest: parked.approval.digest };
  const [uma, ole, pia] = await Promise.all(
    [["Uma", "u1"], ["Ole", "u2"], ["Pia", "u3"]].map(async ([name, principal_id]) => (await org.key({ role: "approver", name, principal_id })).door),
  );
  assert.equal((await org.decide(parked.approval.id, decision, uma)).body.state, "pending");
  await org.grant(["pay"], { more: { approvals_required: 2, requester_may_approve: false } });
  assert.equal((await org.decide(parked.approval.id, decision, ole)).body.state, "pending", "one of the two asked for it");
  assert.deepEqual(await worker.jobs(), []);
  assert.equal((await org.decide(parked.approval.id, decision, pia)).body.state, "approved");
  assert.equal((await worker.job()).call, parked.call);
});

test("a rejection names the bytes that it was about, said or not", async () => {
  const { org } = await shop();
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  const { body } = await org.decide(parked.approval.id, { decision: "reject", reason: "no" });
  assert.equal(body.decisions[0].digest, parked.approval.digest);
});

test("a capability that wants two approvers needs two different ones", async () => {
  const { org, worker } = await shop();
  await org.grant(["pay"], { more: { approvals_required: 2 } });
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  const decision = { decision: "approve", digest: parked.approval.digest };
  assert.equal((await org.decide(parked.approval.id, decision)).body.state, "pending");
  assert.equal((await org.decide(parked.approval.id, decision)).code, "already_decided");
  assert.deepEqual(await worker.jobs(), []);
  const bea = (await org.key({ role: "approver", name: "Bea" })).door;
  assert.equal((await org.decide(parked.approval.id, decision, bea)).body.state, "approved");
  assert.equal((await worker.job()).call, parked.call);
});
