// What a deployment keeps to itself: its own names are no destinations, and no secret of an endpoint is on its disk in clear.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { Org } from "./support/org.mjs";
import { newSecret, SignedEndpoint } from "./support/signed_endpoint.mjs";
import { begin, ended, hooked, putPool, TOOLS } from "./support/webhooks.mjs";

const OWN = ["gate.example.org", "Toolgate.example.net"];

let internet, gateway, plain;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet, vars: { TOOLGATE_OWN_HOSTS: OWN.join(" , ") } });
  plain = await Gateway.start({ internet });
});
after(async () => {
  await gateway.stop();
  await plain.stop();
  await internet.close();
});

test("an endpoint with a name of the gateway's own is refused when it is saved; without the setting it is one like any other", async () => {
  const hosts = [...OWN.map((name) => name.toLowerCase()), "other.example.org"];
  for (const [deployment, refused] of [[gateway, hosts.slice(0, 2)], [plain, []]]) {
    const org = await Org.make(deployment);
    for (const [n, host] of hosts.entries()) {
      const endpoint = new SignedEndpoint(internet, host, { tools: TOOLS });
      const before = internet.requests(host).length;
      const { status, code, text } = await putPool(org, `p${n}`, endpoint);
      const wanted = refused.includes(host) ? [422, "destination_refused"] : [201, undefined];
      assert.deepEqual([status, code], wanted, `${host}: ${text}`);
      assert.equal(internet.requests(host).length > before, !refused.includes(host), `${host} is called only where it may be`);
    }
  }
});

/** All files below a folder, as bytes. */
function filesOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }));
}

test("no secret of an endpoint stands in the state folder, neither as text nor as bytes, after a call, a rotation and a replacement", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const run = async (tool) => assert.equal((await ended(org, (await begin(org, tool)).call)).state, "succeeded");
  await run("edit");
  const rotated = (await org.admin.must(200, "POST", "/v1/pools/hooks/secret-rotations")).body.secret;
  endpoint.secrets = [endpoint.secret, rotated];
  await run("edit");
  await run("pay");
  const put = newSecret();
  const secrets = [...endpoint.secrets, put];
  endpoint.secrets = [put];
  assert.equal((await putPool(org, "hooks", endpoint)).body.endpoint.state, "active");
  await run("look");
  const files = filesOf(join(gateway.folder, "gateway"));
  assert.ok(files.some(({ name }) => name.endsWith(".sqlite")), files.map(({ name }) => name).join());
  const holds = (needle) => files.filter(({ bytes }) => bytes.includes(needle)).map(({ name }) => name);
  // What is looked for would be found: other words of the same endpoint are there.
  assert.notDeepEqual(holds(endpoint.url), []);
  for (const secret of secrets) {
    const base64 = secret.slice("whsec_".length);
    const key = Buffer.from(base64, "base64");
    for (const needle of [base64, base64.replace(/=+$/, ""), key, key.toString("hex"), key.toString("base64url"), Buffer.from(base64).toString("base64").replace(/=+$/, "")]) {
      assert.deepEqual(holds(needle), [], "a secret is on the disk in clear");
    }
  }
});
