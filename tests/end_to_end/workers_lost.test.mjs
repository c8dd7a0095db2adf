// Worker processes that die (kill -9) or stand still (SIGSTOP), for each class of call.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";
import { Crew, killWorker, NAMES, stopWorker } from "./support/worker_process.mjs";

// The lease of an accepted write is 30 s, that of a read 10 s.
const WRITE_LOST_MS = 45_000;
const READ_LOST_MS = 60_000;
const ACCEPT_WINDOW_SECONDS = 5;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

/** A worker that runs one call of each class, held at a gate; and who is on the way to replace it. */
async function crewWithCallsInFlight() {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const lost = await crew.start();
  await org.grant(NAMES);
  const args = { mode: "gate", note: "go" };
  const read = await org.accepted("look", args);
  const write = await org.accepted("edit", args, { key: "w" });
  const pay = await org.accepted("pay", args, { key: "p" });
  await org.approve(pay);
  await until("all three run", () => crew.starts.size === 3);
  return { org, crew, lost, read, write, pay };
}

/** What happened to the calls once the worker is lost and another one is there. */
async function assertFates({ org, crew, lost, read, write, pay }) {
  const [succeeded, ...unknown] = await Promise.all([
    org.callIn(read.call, "succeeded", READ_LOST_MS),
    org.callIn(write.call, "unknown", WRITE_LOST_MS),
    org.callIn(pay.call, "unknown", WRITE_LOST_MS),
  ]);
  assert.notEqual(succeeded.result.pid, lost.pid, "the read ran elsewhere");
  assert.deepEqual(unknown.map(({ error }) => error.code), ["worker_lost", "worker_lost"]);
  const { starts } = crew;
  assert.deepEqual([starts.get(read.call), starts.get(write.call), starts.get(pay.call)], [2, 1, 1]);
  const { events } = await org.events(read.call);
  assert.ok(events.some(({ event }) => event === "lease_lapsed") && events.at(-1).by !== events.find(({ event }) => event === "hand_out").by);
}

/** Handed over to a worker that is gone before it accepts: somebody else has it within the accept window. */
async function assertHandedOn(tool, approve) {
  const org = await Org.make(gateway);
  const [deaf, next] = [new RawWorker(org.worker), new RawWorker(org.worker)];
  for (const worker of [deaf, next]) await worker.register([definition(tool, tool)]);
  await org.grant([tool]);
  const call = await org.accepted(tool, "{}", { key: "k" });
  if (approve) await org.approve(call);
  const first = await deaf.job();
  const handedOver = performance.now();
  const second = await next.job(15);
  const seconds = (performance.now() - handedOver) / 1_000;
  assert.ok(seconds > ACCEPT_WINDOW_SECONDS - 0.5 && seconds < ACCEPT_WINDOW_SECONDS + 2, `handed on after ${seconds} s`);
  assert.deepEqual([second.call, second.attempt], [call.call, 1], "a hand-over is no attempt");
  assert.notEqual(second.claim, first.claim);
  assert.deepEqual(await deaf.accept(first.claim), ["claim_lost"]);
  assert.deepEqual(await next.accept(second.claim), ["accepted"]);
  assert.deepEqual((await deaf.renew(first.claim)).map(({ status }) => status), ["claim_lost"]);
  assert.deepEqual(await deaf.giveBack(first.claim), ["claim_lost"]);
  assert.equal(await next.result(second.claim, '"next"'), "recorded");
  assert.equal((await org.call(call.call)).result, "next");
}

// Each waits for leases that only time ends, so they wait together.
describe("a lost worker", { concurrency: true }, () => {
  it("a worker killed in the middle: the read is retried elsewhere, the accepted writes are unknown and never run again", async () => {
    const scene = await crewWithCallsInFlight();
    const { org, crew, lost } = scene;
    await killWorker(lost);
    const next = await crew.start();
    crew.open("go");
    await assertFates(scene);
    // The new worker is alive and takes new work, and still leaves the unknown writes alone.
    const fresh = await org.accepted("edit", {}, { key: "fresh" });
    await org.callIn(fresh.call, "succeeded");
    assert.deepEqual([crew.starts.get(scene.write.call), crew.starts.get(scene.pay.call)], [1, 1]);
    await stopWorker(next);
  });

  it("a worker stopped beyond its leases and woken again: its late write results resolve the unknown calls, its late read changes nothing", async () => {
    const scene = await crewWithCallsInFlight();
    const { org, crew, lost, read, write, pay } = scene;
    lost.kill("SIGSTOP");
    const next = await crew.start();
    crew.open("go");
    await assertFates(scene);
    const before = await org.call(read.call);
    lost.kill("SIGCONT");
    for (const { call } of [write, pay]) {
      const resolved = await org.callIn(call, "succeeded");
      assert.deepEqual([resolved.resolved_by, resolved.result.pid], ["late_result", lost.pid]);
    }
    assert.deepEqual(await org.call(read.call), before);
    // It lost those jobs alone: it goes on serving.
    assert.equal((await stopWorker(next)).code, 0);
    const fresh = await org.accepted("look");
    assert.equal((await org.callIn(fresh.call, "succeeded", 30_000)).result.pid, lost.pid);
    assert.deepEqual([crew.starts.get(write.call), crew.starts.get(pay.call)], [1, 1]);
    assert.equal((await stopWorker(lost)).code, 0);
  });

  it("a reversible write that was handed over and never accepted goes to another worker within the accept window", () => assertHandedOn("reversible_write", false));

  it("an approved consequential call that was never accepted goes to another worker within the accept window, without a second approval", () => assertHandedOn("consequential", true));

  it("a worker process killed with an idle poll open loses no write: the next worker has it within the accept window", async () => {
    const org = await Org.make(gateway);
    const crew = new Crew(org);
    const dead = await crew.start();
    await org.grant(NAMES);
    await until("it polls", async () => (await org.admin.get("/v1/pools/main/stats")).body.workers.some(({ polling }) => polling));
    dead.kill("SIGSTOP");
    const { call, created_at } = await org.accepted("edit", {}, { key: "k" });
    assert.equal((await org.call(call)).state, "running", "it was handed to the process that does not move");
    await killWorker(dead);
    const next = await crew.start();
    const ended = await org.callIn(call, "succeeded", 20_000);
    assert.equal(ended.result.pid, next.pid);
    const seconds = (Date.parse(ended.ended_at) - Date.parse(created_at)) / 1_000;
    assert.ok(seconds < ACCEPT_WINDOW_SECONDS + 2, `it took ${seconds} s`);
    assert.equal(crew.starts.get(call), 1);
    await stopWorker(next);
  });

  it("a stale worker's renewal and result of a lapsed read are refused while another one runs it", async () => {
    const org = await Org.make(gateway);
    const [stale, next] = [new RawWorker(org.worker), new RawWorker(org.worker)];
    for (const worker of [stale, next]) await worker.register([definition("get", "read_only")]);
    await org.grant(["get"]);
    const { call } = await org.accepted("get");
    const first = await stale.job();
    const second = await next.job(20);
    assert.deepEqual([second.call, second.attempt], [call, 2]);
    assert.deepEqual((await stale.renew(first.claim)).map(({ status }) => status), ["claim_lost"]);
    assert.deepEqual((await next.renew(second.claim)).map(({ status }) => status), ["renewed"]);
    assert.equal(await next.result(second.claim, '"second"'), "recorded");
    assert.equal(await stale.result(first.claim, '"first"'), "late");
    assert.equal((await org.call(call)).result, "second");
  });

  it("a read whose worker is lost three times fails as worker_lost", async () => {
    const org = await Org.make(gateway);
    const worker = new RawWorker(org.worker);
    await worker.register([definition("get", "read_only")]);
    await org.grant(["get"]);
    const { call } = await org.accepted("get");
    for (const attempt of [1, 2, 3]) assert.equal((await worker.job(20)).attempt, attempt);
    const ended = await org.callIn(call, "failed", 20_000);
    assert.equal(ended.error.code, "worker_lost");
  });

  it("one hanging handler among many hurts nobody else, and ends at its deadline", async () => {
    const org = await Org.make(gateway);
    const crew = new Crew(org, { tools: [{ name: "look", sideEffect: "read_only", executionDeadlineSeconds: 3 }] });
    const worker = await crew.start({ concurrency: 8 });
    await org.grant(["look"]);
    const hung = await org.accepted("look", { mode: "hang" });
    await until("it hangs", () => crew.starts.has(hung.call));
    const others = await Promise.all(Array.from({ length: 50 }, () => org.accepted("look", {}, { wait: 20 })));
    assert.ok(others.every(({ state }) => state === "succeeded"));
    assert.equal((await org.callIn(hung.call, "failed")).error.code, "deadline_exceeded");
    assert.equal((await org.accepted("look", {}, { wait: 20 })).state, "succeeded");
    // The hung handler heeds nothing, so a drain would wait for it.
    await killWorker(worker);
  });

  it("a running read that is cancelled stops in its worker, which keeps its other jobs and its session", async () => {
    const org = await Org.make(gateway);
    const crew = new Crew(org);
    const worker = await crew.start();
    await org.grant(NAMES);
    const [one, other] = [await org.accepted("look", { mode: "heed" }), await org.accepted("look", { mode: "gate", note: "go" })];
    await until("both run", () => crew.starts.size === 2);
    assert.equal((await org.caller.post(`/v1/calls/${one.call}/cancel`)).body.state, "cancelled");
    await until("its handler was told", () => crew.journal.some(({ what, call }) => what === "aborted" && call === one.call));
    crew.open("go");
    assert.equal((await org.callIn(other.call, "succeeded")).result.pid, worker.pid);
    assert.equal((await org.accepted("look", {}, { wait: 20 })).state, "succeeded");
    assert.equal(worker.log.match(/registered/g).length, 1);
    assert.equal((await stopWorker(worker)).code, 0);
  });

  it("a pool whose workers are gone fails its own calls by their deadline; other pools go on", async () => {
    const org = await Org.make(gateway);
    await org.pool("dead");
    const both = (await org.key({ role: "worker", name: "both", pools: ["main", "dead"] })).door;
    const [alive, dead] = [new RawWorker(both), new RawWorker(both, { pool: "dead" })];
    await alive.register([definition("get", "read_only")]);
    await dead.register([definition("brief", "read_only", { queue_deadline_seconds: 2 })]);
    await org.grant(["get", "brief"]);
    await dead.post("goodbyes", { session: dead.session });
    const lost = org.submit("brief", "{}", { wait: 20 });
    const answered = org.submit("get", "{}", { wait: 20 });
    await alive.result((await alive.job()).claim, "1");
    assert.equal((await answered).body.state, "succeeded");
    assert.deepEqual([(await lost).body.state, (await lost).body.error.code], ["expired", "no_worker"]);
  });

  it("calls that wait while workers poll are an alert in the health of the pool", async () => {
    const org = await Org.make(gateway);
    const [one, weak] = [new RawWorker(org.worker), new RawWorker(org.worker)];
    await one.register([definition("pay", "reversible_write")]);
    await org.grant(["pay"]);
    await weak.register([definition("pay", "read_only")]);
    await one.post("goodbyes", { session: one.session });
    await org.accepted("pay", "{}", { key: "k" });
    const poll = weak.poll({ wait: 20 });
    const stats = async () => (await org.admin.get("/v1/pools/main/stats")).body;
    await until("the alert stands", async () => (await stats()).alerts.includes("calls_wait_while_workers_poll"));
    await weak.post("goodbyes", { session: weak.session });
    assert.equal((await poll).status, 204);
    assert.deepEqual((await stats()).alerts, []);
  });
});
