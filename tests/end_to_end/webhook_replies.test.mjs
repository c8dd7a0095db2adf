// Replies that are none: reflected, replayed, unsigned, altered, broken. They are never an outcome and can be read
// nowhere. A read is tried again, three times in all; a write is unknown and never sent again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { json } from "./support/client.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";
import { each } from "./support/until.mjs";
import { begin, ended, everythingReadable, hooked } from "./support/webhooks.mjs";

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

/** What a stranger's service might say; it must never come back. */
const SWORDFISH = "swordfish-of-the-inner-network";
const TRUE_BODY = `{"result":"${SWORDFISH}"}`;
const now = (seconds) => Math.floor(Date.now() / 1000) + seconds;
const signed = (body, options) => (_, out) => out.signed(body, typeof options === "function" ? options() : options);
const invalid = (body) => ["reply_invalid", signed(body)];

/** An earlier reply, whole as it was sent. */
let earlier;
const CASES = {
  "our own request sent back": ["reply_unsigned", ({ request }, out) => out.unsigned(200, request.body, Object.fromEntries(request.headers.filter(([name]) => name.startsWith("webhook-"))))],
  "the reply of another call": ["reply_unsigned", (_, out) => out.raw(200, earlier.headers, earlier.body)],
  "the id of another call's message, signed anew": ["reply_unsigned", signed(TRUE_BODY, () => ({ id: earlier.headers["webhook-id"] }))],
  "the call's id instead of the reply's": ["reply_unsigned", (message, out) => out.signed(TRUE_BODY, { id: message.call })],
  "another secret": ["reply_unsigned", signed(TRUE_BODY, () => ({ secret: newSecret() }))],
  "an old timestamp": ["reply_unsigned", signed(TRUE_BODY, () => ({ timestamp: now(-400) }))],
  "a timestamp to come": ["reply_unsigned", signed(TRUE_BODY, () => ({ timestamp: now(400) }))],
  "a signature of another body": ["reply_unsigned", (_, out) => out.raw(200, out.make('{"result":1}').headers, TRUE_BODY)],
  "no signature but an id": ["reply_unsigned", (_, out) => out.unsigned(200, TRUE_BODY, { "webhook-id": out.replyId, "webhook-timestamp": String(now(0)) })],
  "an empty signature": ["reply_unsigned", (_, out) => out.unsigned(200, TRUE_BODY, { ...out.make(TRUE_BODY).headers, "webhook-signature": "v1," })],
  "two ids": ["reply_unsigned", (_, out) => out.raw(200, { ...out.make(TRUE_BODY).headers, "webhook-id": [out.replyId, out.replyId] }, TRUE_BODY)],
  "a member that nobody knows": invalid(`{"result":"${SWORDFISH}","note":1}`),
  "a result and an error": invalid(`{"result":"${SWORDFISH}","error":{"message":"m"}}`),
  "neither result nor error": invalid("{}"),
  "a member twice": invalid(`{"result":"${SWORDFISH}","result":1}`),
  "an error without words": invalid('{"error":{"code":"c"}}'),
  "an odd error": invalid(`{"error":"${SWORDFISH}"}`),
  "an odd activity": invalid(`{"result":1,"activity":{"type":"${SWORDFISH}"}}`),
  "a list": invalid(`["${SWORDFISH}"]`),
  "text after it": invalid(`${TRUE_BODY} 1`),
  "a byte order mark before it": invalid(`\ufeff${TRUE_BODY}`),
  "no UTF-8": invalid(Buffer.concat([Buffer.from('{"result":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])),
  "no JSON": invalid(SWORDFISH),
  "nothing, signed": invalid(""),
  "the connection closed at once": ["endpoint_unreachable", (_, out) => out.raw.destroy()],
  "half a reply": ["endpoint_unreachable", halfReply],
  ...Object.fromEntries([200, 201, 202, 400, 401, 403, 404, 410, 422, 429, 500, 502, 503].map((status) => [`unsigned ${status}`, ["reply_unsigned", (_, out) => out.unsigned(status, TRUE_BODY)]])),
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`redirect ${status}`, ["endpoint_redirected", (message, out) => out.unsigned(status, TRUE_BODY, { location: `https://${message.request.header("host")}/elsewhere` })]])),
};

async function halfReply(_, out) {
  const { headers, body } = out.make(TRUE_BODY);
  out.raw.head(200, { ...headers, "content-length": Buffer.byteLength(body) });
  await out.raw.write(body.slice(0, -3));
  out.raw.destroy();
}

test("what is no reply is never an outcome and is never shown: reads are tried three times, writes are unknown", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  endpoint.on["tool.call"] = (message, out) => {
    earlier = out.make('{"error":{"message":"said before","code":"said_before"}}');
    return out.raw(200, earlier.headers, earlier.body);
  };
  const { call } = await begin(org, "look");
  assert.equal((await ended(org, call)).error.code, "said_before");
  endpoint.on["tool.call"] = (message, out) => CASES[message.arguments.any][1](message, out);
  const runs = Object.keys(CASES).flatMap((name) => ["look", "edit"].map((tool) => ({ name, tool })));
  runs.push({ name: "another secret", tool: "pay" });
  const calls = await each(runs, runs.length, async ({ name, tool }) => {
    const begun = await begin(org, tool, json(name));
    const end = await ended(org, begun.call);
    const attempts = endpoint.attempts(begun.call);
    const isRead = tool === "look";
    const [code] = CASES[name];
    assert.deepEqual([end.state, end.error.code, attempts.length], isRead ? ["failed", code, 3] : ["unknown", code, 1], `${name}, ${tool}`);
    if (isRead) assertFreshAttempts(attempts);
    return begun.call;
  });
  const readable = await everythingReadable(org, calls);
  assert.ok(!readable.includes(SWORDFISH), readable.slice(Math.max(0, readable.indexOf(SWORDFISH) - 500)).slice(0, 600));
  assert.deepEqual(endpoint.faults, []);
  assert.deepEqual(internet.requests(endpoint.host).filter(({ path }) => path !== endpoint.path), [], "no redirect was followed");
  assert.ok(!gateway.log.includes(SWORDFISH), "it is not in the log");
});

test("an unsigned answer is no outcome and is never shown, whatever its status", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  // 1xx is no answer; what has a status that allows no body has the text in a header.
  const statuses = Array.from({ length: 400 }, (_, n) => 200 + n);
  endpoint.on["tool.call"] = (message, out) => out.unsigned(message.arguments.any, TRUE_BODY, { "x-said": SWORDFISH, location: `https://${endpoint.host}/${SWORDFISH}` });
  const calls = await each(statuses, 50, async (status) => {
    const { call } = await begin(org, "edit", String(status));
    const end = await ended(org, call);
    const code = status >= 300 && status < 400 ? "endpoint_redirected" : "reply_unsigned";
    assert.deepEqual([end.state, end.error.code, endpoint.attempts(call).length], ["unknown", code, 1], String(status));
    return call;
  });
  assert.equal(endpoint.of("tool.call").length, statuses.length, "each arrived, once");
  assert.deepEqual(internet.requests(endpoint.host).filter(({ path }) => path !== endpoint.path), [], "no redirect was followed");
  const readable = await everythingReadable(org, calls);
  assert.ok(!readable.includes(SWORDFISH) && !gateway.log.includes(SWORDFISH));
});

/** The id stays, all else is new; the pauses are at least 1 s and 3 s. */
function assertFreshAttempts(attempts) {
  assert.deepEqual(attempts.map(({ attempt }) => attempt), [1, 2, 3]);
  assert.equal(new Set(attempts.map(({ id }) => id)).size, 1);
  for (const member of ["reply_id", "timestamp", "signatures"]) assert.equal(new Set(attempts.map((each) => String(each[member]))).size, 3, `${member} is new each time`);
  const [first, second, third] = attempts.map(({ at }) => at);
  assert.ok(second - first >= 1_000 && third - second >= 3_000, `pauses of ${second - first} ms and ${third - second} ms`);
}

test("a later attempt of a read counts, and not with the reply to an earlier one; Retry-After lengthens the pause", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const httpDate = () => new Date(Date.now() + 4_000).toUTCString();
  const first = {
    plain: (out) => out.unsigned(503),
    seconds: (out) => out.unsigned(503, "", { "retry-after": "3" }),
    date: (out) => out.unsigned(429, "", { "retry-after": httpDate() }),
    odd: (out) => out.unsigned(503, "", { "retry-after": "soon" }),
    none: (out) => out.unsigned(503, "", { "retry-after": "0" }),
    replayed: (out) => out.raw.destroy(),
  };
  endpoint.on["tool.call"] = (message, out) => {
    const name = message.arguments.any;
    if (message.attempt === 1) return first[name](out);
    const ofFirst = endpoint.attempts(message.call)[0].reply_id;
    return name === "replayed" && message.attempt === 2 ? out.signed(TRUE_BODY, { id: ofFirst }) : out.signed({ result: message.attempt });
  };
  await each(Object.keys(first), 6, async (name) => {
    const { call } = await begin(org, "look", json(name));
    const end = await ended(org, call);
    assert.deepEqual([end.state, end.result], ["succeeded", name === "replayed" ? 3 : 2], name);
    const [one, two] = endpoint.attempts(call).map(({ at }) => at);
    const least = { seconds: 3_000, date: 3_000 }[name] ?? 1_000;
    assert.ok(two - one >= least, `${name}: the pause was ${two - one} ms`);
  });
  // A write is not tried again, whatever the endpoint asks for.
  endpoint.on["tool.call"] = (_, out) => out.unsigned(503, "", { "retry-after": "1" });
  const { call } = await begin(org, "edit");
  assert.equal((await ended(org, call)).state, "unknown");
  assert.equal(endpoint.attempts(call).length, 1);
});
