import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError, GatewayProblem, KeyRefused, SessionSuperseded, WorkerStopped } from "../dist/index.js";
import { keyOf } from "./support/keys.js";
import { answer, deferred, drop, job, problem, superseded, swallow } from "./support/network.js";
import { connect, WRITE } from "./support/worker.js";

test("registration is tried until it is answered; a lost one gets a new random worker id", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 }, { timing: { requestSeconds: 1 } });
  network.on("workers", drop, swallow, problem(503, "busy"), answer(200, "oops"));
  await worker.ready;
  const ids = network.sent("workers").map((body) => body.worker);
  assert.equal(ids.length, 5);
  assert.equal(ids[2], ids[3], "a 503 is an answer");
  assert.equal(new Set(ids).size, 4);
});

test("a given worker id is kept", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 }, { workerId: "replica-1" });
  network.on("workers", drop, drop);
  await worker.ready;
  assert.deepEqual(network.sent("workers").map((body) => body.worker), ["replica-1", "replica-1", "replica-1"]);
});

test("refused tools and contexts are reported and logged, and do not stop the worker", async (t) => {
  const { network, worker, logger } = await connect(t, { look: () => 1, write_it: () => 2 });
  network.on("workers", answer(200, {
    session: "session-9", lease_seconds: 30, poll_seconds: 20, disabled: ["old"], later_member: 1,
    tools: [{ name: "look", status: "unchanged" }, { name: "write_it", status: "refused", code: "side_effect_weakened", detail: "side_effect" }],
    contexts: [{ context_type: "order", status: "refused", code: "prefetch_not_read_only" }],
  }));
  assert.deepEqual(await worker.ready, {
    session: "session-9", leaseSeconds: 30, pollSeconds: 20, disabled: ["old"],
    tools: [{ name: "look", status: "unchanged" }, { name: "write_it", status: "refused", code: "side_effect_weakened", detail: "side_effect" }],
    contexts: [{ contextType: "order", status: "refused", code: "prefetch_not_read_only" }],
  });
  assert.ok(logger.has("warn", /refused a tool.*side_effect_weakened/));
  assert.ok(logger.has("warn", /refused a context.*prefetch_not_read_only/));
});

test("a forgotten session is registered anew; running handlers go on and answer under the new one", async (t) => {
  const gate = deferred();
  const { network } = await connect(t, { look: () => gate.promise });
  network.on("claims", (exchange) => network.behave(exchange), problem(409, "unknown_session"));
  network.push(job("look"));
  await network.until(() => network.sent("claims").length === 3);
  assert.equal(network.sent("workers").length, 2);
  assert.equal(network.sent("claims")[2].session, "session-2");
  gate.resolve("done");
  await network.until(() => network.results.length === 1);
  assert.equal(network.sent("results")[0].session, "session-2");
});

test("a write whose accept meets a forgotten session asks again under the new one", async (t) => {
  let runs = 0;
  const { network } = await connect(t, { write_it: () => (runs += 1) });
  network.on("accepts", problem(409, "unknown_session"));
  network.push(job("write_it", WRITE));
  await network.until(() => network.results.length === 1);
  assert.deepEqual(network.sent("accepts").map(({ session }) => session), ["session-1", "session-2"]);
  assert.equal(runs, 1);
});

test("a superseded worker drains and fails for good, without goodbye", async (t) => {
  const gate = deferred();
  const { network, worker, logger } = await connect(t, { look: () => gate.promise }, { workerId: "twin" });
  network.on("claims", (exchange) => network.behave(exchange), superseded());
  network.push(job("look"));
  await network.until(() => logger.has("error", /has failed.*session_superseded/));
  gate.resolve("done");
  await assert.rejects(worker.done, (error) => error instanceof SessionSuperseded && error.code === "session_superseded" && /twin/.test(error.message));
  assert.equal(network.results.length, 1);
  assert.equal(network.sent("goodbyes").length, 0);
  assert.equal(network.sent("workers").length, 1);
});

test("supersession at an accept is terminal too, and the write does not start", async (t) => {
  let runs = 0;
  const { network, worker } = await connect(t, { write_it: () => (runs += 1) }, { workerId: "twin", timing: { pollMarginSeconds: 0.1, pollWaitSeconds: 0.1 } });
  network.on("accepts", superseded());
  network.push(job("write_it", WRITE));
  await assert.rejects(worker.done, SessionSuperseded);
  assert.equal(runs, 0);
  assert.equal(network.sent("returns").length, 1);
});

for (const status of [401, 403]) {
  test(`a key refused with ${status} is terminal and never shown`, async (t) => {
    const { network, worker, logger } = await connect(t, { look: () => 1 }, {});
    network.on("workers", problem(status, "forbidden"));
    await assert.rejects(worker.ready, KeyRefused);
    await assert.rejects(worker.done, (error) => error instanceof KeyRefused && error.status === status && error.cause instanceof GatewayProblem);
    assert.equal(network.requests.length, 1);
    assert.ok(logger.has("error", /key_refused/));
    assert.equal(JSON.stringify(logger.lines).includes(keyOf("demo")), false);
  });
}

test("a key revoked while polling ends the worker by way of the registration", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 });
  network.on("workers", (exchange) => network.behave(exchange), problem(401, "unauthenticated"));
  network.on("claims", problem(401, "unauthenticated"));
  await assert.rejects(worker.done, KeyRefused);
});

test("a manifest refused as a whole is terminal", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 });
  network.on("workers", problem(422, "invalid_manifest"));
  await assert.rejects(worker.done, (error) => error instanceof GatewayProblem && error.status === 422 && error.code === "invalid_manifest");
});

test("an orgId that is not the key's fails before anything is sent", async (t) => {
  const { network, worker, logger } = await connect(t, { look: () => 1 }, { orgId: "other" });
  await assert.rejects(worker.done, (error) => error instanceof ConfigurationError && /"other".*"demo"/.test(error.message));
  await assert.rejects(worker.ready, ConfigurationError);
  assert.equal(network.requests.length, 0);
  assert.equal(JSON.stringify(logger.lines).includes(keyOf("demo")), false);
});

test("a worker stopped before it registered says so", async (t) => {
  const { network, worker } = await connect(t, { look: () => 1 });
  network.on("workers", ...Array(1_000).fill(problem(503, "busy")));
  await network.until(() => network.sent("workers").length === 2);
  await worker.stop();
  await assert.rejects(worker.ready, WorkerStopped);
  await worker.done;
  assert.equal(network.sent("goodbyes").length, 0);
});
