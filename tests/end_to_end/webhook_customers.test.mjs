// The code that customers write, called by the gateway: the same tool file by both transports, and a Worker in Rust.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { startEdgeShop } from "./support/edge_shop.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { Org } from "./support/org.mjs";
import { freePort } from "./support/ports.mjs";
import { own } from "./support/processes.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";
import { within } from "./support/until.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PRINCIPAL = '{"id":"u1","tenant_id":"acme","permissions":["refunds:write"]}';
const TOOLS = ["get_order_status", "update_shipping_note", "refund_order"];

/** A program of examples/shop, once it has said that it is ready; resolves to the child and what it said. */
async function shopProgram(file, env, ready) {
  const child = own(spawn(process.execPath, [join(root, "examples/shop/dist", file)], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] }));
  let said = "";
  const found = new Promise((resolve, reject) => {
    const read = (text) => {
      said += text;
      const match = ready.exec(said);
      if (match) resolve(match);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    void child.ended.then(() => reject(new Error(`${file} ended:\n${said}`)));
  });
  return { child, match: await within(`${file} is ready`, 20_000, found) };
}

async function stopProgram({ child }) {
  child.kill("SIGTERM");
  assert.deepEqual(await within("it ends", 20_000, child.ended), { code: 0, signal: null });
}

async function refund(org, key, cents) {
  const args = `{"order_id":1001,"amount_cents":${cents},"reason":"late"}`;
  const parked = await org.accepted("refund_order", args, { key, principal: PRINCIPAL });
  await org.approve(parked);
  return org.callIn(parked.call, "succeeded");
}

test("one tool file, first polled by a worker, then behind a URL, then polled again: only configuration changes", async () => {
  const secret = newSecret();
  const port = await freePort();
  const gateway = await Gateway.start({ vars: { TOOLGATE_DEV_DESTINATIONS: `127.0.0.1:${port}` } });
  after(() => gateway.stop());
  const org = await Org.make(gateway);
  const SHOP_DATABASE = join(gateway.folder, "shop.db");
  const worker = () => shopProgram("worker.js", { TOOLGATE_URL: gateway.url, TOOLGATE_WORKER_KEY: org.worker.key, TOOLGATE_POOL: "main", SHOP_DATABASE }, /ready|registered|serves|polling/i);
  let running = await worker();
  await org.grant(TOOLS);
  const read = () => org.accepted("get_order_status", '{"order_id":1001}', { wait: 10, principal: PRINCIPAL });
  assert.equal((await read()).result.refunded_cents, 0);
  const first = await refund(org, "r1", 100);
  const grants = (await org.admin.get("/v1/capabilities/bot")).text;
  await stopProgram(running);

  running = await shopProgram("serve.js", { TOOLGATE_WEBHOOK_SECRET: secret, PORT: String(port), SHOP_DATABASE }, /listening/);
  const url = `http://127.0.0.1:${port}/toolgate`;
  const saved = await org.admin.must(200, "PUT", "/v1/pools/main", { transport: "webhook", url, secret });
  assert.equal(saved.body.endpoint.state, "active");
  assert.deepEqual(new Set(saved.body.registration.tools.map(({ status }) => status)), new Set(["unchanged"]));
  assert.equal((await read()).result.refunded_cents, 100, "the same code on the same data");
  await refund(org, "r2", 50);
  const tool = (await org.admin.get("/v1/tools/refund_order")).body;
  assert.equal(tool.managed_by, "webhook");
  assert.equal(tool.versions.length, 1, "its history is as it was");
  assert.equal((await org.admin.get("/v1/capabilities/bot")).text, grants, "and so are the grants");
  assert.equal((await org.call(first.call)).state, "succeeded", "calls of before are still there");
  await stopProgram(running);

  await org.admin.must(200, "PUT", "/v1/pools/main", { transport: "worker" });
  running = await worker();
  assert.equal((await read()).result.refunded_cents, 150);
  await stopProgram(running);
});

test("a Worker in Rust behind a relay with TLS: each class, exact numbers, a refund once", async () => {
  const secret = newSecret();
  const internet = await Internet.start();
  const shop = await startEdgeShop({ secret });
  const gateway = await Gateway.start({ internet });
  after(async () => {
    await gateway.stop();
    await shop.stop();
    await internet.close();
  });
  // A relay that knows nothing: path, headers and body go through as they came, back and forth.
  internet.host("edge-shop.shops-example.com", async ({ method, path, headers, body }, respond) => {
    const kept = headers.filter(([name]) => !["host", "content-length", "connection"].includes(name.toLowerCase()));
    const reply = await fetch(`http://127.0.0.1:${shop.port}${path}`, { method, headers: kept, body });
    await respond(reply.status, Object.fromEntries(reply.headers), Buffer.from(await reply.arrayBuffer()));
  });
  const org = await Org.make(gateway);
  const pool = await org.admin.must(201, "PUT", "/v1/pools/edge", { transport: "webhook", url: "https://edge-shop.shops-example.com/toolgate", secret });
  assert.equal(pool.body.endpoint.state, "active");
  await org.grant(["get_order", "list_orders", "add_note", "refund_order"]);
  const order = await org.submit("get_order", '{"order_id":9007199254740993}', { wait: 10, principal: PRINCIPAL });
  assert.match(order.text, /"order_id":9007199254740993\b/);
  const noted = await org.accepted("add_note", '{"order_id":1001,"note":"\\u2028 😀"}', { key: "n", wait: 10, principal: PRINCIPAL });
  assert.deepEqual(noted.result.notes, ["\u2028 😀"]);
  const parked = await org.accepted("refund_order", '{"order_id":1001,"amount_cents":90}', { key: "r", principal: PRINCIPAL });
  assert.equal(parked.state, "waiting_approval");
  await org.approve(parked);
  assert.equal((await org.callIn(parked.call, "succeeded")).result.refunded_cents, 90);
  const foreign = await org.accepted("get_order", '{"order_id":2001}', { wait: 10, principal: PRINCIPAL });
  assert.deepEqual([foreign.state, foreign.error.code], ["failed", "unknown_order"]);
  const runs = await shop.runs();
  assert.deepEqual(runs.filter(({ call }) => call === parked.call), [{ tool: "refund_order", call: parked.call, attempt: 1 }]);
  assert.deepEqual(runs.map(({ tool }) => tool), ["get_order", "add_note", "refund_order", "get_order"]);
});
