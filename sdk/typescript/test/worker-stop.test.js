import assert from "node:assert/strict";
import { test } from "node:test";
import { after, answer, deferred, drop, job, jobText, problem } from "./support/network.js";
import { connect, WRITE } from "./support/worker.js";

test("stop during an idle poll: goodbye, the poll ends empty, nothing follows", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 });
  await network.until(() => network.sent("claims").length === 1);
  const first = worker.stop();
  assert.equal(worker.stop(), first);
  await first;
  await worker.done;
  assert.deepEqual(network.requests.map(({ action }) => action), ["workers", "claims", "goodbyes"]);
  assert.deepEqual(network.sent("goodbyes"), [{ session: "session-1" }]);
});

test("goodbye is repeated over a bad line", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 });
  network.on("goodbyes", drop, problem(503, "busy"));
  await network.until(() => network.sent("claims").length === 1);
  await worker.stop();
  assert.equal(network.sent("goodbyes").length, 3);
});

test("jobs of a poll that is answered during the stop are returned, not started", async (t) => {
  let runs = 0;
  const { network, worker } = await connect(t, { look: () => (runs += 1), write_it: () => (runs += 1) });
  const jobs = [job("look"), job("write_it", WRITE)];
  const goodbye = deferred();
  network.on("claims", after(goodbye.promise, answer(200, `{"jobs":[${jobs.map(jobText).join(",")}]}`)));
  network.on("goodbyes", (exchange) => (network.behave(exchange), goodbye.resolve()));
  network.on("returns", drop);
  await network.until(() => network.sent("claims").length === 1);
  await worker.stop();
  assert.equal(runs, 0);
  assert.deepEqual(network.sent("returns").map(({ claims }) => claims), Array(2).fill(jobs.map(({ claim }) => claim)));
  assert.deepEqual(network.results, []);
});

test("a handler in flight is drained: its lease is renewed to the end, and its result is flushed over a bad line", async (t) => {
  const gate = deferred();
  const { network, worker } = await connect(t, { look: () => gate.promise });
  network.leaseSeconds = 0.3;
  network.push(job("look", { lease_seconds: 0.3 }));
  await network.until(() => network.sent("claims").length === 2);
  let hasStopped = false;
  const stopped = worker.stop().then(() => (hasStopped = true));
  await network.until(() => network.isGone);
  const renewals = network.sent("renewals").length;
  await network.until(() => network.sent("renewals").length >= renewals + 3);
  assert.equal(hasStopped, false);
  network.on("results", drop, problem(503, "busy"));
  gate.resolve("done");
  await stopped;
  assert.deepEqual(network.results.map(({ result }) => result), ["done", "done", "done"]);
});

test("a handler that throws while draining has its error sent", async (t) => {
  const gate = deferred();
  const { network, worker } = await connect(t, { write_it: () => gate.promise.then(() => { throw new Error("no stock"); }) });
  network.push(job("write_it", WRITE));
  await network.until(() => network.sent("accepts").length === 1 && network.sent("claims").length === 2);
  const stopped = worker.stop();
  await network.until(() => network.isGone);
  gate.resolve();
  await stopped;
  assert.deepEqual(network.results.map(({ error }) => error), [{ message: "no stock" }]);
});

test("a write whose accept is under way when the worker stops runs if it was accepted", async (t) => {
  const gate = deferred();
  let runs = 0;
  const { network, worker } = await connect(t, { write_it: () => (runs += 1) });
  network.on("accepts", after(gate.promise, (exchange) => network.behave(exchange)));
  network.push(job("write_it", WRITE));
  await network.until(() => network.sent("accepts").length === 1);
  const stopped = worker.stop();
  await network.until(() => network.isGone);
  gate.resolve();
  await stopped;
  assert.equal(runs, 1);
  assert.equal(network.results.length, 1);
});

test("a write whose accept is refused because the session is gone is returned", async (t) => {
  const gate = deferred();
  let runs = 0;
  const { network, worker } = await connect(t, { write_it: () => (runs += 1) });
  network.on("accepts", after(gate.promise, problem(409, "unknown_session")));
  network.push(job("write_it", WRITE));
  await network.until(() => network.sent("accepts").length === 1);
  const stopped = worker.stop();
  await network.until(() => network.isGone);
  gate.resolve();
  await stopped;
  assert.equal(runs, 0);
  assert.equal(network.sent("returns").length, 1);
  assert.equal(network.sent("workers").length, 1);
});

test("when the drain time is over, signals are aborted and what is left is named", async (t) => {
  const { network, worker, logger } = await connect(
    t,
    { heedful: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason.code))), deaf: () => new Promise(() => {}) },
    { drainTimeoutSeconds: 0.05, timing: { requestSeconds: 0.8 } },
  );
  network.push(job("heedful"), job("deaf"));
  await network.until(() => network.sent("claims").length === 2);
  await worker.stop();
  assert.deepEqual(network.results.map(({ result }) => result), ["drain_timeout"]);
  assert.ok(logger.has("error", /left without a result.*deaf/));
});

test("stop at any moment around a poll's answer: every job is done or returned, none both, none neither", async (t) => {
  for (let round = 0; round < 60; round += 1) {
    const ran = [];
    const handler = (_, { callId }) => void ran.push(callId);
    const { network, worker } = await connect(t, { look: handler, write_it: handler });
    const jobs = [job("look"), job("write_it", WRITE), job("look"), job("write_it", WRITE)];
    await network.until(() => network.sent("claims").length === 1);
    network.push(...jobs);
    for (let turns = round; turns > 0; turns -= 1) await new Promise(setImmediate);
    await worker.stop();
    const handedOver = network.sent("results").length + network.sent("returns").length > 0 ? jobs : [];
    const done = network.results.map(({ claim }) => claim);
    const returned = network.sent("returns").flatMap(({ claims }) => claims);
    assert.deepEqual([...done, ...returned].sort(), handedOver.map(({ claim }) => claim).sort(), `round ${round}`);
    assert.equal(ran.length, done.length, `round ${round}`);
  }
});
