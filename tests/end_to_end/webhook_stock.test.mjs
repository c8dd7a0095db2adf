// Endpoints that know nothing of us but the page docs/webhooks.md, signing with the stock libraries of their language:
// they verify what the gateway sends, and the gateway takes what they reply.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { freePort } from "./support/ports.mjs";
import { own } from "./support/processes.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";
import { within } from "./support/until.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The program of a language that serves: the block of the page that listens. */
function program(language) {
  const page = readFileSync(join(root, "docs/webhooks.md"), "utf8");
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code);
  const found = blocks.find((code) => /listen|serve_forever/.test(code));
  assert.ok(found, `the page has a program in ${language}`);
  return found;
}

const python = process.env.TOOLGATE_PYTHON;
const COMMANDS = {
  js: () => [process.execPath, ["--input-type=module", "-e", program("js")], join(root, "sdk/typescript")],
  python: () => {
    assert.ok(python, "TOOLGATE_PYTHON names a Python with the stock library; scripts/test end_to_end makes one");
    return [python, ["-c", program("python")], root];
  },
};

let gateway;
const ports = {};
before(async () => {
  for (const language of Object.keys(COMMANDS)) ports[language] = await freePort();
  gateway = await Gateway.start({ vars: { TOOLGATE_DEV_DESTINATIONS: Object.values(ports).map((port) => `127.0.0.1:${port}`).join(",") } });
});
after(() => gateway.stop());

async function start(language, secret) {
  const [command, args, cwd] = COMMANDS[language]();
  const env = { ...process.env, TOOLGATE_WEBHOOK_SECRET: secret, PORT: String(ports[language]) };
  const child = own(spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] }));
  const listening = new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => /port \d+/.test(text) && resolve());
    void child.ended.then(() => reject(new Error(`the program in ${language} ended`)));
  });
  await within(`the program in ${language} listens`, 20_000, listening);
  return child;
}

for (const language of Object.keys(COMMANDS)) {
  test(`a program in ${language} with the stock library, taken from the page, serves a pool`, async () => {
    const secret = newSecret();
    const child = await start(language, secret);
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
