import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { ConfigurationError, toolHandler } from "../dist/index.js";
import { Endpoint } from "../dist/webhook/endpoint.js";
import { HeaderList } from "../dist/webhook/headers.js";
import { assertSilent, callText, endpointOptions, newSecret, now, readReply, signature, signed, signedCall } from "./support/webhook.js";

/** An endpoint without a server; its clock stands still where a test says when. */
function mount(handlers = { look: () => "seen" }, { nowMs = Date.now, ...given } = {}) {
  const options = endpointOptions(handlers, given);
  const endpoint = new Endpoint(options, nowMs);
  const send = ({ method, headers, body }) => endpoint.answer({ method, headers: new HeaderList(headers), body: async () => ({ bytes: body }) });
  return { send, secret: options.secret, logger: options.logger };
}

test("a challenge is answered with its nonce, signed under its reply_id", async () => {
  const { send, secret } = mount();
  const request = signed(secret, '{"type":"endpoint.challenge","reply_id":"re_9","nonce":"n-\\u00e9","later":[1]}');
  const reply = await send(request);
  assert.deepEqual(readReply(reply, request, secret), { nonce: "n-é" });
  assert.equal(reply.headers["cache-control"], "no-store, no-transform");
});

test("the manifest has both its lists and a hash that follows from them", async () => {
  const contexts = [{ contextType: "order", scope: "entity", prefetchTool: "look", prefetchArgs: { contexts: "$context_id" } }];
  const look = { input: { contexts: "string" }, handler: () => null };
  const ask = async (options) => {
    const { send, secret } = mount({ look }, options);
    const request = signed(secret, '{"type":"tools.manifest","reply_id":"re_9"}');
    return readReply(await send(request), request, secret);
  };
  const tools = [{ name: "look", description: "look", side_effect: "read_only", input: { contexts: "string" } }];
  const plain = await ask();
  assert.deepEqual(plain, { tools, contexts: [], hash: plain.hash });
  assert.match(plain.hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(await ask(), plain);
  const more = await ask({ contexts });
  assert.deepEqual(more.contexts, [{ context_type: "order", scope: "entity", prefetch_tool: "look", prefetch_args: { contexts: "$context_id" } }]);
  assert.notEqual(more.hash, plain.hash);
});

test("a call runs its handler with everything the worker transport gives it; the reply names the manifest", async () => {
  let seen;
  const { send, secret } = mount({ look: { input: { id: "integer" }, handler: (args, ctx) => ((seen = { args, ctx }), { ok: true }) } });
  const principal = '{"id":"u1","tenant_id":"acme","permissions":["a"],"account":9007199254740993}';
  const request = signedCall(secret, { call: "call_x", arguments: '{"id":7}', principal, run: "run_1", attempt: 2, newer: {} });
  const reply = readReply(await send(request), request, secret);
  const { manifest, ...rest } = reply;
  assert.deepEqual(rest, { result: { ok: true } });
  const ask = signed(secret, '{"type":"tools.manifest","reply_id":"re_9"}');
  assert.equal(manifest, readReply(await send(ask), ask, secret).hash);
  assert.deepEqual(seen.args, { id: 7 });
  const { signal, deadline, ...facts } = seen.ctx;
  assert.deepEqual(facts, { callId: "call_x", tool: "look", run: "run_1", attempt: 2, principal: { id: "u1", tenant_id: "acme", permissions: ["a"], account: 9007199254740993n } });
  assert.equal(signal.aborted, false);
  assert.equal(deadline.seconds, 15);
  assert.ok(deadline.remainingSeconds() > 0 && deadline.remainingSeconds() <= 15);
});

test("what cannot be answered is refused without a signature, and logged", async () => {
  for (const [body, status] of [
    ["", 204],
    ["not json", 400],
    ["[]", 400],
    ['{"type":"tool.call"}', 400],
    ['{"reply_id":"re_1"}', 400],
    ['{"type":"tool.call","reply_id":"a.b"}', 400],
    [Buffer.from([0xff, 0xfe]), 400],
    [Buffer.concat([Buffer.from('{"type":"endpoint.challenge","reply_id":"re_1","nonce":"'), Buffer.from([0xff]), Buffer.from('"}')]), 400],
  ]) {
    const { send, secret, logger } = mount({ look: () => assert.fail("nothing runs") });
    assertSilent(await send(signed(secret, body)), status);
    assert.equal(logger.lines.length, status === 204 ? 0 : 1, String(body));
  }
});

test("a message that is signed but wrong gets a signed error that names what is wrong", async () => {
  for (const [body, code, message] of [
    ['{"type":"tools.future","reply_id":"re_1"}', "unknown_message", /type/],
    ['{"type":"endpoint.challenge","reply_id":"re_1"}', "invalid_message", /nonce/],
    [`{"type":"endpoint.challenge","reply_id":"re_1","nonce":"${"n".repeat(1_025)}"}`, "invalid_message", /1025 characters/],
    [callText({ tool: 7 }), "invalid_message", /tool/],
    [callText({ deadline_seconds: "15" }), "invalid_message", /deadline_seconds/],
    [callText({ call: "a b" }), "invalid_message", /id/],
  ]) {
    const { send, secret } = mount({ look: () => assert.fail("nothing runs") });
    const request = signed(secret, body);
    const { error, ...rest } = readReply(await send(request), request, secret);
    assert.deepEqual(rest, {});
    assert.equal(error.code, code);
    assert.match(error.message, message);
  }
});

test("only POST is answered, whatever is signed", async () => {
  for (const method of ["GET", "PUT", "HEAD", "OPTIONS", "post", ""]) {
    const { send, secret } = mount({ look: () => assert.fail("nothing runs") });
    const reply = await send({ ...signedCall(secret), method });
    assertSilent(reply, 405);
    assert.equal(reply.headers.allow, "POST");
  }
});

test("a stranger is told nothing; the log says whether the key is wrong or the body was altered", async () => {
  const { send, secret, logger } = mount({ look: () => assert.fail("nothing runs") });
  const body = callText();
  const last = () => logger.lines.at(-1);
  assertSilent(await send(signed(newSecret(), body)), 401);
  assert.match(last().text, /signed with another secret.*"cause":"wrong_key"/);
  const altered = { ...signed(secret, body), body: Buffer.from(`${body} `) };
  assertSilent(await send(altered), 401);
  assert.match(last().text, /altered on its way.*"cause":"body_altered"/);
  for (const digest of [undefined, "", "sha-256=:AAAA:", "sha-512=:AAAA:", "md5=:AAAA:"]) {
    assertSilent(await send(signed(newSecret(), body, { "content-digest": digest })), 401);
    assert.match(last().text, /"cause":"unknown"/);
  }
  const digest = signed(secret, body).headers.find(([name]) => name === "content-digest")[1];
  for (const listed of [`sha-512=:AAAA:, ${digest}`, ` ${digest};q=1 , md5=:AA==:`, `sha-256=:${"A".repeat(43)}=:,${digest}`]) {
    assertSilent(await send(signed(newSecret(), body, { "content-digest": listed })), 401);
    assert.match(last().text, /"cause":"wrong_key"/);
  }
  assertSilent(await send(signed(secret, body, { "webhook-signature": undefined })), 401);
  assert.match(last().text, /webhook-signature is missing/);
  assertSilent(await send(signed(secret, body, { "webhook-timestamp": "0x5" })), 401);
  assert.match(last().text, /webhook-timestamp is malformed/);
  // A stranger's clock is nobody's business.
  assertSilent(await send(signed(newSecret(), body, { timestamp: now() - 3_600 })), 401);
  assert.doesNotMatch(last().text, /behind|3600/);
  assert.ok(logger.lines.every(({ level }) => level === "warn"));
});

test("a replay after 6 minutes is refused, by how much it is late, to its signed caller", async () => {
  let runs = 0;
  const at = now();
  const { send, secret, logger } = mount({ write_it: () => (runs += 1) }, { nowMs: () => at * 1_000 + 999 });
  const request = signedCall(secret, { tool: "write_it", side_effect: "reversible_write" }, { timestamp: at - 360 });
  const { error, ...rest } = readReply(await send(request), request, secret, { timestamp: at - 360 });
  assert.deepEqual(rest, {});
  assert.equal(error.code, "stale_timestamp");
  assert.equal(error.message, "the timestamp is 360 s behind this clock; 300 s are allowed");
  assert.match(logger.lines.at(-1).text, /clock.*"offSeconds":360/);
  assert.equal(runs, 0);
  const challenge = signed(secret, '{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}', { timestamp: at - 360 });
  assert.equal(readReply(await send(challenge), challenge, secret, { timestamp: at - 360 }).error.code, "stale_timestamp");
});

test("a clock that is off is said to be off, both ways, and the window is the one that was set", async () => {
  const body = callText();
  const at = now();
  for (const [offSeconds, toleranceSeconds, isFresh] of [[300, undefined, true], [-300, undefined, true], [301, undefined, false], [-301, undefined, false], [10, 10, true], [11, 10, false]]) {
    const timestamp = at + offSeconds;
    const { send, secret } = mount(undefined, { nowMs: () => at * 1_000, ...(toleranceSeconds && { toleranceSeconds }) });
    const request = signed(secret, body, { timestamp });
    // A sender whose clock is right must be able to take it: it has the time of the request, not of the clock that is off.
    const { error } = readReply(await send(request), request, secret, { timestamp: isFresh ? at : timestamp });
    assert.equal(error?.code, isFresh ? undefined : "stale_timestamp");
    if (!isFresh) assert.match(error.message, offSeconds < 0 ? /behind/ : /ahead/);
  }
  for (const toleranceSeconds of [0, 3_601, 1.5, Number.NaN, "300"]) assert.throws(() => mount(undefined, { toleranceSeconds }), ConfigurationError);
});

test("a reply carries the time of its sending, by this clock", async () => {
  const at = now() + 200;
  const { send, secret } = mount(undefined, { nowMs: () => at * 1_000 + 999 });
  const request = signedCall(secret);
  const reply = await send(request);
  assert.equal(reply.headers["webhook-timestamp"], String(at));
  assert.equal(reply.headers["webhook-signature"], signature(secret, reply.headers["webhook-id"], at, reply.body));
});

test("our own replies, sent back to us, run nothing and are not answered", async () => {
  let runs = 0;
  const { send, secret } = mount({ look: { input: { data: "json" }, handler: ({ data }) => ((runs += 1), data) } });
  // The most that a caller can put into a reply: a whole message.
  const first = signedCall(secret, { arguments: `{"data":${callText({ arguments: '{"data":1}' })}}` });
  const reply = await send(first);
  readReply(reply, first, secret);
  assert.equal(runs, 1);
  const challenge = await send(signed(secret, '{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}'));
  for (const { headers, body } of [reply, challenge]) {
    assertSilent(await send({ method: "POST", headers: Object.entries(headers), body: Buffer.from(body) }), 400);
  }
  assert.equal(runs, 1);
});

test("while a secret is rotated both are taken, and the reply has the one that was used", async () => {
  const [next, last] = [newSecret(), newSecret()];
  const { send } = mount(undefined, { secret: [next, last] });
  for (const [signers, expected] of [[[next], next], [[last], last], [[last, next], next], [[newSecret(), last], last]]) {
    const request = signed(signers, callText());
    readReply(await send(request), request, expected);
  }
  assertSilent(await send(signed(newSecret(), callText())), 401);
});

test("a compressed body is refused by name, signed or not", async () => {
  const { send, secret, logger } = mount({ look: () => assert.fail("nothing runs") });
  const packed = gzipSync(callText());
  assertSilent(await send(signed(secret, packed, { "content-encoding": "gzip" })), 415);
  assert.match(logger.lines.at(-1).text, /content-encoding.*"encoding":"gzip"/);
  assertSilent(await send({ ...signed(secret, callText(), { "content-encoding": "BR" }), body: packed }), 401);
  assert.match(logger.lines.at(-1).text, /compressed.*"encoding":"br"/);
  assertSilent(await send(signed(secret, packed, { "content-encoding": "x\u0000y".repeat(9) })), 415);
  assert.match(logger.lines.at(-1).text, /"encoding":"unknown"/);
  const plain = mount();
  const request = signed(plain.secret, callText(), { "content-encoding": "Identity" });
  assert.equal(readReply(await plain.send(request), request, plain.secret).result, "seen");
});

test("the same signature works through a relay, which changes host, path and other headers", async () => {
  const { send, secret } = mount();
  const request = signed(secret, callText(), { host: "relay.example", via: "1.1 relay", "x-forwarded-for": "192.0.2.1" });
  assert.equal(readReply(await send(request), request, secret).result, "seen");
});

test("logs hold neither secrets nor arguments, even of a body that cannot be read", async () => {
  const { send, secret, logger } = mount({ look: { input: { card: "integer" }, handler: () => { throw new Error("card 4111-1111 was declined"); } } });
  for (const args of ['{"card":41111111}', '{"card":"4111-1111"}', '{"card":411111119007199254740993}', '{"4111-1111":1,"4111-1111":2}']) await send(signedCall(secret, { arguments: args }));
  await send(signed(secret, callText({ arguments: '{"card":4111' })));
  await send(signed(newSecret(), callText({ arguments: '{"card":41111111}' })));
  const all = logger.lines.map(({ text }) => text).join("\n");
  assert.notEqual(all, "");
  assert.doesNotMatch(all, /4111/);
  assert.equal(all.includes(secret.slice(6, 20)), false);
});

test("a logger that throws does not keep a call from being answered", async () => {
  const broken = () => { throw new Error("disk full"); };
  const { send, secret } = mount(undefined, { logger: { debug: broken, info: broken, warn: broken, error: broken } });
  const request = signedCall(secret);
  assert.equal(readReply(await send(request), request, secret).result, "seen");
  assertSilent(await send(signed(newSecret(), callText())), 401);
});

test("definitions and options are checked where the mistake was made", () => {
  const secret = newSecret();
  const options = endpointOptions({ look: () => null });
  assert.throws(() => toolHandler({ secret }), ConfigurationError);
  assert.throws(() => toolHandler({ ...options, tools: [{}] }), /tools\[0\] was not made by tool\(\)/);
  assert.throws(() => toolHandler({ ...options, tools: [...options.tools, ...options.tools] }), /defined twice/);
  assert.throws(() => toolHandler({ ...options, memory: {} }), /memory must have/);
});

test("the digest of the specification's own example is read", async () => {
  // RFC 9530, appendix B.1: the test's own digests are made in the same way.
  assert.equal(createHash("sha256").update('{"hello": "world"}\n').digest("base64"), "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=");
  const { send, logger } = mount();
  await send(signed(newSecret(), '{"hello": "world"}\n', { "content-digest": "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:" }));
  assert.match(logger.lines.at(-1).text, /"cause":"wrong_key"/);
  assert.equal(signature("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", 1649367553, '{"email":"test@example.com","username":"test_user"}'), "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=");
});
