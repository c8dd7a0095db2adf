// Races around an endpoint: what was decided for one is not done to another, and nobody learns what he may not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { newSecret, SignedEndpoint } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";
import { begin, ended, endpointOf, hooked, newHost, putPool, TOOLS } from "./support/webhooks.mjs";

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

/** A gate: `open()` lets everything through that waits at `wait()`. */
function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, wait: () => opened };
}

test("a write whose look-up is under way when the URL changes goes to the new endpoint, never to the old", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS], delayMs: 3_000 });
  const { call } = await begin(org, "edit");
  await until("the name is looked up", () => internet.queries(endpoint.host).length > 12);
  const other = new SignedEndpoint(internet, newHost(), { tools: TOOLS, secret: endpoint.secret });
  const put = await putPool(org, "hooks", other);
  assert.equal(put.body.endpoint.state, "active", put.text);
  assert.equal((await ended(org, call)).state, "succeeded");
  assert.deepEqual([endpoint.attempts(call).length, other.attempts(call).length], [0, 1]);
});

/** The next look-up of the name takes three seconds, further ones none. */
function slowOnce(host) {
  internet.dns(host, ({ type, n }) => ({ ...(type === "A" && { A: [PUBLIC_ADDRESS] }), delayMs: n === 0 ? 3_000 : 0 }));
}

test("a write whose look-up is under way when a PUT replaces the secret is signed with the new one alone", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  await until("the looks of the beginning are over", () => internet.queries(endpoint.host).length === 12);
  slowOnce(endpoint.host);
  const { call } = await begin(org, "edit");
  await until("the name is looked up", () => internet.queries(endpoint.host).length === 16);
  endpoint.secrets = [newSecret()];
  const put = await putPool(org, "hooks", endpoint);
  assert.deepEqual([put.body.endpoint.state, put.body.endpoint.revision], ["active", 1], put.text);
  const end = await ended(org, call);
  assert.equal(end.state, "succeeded", JSON.stringify(end));
  assert.deepEqual(endpoint.attempts(call).map(({ signedBy, signatures }) => [signedBy, signatures.length]), [[endpoint.secrets, 1]]);
  assert.deepEqual(endpoint.faults, [], "nothing came with the old one");
  assert.equal((await org.events(call)).events.filter(({ event }) => event === "postpone").length, 1);
});

test("a rotation does not disturb a write whose look-up is under way: the secret that it is signed with counts for a day", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  await until("the looks of the beginning are over", () => internet.queries(endpoint.host).length === 12);
  slowOnce(endpoint.host);
  const { call } = await begin(org, "edit");
  await until("the name is looked up", () => internet.queries(endpoint.host).length === 16);
  await org.admin.must(200, "POST", "/v1/pools/hooks/secret-rotations");
  assert.equal((await ended(org, call)).state, "succeeded");
  assert.deepEqual(endpoint.attempts(call).map(({ signatures }) => signatures.length), [1]);
  assert.deepEqual((await org.events(call)).events.filter(({ event }) => ["hand_out", "postpone"].includes(event)).map(({ event }) => event), ["hand_out"]);
});

test("a challenge proves the secret that it was made with: one that came meanwhile stays unproven", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const late = gate();
  endpoint.on["endpoint.challenge"] = async ({ nonce }, out) => {
    await late.wait();
    return out.signed({ nonce });
  };
  const challenged = org.admin.post("/v1/pools/hooks/challenges");
  await until("the challenge is there", () => endpoint.of("endpoint.challenge").length === 2);
  delete endpoint.on["endpoint.challenge"];
  const put = await putPool(org, "hooks", endpoint, { secret: newSecret() });
  assert.equal(put.body.endpoint.state, "pending");
  late.open();
  assert.equal((await challenged).status, 409);
  assert.equal((await endpointOf(org)).state, "pending");
});

test("the manifest of an endpoint whose name has turned is not asked for", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const asked = endpoint.of("tools.manifest").length;
  endpoint.on["endpoint.challenge"] = ({ nonce }, out) => {
    internet.dns(endpoint.host, { A: ["127.0.0.1"] });
    return out.signed({ nonce });
  };
  await org.admin.must(200, "POST", "/v1/pools/hooks/challenges");
  assert.equal(endpoint.of("tools.manifest").length, asked);
  await until("it is suspended", async () => (await endpointOf(org)).state === "suspended");
});

test("a caller whose key is revoked while it waits is not told how the call ended", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const handler = gate();
  endpoint.on["tool.call"] = async (_, out) => {
    await handler.wait();
    return out.signed({ result: "done" });
  };
  const key = await org.key({ role: "caller", name: "short" });
  const answered = org.submit("edit", "{}", { key: "k", wait: 20, door: key.door });
  await until("the endpoint has it", () => endpoint.of("tool.call").length === 1);
  await org.admin.must(200, "DELETE", `/v1/keys/${key.id}`);
  handler.open();
  const { status, code } = await answered;
  assert.deepEqual([status, code], [401, "invalid_key"]);
  const { call } = endpoint.of("tool.call")[0];
  assert.equal((await org.call(call)).state, "succeeded", "the outcome itself is kept");
});

test("without a signature of the deployment the internal routes are not there, whatever is sent", async () => {
  const near = `${Date.now()}.${"A".repeat(43)}`;
  for (const path of ["/internal/deliveries", "/internal/notices"]) {
    for (const signature of [undefined, "", "1.x", near]) {
      for (const body of ["", "{}", Buffer.from([0xff, 0xfe]), Buffer.alloc(700_000, "x")]) {
        const headers = signature === undefined ? {} : { "toolgate-internal-signature": signature };
        const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
        assert.deepEqual([response.status, (await response.json()).code], [404, "not_found"], `${path} ${signature} ${body.length}`);
      }
    }
    assert.equal((await fetch(`${gateway.url}${path}`)).status, 404);
  }
});

test("many writes with large arguments end, each once, and none is unknown", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const any = `"${"x".repeat(250_000)}"`;
  const calls = [];
  for (let n = 0; n < 60; n += 1) calls.push((await begin(org, "edit", any)).call);
  for (const call of calls) {
    assert.equal((await ended(org, call)).state, "succeeded");
    assert.equal(endpoint.attempts(call).length, 1);
  }
});
