// Many at once: replicas for the same jobs, people for the same approval.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { each, until } from "./support/until.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";

const JOBS = 1_000;
const CLIENTS = 50;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

test("two replicas racing for 1,000 jobs execute each exactly once", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const workers = await Promise.all([crew.start({ concurrency: 32 }), crew.start({ concurrency: 32 })]);
  await org.grant(NAMES);
  const submitted = await each(Array.from({ length: JOBS }), 32, (_, n) => org.accepted(n % 2 === 0 ? "look" : "edit", { n }, { key: `k${n}` }));
  assert.equal(new Set(submitted.map(({ call }) => call)).size, JOBS);
  await until("all jobs are done", async () => {
    const { depth, running } = (await org.admin.get("/v1/pools/main/stats")).body;
    return depth === 0 && running === 0;
  }, 60_000);
  const { starts } = crew;
  assert.equal(starts.size, JOBS);
  for (const { call } of submitted) assert.equal(starts.get(call), 1);
  const succeeded = await org.caller.all("/v1/calls?pool=main&state=succeeded", "calls");
  assert.equal(succeeded.length, JOBS);
  const shares = workers.map(({ pid }) => crew.journal.filter((entry) => entry.what === "start" && entry.pid === pid).length);
  assert.ok(Math.min(...shares) > 0, `both took part: ${shares}`);
  for (const worker of workers) assert.equal((await stopWorker(worker)).code, 0);
});

test("many polls of one session and of many are never handed the same job", async () => {
  const org = await Org.make(gateway);
  const workers = Array.from({ length: 10 }, () => new RawWorker(org.worker));
  for (const worker of workers) await worker.register([definition("get", "read_only"), definition("set", "reversible_write")]);
  await org.grant(["get", "set"]);
  const polls = workers.flatMap((worker) => Array.from({ length: 3 }, () => worker.jobs({ max: 4, wait: 10 })));
  const calls = await each(Array.from({ length: 120 }), 12, (_, n) => org.accepted(n % 2 === 0 ? "get" : "set", "{}", { key: `k${n}` }));
  const first = (await Promise.all(polls)).flat();
  const rest = await Promise.all(workers.map((worker) => worker.jobs({ max: 64 })));
  const handed = [...first, ...rest.flat()].map(({ call }) => call);
  assert.equal(handed.length, calls.length);
  assert.equal(new Set(handed).size, calls.length);
});

test("an idempotency key used by 50 callers at the same instant makes one call", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("set", "reversible_write")]);
  await org.grant(["set"]);
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => org.accepted("set", "{}", { key: "one" })));
  assert.equal(new Set(answers.map(({ call }) => call)).size, 1);
  assert.equal((await worker.jobs({ max: 64 })).length, 1);
});

async function parked() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const people = await each(Array.from({ length: CLIENTS }), 5, (_, n) => org.key({ role: "approver", name: `person ${n}` }));
  return { org, worker, doors: people.map(({ door }) => door), call: await org.accepted("pay", "{}", { key: "k" }) };
}

/** One answer is 200; all others say who decided and when. */
function assertOneWins(answers) {
  const [won, ...more] = answers.filter(({ status }) => status === 200);
  assert.ok(won !== undefined && more.length === 0, `${more.length + 1} decisions went through`);
  const [{ by, at }] = won.body.decisions;
  for (const answer of answers) {
    if (answer === won) continue;
    assert.deepEqual([answer.status, answer.code, answer.body.by, answer.body.at], [409, "already_decided", by, at]);
  }
  return won.body;
}

test("an approval decided by 50 people at the same instant: one wins, 49 are told who and when, and the call runs once", async () => {
  const { org, worker, doors, call } = await parked();
  const polls = Array.from({ length: 5 }, () => worker.jobs({ wait: 10 }));
  const decision = { decision: "approve", digest: call.approval.digest };
  const won = assertOneWins(await Promise.all(doors.map((door) => org.decide(call.approval.id, decision, door))));
  assert.deepEqual([won.state, won.decisions.length], ["approved", 1]);
  const job = (await Promise.race(polls))[0];
  assert.equal(job.call, call.call);
  await worker.accept(job.claim);
  await worker.result(job.claim, "1");
  await worker.post("goodbyes", { session: worker.session });
  assert.equal((await Promise.all(polls)).flat().length, 1);
  assert.equal((await org.call(call.call)).state, "succeeded");
});

test("approvals racing with rejections: one decision wins and decides whether the call runs", async () => {
  for (let round = 0; round < 4; round += 1) {
    const { org, worker, doors, call } = await parked();
    const decisions = [{ decision: "approve", digest: call.approval.digest }, { decision: "reject", reason: "no" }];
    const answers = doors.map((door, n) => org.decide(call.approval.id, decisions[(n + round) % 2], door));
    const won = assertOneWins(await Promise.all(answers));
    const jobs = await worker.jobs();
    assert.equal(jobs.length, won.state === "approved" ? 1 : 0);
    assert.equal((await org.call(call.call)).state, won.state === "approved" ? "running" : "rejected");
  }
});

test("an approval racing with a cancel: either the call is cancelled or it runs, never both", async () => {
  const { org, worker } = await parked();
  for (let round = 0; round < 10; round += 1) {
    const call = await org.accepted("pay", "{}", { key: `c${round}` });
    const decision = { decision: "approve", digest: call.approval.digest };
    const both = [() => org.decide(call.approval.id, decision), () => org.caller.post(`/v1/calls/${call.call}/cancel`)];
    const order = round % 2 === 0 ? both : both.toReversed();
    await Promise.all(order.map((act) => act()));
    assert.deepEqual([(await org.call(call.call)).state, (await worker.jobs()).length], ["cancelled", 0]);
  }
});
