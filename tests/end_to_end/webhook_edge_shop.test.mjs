// `mount_tools` of the Rust SDK in a customer's Worker under workerd, spoken to as the gateway does and as strangers do:
// bytes are taken as they come, what is no request of the gateway runs nothing, and a write that has begun ends.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";

import { startEdgeShop } from "./support/edge_shop.mjs";
import { newSecret, signature, signedHeaders } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";

const secret = newSecret();
const PRINCIPAL = '{"id":"u1","tenant_id":"acme","permissions":["refunds:write"]}';
const BODY_BYTES_MAX = 320 * 1024;
const PAYMENT_MS = 1_500;

let shop;
before(async () => (shop = await startEdgeShop({ secret, paymentMs: PAYMENT_MS })));
after(() => shop.stop());

/** The body is sent in these chunks, or whole; the request leaves when `left` resolves. */
function send({ method = "POST", path = "/toolgate", headers, body = "", chunks, left }) {
  return new Promise((resolve, reject) => {
    const framing = chunks === undefined ? { "content-length": Buffer.byteLength(body) } : { "transfer-encoding": "chunked" };
    const request = httpRequest({ host: "127.0.0.1", port: shop.port, method, path, headers: { ...headers, ...framing }, agent: false }, async (response) => {
      const parts = [];
      for await (const part of response) parts.push(part);
      resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() });
    });
    request.on("error", reject);
    for (const chunk of chunks ?? [body]) request.write(chunk);
    request.end();
    void left?.then(() => request.destroy(new Error("left")));
  });
}

let made = 0;
function call(tool, args, side_effect, { principal = PRINCIPAL, id = `call_${(made += 1)}` } = {}) {
  const members = JSON.stringify({ type: "tool.call", reply_id: `re_${id}_${(made += 1)}`, call: id, tool, attempt: 1, side_effect, deadline_seconds: 15 });
  const body = `${members.slice(0, -1)},"arguments":${args},"principal":${principal}}`;
  return { body, headers: signedHeaders(secret, id, body), id, replyId: JSON.parse(members).reply_id };
}

/** The text of the reply, once its signature was found to be of these very bytes. */
async function answered(request, options) {
  const { status, headers, text } = await send({ ...request, ...options });
  assert.equal(status, 200, text);
  assert.equal(headers["webhook-id"], request.replyId);
  assert.equal(headers["webhook-signature"], signature(secret, request.replyId, headers["webhook-timestamp"], text));
  return text;
}

const ranOf = async (id) => (await shop.runs()).filter(({ call: ran }) => ran === id).length;

test("texts arrive byte for byte: literal U+2028, emoji, escapes, a byte order mark, in one piece or in many", async () => {
  for (const [argument, back] of [["\u2028\u2029\u{feff}é😀👩‍🔧"], ['\\u2028\\ud83d\\ude00\\u0000', "\u2028😀\\u0000"], ['</script>&\\"\\\\', '</script>&\\"\\\\']]) {
    const request = call("add_note", `{"order_id":1001,"note":"${argument}"}`, "reversible_write");
    const bytes = Buffer.from(request.body);
    // Cut in the middle of characters.
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(7 * n, 7 * n + 7));
    for (const options of [{}, { chunks }]) assert.ok((await answered(request, options)).includes(`"${back ?? argument}"`), argument);
    assert.equal(await ranOf(request.id), 1);
  }
  // A lone surrogate is no text to Rust; where it is only carried, it does not matter.
  const lone = call("add_note", '{"order_id":1001,"note":"\\ud800"}', "reversible_write");
  assert.match(await answered(lone), /"code":"invalid_arguments"/);
  const carried = call("get_order", '{"order_id":9007199254740993}', "read_only", { principal: '{"id":"u1","tenant_id":"acme","permissions":[],"odd":"\\udfff\\ud800","big":1e400}' });
  assert.match(await answered(carried), /^\{"result":\{"order_id":9007199254740993,/);
  const marked = call("get_order", '{"order_id":1002}', "read_only");
  const body = `\u{feff}${marked.body}`;
  assert.match(await answered({ ...marked, body, headers: signedHeaders(secret, marked.id, body) }), /"order_id":1002/);
});

test("arguments of 256 KiB come whole, announced or chunked; a body over the cap is not read to its end", async () => {
  const note = "😀\u2028".repeat(37_400);
  assert.ok(Buffer.byteLength(note) > 256 * 1024 - 512);
  const request = call("add_note", `{"order_id":1002,"note":"${note}"}`, "reversible_write");
  const bytes = Buffer.from(request.body);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_537) }, (_, n) => bytes.subarray(65_537 * n, 65_537 * (n + 1)));
  for (const options of [{ chunks }, {}]) assert.ok((await answered(request, options)).includes(`"${note}"`));
  const large = call("add_note", `{"order_id":1002,"note":"${"x".repeat(BODY_BYTES_MAX)}"}`, "reversible_write");
  for (const options of [{}, { chunks: [large.body] }]) {
    const { status, headers } = await send({ ...large, ...options });
    assert.deepEqual([status, headers["webhook-signature"]], [413, undefined]);
  }
  assert.equal(await ranOf(large.id), 0);
});

test("strangers, other methods and other paths run nothing and are told a status", async () => {
  const request = call("add_note", '{"order_id":1001,"note":"never"}', "reversible_write");
  for (const [status, options] of [
    [401, { headers: signedHeaders(newSecret(), request.id, request.body) }],
    [401, { headers: {} }],
    [401, { body: `${request.body} ` }],
    [401, { body: "" }],
    [405, { method: "GET", body: "" }],
    [405, { method: "PUT" }],
    [404, { path: "/toolgate/" }],
    [404, { path: "/" }],
  ]) {
    const { status: got, headers, text } = await send({ ...request, ...options });
    assert.deepEqual([got, headers["webhook-signature"]], [status, undefined], JSON.stringify(options).slice(0, 200));
    assert.ok(text.length < 30 && !text.includes("never"), text);
    assert.equal(headers.allow, got === 405 ? "POST" : undefined);
  }
  assert.equal(await ranOf(request.id), 0);
  const ping = await send({ headers: signedHeaders(secret, "msg_ping", "") });
  assert.deepEqual([ping.status, ping.text, ping.headers["webhook-signature"]], [204, "", undefined]);
});

test("a write that comes twice runs once: while it runs the second gets no outcome, afterwards the same", async () => {
  const refund = (id) => call("refund_order", '{"order_id":1001,"amount_cents":7}', "consequential", { id });
  const first = refund();
  const running = answered(first);
  await until("the refund runs", async () => (await ranOf(first.id)) === 1);
  const meanwhile = await send(refund(first.id));
  assert.deepEqual([meanwhile.status, meanwhile.headers["webhook-signature"]], [503, undefined]);
  const text = await running;
  assert.match(text, /"refunded_cents":7\b/);
  assert.equal(await answered(refund(first.id)), text);
  assert.equal(await ranOf(first.id), 1);
});

test("a caller who leaves does not cut a write that has begun", async () => {
  const request = call("refund_order", '{"order_id":1002,"amount_cents":11}', "consequential");
  const begun = until("the refund runs", async () => (await ranOf(request.id)) === 1);
  await assert.rejects(send({ ...request, left: begun }), /left/);
  const refunded = async () => (await answered(call("get_order", '{"order_id":1002}', "read_only"))).includes('"refunded_cents":11');
  assert.equal(await refunded(), false, "it had not ended when the caller left");
  await until("the refund has ended", refunded);
  const again = call("refund_order", '{"order_id":1002,"amount_cents":11}', "consequential", { id: request.id });
  assert.match(await answered(again), /"refunded_cents":11\b/, "and its outcome is kept");
});
