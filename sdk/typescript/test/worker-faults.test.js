import assert from "node:assert/strict";
import { test } from "node:test";
import { after, answer, deferred, drop, job, problem, swallow } from "./support/network.js";
import { connect, WRITE } from "./support/worker.js";

test("a write starts only after accepted was answered", async (t) => {
  const gate = deferred();
  let runs = 0;
  const { network } = await connect(t, { write_it: () => (runs += 1) });
  network.on("accepts", after(gate.promise, (exchange) => network.behave(exchange)));
  const given = job("write_it", WRITE);
  network.push(given);
  await network.until(() => network.sent("accepts").length === 1);
  assert.equal(runs, 0);
  assert.deepEqual(network.sent("accepts")[0], { session: "session-1", claims: [given.claim] });
  gate.resolve();
  await network.until(() => network.results.length === 1);
  assert.equal(runs, 1);
});

for (const [name, ...faults] of [
  ["dropped", drop],
  ["swallowed", swallow],
  ["a 503", problem(503, "busy")],
  ["a page of a proxy", answer(200, "<html>", { "content-type": "text/html" })],
  ["dropped, then a 429", drop, problem(429, "busy", { "retry-after": "0" })],
]) {
  test(`the answer to an accept is ${name}: it is asked again and the handler runs once`, async (t) => {
    let runs = 0;
    const { network } = await connect(t, { write_it: () => (runs += 1) });
    network.on("accepts", ...faults);
    const given = job("write_it", { ...WRITE, lease_seconds: 1.5 });
    network.push(given);
    await network.until(() => network.results.length === 1);
    assert.deepEqual(network.sent("accepts").map(({ claims }) => claims), Array(faults.length + 1).fill([given.claim]));
    assert.equal(runs, 1);
  });
}

for (const [status, expected] of [["returned", []], ["claim_lost", []], ["already_accepted", ["not_started"]]]) {
  test(`no accept is answered in its window: the handler never starts, the claim goes back (${status})`, async (t) => {
    let runs = 0;
    const { network, worker } = await connect(t, { write_it: () => (runs += 1) });
    network.on("accepts", ...Array(1_000).fill(drop));
    network.on("returns", ({ body, response }) => answer(200, { claims: body.claims.map((claim) => ({ claim, status })) })({ response }));
    const given = job("write_it", { ...WRITE, lease_seconds: 0.2 });
    network.push(given);
    await network.until(() => network.sent("returns").length === 1);
    assert.deepEqual(network.sent("returns")[0].claims, [given.claim]);
    await worker.stop();
    assert.equal(runs, 0);
    assert.deepEqual(network.results.map(({ error }) => error.code), expected);
  });
}

test("an accept that comes too late for the gateway does not start the handler, and others go on", async (t) => {
  const ran = [];
  const { network } = await connect(t, { write_it: (_, { callId }) => ran.push(callId) }, { concurrency: 3 });
  const [lost, good] = [job("write_it", WRITE), job("write_it", WRITE)];
  network.on("accepts", answer(200, { claims: [{ claim: lost.claim, status: "claim_lost" }, { claim: good.claim, status: "accepted" }] }));
  network.push(lost, good);
  await network.until(() => network.results.length === 1);
  assert.deepEqual(ran, [good.call]);
  network.push(job("write_it", WRITE));
  await network.until(() => network.sent("claims").length === 3);
  assert.ok(network.sent("claims")[2].max >= 2, "the lost one keeps no slot");
});

for (const [name, ...faults] of [
  ["dropped after the request was received", drop],
  ["dropped three times", drop, drop, drop],
  ["swallowed", swallow],
  ["a 503 with Retry-After", problem(503, "busy", { "retry-after": "0" })],
  ["not JSON", answer(200, "oops")],
  ["without the claim", answer(200, { results: [] })],
  ["a 404 of a proxy", answer(404, "<html>", { "content-type": "text/html" })],
]) {
  test(`the answer to a result is ${name}: it is sent again and the handler is not`, async (t) => {
    let runs = 0;
    const { network, worker } = await connect(t, { write_it: () => (runs += 1) }, { timing: { requestSeconds: 0.6 } });
    network.on("results", ...faults);
    network.push(job("write_it", WRITE));
    await network.until(() => network.sent("results").length === faults.length + 1);
    await worker.stop();
    assert.equal(runs, 1);
    assert.equal(new Set(network.requests.filter(({ action }) => action === "results").map(({ text }) => text)).size, 1);
  });
}

test("a swallowed answer to one result does not hold up the results of others", async (t) => {
  const { network } = await connect(t, { look: (_, { callId }) => callId });
  network.on("results", swallow);
  network.push(job("look"));
  await network.until(() => network.results.length === 1);
  const second = job("look");
  network.push(second);
  await network.until(() => network.results.some(({ claim }) => claim === second.claim));
  assert.equal(network.sent("results").length, 2);
});

test("a result that the gateway refuses does not take the others along, and its call still gets an outcome", async (t) => {
  const gate = deferred();
  const { network, logger } = await connect(t, { look: () => gate.promise, bad: () => gate.promise.then(() => "bad") });
  const [good, bad] = [job("look"), job("bad")];
  const judge = (exchange) => (exchange.body.results.some((entry) => entry.result === "bad") ? problem(422, "invalid_body")(exchange) : network.behave(exchange));
  network.on("results", judge, judge, judge, judge);
  network.push(good, bad);
  await network.until(() => network.sent("claims").length === 2);
  gate.resolve("good");
  const last = (claim) => network.results.filter((entry) => entry.claim === claim).at(-1);
  await network.until(() => last(bad.claim)?.error !== undefined && last(good.claim) !== undefined);
  assert.equal(last(good.claim).result, "good");
  assert.equal(last(bad.claim).error.code, "result_refused");
  assert.ok(logger.has("error", /refused a result/));
});

test("a result too large to be read is sent as its beginning, because the call did happen", async (t) => {
  const { network } = await connect(t, { write_it: () => "x".repeat(5_000) });
  network.on("results", problem(413, "too_large"));
  network.push(job("write_it", WRITE));
  await network.until(() => network.results.length === 2);
  assert.deepEqual(network.results[1].result, { truncated: true, bytes: 5_002, preview: `"${"x".repeat(999)}` });
});

test("the answer to a poll is swallowed: the worker polls again after the wait and its margin", async (t) => {
  const { network } = await connect(t, { look: () => "done" }, { timing: { pollWaitSeconds: 0.1, pollMarginSeconds: 0.1 } });
  network.on("claims", swallow);
  network.push(job("look"));
  await network.until(() => network.results.length === 1);
});

for (const [name, fault] of [
  ["dropped", drop],
  ["a 502", answer(502, "<html>", { "content-type": "text/html" })],
  ["not JSON", answer(200, "{")],
  ["a redirect", answer(302, "", { location: "http://127.0.0.1:1/" })],
]) {
  test(`the answer to a poll is ${name}: the worker polls again`, async (t) => {
    const { network } = await connect(t, { look: () => "done" });
    network.on("claims", fault, fault);
    network.push(job("look"));
    await network.until(() => network.results.length === 1);
  });
}

test("a job that cannot be read does not take the others along", async (t) => {
  const { network, logger } = await connect(t, { look: () => "done" });
  const { claim: _, ...broken } = job("look");
  network.push(broken, job("look"));
  await network.until(() => network.results.length === 1);
  assert.ok(logger.has("error", /could not be read/));
});

test("a proxy that ends idle polls makes the next waits shorter", async (t) => {
  const { network, logger } = await connect(t, { look: () => "done" });
  const slow504 = ({ response }) => setTimeout(() => answer(504, "")({ response }), 1_050);
  network.on("claims", slow504);
  await network.until(() => network.sent("claims").length === 2);
  assert.equal(network.sent("claims")[1].wait_seconds, 1);
  assert.ok(logger.has("warn", /proxy/));
});

test("a job for an unknown tool goes back", async (t) => {
  const { network } = await connect(t, { look: () => "done" });
  const foreign = job("other");
  network.push(foreign);
  await network.until(() => network.sent("returns").length === 1);
  assert.deepEqual(network.sent("returns")[0], { session: "session-1", claims: [foreign.claim] });
});

test("renewals survive a bad line, and keep the claim", async (t) => {
  const gate = deferred();
  let signal;
  const { network } = await connect(t, { look: (_, ctx) => ((signal = ctx.signal), gate.promise) });
  network.leaseSeconds = 0.3;
  network.on("renewals", drop, problem(503, "busy"), answer(200, "oops"));
  const given = job("look", { lease_seconds: 0.3 });
  network.push(given);
  await network.until(() => network.sent("renewals").length === 5);
  assert.ok(network.sent("renewals").every(({ claims }) => claims.length === 1 && claims[0] === given.claim));
  assert.equal(signal.aborted, false);
  gate.resolve("done");
  await network.until(() => network.results.length === 1);
});
