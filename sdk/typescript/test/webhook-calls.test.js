import assert from "node:assert/strict";
import { test } from "node:test";
import { CallAborted, withActivity } from "../dist/index.js";
import { Calls } from "../dist/webhook/calls.js";
import { mountCalls, Store, WRITE } from "./support/calls.js";
import { deferred } from "./support/network.js";
import { assertSilent, endpointOptions, now, readReply, signedCall } from "./support/webhook.js";

test("a repeat of a write is answered with the stored outcome, signed afresh for its own reply_id", async () => {
  let runs = 0;
  const { ask, secret } = mountCalls({ write_it: () => ({ refund: (runs += 1) }) });
  const first = await ask(signedCall(secret, { ...WRITE, call: "call_a" }));
  assert.deepEqual(first.result, { refund: 1 });
  assert.deepEqual(await ask(signedCall(secret, { ...WRITE, call: "call_a" }, { timestamp: now() - 60 })), first);
  assert.equal(runs, 1);
  assert.deepEqual((await ask(signedCall(secret, { ...WRITE, call: "call_b" }))).result, { refund: 2 });
});

test("a call under a weaker class than the code declares does not run", async () => {
  let runs = 0;
  const { ask, secret } = mountCalls({ write_it: () => (runs += 1) });
  const refused = await ask(signedCall(secret, { tool: "write_it", side_effect: "read_only" }));
  assert.equal(refused.error.code, "side_effect_changed");
  assert.equal(runs, 0);
  assert.equal((await ask(signedCall(secret, { tool: "write_it", side_effect: "consequential", call: "call_c" }))).result, 1);
});

test("what a write failed with is stored too", async () => {
  let runs = 0;
  const { ask, secret } = mountCalls({ write_it: () => { throw Object.assign(new Error(`No stock (${(runs += 1)})`), { code: "no_stock" }); } });
  for (let at = 0; at < 2; at += 1) {
    assert.deepEqual((await ask(signedCall(secret, { ...WRITE, call: "call_a" }))).error, { message: "No stock (1)", code: "no_stock" });
  }
});

test("a repeat while the first still runs waits for the same outcome", async () => {
  for (const memory of [undefined, new Store()]) {
    const gate = deferred();
    let runs = 0;
    const { ask, secret } = mountCalls({ write_it: async () => ((runs += 1), gate.promise) }, memory && { memory });
    const requests = [1, 2, 3].map(() => signedCall(secret, { ...WRITE, call: "call_a" }));
    const answers = requests.map(ask);
    gate.resolve("done");
    assert.deepEqual((await Promise.all(answers)).map(({ result }) => result), ["done", "done", "done"]);
    assert.equal(runs, 1);
  }
});

test("a call that only the gateway holds to be a write is remembered as one", async () => {
  for (const [tool, side_effect] of [["look", "consequential"], ["look", "reversible_write"]]) {
    let runs = 0;
    const handler = () => (runs += 1);
    const { ask, secret } = mountCalls({ look: handler, write_it: handler });
    for (let at = 0; at < 2; at += 1) await ask(signedCall(secret, { tool, side_effect, call: "call_a" }, { timestamp: now() - at }));
    assert.equal(runs, 1, tool);
  }
});

test("a read runs again on a retry, which has a fresh timestamp, and not for the very same message", async () => {
  let runs = 0;
  const { ask, secret } = mountCalls({ look: () => (runs += 1) });
  const at = now();
  const request = signedCall(secret, { call: "call_a" }, { timestamp: at - 2 });
  assert.equal((await ask(request)).result, 1);
  assert.equal((await ask(request)).result, 1);
  assert.equal((await ask(signedCall(secret, { call: "call_a", attempt: 2 }, { timestamp: at - 1 }))).result, 2);
  assert.equal((await ask(signedCall(secret, { call: "call_b" }, { timestamp: at - 1 }))).result, 3);
});

test("a call that cannot be decoded, or whose tool is not here, runs nothing and uses no id up", async () => {
  const memory = new Store();
  let runs = 0;
  const { ask, secret, logger } = mountCalls({ write_it: { input: { id: "integer" }, handler: () => (runs += 1) } }, { memory });
  for (const [members, code] of [
    [{ ...WRITE, arguments: '{"id":9007199254740993}' }, "integer_out_of_range"],
    [{ ...WRITE, arguments: '{"id":"7"}' }, "invalid_arguments"],
    [{ ...WRITE, arguments: '{"id":7,"more":1}' }, "invalid_arguments"],
    [{ ...WRITE, tool: "gone" }, "unknown_tool"],
  ]) {
    assert.equal((await ask(signedCall(secret, { ...members, call: "call_a" }))).error.code, code);
  }
  assert.ok(logger.has("error", /not mounted here.*"tool":"gone"/));
  assert.deepEqual([runs, memory.operations], [0, []]);
  assert.equal((await ask(signedCall(secret, { ...WRITE, call: "call_a", arguments: '{"id":7}' }))).result, 1);
});

test("a handler that throws, and results that are no JSON, are signed errors", async () => {
  const cycle = {};
  cycle.self = cycle;
  for (const [handler, error] of [
    [() => { throw Object.assign(new Error("No such order"), { code: "order_unknown" }); }, { message: "No such order", code: "order_unknown" }],
    [async () => Promise.reject(new RangeError("")), { message: "RangeError" }],
    [() => ({ at: [Number.NaN] }), { code: "result_not_serializable" }],
    [() => cycle, { code: "result_not_serializable" }],
    [() => new Map(), { code: "result_not_serializable" }],
  ]) {
    const { ask, secret } = mountCalls({ look: handler });
    const reply = await ask(signedCall(secret));
    assert.deepEqual(Object.keys(reply), ["error", "manifest"]);
    assert.deepEqual({ ...reply.error, ...error }, reply.error);
  }
});

test("a result of undefined is null, and an activity travels beside its result", async () => {
  const { ask, secret } = mountCalls({ look: () => undefined, chart: () => withActivity([1], { type: "chart", content: { n: 9007199254740993n } }) });
  assert.deepEqual(Object.keys(await ask(signedCall(secret))), ["result", "manifest"]);
  const reply = await ask(signedCall(secret, { tool: "chart" }));
  assert.deepEqual(Object.keys(reply), ["result", "activity", "manifest"]);
  assert.deepEqual(reply.activity, { type: "chart", content: { n: Number("9007199254740993") } });
});

test("what a client answered reaches the handler, and nothing else counts as that", async () => {
  const { ask, secret } = mountCalls({ look: (_, { input }) => input ?? "none" });
  const input = { responses: { name: { action: "decline" } } };
  assert.deepEqual((await ask(signedCall(secret, { call: "call_a", input }))).result, input);
  assert.deepEqual((await ask(signedCall(secret, { call: "call_b", input: { state: [1] } }))).result, { responses: {}, state: [1] });
  for (const [index, none] of [undefined, null, 7, []].entries()) assert.equal((await ask(signedCall(secret, { call: `call_${index}`, input: none }))).result, "none");
});

test("an activity that the gateway would not take is left out, and the result stays", async () => {
  for (const activity of [{ type: "chart" }, { content: 1 }, { type: 7, content: 1 }, { type: "chart", content: () => 1 }, { type: "chart", content: "x".repeat(1_100_000) }]) {
    const { ask, secret, logger } = mountCalls({ look: () => withActivity({ ok: true }, activity) });
    const { result, activity: sent } = await ask(signedCall(secret));
    assert.deepEqual([result, sent], [{ ok: true }, undefined]);
    assert.ok(logger.has("warn", /an activity was left out/));
  }
});

test("no reply has more than 1 MiB: a larger result is sent as its size and its beginning", async () => {
  const limit = 1024 * 1024;
  let value;
  const { send, secret } = mountCalls({ look: () => value });
  const answer = async (result) => {
    value = result;
    const request = signedCall(secret);
    const reply = await send(request);
    assert.ok(Buffer.byteLength(reply.body) <= limit, `${Buffer.byteLength(reply.body)} bytes`);
    return readReply(reply, request, secret);
  };
  // The frame of 128 bytes, the member's name, the quotes.
  const room = limit - 128 - '"result":""'.length;
  for (const text of ["x".repeat(room), "é".repeat(room / 2), "x".repeat(10)]) assert.equal((await answer(text)).result, text);
  for (const text of ["x".repeat(room + 1), "é".repeat(room / 2 + 1), "x".repeat(limit), "😀".repeat(limit), "\u0000".repeat(limit)]) {
    const { result } = await answer(text);
    assert.deepEqual([result.truncated, result.bytes], [true, Buffer.byteLength(JSON.stringify(text))]);
    assert.equal(JSON.stringify(text).startsWith(result.preview), true);
    assert.equal(result.preview.length, text.startsWith("😀") ? 999 : 1_000, "a pair of surrogates is not cut");
  }
});

test("at the deadline the signal is aborted; who heeds it has nothing true to report, who does not still answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const started = [deferred(), deferred()];
  const heeds = (_args, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    started[0].resolve(signal);
  });
  const ignores = (_args, { signal }) => new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ written: true }));
    started[1].resolve(signal);
  });
  const { send, ask, secret, logger } = mountCalls({ write_it: heeds, write_on: ignores });
  const lost = send(signedCall(secret, { ...WRITE, call: "call_a", deadline_seconds: 3 }));
  const late = ask(signedCall(secret, { ...WRITE, tool: "write_on", deadline_seconds: 3 }));
  const signals = await Promise.all(started.map(({ promise }) => promise));
  t.mock.timers.tick(2_999);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
  t.mock.timers.tick(1);
  assert.ok(signals.every(({ reason }) => reason instanceof CallAborted && reason.code === "deadline_exceeded"));
  assertSilent(await lost, 503);
  assert.deepEqual((await late).result, { written: true });
  assert.ok(logger.has("warn", /ends without a result.*deadline_exceeded/));
  assertSilent(await send(signedCall(secret, { ...WRITE, call: "call_a" })), 503);
});

test("the runtime is asked to let a call end even if the gateway hangs up", async () => {
  const gate = deferred();
  const { send, secret } = mountCalls({ write_it: () => gate.promise });
  const kept = deferred();
  const answer = send(signedCall(secret, WRITE), (work) => kept.resolve({ work }));
  const { work } = await kept.promise;
  gate.resolve("done");
  assert.equal(await work, '"result":"done"');
  assert.equal((await answer).status, 200);
});

test("of ten thousand messages at once, two of each write, five thousand run", async () => {
  const { tools, logger } = endpointOptions({ look: ({ id }) => id, write_it: () => 1 });
  const memory = new Store();
  const calls = new Calls({ tools, memory, rememberSeconds: 600, outcomeBytesMax: 1_000, logger });
  const wire = (at) => ({ call: `call_${at}`, tool: "write_it", arguments: {}, principal: {}, run: undefined, attempt: 1, sideEffect: "reversible_write", deadlineSeconds: 15 });
  const outcomes = await Promise.all(Array.from({ length: 10_000 }, (_, at) => calls.outcome(wire(at % 5_000), 1)));
  assert.deepEqual(new Set(outcomes), new Set(['"result":1']));
  assert.equal(memory.operations.length, 15_000);
});
