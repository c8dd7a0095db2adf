import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayProblem, isProblem, WaitTimeout } from "../dist/caller/index.js";
import { callText, gone, over, refusal, reply, silence } from "./support/caller.js";

const open = (state) => reply(200, callText(state));

test("a wait goes on over every open state until the call has ended, held by the gateway each time", async () => {
  const { client, requests } = over([open("waiting_approval"), open("queued"), open("running"), open("succeeded")]);
  const call = await client.calls.wait({ id: "call_1" });
  assert.equal(call.state, "succeeded");
  assert.deepEqual(requests.map(({ method, path, headers }) => [method, path, headers.prefer]), Array.from({ length: 4 }, () => ["GET", "/v1/calls/call_1", "wait=20"]));
  for (const state of ["failed", "rejected", "expired", "cancelled", "invalidated", "unknown"]) {
    assert.equal((await over([open(state)]).client.calls.wait("call_1")).error.message, `It is ${state}.`);
  }
});

test("a wait survives broken connections, answers that are none and passing refusals, as long as they ask", async () => {
  const script = [gone, refusal(503, "busy", {}, { "retry-after": "1" }), reply(200, "<html>"), refusal(502, "x"), refusal(504, "x"), gone, gone, open("running"), open("failed")];
  const { client, requests } = over(script);
  assert.equal((await client.calls.wait("call_1")).state, "failed");
  assert.equal(requests.length, script.length);
  assert.ok(requests[2].at - requests[1].at >= 990, "Retry-After");
});

test("a wait ends when its time is over, and says how the call stood", async () => {
  const running = over(() => open("running")(), {}, { backoffMs: 20, backoffMsMax: 20 });
  const late = await running.client.calls.wait("call_1", { timeoutMs: 60 }).catch((error) => error);
  assert.ok(late instanceof WaitTimeout);
  assert.deepEqual([late.code, late.call.state, late.cause], ["wait_timeout", "running", undefined]);
  assert.ok(running.requests.length >= 2 && running.requests.length <= 8, `${running.requests.length} reads, with pauses between`);

  const down = await over(gone).client.calls.wait("call_1", { timeoutMs: 50 }).catch((error) => error);
  assert.ok(down instanceof WaitTimeout);
  assert.equal(down.call, undefined);
  assert.match(down.cause.message, /other side closed/);

  const silent = over(silence);
  const began = performance.now();
  await assert.rejects(silent.client.calls.wait("call_1", { timeoutMs: 50 }), WaitTimeout);
  assert.ok(performance.now() - began < 5_000, "no read outlasts the wait");
  await assert.rejects(over(() => refusal(503, "busy", {}, { "retry-after": "300" })()).client.calls.wait("call_1", { timeoutMs: 50 }), WaitTimeout);
});

test("an answer that comes early does not make the wait ask faster and faster", async () => {
  const abort = new AbortController();
  const { client, requests } = over((_, n) => open(n === 6 ? "succeeded" : "queued")(), {}, { backoffMs: 16, backoffMsMax: 10_000 });
  await client.calls.wait("call_1", { signal: abort.signal });
  const pauses = requests.slice(1).map(({ at }, n) => at - requests[n].at);
  pauses.forEach((pause, n) => assert.ok(pause >= 8 * 2 ** n - 1, `pause ${n}: ${pause}`));
});

test("an answer that was held is followed by the next read at once, and early answers are counted anew", async () => {
  const held = (state) => (request) => new Promise((resolve) => setTimeout(() => resolve(open(state)(request)), 600));
  const early = Array.from({ length: 10 }, () => open("queued"));
  const { client, requests } = over([...early, held("queued"), open("queued"), open("succeeded")], {}, { holdSeconds: 1, backoffMs: 1, backoffMsMax: 20_000 });
  assert.equal((await client.calls.wait("call_1")).state, "succeeded");
  const [held1, next, last] = requests.slice(-3).map(({ at }) => at);
  assert.ok(next - held1 < 600 + 450, "after the held answer");
  assert.ok(last - next < 450, "after the early answer that follows it");
});

test("behind a proxy that ends idle requests the wait asks to be held for less", async () => {
  const idle = (request) => new Promise((resolve) => setTimeout(() => resolve(reply(504, "Gateway Timeout")(request)), 1_010));
  const { client, requests } = over([idle, open("succeeded")], {}, { backoffMs: 20_000, backoffMsMax: 20_000 });
  await client.calls.wait("call_1");
  assert.deepEqual(requests.map(({ headers }) => headers.prefer), ["wait=20", "wait=1"]);
});

test("what does not pass by itself ends the wait at once", async () => {
  for (const [status, code] of [[401, "invalid_key"], [404, "not_found"], [403, "role_not_allowed"]]) {
    const { client, requests } = over([open("queued"), refusal(status, code)]);
    await assert.rejects(client.calls.wait("call_1"), (error) => error instanceof GatewayProblem && isProblem(error, code));
    assert.equal(requests.length, 2);
  }
});

test("an abort ends the wait with its reason, also in a pause", async () => {
  const reason = new Error("left");
  for (const step of [silence, refusal(503, "busy", {}, { "retry-after": "60" }), gone]) {
    const abort = new AbortController();
    const { client } = over((request) => {
      setImmediate(() => abort.abort(reason));
      return step(request);
    }, {}, { backoffMs: 20_000, backoffMsMax: 20_000 });
    await assert.rejects(client.calls.wait("call_1", { signal: abort.signal }), reason);
  }
  await assert.rejects(over([]).client.calls.wait("call_1", { timeoutMs: 0 }), /timeoutMs/);
});
