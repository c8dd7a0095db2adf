// Endpoints that take their time, never come to an end, or say too much; and callers who do not wait for them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { each, until } from "./support/until.mjs";
import { begin, ended, hooked } from "./support/webhooks.mjs";

const TIMEOUT_SECONDS = 3;
const REPLY_BYTES_MAX = 1_048_576;
const GIB = 2 ** 30;
/** What may be on its way when the gateway has hung up: buffers of two kernels and of TLS. */
const IN_FLIGHT_BYTES_MAX = 32 * 2 ** 20;

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

/** One member `result` of so many bytes, signed for what it begins with: the gateway hangs up long before the end. */
async function stream(bytes, headers, message, out, sent) {
  out.raw.head(200, { ...out.make("{}").headers, ...headers });
  const chunk = Buffer.alloc(65_536, "y");
  for (sent.bytes = 0; sent.bytes < bytes; sent.bytes += chunk.length) await out.raw.write(chunk);
  out.raw.end();
}

const CASES = {
  "never a word": ["endpoint_timeout", () => undefined],
  "headers, then nothing": ["endpoint_timeout", (_, out) => out.raw.head(200, out.make('{"result":1}').headers)],
  "a byte now and then": ["endpoint_timeout", drip],
  "a reply after the deadline": ["endpoint_timeout", (message, out) => until("the gateway has hung up", () => message.request.gone.aborted, 60_000).then(() => out.signed({ result: "late" }))],
  "one byte too much": ["reply_too_large", (_, out) => out.signed(`{"result":"${"y".repeat(REPLY_BYTES_MAX + 1 - '{"result":""}'.length)}"}`)],
  "a gibibyte, announced": ["reply_too_large", (message, out, sent) => stream(GIB, { "content-length": GIB }, message, out, sent)],
  "a gibibyte in chunks": ["reply_too_large", (message, out, sent) => stream(GIB, {}, message, out, sent)],
};

async function drip(message, out) {
  out.raw.head(200, out.make('{"result":1}').headers);
  for (const byte of '{"result":1}'.repeat(1_000)) {
    await out.raw.write(byte);
    await pause(100, undefined, { ref: false });
  }
}

test("what is late, endless or too large is given up: reads after three attempts, writes are unknown", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { more: { timeout_seconds: TIMEOUT_SECONDS } });
  const sent = new Map();
  endpoint.on["tool.call"] = (message, out) => {
    const count = { bytes: 0 };
    sent.set(message.reply_id, count);
    return CASES[message.arguments.any][1](message, out, count);
  };
  const runs = Object.keys(CASES).flatMap((name) => ["look", "edit"].map((tool) => ({ name, tool })));
  await each(runs, runs.length, async ({ name, tool }) => {
    const { call } = await begin(org, tool, JSON.stringify(name));
    const end = await ended(org, call);
    const attempts = endpoint.attempts(call);
    const wanted = tool === "look" ? ["failed", CASES[name][0], 3] : ["unknown", CASES[name][0], 1];
    assert.deepEqual([end.state, end.error.code, attempts.length], wanted, `${name}, ${tool}`);
    for (const { reply_id, request, deadline_seconds } of attempts) {
      assert.ok(deadline_seconds <= TIMEOUT_SECONDS, `${deadline_seconds} s were promised`);
      await until(`${name}: the gateway has hung up`, () => request.gone.aborted || name === "one byte too much");
      assert.ok(sent.get(reply_id).bytes < IN_FLIGHT_BYTES_MAX, `${name}: it took ${sent.get(reply_id).bytes} bytes`);
    }
    if (tool === "edit" && CASES[name][0] === "endpoint_timeout") {
      const took = (Date.parse(end.ended_at) - Date.parse(end.created_at)) / 1_000;
      assert.ok(took >= TIMEOUT_SECONDS - 1 && took < TIMEOUT_SECONDS + 5, `${name}: it took ${took} s`);
    }
  });
  // Nothing of it comes back later, and the pool works on.
  endpoint.on = {};
  const { call } = await begin(org, "edit");
  assert.equal((await ended(org, call)).state, "succeeded");
  assert.deepEqual(endpoint.faults, []);
});

test("slow and in time is a reply like any other, also when the connection breaks behind it", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { more: { timeout_seconds: 10 } });
  endpoint.on["tool.call"] = async (message, out) => {
    const { headers, body } = out.make('{"result":"slowly"}');
    await pause(2_000);
    out.raw.head(200, { ...headers, "content-length": Buffer.byteLength(body) });
    for (const byte of body) {
      await out.raw.write(byte);
      await pause(50);
    }
    // All that was announced has gone out; the reply is whole.
    return out.raw.end(undefined, { hangUp: message.arguments.any === "breaks" });
  };
  await each(["slow", "breaks"], 2, async (name) => {
    const { call } = await begin(org, "edit", JSON.stringify(name));
    const end = await ended(org, call);
    assert.deepEqual([end.state, end.result], ["succeeded", "slowly"], name);
  });
});

test("the time for looking up the name is part of the deadline", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { more: { timeout_seconds: 4 } });
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS], delayMs: 3_000 });
  endpoint.on["tool.call"] = () => undefined;
  const { call } = await begin(org, "edit");
  const end = await ended(org, call);
  assert.equal(end.error.code, "endpoint_timeout");
  assert.equal(endpoint.attempts(call)[0].deadline_seconds, 1);
  const took = (Date.parse(end.ended_at) - Date.parse(end.created_at)) / 1_000;
  assert.ok(took < 6.5, `it took ${took} s`);
});

test("a caller who leaves changes nothing: the call is sent once, and its reply counts", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const open = {};
  const gate = new Promise((resolve) => (open.gate = resolve));
  endpoint.on["tool.call"] = async (message, out) => {
    await gate;
    return out.signed({ result: message.tool });
  };
  const leaving = new AbortController();
  const waits = ["look", "edit"].map((tool) => org.submit(tool, "{}", { key: `left ${tool}`, wait: 20, signal: leaving.signal }).catch((error) => error.name));
  await until("both are at the endpoint", () => endpoint.of("tool.call").length === 2);
  leaving.abort();
  assert.deepEqual(await Promise.all(waits), ["AbortError", "AbortError"]);
  open.gate();
  for (const message of endpoint.of("tool.call")) {
    const end = await ended(org, message.call);
    assert.deepEqual([end.state, end.result], ["succeeded", message.tool]);
    assert.equal(endpoint.attempts(message.call).length, 1);
  }
});
