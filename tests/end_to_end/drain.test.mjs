// A worker that is told to stop: what it has is finished, what it cannot start goes back, nothing is lost or run twice.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { each, until, within } from "./support/until.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function scene(options) {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const worker = await crew.start({ concurrency: 64, ...options });
  await org.grant(NAMES);
  return { org, crew, worker };
}

const pollers = async (org) => (await org.admin.get("/v1/pools/main/stats")).body.workers.filter(({ polling }) => polling).length;

async function assertEachRanOnce({ org, crew }, calls, check = ({ state }) => assert.equal(state, "succeeded")) {
  for (const { call } of calls) {
    check(await org.callIn(call, ["succeeded", "failed"], 20_000));
    assert.equal(crew.starts.get(call), 1);
  }
}

test("SIGTERM with 50 handlers in flight: each runs once, every result arrives, new calls go to another worker, the exit is 0", async () => {
  const { org, crew, worker } = await scene();
  const tools = ["look", "edit"];
  const calls = await each(Array.from({ length: 50 }), 10, (_, n) => org.accepted(tools[n % 2], { mode: "gate", note: "go" }, { key: `k${n}` }));
  await until("50 handlers run", () => crew.starts.size === 50);
  worker.kill("SIGTERM");
  const next = await crew.start();
  const during = await each(Array.from({ length: 20 }), 5, (_, n) => org.accepted(tools[n % 2], {}, { key: `d${n}` }));
  for (const { call } of during) assert.equal((await org.callIn(call, "succeeded")).result.pid, next.pid);
  assert.equal(worker.exitCode, null, "it waits for its handlers");
  crew.open("go");
  assert.deepEqual(await within("the drained worker ends", 20_000, worker.ended), { code: 0, signal: null });
  await assertEachRanOnce({ org, crew }, [...calls, ...during]);
  for (const { call } of calls) assert.equal((await org.call(call)).result.pid, worker.pid);
  assert.equal((await stopWorker(next)).code, 0);
});

test("leases are renewed while a worker drains: handlers longer than a lease are run once", async () => {
  const { org, crew, worker } = await scene();
  const read = await org.accepted("look", { mode: "gate", note: "late" });
  const write = await org.accepted("edit", { mode: "gate", note: "late" }, { key: "k" });
  await until("both run", () => crew.starts.size === 2);
  const stopAt = Date.now();
  worker.kill("SIGTERM");
  const next = await crew.start();
  // A read's first lease is 10 s and a write's 30 s; both must outlive them.
  await until("the leases would have lapsed", () => Date.now() - stopAt > 33_000, 40_000);
  crew.open("late");
  assert.equal((await within("the drained worker ends", 20_000, worker.ended)).code, 0);
  await assertEachRanOnce({ org, crew }, [read, write]);
  await stopWorker(next);
});

test("a handler that throws during the drain still delivers its error", async () => {
  const { org, crew, worker } = await scene();
  const calls = [];
  for (const [n, tool] of ["look", "edit"].entries()) calls.push(await org.accepted(tool, { mode: "gate_throw", note: "go" }, { key: `k${n}` }));
  await until("both run", () => crew.starts.size === 2);
  worker.kill("SIGTERM");
  await until("it has said goodbye", async () => (await org.admin.get("/v1/pools/main/stats")).body.workers.length === 0);
  crew.open("go");
  assert.equal((await within("the drained worker ends", 20_000, worker.ended)).code, 0);
  await assertEachRanOnce({ org, crew }, calls, ({ state, error }) => assert.deepEqual([state, error.code], ["failed", "by_design"]));
});

test("SIGTERM during an idle poll while calls arrive: none is stuck in a claim until its lease is over", async () => {
  const { org, crew, worker } = await scene();
  const stay = await crew.start();
  await until("both poll", async () => (await pollers(org)) === 2);
  const calls = [];
  const arriving = each(Array.from({ length: 60 }), 6, async (_, n) => {
    if (n === 20) worker.kill("SIGTERM");
    calls.push(await org.accepted(n % 2 === 0 ? "look" : "edit", {}, { key: `k${n}` }));
  });
  await arriving;
  assert.equal((await within("the stopped worker ends", 10_000, worker.ended)).code, 0);
  for (const { call } of calls) {
    const ended = await org.callIn(call, "succeeded");
    // Sooner than any claim could lapse, the accept window's 5 s included.
    assert.ok(Date.parse(ended.ended_at) - Date.parse(ended.created_at) < 4_000, `${call} took until ${ended.ended_at}`);
    const { events } = await org.events(call);
    assert.ok(!events.some(({ event }) => event === "lease_lapsed"), JSON.stringify(events));
  }
  await assertEachRanOnce({ org, crew }, calls);
  await stopWorker(stay);
});

test("a worker stopped again and again under load loses nothing: every call ends done, each write started once", async () => {
  const { org, crew, worker } = await scene({ concurrency: 8 });
  const stay = await crew.start({ concurrency: 8 });
  let isOver = false;
  const calls = [];
  const load = Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; !isOver; n += 1) calls.push(await org.accepted(n % 2 === 0 ? "look" : "edit", { mode: "slow", note: "5" }, { key: `${lane}-${n}`, wait: 10 }));
    }),
  );
  let leaving = worker;
  for (let round = 1; round <= 6; round += 1) {
    await until("calls between two stops", () => calls.length >= round * 50, 30_000);
    assert.equal((await stopWorker(leaving)).code, 0);
    leaving = await crew.start({ concurrency: 8 });
  }
  isOver = true;
  await load;
  await assertEachRanOnce({ org, crew }, calls);
  await Promise.all([stopWorker(leaving), stopWorker(stay)]);
});

test("goodbye ends an idle poll with 204 at once; after it the session is unknown", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("get", "read_only")]);
  const poll = worker.poll({ wait: 20 });
  await until("it polls", async () => (await pollers(org)) === 1);
  const asked = performance.now();
  assert.equal((await worker.post("goodbyes", { session: worker.session })).status, 200);
  assert.equal((await poll).status, 204);
  assert.ok(performance.now() - asked < 2_000, "the poll ended at once");
  const after = await worker.poll();
  assert.deepEqual([after.status, after.code], [409, "unknown_session"]);
});
