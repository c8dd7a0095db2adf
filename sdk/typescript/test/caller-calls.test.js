import assert from "node:assert/strict";
import { test } from "node:test";
import { CallUnanswered, ConfigurationError, GatewayProblem, isProblem, ToolgateClient, TransportError } from "../dist/caller/index.js";
import { callText, gone, keyOf, over, refusal, reply, silence, toldOf } from "./support/caller.js";

const PRINCIPAL = { id: "u1", tenant_id: "t1", permissions: ["refunds:write"] };
const ASKED = { tool: "pay", arguments: { cents: 100 }, agent: "bot", principal: PRINCIPAL };
const done = (result) => reply(200, callText("succeeded", { result }));

test("a call is one POST with a fresh key, and comes back as what it is", async () => {
  const { client, requests } = over([done('{"ok":true}'), done(), reply(202, callText("waiting_approval"))]);
  const call = await client.call({ ...ASKED, waitSeconds: 25 });
  assert.deepEqual(call, {
    id: "call_1", tool: "pay", agent: "bot", createdAt: "2026-11-30T10:00:00.000Z", endedAt: "2026-11-30T10:00:01.000Z",
    state: "succeeded", result: { ok: true }, resultText: '{"ok":true}', idempotencyKey: call.idempotencyKey,
  });
  const [{ method, path, headers, body, redirect }] = requests;
  assert.deepEqual([method, path, redirect], ["POST", "/v1/calls", "manual"]);
  assert.deepEqual(body, ASKED);
  assert.deepEqual([headers.authorization, headers.prefer], [`Bearer ${keyOf("key-1")}`, "wait=25"]);
  assert.match(headers["idempotency-key"], /^[0-9a-f]{32}$/);
  assert.equal(call.idempotencyKey, headers["idempotency-key"]);

  const second = await client.call({ tool: "look" });
  assert.notEqual(second.idempotencyKey, call.idempotencyKey);
  assert.deepEqual(requests[1].body, { tool: "look" });
  assert.equal("prefer" in requests[1].headers, false);

  const parked = await client.call({ ...ASKED, idempotencyKey: "order 7/refund" });
  assert.deepEqual([requests[2].headers["idempotency-key"], parked.idempotencyKey], ["order 7/refund", "order 7/refund"]);
  assert.deepEqual([parked.state, parked.approval], ["waiting_approval", { id: "apr_1", digest: "d1", expiresAt: "2026-12-01T10:00:00.000Z", url: "https://gate.test/v1/approvals/apr_1" }]);
});

test("an answer that was lost is asked for again with the same key and the same bytes", async () => {
  const { client, requests } = over([gone, reply(200, '{"call":"call_1",'), gone, done("7")]);
  const call = await client.call({ ...ASKED, arguments: { id: 9007199254740993n, text: "\ud800 é" } });
  assert.equal(call.result, 7);
  assert.equal(requests.length, 4);
  assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1);
  assert.equal(new Set(requests.map(({ text }) => text)).size, 1);
  assert.match(requests[0].text, /"arguments":\{"id":9007199254740993,"text":"\\ud800 é"\}/);
});

test("a passing refusal is waited out as long as it asks, with the same key", async () => {
  const busy = refusal(503, "busy", { retry_after_seconds: 1 });
  const { client, requests } = over([refusal(503, "busy", {}, { "retry-after": "1" }), busy, refusal(429, "slow_down", {}, { "retry-after": "0" }), refusal(500, "internal"), done()], { attempts: 5 });
  assert.equal((await client.call(ASKED)).state, "succeeded");
  assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1);
  for (const [at, later] of [[0, 1], [1, 2]]) assert.ok(requests[later].at - requests[at].at >= 990);
});

test("a pause that is too long to make anybody wait is not made", async () => {
  const { client, requests } = over([refusal(503, "busy", {}, { "retry-after": "31" })]);
  const error = await client.call(ASKED).catch((each) => each);
  assert.ok(error instanceof CallUnanswered);
  assert.ok(isProblem(error.cause, "busy"));
  assert.deepEqual([error.cause.retryAfterSeconds, requests.length], [31, 1]);
});

test("without any answer the error has the key, which finds the call later", async () => {
  for (const [attempts, script] of [[4, [gone, gone, gone, gone]], [2, [gone, refusal(503, "object_unavailable")]], [1, [silence]]]) {
    const { client, requests } = over(script, { attempts, timeoutMs: 30 });
    const error = await client.call(ASKED).catch((each) => each);
    assert.ok(error instanceof CallUnanswered, String(error));
    assert.deepEqual([error.code, error.idempotencyKey, requests.length], ["call_unanswered", requests[0].headers["idempotency-key"], attempts]);
    assert.doesNotMatch(`${error.stack}${error.cause.stack}`, /tg_approver/);
  }
});

test("what is refused for good is not repeated", async () => {
  for (const [status, code] of [[403, "not_granted"], [404, "unknown_tool"], [409, "idempotency_conflict"], [422, "invalid_arguments"], [429, "too_many"], [501, "not_there_yet"], [508, "loop_detected"], [302, "http_302"]]) {
    const { client, requests } = over([status === 302 ? reply(302, "", { location: "https://elsewhere.test/" }) : refusal(status, code)]);
    const error = await client.call(ASKED).catch((each) => each);
    assert.ok(isProblem(error), String(error));
    assert.deepEqual([error.status, error.code, requests.length], [status, code, 1]);
  }
});

test("a refusal that nobody waits out any longer is the refusal, as long as no attempt was lost", async () => {
  const full = refusal(429, "too_many_pending", {}, { "retry-after": "0" });
  const { client, requests } = over([full, full], { attempts: 2 });
  await assert.rejects(client.call(ASKED), (error) => isProblem(error) && error.code === "too_many_pending");
  assert.equal(requests.length, 2);
  await assert.rejects(over([gone, full], { attempts: 2 }).client.call(ASKED), CallUnanswered);
});

test("a refusal for good after a lost attempt says that there is no call", async () => {
  const { client } = over([gone, refusal(403, "not_granted")]);
  await assert.rejects(client.call(ASKED), (error) => isProblem(error, "not_granted"));
});

test("an answer that is not one counts as none, and says what is missing", async () => {
  const parked = callText("waiting_approval", { approval: { id: "apr_1", expires_at: "", url: "" } });
  const cases = [
    ["<html>", /not JSON/],
    ["[]", /not a JSON object/],
    ["", /not JSON/],
    ['{"call":"a","call":"b"}', /not JSON/],
    [callText("queued").replace('"call_1"', "7"), /"call"/],
    [callText("thinking"), /state .* "thinking"/],
    [parked, /"digest"/],
    [callText("waiting_approval", { approval: "apr_1" }), /"approval"/],
    [callText("succeeded").replace('"result"', '"outcome"'), /"result"/],
    [callText("failed", { error: undefined }), /"error"/],
    [callText("failed", { error: { code: "x" } }), /"message"/],
    [callText("expired", { ended_at: undefined }), /"ended_at"/],
  ];
  for (const [body, missing] of cases) {
    const { client } = over([reply(200, body)], { attempts: 1 });
    const error = await client.call(ASKED).catch((each) => each);
    assert.ok(error instanceof CallUnanswered && error.cause instanceof TransportError, body);
    assert.match(error.cause.message, missing);
  }
});

test("members that this version does not know are ignored", async () => {
  const { client } = over([reply(200, callText("failed", { later: { a: [1] }, resolved_by: "Ann", activity: { type: "t", content: { n: 1 }, more: 1 } }))]);
  const { id, state, error, resolvedBy, activity } = await client.calls.get("call_1");
  assert.deepEqual([id, state, error, resolvedBy, activity], ["call_1", "failed", { code: "failed", message: "It is failed." }, "Ann", { type: "t", content: { n: 1 } }]);
});

test("an abort ends the call with its own reason: before, during and between the attempts", async () => {
  const reason = new Error("the page was left");
  const before = over([]);
  await assert.rejects(before.client.call({ ...ASKED, signal: AbortSignal.abort(reason) }), reason);
  assert.equal(before.requests.length, 0);

  for (const step of [silence, gone, refusal(503, "busy", {}, { "retry-after": "20" })]) {
    const abort = new AbortController();
    const { client, requests } = over((request) => {
      setImmediate(() => abort.abort(reason));
      return step(request);
    });
    await assert.rejects(client.call({ ...ASKED, signal: abort.signal }), reason);
    assert.ok(requests.length <= 2);
    assert.equal(requests.at(-1).signal.aborted, step === silence);
  }
});

test("a mistake is named before anything is sent", async () => {
  const { client, requests } = over([]);
  const cycle = {};
  cycle.self = cycle;
  const mistakes = [
    [{ idempotencyKey: "" }, /idempotencyKey/],
    [{ idempotencyKey: " a" }, /idempotencyKey/],
    [{ idempotencyKey: "a\nb" }, /idempotencyKey/],
    [{ idempotencyKey: "é" }, /idempotencyKey/],
    [{ idempotencyKey: "x".repeat(256) }, /idempotencyKey/],
    [{ waitSeconds: 26 }, /waitSeconds/],
    [{ waitSeconds: 1.5 }, /waitSeconds/],
    [{ arguments: { a: [Number.NaN] } }, /\$\.arguments\.a\[0\]/],
    [{ arguments: cycle }, /\$\.arguments\.self/],
  ];
  for (const [more, pattern] of mistakes) await assert.rejects(client.call({ ...ASKED, ...more }), (error) => error instanceof ConfigurationError && pattern.test(error.message));
  for (const id of ["", "..", "a/b", "a?b", "x".repeat(101), undefined, 7]) {
    for (const ask of [() => client.calls.get(id), () => client.calls.wait(id), () => client.calls.cancel(id), () => client.calls.events(id), () => client.approvals.get(id)]) {
      await assert.rejects(async () => ask(), (error) => error instanceof ConfigurationError || (id === undefined && error instanceof TypeError), String(id));
    }
  }
  assert.equal(requests.length, 0);

  const secret = "tg_caller.abc.def\n";
  for (const options of [{ baseUrl: "gate.test" }, { baseUrl: "file:///x" }, { apiKey: "" }, { apiKey: secret }, { attempts: 0 }, { attempts: 1.5 }, { timeoutMs: 0 }, { timeoutMs: Infinity }]) {
    const make = () => new ToolgateClient({ baseUrl: "https://gate.test", apiKey: "tg_caller.a.b", ...options });
    assert.throws(make, (error) => error instanceof ConfigurationError && !error.message.includes("tg_caller.abc"), JSON.stringify(options));
  }
});

test("a cancel whose answer was lost is found in the refusal of its repeat", async () => {
  const cancelled = reply(200, callText("cancelled"));
  const ended = (state) => refusal(409, "already_ended", { state });
  const lost = over([gone, ended("cancelled"), cancelled]);
  assert.equal((await lost.client.calls.cancel("call_1")).state, "cancelled");
  assert.deepEqual(lost.requests.map(({ method, path }) => `${method} ${path}`), ["POST /v1/calls/call_1/cancel", "POST /v1/calls/call_1/cancel", "GET /v1/calls/call_1"]);
  await assert.rejects(over([gone, ended("succeeded")]).client.calls.cancel("call_1"), (error) => isProblem(error, "already_ended") && error.members.state === "succeeded");
  await assert.rejects(over([ended("cancelled")]).client.calls.cancel("call_1"), (error) => isProblem(error, "already_ended"));
  assert.equal((await over([cancelled]).client.calls.cancel({ id: "call_1" })).error.code, "cancelled");
});

test("a resolution is sent once", async () => {
  const resolved = over([reply(200, callText("succeeded", { resolved_by: "Ann" }))]);
  const call = await resolved.client.calls.resolve("call_1", { outcome: "succeeded", note: "It is in the ledger.", result: { id: 18446744073709551615n } });
  assert.deepEqual([call.state, call.resolvedBy], ["succeeded", "Ann"]);
  assert.equal(resolved.requests[0].text, '{"outcome":"succeeded","note":"It is in the ledger.","result":{"id":18446744073709551615}}');
  const lost = over([gone]);
  await assert.rejects(lost.client.calls.resolve("call_1", { outcome: "failed", note: "n" }), TransportError);
  assert.equal(lost.requests.length, 1);
});

test("the timeline, with what came too late", async () => {
  const { client } = over([reply(200, { call: "call_1", events: [{ event: "submit", at: "t1", by: "caller" }, { event: "settle", at: "t2", by: "w1", attempt: 2, note: "n" }], evidence: [{ hand_over: 1, says: "result 1", at: "t3" }] })]);
  assert.deepEqual(await client.calls.events("call_1"), {
    events: [{ event: "submit", at: "t1", by: "caller" }, { event: "settle", at: "t2", by: "w1", attempt: 2, note: "n" }],
    evidence: [{ says: "result 1", at: "t3" }],
  });
});

test("a list is read page by page, as far as it is asked for", async () => {
  const page = (ids, next) => reply(200, { calls: ids.map((call) => ({ ...JSON.parse(callText("failed")), call })), ...(next && { next_cursor: next }) });
  const { client, requests } = over([page(["a", "b"], "b&c=d"), gone, page([], "e"), page(["c"])]);
  const list = client.calls.list({ pool: "main", state: "failed", agent: "bot" });
  assert.equal((await list.next()).value.id, "a");
  assert.equal((await list.next()).value.id, "b");
  assert.deepEqual(requests.map(({ query }) => query), [{ pool: "main", state: "failed", agent: "bot" }]);
  const rest = [];
  for await (const call of list) rest.push([call.id, call.state, call.error.code, call.endedAt, call.toolResult]);
  assert.deepEqual(rest, [["c", "failed", "failed", "2026-11-30T10:00:01.000Z", toldOf("failed")]]);
  assert.deepEqual(requests.map(({ query }) => query.cursor), [undefined, "b&c=d", "b&c=d", "e"]);

  const circle = over((_, n) => page(["a"], n % 2 === 0 ? "x" : "y")());
  await assert.rejects(async () => {
    for await (const _ of circle.client.calls.list({ pool: "main" }));
  }, /circle/);
  assert.equal(circle.requests.length, 3);
  await assert.rejects(over([reply(200, { calls: ["x"] })], { attempts: 1 }).client.calls.list({ pool: "main" }).next(), TransportError);
  await assert.rejects(over([reply(200, {})], { attempts: 1 }).client.calls.list({ pool: "main" }).next(), TransportError);
  await assert.rejects(over([refusal(422, "invalid_request", { field: "pool" })]).client.calls.list({ pool: "" }).next(), GatewayProblem);
});
