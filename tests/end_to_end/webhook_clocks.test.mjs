// An endpoint whose clock is off refuses what it is sent, and the gateway is told: the code certainly did not run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { freePort } from "./support/ports.mjs";
import { own } from "./support/processes.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";
import { ended } from "./support/webhooks.mjs";

const program = fileURLToPath(new URL("support/clocked_endpoint.mjs", import.meta.url));
const secret = newSecret();

let gateway, child, port;
let said = "";
before(async () => {
  port = await freePort();
  gateway = await Gateway.start({ vars: { TOOLGATE_DEV_DESTINATIONS: `127.0.0.1:${port}` } });
  const env = { ...process.env, TOOLGATE_WEBHOOK_SECRET: secret, PORT: String(port) };
  child = own(spawn(process.execPath, [program], { env, stdio: ["pipe", "pipe", "ignore"] }));
  child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  await until("the endpoint listens", () => /listening/.test(said));
});
after(async () => {
  child.kill("SIGKILL");
  await child.ended;
  await gateway.stop();
});

async function setClock(offSeconds) {
  said = "";
  child.stdin.write(`${offSeconds}\n`);
  await until(`its clock is off by ${offSeconds} s`, () => said.includes(`off by ${offSeconds}\n`));
}

test("a call to an endpoint whose clock is 400 s off fails as stale_timestamp at once, a write too, and runs when it is right again", async () => {
  const org = await Org.make(gateway);
  const saved = await org.admin.must(201, "PUT", "/v1/pools/clocked", { transport: "webhook", url: `http://127.0.0.1:${port}/`, secret });
  assert.equal(saved.body.endpoint.state, "active", saved.text);
  await org.grant(["look", "edit"]);
  for (const offSeconds of [400, -400]) {
    await setClock(offSeconds);
    for (const tool of ["look", "edit"]) {
      const { call } = await org.accepted(tool, "{}", { key: `${tool} ${offSeconds}`, wait: 10 });
      const end = await ended(org, call);
      assert.deepEqual([end.state, end.error?.code], ["failed", "stale_timestamp"], JSON.stringify(end));
      assert.match(end.error.message, offSeconds > 0 ? /40\d s behind/ : /(400|39\d) s ahead of/);
      const { events } = await org.events(call);
      assert.deepEqual(events.filter(({ event }) => ["transport_lost", "settle"].includes(event)).map(({ event }) => event), ["settle"], "and is not tried again");
    }
    const { body } = await org.admin.must(200, "POST", "/v1/pools/clocked/challenges");
    assert.equal(body.state, "active");
    assert.match(body.failed, /reply_invalid/);
  }
  await setClock(0);
  assert.equal((await org.accepted("edit", "{}", { key: "right again", wait: 10 })).result, 1, "nothing ran before");
});
