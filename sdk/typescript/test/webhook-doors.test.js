import assert from "node:assert/strict";
import { test } from "node:test";
import { doors } from "./support/adapters.js";
import { assertSilent, endpointOptions, newSecret, readReply, signed, signedCall } from "./support/webhook.js";

const echo = { look: { input: { data: "json?" }, integers: "bigint", handler: ({ data }) => data ?? null } };

/** JSON texts that must arrive and come back byte for byte. */
const TEXTS = {
  emoji: '"👩‍🔧 ⚙️ 🇨🇭"',
  "U+2028 and U+2029": '"a\u2028b\u2029c"',
  "characters that some escape": '"& < > / \'"',
  "accents, composed and not": '"\u00e9 e\u0301"',
  "right to left": '"\u202eשלום\u202c"',
  "a byte order mark inside": '"\ufeff"',
  "lone surrogates as escapes": '"\\ud800 \\udfff"',
  "control characters": '"\\u0000\\u001f\\n\\t"',
  "large integers": "[9007199254740993,18446744073709551615,-9223372036854775808]",
  numbers: "[0.1,1e+21,1.5e-7,-0.5]",
  nesting: `${"[".repeat(60)}1${"]".repeat(60)}`,
  "256 KiB": `"${"é😀x".repeat(37_449)}"`,
};

for (const [name, open] of Object.entries(doors)) {
  const hasStream = /http|Express|Fastify|fetch|Hono/.test(name);
  const isText = name === "Lambda v1" || name === "Lambda v2";

  test(`${name}: every text arrives and comes back byte for byte`, async (t) => {
    const options = endpointOptions(echo);
    const send = await open(t, options);
    for (const [what, text] of Object.entries(TEXTS)) {
      const request = signedCall(options.secret, { arguments: `{"data":${text}}` });
      const reply = await send(request);
      readReply(reply, request, options.secret);
      assert.equal(reply.body.slice(0, reply.body.lastIndexOf(',"manifest":')), `{"result":${text}`, what);
    }
  });

  test(`${name}: a body that begins with a byte order mark, or is empty`, async (t) => {
    const options = endpointOptions(echo);
    const send = await open(t, options);
    const marked = signed(options.secret, `\ufeff{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}`);
    assert.deepEqual(readReply(await send(marked), marked, options.secret), { nonce: "n" });
    assertSilent(await send(signed(options.secret, "")), 204);
    assertSilent(await send(signed(newSecret(), "")), 401);
  });

  test(`${name}: a number beyond all bounds is refused by name`, async (t) => {
    const options = endpointOptions(echo);
    const send = await open(t, options);
    const request = signedCall(options.secret, { arguments: '{"data":1e400}' });
    const { error } = readReply(await send(request), request, options.secret);
    assert.equal(error.code, "number_out_of_range");
    assert.match(error.message, /data.*1e400/);
  });

  test(`${name}: strangers, other methods and doubled headers are refused`, async (t) => {
    const options = endpointOptions({ look: () => assert.fail("nothing runs") });
    const send = await open(t, options);
    assertSilent(await send(signedCall(newSecret())), 401);
    assertSilent(await send({ method: "POST", headers: [["content-type", "application/json"]], body: Buffer.from("{}") }), 401);
    assertSilent(await send({ ...signedCall(options.secret), method: "PUT" }), 405);
    for (const at of [0, 1, 2]) {
      const request = signedCall(options.secret);
      request.headers.push(request.headers[at]);
      assertSilent(await send(request), 401);
    }
    assert.ok(options.logger.lines.every(({ level }) => level === "warn"));
    // Where the server tells lines apart, the log does too.
    if (/http|Express|Fastify|v1/.test(name)) assert.ok(options.logger.has("warn", /webhook-id is there more than once/));
  });

  test(`${name}: names of headers in any casing`, async (t) => {
    const options = endpointOptions(echo);
    const send = await open(t, options);
    for (const change of [(each) => each.toUpperCase(), (each) => each.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())]) {
      const request = signedCall(options.secret);
      request.headers = request.headers.map(([header, value]) => [change(header), value]);
      assert.equal(readReply(await send(request), request, options.secret).result, null);
    }
  });

  test(`${name}: a body larger than any of the gateway's is refused`, async (t) => {
    const options = endpointOptions({ look: () => assert.fail("nothing runs") });
    const send = await open(t, options);
    const most = 512 * 1024;
    assertSilent(await send(signed(options.secret, "x".repeat(most))), 400);
    assertSilent(await send(signed(options.secret, "x".repeat(most + 1))), 413);
    assert.ok(options.logger.has("warn", /body_too_large/));
    if (!hasStream) return;
    const half = Buffer.alloc(most / 2 + 1, "x");
    assertSilent(await send({ ...signed(options.secret, Buffer.concat([half, half])), chunks: [half, half] }), 413);
  });

  if (hasStream) {
    test(`${name}: a body in chunks of every size`, async (t) => {
      const options = endpointOptions(echo);
      const send = await open(t, options);
      const request = signedCall(options.secret, { arguments: `{"data":${TEXTS.emoji}}` });
      const reply = await send({ ...request, chunks: Array.from(request.body, (byte) => Buffer.from([byte])) });
      readReply(reply, request, options.secret);
      assert.ok(reply.body.startsWith(`{"result":${TEXTS.emoji}`));
    });
  }

  if (isText) {
    test(`${name}: an event whose text is not the bytes that were signed is refused`, async (t) => {
      const options = endpointOptions({ look: () => assert.fail("nothing runs") });
      const send = await open(t, options);
      assertSilent(await send(signed(options.secret, Buffer.from([0x22, 0xff, 0x22]))), 401);
      assert.ok(options.logger.has("warn", /body_altered/));
    });
  }
}

test("Node http: a GET with a signed body is refused, not verified over nothing", async (t) => {
  const options = endpointOptions({ look: () => assert.fail("nothing runs") });
  const send = await doors["Node http"](t, options);
  assertSilent(await send({ ...signedCall(options.secret), method: "GET" }), 405);
  assertSilent(await send({ ...signed(options.secret, ""), method: "GET" }), 405);
  assert.deepEqual(options.logger.lines, []);
});
