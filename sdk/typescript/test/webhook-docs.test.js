import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { over } from "./support/adapters.js";
import { callText, newSecret, readReply, signed, signedCall } from "./support/webhook.js";

const root = new URL("../../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const page = read("docs/webhooks.md");

/** The program of the page, started as a reader would. */
async function start(t, secret) {
  const [program] = page.match(/(?<=```js\n)[^]*?(?=```)/g).filter((block) => block.includes("createServer"));
  // Evaluated here, so that it finds the packages of this one.
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: fileURLToPath(new URL("sdk/typescript/", root)),
    env: { TOOLGATE_WEBHOOK_SECRET: secret, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  for await (const chunk of child.stdout) {
    output += chunk;
    const listening = /port (\d+)\n/.exec(output);
    if (listening !== null) return over(listening[1]);
  }
  return assert.fail(`it did not start: ${output}${errors}`);
}

test("the JavaScript of docs/webhooks.md answers what the gateway sends, with replies that verify", async (t) => {
  const secret = newSecret();
  const webhook = new Webhook(secret);
  const send = await start(t, secret);
  const ask = async (request) => {
    const reply = await send(request);
    webhook.verify(reply.body, reply.headers);
    return readReply(reply, request, secret);
  };
  assert.deepEqual(await ask(signed(secret, '{"type":"endpoint.challenge","reply_id":"re_1","nonce":"👩‍🔧"}')), { nonce: "👩‍🔧" });
  const manifest = await ask(signed(secret, '{"type":"tools.manifest","reply_id":"re_2"}'));
  assert.deepEqual(Object.keys(manifest), ["tools", "contexts"]);
  assert.deepEqual(manifest.tools.map(({ name, side_effect }) => [name, side_effect]), [["add", "read_only"]]);
  assert.deepEqual(await ask(signedCall(secret, { tool: "add", arguments: '{"a":40,"b":2}' })), { result: 42 });
  const chunked = signedCall(secret, { tool: "add", arguments: '{"a":-1,"b":1}' });
  assert.deepEqual(await ask({ ...chunked, chunks: [chunked.body.subarray(0, 9), chunked.body.subarray(9)] }), { result: 0 });
  const { error, ...rest } = await ask(signedCall(secret, { tool: "gone" }));
  assert.deepEqual([typeof error.message, rest], ["string", {}]);
  assert.equal((await send(signed(secret, ""))).status, 204);
  for (const request of [signed(newSecret(), callText()), signed(secret, callText(), { timestamp: 1_700_000_000 }), { ...signedCall(secret), method: "GET" }]) {
    const reply = await send({ ...request, ...(request.method === "GET" && { body: Buffer.alloc(0) }) });
    assert.deepEqual([reply.status, reply.body], [401, ""]);
  }
});

test("without a secret that program does not start", async (t) => {
  await assert.rejects(start(t, ""), /did not start/);
});

test("the pages name what is there", () => {
  const log = ["src/webhook/diagnosis.ts", "src/webhook/endpoint.ts", "src/webhook/verify.ts"].map((path) => read(`sdk/typescript/${path}`)).join("\n");
  const quoted = ["signed with another secret", "altered on its way", "came compressed", "behind", "ahead of", "the body of a request was already read", "not a message of the gateway"];
  for (const words of quoted) {
    assert.ok(page.includes(words), `docs/webhooks.md: ${words}`);
    assert.ok(log.includes(words), `the log: ${words}`);
  }
});
