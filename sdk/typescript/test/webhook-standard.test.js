import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { doors } from "./support/adapters.js";
import { callText, endpointOptions, newSecret } from "./support/webhook.js";

// The stock library of Standard Webhooks on the gateway's side: it signs what we take, and takes what we sign.
const request = (webhook, id, text, at = new Date()) => ({
  method: "POST",
  headers: [["webhook-id", id], ["webhook-timestamp", String(Math.floor(at / 1_000))], ["webhook-signature", webhook.sign(id, at, text)]],
  body: Buffer.from(text),
});

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const pick = (headers) => Object.fromEntries(NAMES.map((name) => [name, headers[name]]));

for (const [name, open] of Object.entries(doors)) {
  test(`${name}: requests of the stock library are taken, and it verifies the replies`, async (t) => {
    for (const bytes of [24, 32, 64]) {
      const options = endpointOptions({ look: { input: { data: "json" }, handler: ({ data }) => data } }, { secret: newSecret(bytes) });
      const webhook = new Webhook(options.secret);
      const send = await open(t, options);
      for (const data of ['{"order":1001}', '"👩‍🔧 \u2028 é"', '"\\ud800"', "[]"]) {
        const text = callText({ arguments: `{"data":${data}}` });
        const { call, reply_id: replyId } = JSON.parse(text);
        const reply = await send(request(webhook, call, text));
        const { result } = webhook.verify(reply.body, pick(reply.headers));
        assert.deepEqual(result, JSON.parse(data));
        assert.equal(reply.headers["webhook-id"], replyId);
        assert.throws(() => webhook.verify(`${reply.body} `, pick(reply.headers)), /No matching signature/);
      }
    }
  });
}

test("what the stock library signs with another secret, or signed 6 minutes ago, is not taken", async (t) => {
  const options = endpointOptions({ look: () => assert.fail("nothing runs") });
  const send = await doors["Express 5"](t, options);
  assert.equal((await send(request(new Webhook(newSecret()), "call_a", callText()))).status, 401);
  const webhook = new Webhook(options.secret);
  const [text, at] = [callText(), new Date(Date.now() - 360_000)];
  const reply = await send(request(webhook, "call_a", text, at));
  assert.equal(JSON.parse(reply.body).error.code, "stale_timestamp");
  // Dated as the request was: the library takes no message of 6 minutes ago either.
  assert.equal(reply.headers["webhook-signature"], webhook.sign(JSON.parse(text).reply_id, at, reply.body));
});

test("a message under both secrets, as during a rotation, is taken by either", async (t) => {
  const secrets = [newSecret(), newSecret()];
  for (const secret of secrets) {
    const options = endpointOptions({ look: () => "seen" }, { secret });
    const send = await doors["Node http"](t, options);
    const text = callText();
    const at = new Date();
    const both = request(new Webhook(secrets[0]), "call_a", text, at);
    both.headers[2][1] = secrets.map((each) => new Webhook(each).sign("call_a", at, text)).join(" ");
    const reply = await send(both);
    assert.equal(new Webhook(secret).verify(reply.body, pick(reply.headers)).result, "seen");
  }
});
