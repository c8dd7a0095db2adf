// Calls that an endpoint answers: each class, the exact bytes, errors, activities, and tools that a person has defined.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { each } from "./support/until.mjs";
import { begin, CLASSES, ended, hooked, newHost, putPool } from "./support/webhooks.mjs";
import { SignedEndpoint } from "./support/signed_endpoint.mjs";

const ARGUMENTS_BYTES_MAX = 262_144;
const REPLY_BYTES_MAX = 1_048_576;

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

async function succeeded(org, call) {
  const { state, error } = await ended(org, call);
  assert.equal(state, "succeeded", JSON.stringify(error));
}

/** The text of the argument `any`, as it stood on the wire. */
const anyOf = ({ text }) => text.match(/"arguments":\{"any":(.*)\},"principal"/s)[1];

test("a call of each class reaches the code once, says all that the code needs, and ends with its word", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { handler: ({ tool }) => ({ by: tool }) });
  for (const [tool, side_effect] of Object.entries(CLASSES)) {
    const { call } = await begin(org, tool, 7);
    const end = await ended(org, call);
    assert.deepEqual([end.state, end.result], ["succeeded", { by: tool }], JSON.stringify(end));
    const [message, ...more] = endpoint.attempts(call);
    assert.equal(more.length, 0);
    const { arguments: args, principal, attempt, deadline_seconds } = message;
    assert.deepEqual([message.tool, message.side_effect, args, attempt], [tool, side_effect, { any: 7 }, 1]);
    assert.deepEqual(principal, { id: "u1", tenant_id: "t1", permissions: ["refunds:write"] });
    assert.ok(deadline_seconds > 0 && deadline_seconds <= 15, `${deadline_seconds} s`);
  }
  const { call } = await org.accepted("look", "{}", { wait: 10 });
  assert.equal((await org.call(call)).state, "succeeded", "a caller who waits gets the end");
  assert.deepEqual(endpoint.faults, []);
  assert.equal(new Set(endpoint.messages.map(({ reply_id }) => reply_id)).size, endpoint.messages.length, "no reply id twice");
});

test("requests carry fixed headers and nothing of the caller's", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const { call } = await org.accepted("look", "{}", { headers: { cookie: "a=b", "x-mine": "1", referer: "https://elsewhere.example/", traceparent: "00-1" } });
  await succeeded(org, call);
  const names = endpoint.of("tool.call")[0].request.headers.map(([name]) => name.toLowerCase());
  const wanted = ["accept", "accept-encoding", "content-digest", "content-length", "content-type", "host", "toolgate-loop", "user-agent", "webhook-id", "webhook-signature", "webhook-timestamp"];
  assert.deepEqual(names.sort(), wanted);
  assert.equal(endpoint.of("tool.call")[0].request.header("accept-encoding"), "identity");
});

const FIDELITY = {
  emoji: '"👩‍👩‍👧 é e\u0301 العربية"',
  separators: '"a\u2028b\u2029c\u0085d"',
  "byte order mark": '"\ufefftext\ufeff"',
  "lone surrogates": '"\\ud800 \\udfff"',
  "empty text": '""',
  "empty list": "[]",
  integers: "[9007199254740993,-9223372036854775808,18446744073709551615,123456789012345678901234567890]",
  numbers: "[1.10,0.1e-7,-0,1E5,0.30000000000000004]",
  markup: '"<script>&amp;</script> /\'"',
  controls: '"\\u0000\\u001f\\n\\t\\\\ \\""',
  deep: `${"[".repeat(60)}1${"]".repeat(60)}`,
  large: `"${"x".repeat(ARGUMENTS_BYTES_MAX - 10)}"`,
};

test("arguments and results go byte for byte, in one piece or in many", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  endpoint.on["tool.call"] = (message, out) => {
    const { headers, body } = out.make(`{ "result": ${anyOf(message)} }`);
    const bytes = Buffer.from(body);
    // Odd cuts, through the middle of characters; a large body in fewer of them.
    const step = bytes.length > 10_000 ? 4_093 : 3;
    const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, n) => bytes.subarray(n * step, (n + 1) * step));
    return out.raw(200, headers, message.tool === "edit" ? chunks : body);
  };
  await each(Object.entries(FIDELITY), 4, async ([name, text]) => {
    for (const tool of ["look", "edit"]) {
      const { call } = await begin(org, tool, text);
      await succeeded(org, call);
      assert.equal(anyOf(endpoint.attempts(call)[0]), text, `${name} arrives`);
      const { text: shown } = await org.caller.get(`/v1/calls/${call}`);
      assert.ok(shown.includes(`"result":${text}`), `${name} comes back in ${shown.slice(0, 300)}`);
    }
  });
  assert.deepEqual(endpoint.faults, []);
});

test("a signed reply is the code's word whatever its status: results, errors, activities, up to 1 MiB", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const largest = REPLY_BYTES_MAX - '{"result":""}'.length;
  const error = (code, message = "no stock") => `{"error":${JSON.stringify({ message, ...(code === undefined ? {} : { code }) })}}`;
  const cases = [
    ...[200, 201, 202, 400, 401, 404, 410, 429, 500, 503].map((status) => [{ status }, '{"result":{"ok":true}}', "succeeded", { ok: true }]),
    [{}, '{"result":null}', "succeeded", null],
    [{ headers: { "content-type": "text/html" } }, '{"result":false}', "succeeded", false],
    [{ status: 500 }, error("out_of_stock"), "failed", "out_of_stock"],
    [{}, error(), "failed", "handler_error"],
    [{}, error("Not A Code"), "failed", "handler_error"],
    [{}, `{"result":"${"y".repeat(largest)}"}`, "succeeded", "y".repeat(largest)],
  ];
  endpoint.on["tool.call"] = (message, out) => {
    const [options, body] = cases[message.arguments.any];
    return out.signed(body, options);
  };
  await each(cases.map((_, n) => n), 4, async (n) => {
    const [options, body, state, word] = cases[n];
    const { call } = await begin(org, "edit", n);
    const end = await ended(org, call);
    const said = state === "failed" ? end.error.code : end.result;
    assert.deepEqual([end.state, said], [state, word], `${JSON.stringify(options)} ${body.slice(0, 100)}`);
    if (state === "failed") assert.equal(end.error.message, "no stock");
  });
  endpoint.on["tool.call"] = (_, out) => out.signed('{"result":1,"activity":{"type":"application/json+echart","content":{"series":[9007199254740993]}}}');
  const { call } = await begin(org, "look");
  await succeeded(org, call);
  assert.ok((await org.caller.get(`/v1/calls/${call}`)).text.includes('"content":{"series":[9007199254740993]}'));
  assert.equal(endpoint.attempts(call).length, 1);
});

test("an endpoint without a manifest serves tools that an admin has defined, behind the same fences", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { tools: [], handler: ({ tool }) => JSON.stringify(tool) });
  endpoint.on["tools.manifest"] = (_, out) => out.unsigned(404);
  assert.equal((await org.admin.post("/v1/pools/hooks/manifest-syncs")).code, "manifest_unavailable");
  const hand = { pool: "hooks", description: "By hand.", side_effect: "reversible_write", input: { id: "integer" }, permissions: ["p"] };
  const put = (name, body) => org.admin.put(`/v1/tools/${name}`, body);
  const made = await put("by_hand", hand);
  assert.deepEqual([made.status, made.body.managed_by], [201, "console"], made.text);
  const cases = [
    [{ ...hand, side_effect: "read_only" }, "side_effect_weakened"],
    [{ ...hand, permissions: [] }, "permission_dropped"],
  ];
  for (const [weaker, fence] of cases) {
    const { status, body } = await put("by_hand", weaker);
    assert.deepEqual([status, body.code, body.fence], [422, "definition_refused", fence]);
  }
  for (const wrong of [{ ...hand, input: { id: "integr" } }, { ...hand, pool: "nowhere" }, { ...hand, extra: 1 }, { ...hand, description: undefined }]) assert.equal((await put("by_hand", wrong)).status, 422, JSON.stringify(wrong));
  assert.equal((await put("other", { ...hand, pool: "main" })).code, "transport_in_use");
  assert.equal((await put("by_hand", { ...hand, description: "Better words." })).status, 200);
  await org.grant(["by_hand"]);
  const principal = '{"id":"u","tenant_id":"t","permissions":["p"]}';
  assert.equal((await org.submit("by_hand", '{"id":"x"}', { key: "k", principal })).code, "invalid_arguments");
  const { call } = await org.accepted("by_hand", '{"id":9007199254740993}', { key: "k", principal });
  assert.equal((await ended(org, call)).result, "by_hand");
  assert.ok(endpoint.attempts(call)[0].text.includes('"arguments":{"id":9007199254740993}'));
});

test("what a manifest manages is not made by hand, and the other way round", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const body = { pool: "hooks", description: "Mine now.", side_effect: "read_only", input: {} };
  assert.deepEqual([(await org.admin.put("/v1/tools/look", body)).code], ["managed_elsewhere"]);
  assert.equal((await org.admin.put("/v1/tools/mine", body)).status, 201);
  endpoint.tools = [...endpoint.tools, definition("mine", "read_only")];
  const { tools } = (await org.admin.must(200, "POST", "/v1/pools/hooks/manifest-syncs")).body;
  assert.equal(tools.find(({ name }) => name === "mine").code, "managed_elsewhere");
  const thief = new SignedEndpoint(internet, newHost(), { tools: [definition("look", "read_only")] });
  const { registration } = (await putPool(org, "thief", thief)).body;
  assert.equal(registration.tools[0].code, "name_taken");
});
