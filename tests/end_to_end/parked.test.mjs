// Parked calls outlive a restart of the gateway, and everything but their own decision.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { each, until } from "./support/until.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";

const PARKED = 100;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const pending = (org, limit = 30) => org.approver.all(`/v1/approvals?state=pending&limit=${limit}`, "approvals");

/** One of ten principals: each may have 50 calls parked. */
const principal = (n) => `{"id":"u${n % 10}","tenant_id":"t1","permissions":["refunds:write"]}`;

test("100 calls parked over a restart are all listed, page by page, and each runs once after its approval", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const worker = await crew.start();
  await org.grant(NAMES);
  const calls = await each(Array.from({ length: PARKED }), 10, (_, n) => org.accepted("pay", { n }, { key: `k${n}`, principal: principal(n) }));
  await gateway.killAndRestart();
  const listed = await until("all are listed", async () => {
    const found = await pending(org);
    return found.length >= PARKED && found;
  });
  assert.deepEqual(listed.map(({ call }) => call).sort(), calls.map(({ call }) => call).sort());
  assert.equal(new Set(listed.map(({ digest }) => digest)).size, PARKED);
  for (const { call, arguments: { n } } of listed) assert.equal(calls[n].call, call);
  assert.equal(crew.starts.size, 0);
  const answers = await each(listed, 10, ({ id, digest }) => org.decide(id, { decision: "approve", digest }));
  assert.ok(answers.every(({ status }) => status === 200));
  for (const { call } of calls) await org.callIn(call, "succeeded", 30_000);
  assert.deepEqual([...crew.starts.values()], Array.from({ length: PARKED }, () => 1));
  await until("the list of pending approvals is empty", async () => (await pending(org)).length === 0);
  assert.equal((await stopWorker(worker)).code, 0);
});

test("what was decided before a kill stays decided: an approved call runs once, a second decision is told who was first", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const [yes, no] = [await org.accepted("pay", "{}", { key: "yes" }), await org.accepted("pay", "{}", { key: "no" })];
  await org.approve(yes);
  await org.decide(no.approval.id, { decision: "reject", reason: "because" });
  await gateway.killAndRestart();
  for (const { approval } of [yes, no]) {
    const late = await org.decide(approval.id, { decision: "approve", digest: approval.digest });
    assert.deepEqual([late.status, late.code, late.body.by], [409, "already_decided", "Ann"]);
    assert.match(late.body.at, /^\d{4}-/);
  }
  const jobs = await worker.jobs({ wait: 5 });
  assert.deepEqual(jobs.map(({ call }) => call), [yes.call]);
  assert.equal((await org.call(no.call)).error.code, "rejected");
});

test("a call approved while its tool is disabled waits for the tool, and runs once when it comes back", async () => {
  const org = await Org.make(gateway);
  const [worker, other] = [new RawWorker(org.worker), new RawWorker(org.worker)];
  const pay = definition("pay", "consequential");
  await worker.register([pay, definition("get", "read_only")]);
  await org.grant(["pay"]);
  const parked = await org.accepted("pay", "{}", { key: "k" });
  await worker.register([definition("get", "read_only")]);
  await until("it is disabled", async () => (await org.submit("pay", "{}", { key: "x" })).code === "tool_disabled");
  assert.equal((await org.call(parked.call)).state, "waiting_approval");
  await org.approve(parked);
  assert.deepEqual([await worker.jobs(), (await org.call(parked.call)).state], [[], "queued"]);
  await other.register([pay, definition("get", "read_only")]);
  assert.deepEqual((await other.jobs({ wait: 5 })).map(({ call }) => call), [parked.call]);
});

test("200 parked calls in a burst are each an approval of their own", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const calls = await each(Array.from({ length: 200 }), 25, (_, n) => org.accepted("pay", "{}", { key: `k${n}`, principal: principal(n) }));
  const ids = await until("all are listed", async () => {
    const found = await pending(org, 100);
    return found.length === 200 && found.map(({ id }) => id);
  });
  assert.equal(new Set(ids).size, 200);
  assert.deepEqual(ids.toSorted(), calls.map(({ approval }) => approval.id).toSorted());
});
