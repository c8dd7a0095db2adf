import assert from "node:assert/strict";
import { test } from "node:test";
import { askClient, CallAborted, withActivity } from "../dist/index.js";
import { keyOf } from "./support/keys.js";
import { answer, deferred, job } from "./support/network.js";
import { connect, WRITE } from "./support/worker.js";

test("a worker registers, polls, runs the handler and sends its result", async (t) => {
  const seen = deferred();
  const { network, worker } = await connect(t, { look: { input: { id: "integer" }, handler: (args, ctx) => (seen.resolve({ args, ctx }), { ok: true }) } }, { orgId: "demo", workerId: "replica-1" });
  const registration = await worker.ready;
  assert.equal(registration.session, "session-1");
  assert.deepEqual(registration.tools, [{ name: "look", status: "added" }]);
  const given = job("look", { arguments: '{"id":7}', principal: '{"id":"u1","tenant_id":"acme","permissions":["a"],"account":9007199254740993}', run: "run_1", attempt: 2 });
  network.push(given);
  const { args, ctx } = await seen.promise;
  assert.deepEqual(args, { id: 7 });
  const { signal, deadline, ...facts } = ctx;
  assert.deepEqual(facts, { callId: given.call, tool: "look", run: "run_1", attempt: 2, principal: { id: "u1", tenant_id: "acme", permissions: ["a"], account: 9007199254740993n } });
  assert.equal(signal.aborted, false);
  assert.equal(deadline.seconds, 60);
  assert.ok(deadline.remainingSeconds() > 0 && deadline.remainingSeconds() <= 60);
  await network.until(() => network.results.length === 1);
  assert.deepEqual(network.sent("results")[0], { session: "session-1", results: [{ claim: given.claim, result: { ok: true } }] });
  const [first] = network.requests;
  assert.equal(first.url, "/v1/pools/shop/workers");
  assert.equal(first.headers.authorization, `Bearer ${keyOf("demo")}`);
  assert.equal(first.body.worker, "replica-1");
  assert.deepEqual(network.sent("claims")[0], { session: "session-1", max: 16, wait_seconds: 20 });
  assert.equal(network.sent("accepts").length, 0, "a read needs no accept");
});

test("large integers arrive as bigint and go back digit by digit", async (t) => {
  const { network } = await connect(t, { look: { input: { ids: "integer[]" }, integers: "bigint", handler: ({ ids }) => withActivity({ ids }, { type: "chart", content: ids[0] }) } });
  network.push(job("look", { arguments: '{"ids":[9007199254740993,-9223372036854775808,18446744073709551615]}' }));
  await network.until(() => network.results.length === 1);
  assert.match(network.requests.find(({ action }) => action === "results").text, /"result":\{"ids":\[9007199254740993,-9223372036854775808,18446744073709551615\]\},"activity":\{"type":"chart","content":9007199254740993\}/);
});

test("a read asks its client, and is given the answer with its own state", async (t) => {
  const seen = deferred();
  const form = { name: { method: "elicitation/create", params: { message: "Your name?" } } };
  const { network } = await connect(t, { look: (_, ctx) => (ctx.input === undefined ? askClient(form, { step: 9007199254740993n }) : (seen.resolve(ctx.input), "done")) });
  network.push(job("look"));
  await network.until(() => network.results.length === 1);
  const asked = '"result":null,"activity":{"type":"application/vnd.modelcontextprotocol.input-required+json","content":{"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Your name?"}}},"requestState":{"step":9007199254740993}}}';
  assert.ok(network.requests.find(({ action }) => action === "results").text.includes(asked));
  network.push(job("look", { input: '{"responses":{"name":{"action":"accept","content":{"id":9007199254740993}}},"state":{"step":1e400}}' }));
  assert.deepEqual(await seen.promise, { responses: { name: { action: "accept", content: { id: 9007199254740993n } } }, state: { step: "1e400" } });
  await network.until(() => network.results.length === 2);
  assert.equal(network.results[1].result, "done");
});

test("an integer that a number would round fails the call; neither handler nor accept happens", async (t) => {
  let runs = 0;
  const { network } = await connect(t, { write_it: { input: { id: "integer" }, handler: () => (runs += 1) } });
  network.push(job("write_it", { ...WRITE, arguments: '{"id":9007199254740993}' }));
  await network.until(() => network.results.length === 1);
  assert.equal(network.results[0].error.code, "integer_out_of_range");
  assert.match(network.results[0].error.message, /^id: 9007199254740993 .*integers:"bigint"/);
  assert.equal(runs, 0);
  assert.equal(network.sent("accepts").length, 0);
});

test("a handler that throws gives an error without a stack", async (t) => {
  const { network } = await connect(t, { look: () => { throw Object.assign(new Error("No such order"), { code: "order_unknown" }); } });
  const given = job("look");
  network.push(given);
  await network.until(() => network.results.length === 1);
  assert.deepEqual(network.results, [{ claim: given.claim, error: { message: "No such order", code: "order_unknown" } }]);
});

test("a poll asks for as many jobs as there are free slots", async (t) => {
  const gates = [deferred(), deferred(), deferred()];
  let started = 0;
  const handler = () => {
    started += 1;
    network.changed();
    return gates[started - 1].promise;
  };
  const { network } = await connect(t, { look: handler }, { concurrency: 2 });
  network.push(job("look"));
  await network.until(() => network.sent("claims").length === 2);
  network.push(job("look"), job("look"));
  await network.until(() => started === 2);
  gates[0].resolve();
  await network.until(() => network.sent("claims").length === 3);
  await network.until(() => started === 3);
  gates[1].resolve();
  gates[2].resolve();
  await network.until(() => network.results.length === 3);
  assert.deepEqual(network.sent("claims").slice(0, 3).map(({ max }) => max), [2, 1, 1]);
});

test("one hanging handler among 50 ends alone, at its deadline, and gives its slot back", async (t) => {
  const aborted = deferred();
  const handlers = { look: () => "done", hang: (_, { signal }) => (signal.addEventListener("abort", () => aborted.resolve(signal.reason)), new Promise(() => {})) };
  const { network, logger } = await connect(t, handlers, { concurrency: 50, drainTimeoutSeconds: 0, timing: { requestSeconds: 0.6 } });
  const hanging = job("hang", { deadline_seconds: 0.1 });
  network.push(hanging, ...Array.from({ length: 49 }, () => job("look")));
  await network.until(() => new Set(network.results.map(({ claim }) => claim)).size === 49);
  const reason = await aborted.promise;
  assert.ok(reason instanceof CallAborted);
  assert.equal(reason.code, "deadline_exceeded");
  assert.ok(logger.has("warn", /beyond its deadline/));
  network.push(job("look"));
  await network.until(() => network.sent("claims").at(-1).max === 50);
  assert.equal(network.results.some(({ claim }) => claim === hanging.claim), false);
});

test("a lost claim aborts that job only; a write's result is still sent, a read's is not", async (t) => {
  const gate = deferred();
  const signals = {};
  const handler = (_, ctx) => ((signals[ctx.tool] = ctx.signal), gate.promise);
  const { network } = await connect(t, { look: handler, look_lost: handler, write_lost: handler });
  network.leaseSeconds = 0.3;
  const kept = job("look", { lease_seconds: 0.3 });
  const lostRead = job("look_lost", { lease_seconds: 0.3 });
  const lostWrite = job("write_lost", WRITE);
  let isLost = false;
  network.on("accepts", ({ response }) => answer(200, { claims: [{ claim: lostWrite.claim, status: "accepted", lease_seconds: 0.3 }] })({ response }));
  const renew = ({ body, response }) => {
    const status = (claim) => (claim === kept.claim ? "renewed" : "claim_lost");
    answer(200, { claims: body.claims.map((claim) => ({ claim, status: status(claim), lease_seconds: 0.3 })) })({ response });
    isLost = true;
  };
  network.on("renewals", renew, renew, renew);
  network.push(kept, lostRead, lostWrite);
  await network.until(() => isLost && signals.look_lost?.aborted && signals.write_lost?.aborted);
  assert.equal(signals.look_lost.reason.code, "claim_lost");
  assert.equal(signals.look.aborted, false);
  gate.resolve("late");
  await network.until(() => network.results.length === 2);
  assert.deepEqual(new Set(network.results.map(({ claim }) => claim)), new Set([kept.claim, lostWrite.claim]));
});

test("a write that was interrupted when its claim was lost reports nothing, since nobody knows what happened", async (t) => {
  const { network, logger, worker } = await connect(t, {
    write_it: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  network.leaseSeconds = 0.1;
  network.on("renewals", ({ body, response }) => answer(200, { claims: body.claims.map((claim) => ({ claim, status: "claim_lost" })) })({ response }));
  network.push(job("write_it", WRITE));
  await network.until(() => logger.has("warn", /ends without a result.*claim_lost/));
  await worker.stop();
  assert.deepEqual(network.results, []);
});

test("a requested cancellation aborts the signal, and the handler's error is the answer", async (t) => {
  const { network } = await connect(t, {
    write_it: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  network.leaseSeconds = 0.1;
  network.on("renewals", ({ body, response }) => answer(200, { claims: body.claims.map((claim) => ({ claim, status: "renewed", lease_seconds: 30, cancel_requested: true })) })({ response }));
  network.push(job("write_it", WRITE));
  await network.until(() => network.results.length === 1);
  assert.equal(network.results[0].error.code, "cancel_requested");
});

test("a write that lost its claim and throws an error of its own does report it", async (t) => {
  const { network } = await connect(t, {
    write_it: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("nothing was written")))),
  });
  network.leaseSeconds = 0.1;
  network.on("renewals", ({ body, response }) => answer(200, { claims: body.claims.map((claim) => ({ claim, status: "claim_lost" })) })({ response }));
  network.push(job("write_it", WRITE));
  await network.until(() => network.results.length === 1);
  assert.deepEqual(network.results[0].error, { message: "nothing was written" });
});
