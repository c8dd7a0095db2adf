// The gateway dies by kill -9 while calls are on their way to an endpoint.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { until } from "./support/until.mjs";
import { begin, CLASSES, ended, hooked } from "./support/webhooks.mjs";

const SYNC_PAUSE_MS = 30_000;

let internet, gateways;
before(async () => {
  internet = await Internet.start();
  gateways = await Promise.all(Array.from({ length: 3 }, () => Gateway.start({ internet })));
});
// To stop one ends what all have started, so they stop when all tests are over.
after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await internet.close();
});

/** A call of each class, begun and not waited for. */
async function beginEach(org) {
  const calls = {};
  for (const tool of Object.keys(CLASSES)) calls[tool] = (await begin(org, tool)).call;
  return calls;
}

// Each waits half a minute for something else, so they wait together.
describe("kills, and what takes half a minute", { concurrency: true }, () => {
  test("killed between sending and the reply: a read is tried again, a write is unknown and never sent again", async () => {
    const gateway = gateways[0];
    const { org, endpoint } = await hooked(gateway, internet);
    endpoint.on["tool.call"] = () => undefined;
    const calls = await beginEach(org);
    await until("all are at the endpoint", () => endpoint.of("tool.call").length === 3);
    await gateway.kill();
    endpoint.on = {};
    await gateway.start();
    const read = await ended(org, calls.look);
    assert.equal(read.state, "succeeded");
    assert.deepEqual(endpoint.attempts(calls.look).map(({ attempt }) => attempt), [1, 2]);
    for (const tool of ["edit", "pay"]) {
      const { state, error } = await ended(org, calls[tool]);
      assert.deepEqual([state, error.code, endpoint.attempts(calls[tool]).length], ["unknown", "worker_lost", 1], tool);
    }
    const [one, two] = endpoint.attempts(calls.look);
    assert.ok(one.id === two.id && one.reply_id !== two.reply_id && one.timestamp < two.timestamp);
    assert.deepEqual(endpoint.faults, []);
  });

  test("killed before anything was sent: every class is sent once, and ends with the code's word", async () => {
    const gateway = gateways[1];
    const { org, endpoint } = await hooked(gateway, internet);
    const asked = internet.queries(endpoint.host).length;
    internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS], delayMs: 3_000 });
    const calls = await beginEach(org);
    await until("the names of all are looked up", () => internet.queries(endpoint.host).length === asked + 12);
    await gateway.kill();
    assert.equal(endpoint.of("tool.call").length, 0);
    internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS] });
    await gateway.start();
    for (const [tool, call] of Object.entries(calls)) {
      const { state, error } = await ended(org, call);
      assert.deepEqual([state, endpoint.attempts(call).length], ["succeeded", 1], `${tool}: ${JSON.stringify(error)}`);
    }
    assert.deepEqual(endpoint.faults, []);
  });

  test("a reply that names another manifest brings its tools, at most every 30 seconds", async () => {
    const gateway = gateways[2];
    const { org, endpoint } = await hooked(gateway, internet, { tools: [] });
    endpoint.tools = [definition("look", "read_only")];
    await org.admin.must(200, "POST", "/v1/pools/hooks/manifest-syncs");
    await org.grant(["look"]);
    const syncs = () => endpoint.of("tools.manifest");
    const [{ at: lastSync }] = syncs().slice(-1);
    const known = syncs().length;
    endpoint.hash = "second";
    endpoint.tools = [...endpoint.tools, definition("fresh", "read_only")];
    const look = async () => assert.equal((await ended(org, (await begin(org, "look")).call)).state, "succeeded");
    await until("the manifest is asked for again", async () => {
      await look();
      return syncs().length > known;
    }, SYNC_PAUSE_MS + 15_000);
    const took = syncs().at(-1).at - lastSync;
    assert.ok(took >= SYNC_PAUSE_MS, `it was asked for after ${took} ms`);
    await until("the new tool is there", async () => (await org.admin.get("/v1/tools/fresh")).status === 200);
    for (let n = 0; n < 5; n += 1) await look();
    assert.equal(syncs().length, known + 1, "a hash that is known brings nothing");
  });
});
