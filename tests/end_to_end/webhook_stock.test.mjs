// Endpoints that know nothing of us but the page docs/webhooks.md, signing with the stock library of their language or
// that language's own HMAC: they verify what the gateway sends, and the gateway takes what they reply.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { program, startDocumented } from "./support/documented.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { freePort } from "./support/ports.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";

const LANGUAGES = ["js", "python", "php"];

let gateway;
const ports = {};
before(async () => {
  for (const language of LANGUAGES) ports[language] = await freePort();
  gateway = await Gateway.start({ vars: { TOOLGATE_DEV_DESTINATIONS: Object.values(ports).map((port) => `127.0.0.1:${port}`).join(",") } });
});
after(() => gateway.stop());

for (const language of LANGUAGES) {
  test(`a program of 20 lines in ${language}, taken from the page, serves a pool`, async () => {
    assert.ok(program("webhooks.md", language).split("\n").filter((line) => line.trim()).length <= 20);
    const secret = newSecret();
    const child = await startDocumented("webhooks.md", language, ports[language], { TOOLGATE_WEBHOOK_SECRET: secret });
    try {
      const org = await Org.make(gateway);
      const url = `http://127.0.0.1:${ports[language]}/toolgate`;
      const pool = await org.admin.must(201, "PUT", "/v1/pools/stock", { transport: "webhook", url, secret });
      assert.deepEqual([pool.body.endpoint.state, pool.body.registration.tools], ["active", [{ name: "add", status: "added" }]]);
      await org.grant(["add"]);
      assert.equal((await org.accepted("add", '{"a":40,"b":2}', { wait: 10 })).result, 42);
      // While a secret is rotated every message has two signatures; a stock library takes the one that it knows.
      await org.admin.must(200, "POST", "/v1/pools/stock/secret-rotations");
      assert.equal((await org.accepted("add", '{"a":-1,"b":1}', { wait: 10 })).result, 0);
      const wrong = await org.admin.must(201, "PUT", "/v1/pools/other", { transport: "webhook", url, secret: newSecret() });
      assert.equal(wrong.body.endpoint.state, "pending");
      assert.match(wrong.body.endpoint.reason, /reply_unsigned/);
    } finally {
      child.kill("SIGKILL");
      await child.ended;
    }
  });
}
