// Many deliveries of one pool at a time, to an endpoint that takes its time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition, Org } from "./support/org.mjs";
import { SignedEndpoint } from "./support/signed_endpoint.mjs";
import { each, until } from "./support/until.mjs";

const IN_FLIGHT_MAX = 200;

let internet;
let gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(async () => {
  await gateway.stop();
  await internet.close();
});

/** An endpoint whose handlers wait at a gate; it counts how many are there at a time. */
async function scene() {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const seen = { now: 0, most: 0 };
  const handler = async ({ arguments: { n } }) => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await gate;
    seen.now -= 1;
    return n;
  };
  const tools = [definition("look", "read_only", { input: { n: "integer" } }), definition("pay", "consequential", { input: { n: "integer" } })];
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, `${org.id}.shops-example.com`, { tools, handler });
  await org.admin.must(201, "PUT", "/v1/pools/hooks", { transport: "webhook", url: endpoint.url, secret: endpoint.secret, timeout_seconds: 25 });
  await org.grant(["look", "pay"]);
  return { org, endpoint, seen, open };
}

test("250 submitted reads: 200 are under way at a time, the rest waits, each runs once and ends", async () => {
  const { org, endpoint, seen, open } = await scene();
  const calls = await each(Array.from({ length: 250 }), 25, (_, n) => org.accepted("look", { n }));
  await until("200 are at the endpoint", () => seen.now === IN_FLIGHT_MAX, 20_000);
  const { depth, running } = (await org.admin.get("/v1/pools/hooks/stats")).body;
  assert.deepEqual({ depth, running }, { depth: 50, running: IN_FLIGHT_MAX });
  open();
  for (const [n, { call }] of calls.entries()) {
    assert.equal((await org.callIn(call, "succeeded")).result, n);
    assert.equal(endpoint.attempts(call).length, 1);
  }
  assert.equal(seen.most, IN_FLIGHT_MAX);
});

test("200 approved writes start from the object, by the gateway's own route: each runs once", async () => {
  const { org, endpoint, seen, open } = await scene();
  // More than one principal: open approvals are capped for each.
  const principal = (n) => `{"id":"u${n % 10}","tenant_id":"t1","permissions":[]}`;
  const calls = await each(Array.from({ length: 200 }), 25, (_, n) => org.accepted("pay", { n }, { key: `k${n}`, principal: principal(n) }));
  await each(calls, 25, (call) => org.approve(call));
  await until("200 are at the endpoint", () => seen.now === IN_FLIGHT_MAX, 20_000);
  open();
  for (const [n, { call }] of calls.entries()) {
    assert.equal((await org.callIn(call, "succeeded")).result, n);
    assert.equal(endpoint.attempts(call).length, 1);
  }
});
