// The programs of docs/webhooks.md, spoken to directly: what they refuse, and what they still sign when a handler goes wrong.
import assert from "node:assert/strict";
import { test } from "node:test";

import { program, startDocumented } from "./support/documented.mjs";
import { freePort } from "./support/ports.mjs";
import { newSecret, signature, signedHeaders } from "./support/signed_endpoint.mjs";

/** The program, started with this secret; `send(body, headers)` answers with status, headers and text. */
async function started(t, language, secret, code) {
  const port = await freePort();
  const child = await startDocumented("webhooks.md", language, port, { TOOLGATE_WEBHOOK_SECRET: secret }, code);
  t.after(async () => {
    child.kill("SIGKILL");
    await child.ended;
  });
  return async (body, headers) => {
    const reply = await fetch(`http://127.0.0.1:${port}/toolgate`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
}

const call = (members) => JSON.stringify({ type: "tool.call", reply_id: "re_1", call: "c1", tool: "add", arguments: { a: 40, b: 2 }, ...members });

function assertSigned({ status, headers, text }, secret, expected) {
  assert.equal(status, 200, text);
  assert.equal(headers.get("webhook-id"), "re_1");
  assert.equal(headers.get("webhook-signature"), signature(secret, "re_1", headers.get("webhook-timestamp"), text), text);
  assert.match(headers.get("content-type"), /^application\/json\b/);
  assert.deepEqual(JSON.parse(text), expected);
}

function assertUnsigned({ status, headers, text }, expected) {
  assert.equal(status, expected, text);
  assert.equal(headers.get("webhook-signature"), null, text);
}

for (const language of ["js", "python", "php"]) {
  test(`the program in ${language}: JSON by its content-type, 204 to a ping, 401 to a stranger`, async (t) => {
    const secret = newSecret();
    const send = await started(t, language, secret);
    assertSigned(await send(call(), signedHeaders(secret, "c1", call())), secret, { result: 42 });
    const ping = await send("", signedHeaders(secret, "msg_1", ""));
    assertUnsigned(ping, 204);
    assert.equal(ping.text, "");
    for (const [body, by] of [[call(), newSecret()], ["", newSecret()]]) assertUnsigned(await send(body, signedHeaders(by, "c1", body)), 401);
    assertUnsigned(await send(call(), {}), 401);
  });
}

const unusable = { "no secret": undefined, "an empty one": "", "a prefix alone": "whsec_", "a short one": newSecret(23), "one that is no base64": "whsec_correct horse battery staple, correct horse" };
for (const [name, secret] of Object.entries(unusable)) {
  test(`the program in php with ${name} serves nobody, whatever key a call is signed with`, async (t) => {
    const send = await started(t, "php", secret);
    for (const key of ["whsec_", newSecret(), ...(secret === undefined ? [] : [secret])]) {
      for (const body of [call(), ""]) assertUnsigned(await send(body, signedHeaders(key, "c1", body)), 500);
    }
  });
}

test("the program in php signs its reply when its handler raises a notice, and when there is no such tool", async (t) => {
  const secret = newSecret();
  const code = program("webhooks.md", "php").replace("fn ($a, $b) => $a + $b", "fn ($a, $b) => $a + $b + $nowhere");
  assert.notEqual(code, program("webhooks.md", "php"));
  const send = await started(t, "php", secret, code);
  assertSigned(await send(call(), signedHeaders(secret, "c1", call())), secret, { result: 42 });
  const unknown = call({ tool: "gone" });
  assertSigned(await send(unknown, signedHeaders(secret, "c1", unknown)), secret, { error: { message: "There is no such tool." } });
  const odd = JSON.stringify({ type: "later.message", reply_id: "re_1" });
  const { status, headers, text } = await send(odd, signedHeaders(secret, "msg_1", odd));
  assert.deepEqual([status, headers.get("webhook-id"), Object.keys(JSON.parse(text))], [200, "re_1", ["error"]]);
});

const LOSSY = { js: ["({ a, b }) => a + b", "() => 1n"], python: ["lambda a, b: a + b", "lambda a, b: {1}"], php: ["fn ($a, $b) => $a + $b", "fn ($a, $b) => NAN"] };
for (const [language, [handler, lossy]] of Object.entries(LOSSY)) {
  test(`the program in ${language} does not call failed what ran and has no JSON`, async (t) => {
    const secret = newSecret();
    const code = program("webhooks.md", language).replace(handler, lossy);
    assert.ok(code.includes(lossy));
    const send = await started(t, language, secret, code);
    // 500 where the language has it for nothing; whatever it is, it has no signature.
    assertUnsigned(await send(call(), signedHeaders(secret, "c1", call())), language === "js" ? 401 : 500);
  });
}
