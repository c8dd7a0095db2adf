// The runtime dies by kill -9, at any instant: what was acknowledged stays true.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, ENDED, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { each, until } from "./support/until.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";

const LANES = 12;
const KILLS = 5;
const CALLS_BETWEEN_KILLS = 60;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

/** Callers that repeat each submission under its key until it is answered; what they were told. */
class Load {
  acknowledged = new Map();
  #isOver = false;

  constructor(org) {
    this.org = org;
    this.lanes = Array.from({ length: LANES }, (_, lane) => this.#run(lane));
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.lanes);
  }

  async #run(lane) {
    for (let round = 0; !this.#isOver; round += 1) {
      const tool = NAMES[(lane + round) % NAMES.length];
      const { call, state, result, approval } = await this.#submit(tool, randomUUID());
      const told = { tool, state, result };
      this.acknowledged.set(call, told);
      if (tool === "pay") told.decided = await this.#decide(approval, round % 3 === 0 ? { decision: "reject", reason: "no" } : { decision: "approve", digest: approval.digest });
    }
  }

  /** Decides until it is answered that this, or this before, was the decision. */
  #decide({ id }, decision) {
    return until("a decision is answered", async () => {
      const answer = await this.org.decide(id, decision).catch(() => undefined);
      const isDone = answer?.status === 200 || answer?.status === 409;
      assert.ok(isDone || answer === undefined || answer.status === 503, answer?.text);
      if (answer?.status === 409) assert.deepEqual([answer.code, answer.body.by], ["already_decided", "Ann"]);
      return isDone && decision.decision;
    }, 60_000);
  }

  async #submit(tool, key) {
    return until("a submission is answered", async () => {
      // For another user each: what a person rejected is not asked again for the same one.
      const principal = `{"id":${JSON.stringify(key)},"tenant_id":"t1","permissions":["refunds:write"]}`;
      const answer = await this.org.submit(tool, { mode: "slow", note: "20" }, { key, principal, wait: 5 }).catch(() => undefined);
      if (answer?.status === 200 || answer?.status === 202) return answer.body;
      // The gateway is away or just back; a refusal would be a fault.
      assert.ok(answer === undefined || answer.status === 503, answer?.text);
      return undefined;
    }, 60_000);
  }
}

test("every acknowledged call survives kills under load: one end each, no write twice, no result changed", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const workers = await Promise.all([crew.start(), crew.start()]);
  await org.grant(NAMES);
  const load = new Load(org);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await until(`calls before kill ${kill}`, () => load.acknowledged.size >= kill * CALLS_BETWEEN_KILLS, 60_000);
    await gateway.killAndRestart();
  }
  await until("calls after the last kill", () => load.acknowledged.size >= (KILLS + 1) * CALLS_BETWEEN_KILLS, 60_000);
  await load.stop();

  const calls = [...load.acknowledged.keys()];
  const ends = new Map(await each(calls, 8, async (call) => [call, await org.callIn(call, ENDED, 60_000)]));
  const { starts } = crew;
  for (const [call, told] of load.acknowledged) {
    const end = ends.get(call);
    const count = starts.get(call) ?? 0;
    const story = `${told.tool} ${call} ended ${end.state} ${JSON.stringify(end.error)} after ${count} starts`;
    if (ENDED.includes(told.state)) assert.deepEqual([end.state, end.result], [told.state, told.result], story);
    if (told.tool !== "look") assert.ok(count <= 1, story);
    if (told.decided === "reject") assert.deepEqual([end.state, count], ["rejected", 0], story);
    else if (end.state === "succeeded") assert.ok(count >= 1 && end.result.call === call, story);
    // The workers lived all the time, so nothing is lost; a write may have been told that it cannot start any more.
    else assert.deepEqual([told.tool !== "look", end.state, end.error.code, count], [true, "failed", "not_started", 0], story);
  }
  const all = await org.admin.all("/v1/calls?pool=main", "calls");
  assert.equal(new Set(all.map(({ call }) => call)).size, all.length);
  assert.ok(all.every(({ state }) => ENDED.includes(state)), "nothing is left behind");
  for (const [call, count] of starts) {
    const { tool } = all.find((shown) => shown.call === call);
    if (tool !== "look") assert.equal(count, 1, `${call} was started ${count} times`);
  }
  for (const worker of workers) assert.deepEqual(await stopWorker(worker), { code: 0, signal: null });
});

const seconds = (from, to) => (Date.parse(to) - Date.parse(from)) / 1_000;

test("a pool that nobody touches after a restart ends its calls by alarm, at their deadlines", async () => {
  const org = await Org.make(gateway);
  await org.pool("away");
  const quiet = new RawWorker(org.worker);
  await quiet.register([
    definition("waits", "read_only", { queue_deadline_seconds: 5 }),
    definition("reads", "read_only", { execution_deadline_seconds: 4 }),
    definition("writes", "reversible_write", { execution_deadline_seconds: 5 }),
    definition("handed", "reversible_write", { queue_deadline_seconds: 7 }),
    definition("parks", "consequential"),
  ]);
  const away = new RawWorker((await org.key({ role: "worker", name: "away", pools: ["away"] })).door, { pool: "away" });
  await away.register([definition("lapses", "read_only", { queue_deadline_seconds: 1 })]);
  await org.grant(["waits", "reads", "writes", "handed", "parks", "lapses"]);

  const started = [];
  for (const tool of ["reads", "writes", "handed"]) started.push(await org.accepted(tool, "{}", { key: tool }));
  const jobs = await quiet.jobs();
  assert.equal(jobs.length, 3);
  assert.deepEqual(await quiet.accept(jobs.find(({ tool }) => tool === "writes").claim), ["accepted"]);
  const waits = await org.accepted("waits");
  const parks = await org.accepted("parks", "{}", { key: "parks" });
  const lapses = await org.accepted("lapses");
  await gateway.kill();
  const downUntil = Date.parse(lapses.created_at) + 2_000;
  await until("a deadline passes while the gateway is away", () => Date.now() >= downUntil);
  await gateway.start();
  const isBack = new Date().toISOString();

  // Nothing is asked of these pools until all deadlines are well over.
  const lookAt = Date.parse(waits.created_at) + 13_500;
  await until("the deadlines are over", () => Date.now() >= lookAt, 20_000);
  const [reads, writes, handed] = await Promise.all(started.map(({ call }) => org.call(call)));
  const waited = await org.call(waits.call);
  const lapsed = await org.call(lapses.call);
  assert.deepEqual(
    [reads, writes, handed, waited, lapsed].map(({ tool, state, error }) => [tool, state, error.code]),
    [["reads", "failed", "deadline_exceeded"], ["writes", "unknown", "deadline_exceeded"], ["handed", "expired", "no_worker"], ["waits", "expired", "no_worker"], ["lapses", "expired", "no_worker"]],
  );
  // The hand-over has its 5 s to accept, once more from the moment that the object is built anew; then its call is overdue.
  for (const [call, due, latest = due] of [[reads, 4], [writes, 5], [handed, 7, 10], [waited, 5]]) {
    const took = seconds(call.created_at, call.ended_at);
    assert.ok(took >= due - 0.1 && took < latest + 1.5, `${call.tool} was due after ${due} s and ended after ${took} s`);
  }
  const late = seconds(isBack, lapsed.ended_at);
  assert.ok(late < 2, `what lapsed while the gateway was away ended ${late} s after it was back`);
  assert.equal((await org.call(parks.call)).state, "waiting_approval");
});

test("20 busy handlers of four workers outlive a restart: no lease lapses, each runs once", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const workers = await Promise.all(Array.from({ length: 4 }, () => crew.start({ concurrency: 5 })));
  await org.grant(NAMES);
  const calls = await each(Array.from({ length: 20 }), 5, (_, n) => org.accepted(n % 2 === 0 ? "look" : "edit", { mode: "gate", note: "go" }, { key: `k${n}` }));
  await until("20 handlers run", () => crew.starts.size === 20);
  await gateway.killAndRestart();
  const back = Date.now();
  await until("a read's first lease is over", () => Date.now() - back > 12_000, 20_000);
  crew.open("go");
  for (const { call } of calls) {
    assert.equal((await org.callIn(call, "succeeded")).state, "succeeded");
    const { events } = await org.events(call);
    assert.ok(!events.some(({ event }) => event === "lease_lapsed"), JSON.stringify(events));
    assert.equal(crew.starts.get(call), 1);
  }
  for (const worker of workers) assert.equal((await stopWorker(worker)).code, 0);
});

test("a claim outlives a restart: its worker renews, accepts and settles it, and nobody else gets it", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  const other = new RawWorker(org.worker);
  const tools = [definition("get", "read_only"), definition("set", "reversible_write"), definition("pay", "consequential")];
  await worker.register(tools);
  await other.register(tools);
  await org.grant(["get", "set", "pay"]);
  const calls = [await org.accepted("get"), await org.accepted("set", "{}", { key: "s" }), await org.accepted("pay", "{}", { key: "p" })];
  await org.approve(calls[2]);
  const jobs = await worker.jobs();
  assert.equal(jobs.length, 3);
  const claims = jobs.map(({ claim }) => claim);
  await worker.accept(...claims);
  await gateway.killAndRestart();
  assert.deepEqual(await other.jobs({ wait: 1 }), []);
  assert.deepEqual((await worker.renew(...claims)).map(({ status }) => status), ["renewed", "renewed", "renewed"]);
  assert.deepEqual(await worker.accept(...claims), ["accepted", "accepted", "accepted"]);
  await gateway.killAndRestart();
  for (const claim of claims) assert.equal(await worker.result(claim, "1"), "recorded");
  await gateway.killAndRestart();
  for (const claim of claims) assert.equal(await worker.result(claim, "2"), "repeated");
  for (const { call } of calls) assert.deepEqual([(await org.call(call)).state, (await org.call(call)).result], ["succeeded", 1]);
  assert.deepEqual(await other.jobs(), []);
});
