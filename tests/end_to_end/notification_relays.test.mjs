// The relays of docs/notifications.md, taken from that page: a message of the gateway becomes a post in a chat, or a
// mail, and what the chat or the mail server does not take comes again.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { startDocumented } from "./support/documented.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { freePort } from "./support/ports.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { newSecret, signedHeaders } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";

const PRINCIPAL = '{"id":"<!channel> & co","tenant_id":"t1","permissions":[]}';

const LANGUAGES = ["js", "python"];

let gateway;
const ports = {};
before(async () => {
  for (const language of LANGUAGES) ports[language] = await freePort();
  gateway = await Gateway.start({ vars: { TOOLGATE_DEV_DESTINATIONS: Object.values(ports).map((port) => `127.0.0.1:${port}`).join(",") } });
});
after(() => gateway.stop());

const startRelay = (language, env) => startDocumented("notifications.md", language, ports[language], env);

/** What a chat was sent; it refuses the first. */
async function chat() {
  const posts = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    posts.push(JSON.parse(body));
    response.writeHead(posts.length === 1 ? 503 : 200).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { posts, server, port: server.address().port };
}

/** A mail server (RFC 5321) that refuses the first mail. */
async function mailServer() {
  const mails = [];
  const server = createTcpServer((socket) => {
    let [text, inMail] = ["", false];
    socket.on("error", () => undefined).write("220 here\r\n");
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      for (;;) {
        const end = inMail ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
        if (end < 0) return;
        const said = text.slice(0, end);
        text = text.slice(end + (inMail ? 5 : 2));
        if (inMail) {
          mails.push(said);
          socket.write(mails.length === 1 ? "451 later\r\n" : "250 taken\r\n");
          inMail = false;
        } else {
          const verb = said.split(" ")[0].toUpperCase();
          inMail = verb === "DATA";
          socket.write({ DATA: "354 go on\r\n", QUIT: "221 bye\r\n" }[verb] ?? "250 yes\r\n");
        }
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { mails, server, port: server.address().port };
}

/** An org with one parked call, told of to the relay. */
async function told(language, secret) {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const url = `http://127.0.0.1:${ports[language]}/`;
  await org.admin.must(201, "PUT", "/v1/notifications/relay", { url, secret, events: ["approval.requested"] });
  return { org, call: await org.accepted("pay", "{}", { key: "k", principal: PRINCIPAL }) };
}

const isDone = (org) => until("nothing waits", async () => (await org.admin.get("/v1/notifications/relay")).body.waiting.length === 0);

/** Runs `work` beside the relay, and ends the relay and what it sends to. */
async function beside(language, secret, server, env, work) {
  try {
    const child = await startRelay(language, { TOOLGATE_NOTIFICATION_SECRET: secret, ...env });
    await refusesStrangers(language);
    await work(await told(language, secret)).finally(() => child.kill("SIGKILL"));
    await child.ended;
  } finally {
    server.close();
  }
}

/** A relay believes nobody else. */
async function refusesStrangers(language) {
  for (const headers of [{}, signedHeaders(newSecret(), "msg_of_a_stranger", "{}")]) {
    const answer = await fetch(`http://127.0.0.1:${ports[language]}/`, { method: "POST", headers, body: "{}" });
    assert.equal(answer.status, 401);
  }
}

describe("relays", { concurrency: true }, () => {
  test("the relay to a chat posts what waits, with everything escaped, and again what the chat refused", async () => {
    const { posts, server, port } = await chat();
    await beside("js", newSecret(), server, { SLACK_WEBHOOK_URL: `http://127.0.0.1:${port}/` }, async ({ org, call }) => {
      await until("it was posted twice", () => posts.length === 2, 30_000);
      const url = `${gateway.url}/v1/approvals/${call.approval.id}`;
      const text = `*1* × approval.requested\n• <${url}|pay by bot for &lt;!channel&gt; &amp; co: pending>`;
      assert.deepEqual(posts, [{ text, unfurl_links: false }, { text, unfurl_links: false }]);
      await isDone(org);
    });
  });

  test("the relay to a mailbox sends a mail, and again under the same id what the mail server refused", async () => {
    const { mails, server, port } = await mailServer();
    const env = { SMTP_HOST: "127.0.0.1", SMTP_PORT: String(port), MAIL_FROM: "gate@example.com", MAIL_TO: "ann@example.com" };
    await beside("python", newSecret(), server, env, async ({ org, call }) => {
      await until("it was sent twice", () => mails.length === 2, 30_000);
      await isDone(org);
      const [first, second] = mails.map((mail) => mail.match(/^message-id: (<msg_[0-9a-f]+@toolgate>)/im)?.[1]);
      assert.ok(first !== undefined && first === second);
      const text = mails[1].replaceAll("=\r\n", "").replaceAll("=3D", "=");
      assert.match(text, /^subject: 1 x approval\.requested\r$/m);
      assert.ok(text.includes("pay by bot for <!channel> & co: pending") && text.includes(`${gateway.url}/v1/approvals/${call.approval.id}`), text);
    });
  });
});
