// After each message to an endpoint its name is looked at again, whatever came of it: the platform resolves by itself, and
// where the name leads now, the message may have gone. And all of an exchange has one deadline, the look before it included.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { Org } from "./support/org.mjs";
import { SignedEndpoint } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";
import { begin, ended, endpointOf, hooked, newHost, putPool, TOOLS } from "./support/webhooks.mjs";

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

/** The endpoint's name leads elsewhere from the next message of this type on, which is answered so. */
function turnsAt(endpoint, type, answer = (_, out) => out.unsigned(500)) {
  endpoint.on[type] = (message, out) => {
    internet.dns(endpoint.host, { A: ["10.0.0.5"] });
    return answer(message, out);
  };
}

async function assertSuspended(org) {
  const { reason } = await until("the endpoint is suspended", async () => {
    const endpoint = await endpointOf(org);
    return endpoint.state === "suspended" && endpoint;
  });
  assert.match(reason, /10\.0\.0\.5/);
  assert.equal((await org.audit()).filter(({ event }) => event === "endpoint.suspended").length, 1);
}

test("after a failed challenge of a PUT: a new endpoint is suspended before it was ever active", async () => {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: TOOLS });
  turnsAt(endpoint, "endpoint.challenge");
  const { status, body } = await putPool(org, "hooks", endpoint);
  assert.deepEqual([status, body.endpoint.state], [201, "pending"]);
  await assertSuspended(org);
  // As any that is suspended, it is lifted by a challenge that passes.
  endpoint.on = {};
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS] });
  assert.equal((await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body.state, "active");
});

test("after a failed challenge of an active endpoint, and after one whose reply is lost", async () => {
  for (const answer of [undefined, (_, out) => out.raw.destroy()]) {
    const { org, endpoint } = await hooked(gateway, internet);
    turnsAt(endpoint, "endpoint.challenge", answer);
    const { body } = await org.admin.must(200, "POST", "/v1/pools/hooks/challenges");
    assert.deepEqual([body.state, typeof body.failed], ["active", "string"]);
    await assertSuspended(org);
  }
});

test("after a failed manifest sync", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  turnsAt(endpoint, "tools.manifest");
  assert.equal((await org.admin.post("/v1/pools/hooks/manifest-syncs")).code, "manifest_unavailable");
  await assertSuspended(org);
});

for (const [name, answer] of [["answered", (_, out) => out.signed({ tools: TOOLS, contexts: [] })], ["not answered", undefined]]) {
  test(`after the manifest that a reply gave news of, ${name}`, async () => {
    const org = await Org.make(gateway);
    const endpoint = new SignedEndpoint(internet, newHost(), { tools: TOOLS });
    // Without a first manifest the second need not wait for its time.
    endpoint.on["tools.manifest"] = (_, out) => out.unsigned(404);
    assert.equal((await putPool(org, "hooks", endpoint)).body.endpoint.state, "active");
    await org.admin.must(201, "PUT", "/v1/tools/look", { pool: "hooks", description: "By hand.", side_effect: "read_only", input: {} });
    await org.grant(["look"]);
    turnsAt(endpoint, "tools.manifest", answer);
    endpoint.hash = "news";
    assert.equal((await ended(org, (await begin(org, "look")).call)).state, "succeeded");
    await assertSuspended(org);
    assert.equal(endpoint.of("tools.manifest").length, 2);
  });
}

test("what was refused before sending is followed by no look", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  await until("the looks of the beginning are over", () => internet.queries(endpoint.host).length === 12);
  internet.dns(endpoint.host, { A: ["10.0.0.5"] });
  const { body } = await org.admin.must(200, "POST", "/v1/pools/hooks/challenges");
  assert.deepEqual([body.state, typeof body.failed], ["active", "string"]);
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS] });
  assert.equal((await ended(org, (await begin(org, "look")).call)).state, "succeeded");
  await until("the look after the call is over", () => internet.queries(endpoint.host).length === 12 + 4 + 8);
  assert.equal((await endpointOf(org)).state, "active");
});

test("the look-up is within the deadline of a challenge and of a manifest", async () => {
  const { org, endpoint } = await hooked(gateway, internet, { more: { timeout_seconds: 3 } });
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS], delayMs: 2_500 });
  const took = async (work) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  endpoint.on = { "endpoint.challenge": () => undefined, "tools.manifest": () => undefined };
  const challenge = async () => assert.match((await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body.failed, /endpoint_timeout/);
  const manifest = async () => assert.match((await org.admin.post("/v1/pools/hooks/manifest-syncs")).text, /endpoint_timeout/);
  for (const work of [challenge, manifest]) assert.ok((await took(work)) < 4_500, "3 s in all, not after the look-up");
  // All of it was spent before anything was sent.
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS], delayMs: 3_500 });
  const sent = internet.requests(endpoint.host).length;
  assert.match((await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body.failed, /nothing was sent/);
  assert.equal(internet.requests(endpoint.host).length, sent);
});
