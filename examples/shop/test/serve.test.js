import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";

const SECRETS = ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "whsec_ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoM="];

/** The shop as a customer starts it, on a free port; stopped when the test is over. */
async function serve(t, environment) {
  const path = fileURLToPath(new URL("../dist/serve.js", import.meta.url));
  const env = { PATH: process.env.PATH, SHOP_DATABASE: ":memory:", TOOLGATE_WEBHOOK_SECRET: SECRETS.join(","), PORT: "0", ...environment };
  const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const exit = once(child, "exit");
  let output = "";
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const port = await new Promise((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const listening = /port (\d+)\n/.exec(output);
      if (listening !== null) resolve(listening[1]);
    });
    child.once("exit", () => resolve(undefined));
  });
  return { child, exit, errors: () => errors, url: `http://127.0.0.1:${port}/toolgate` };
}

async function send(url, secret, message) {
  const webhook = new Webhook(secret);
  const body = JSON.stringify({ reply_id: "re_1", ...message });
  const id = message.call ?? "msg_1";
  const at = new Date();
  const headers = { "webhook-id": id, "webhook-timestamp": String(Math.floor(at / 1_000)), "webhook-signature": webhook.sign(id, at, body) };
  const response = await fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("webhook-id"), "re_1");
  return webhook.verify(await response.text(), Object.fromEntries(response.headers));
}

const principal = { id: "u1", tenant_id: "acme", permissions: ["refunds:write"] };
const call = (id, tool, side_effect, args) => ({ type: "tool.call", call: id, tool, side_effect, arguments: args, principal, attempt: 1, deadline_seconds: 15 });

test("the tools of the worker answer behind a URL, by the same handlers", async (t) => {
  const { url, child, exit } = await serve(t);
  for (const secret of SECRETS) assert.deepEqual(await send(url, secret, { type: "endpoint.challenge", nonce: "n" }), { nonce: "n" });
  const manifest = await send(url, SECRETS[0], { type: "tools.manifest" });
  assert.deepEqual(manifest.tools.map(({ name }) => name), ["get_order_status", "update_shipping_note", "refund_order"]);
  assert.deepEqual(manifest.contexts.map(({ context_type }) => context_type), ["order_detail"]);
  const refund = call("call_1", "refund_order", "consequential", { order_id: 1001, amount_cents: 90, reason: "late" });
  const first = await send(url, SECRETS[0], refund);
  assert.equal(first.result.remaining_cents, 4900);
  assert.equal(first.manifest, manifest.hash);
  assert.deepEqual(await send(url, SECRETS[1], refund), first);
  const order = await send(url, SECRETS[0], call("call_2", "get_order_status", "read_only", { order_id: 1001 }));
  assert.equal(order.result.refunded_cents, 90);
  const unknown = await send(url, SECRETS[0], call("call_3", "get_order_status", "read_only", { order_id: 2001 }));
  assert.equal(unknown.error.code, "unknown_order");
  assert.equal((await fetch(url, { method: "POST", body: "{}" })).status, 401);
  child.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
});

test("without a secret, or with one that is none, it does not start and says why", async (t) => {
  for (const [secret, cause] of [["", /TOOLGATE_WEBHOOK_SECRET is not set/], ["whsec_", /nothing after whsec_/], [`${SECRETS[0]},`, /secret\[1\] is empty/]]) {
    const { exit, errors } = await serve(t, { TOOLGATE_WEBHOOK_SECRET: secret });
    assert.notEqual((await exit)[0], 0);
    assert.match(errors(), cause);
    assert.equal(errors().includes(SECRETS[0].slice(6, 20)), false);
  }
});

test("a port that is taken ends the process with its cause", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { exit, errors } = await serve(t, { PORT: String(other.address().port) });
  assert.notEqual((await exit)[0], 0);
  assert.match(errors(), /EADDRINUSE/);
});
