import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { over } from "./support/adapters.js";
import { assertSilent, newSecret, readReply, signed, signedCall } from "./support/webhook.js";
import { startWorkerd } from "./support/workerd.js";

const secret = newSecret();
let edge;
let port;

// No compatibility flag: none of Node's modules are there, and the date is older than any gateway.
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "edge", worker = .edge)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge")],
);
const edge :Workerd.Worker = (
  modules = [(name = "edge.js", esModule = embed "edge.js")],
  compatibilityDate = "2024-01-01",
  bindings = [(name = "SECRET", fromEnvironment = "EDGE_SECRET")],
);
`;

before(async () => {
  edge = await startWorkerd("edge.js", CONFIG, { EDGE_SECRET: secret });
  port = edge.port;
});

after(() => edge.stop());

const ask = async (members, path) => {
  const request = signedCall(secret, members);
  return readReply(await over(port, path)(request), request, secret);
};

test("under workerd: challenge, manifest and call are answered, signed", async () => {
  for (const [body, expected] of [
    ['{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}', ({ nonce }) => nonce === "n"],
    ['{"type":"tools.manifest","reply_id":"re_2"}', ({ tools, contexts }) => tools.length === 4 && contexts.length === 0],
  ]) {
    const request = signed(secret, body);
    assert.ok(expected(readReply(await over(port)(request), request, secret)));
  }
  assert.deepEqual((await ask({ arguments: '{"data":{"a":1}}' })).result, { a: 1 });
});

test("under workerd: every text arrives and comes back byte for byte, in one piece or in many", async () => {
  for (const text of ['"👩‍🔧 \u2028 e\u0301 \ufeff"', '"\\ud800"', "[9007199254740993,18446744073709551615]", `"${"é😀x".repeat(37_449)}"`]) {
    const request = signedCall(secret, { arguments: `{"data":${text}}` });
    const half = request.body.length >> 1;
    for (const chunks of [undefined, [request.body.subarray(0, half), request.body.subarray(half)]]) {
      const reply = await over(port)({ ...request, chunks });
      readReply(reply, request, secret);
      assert.equal(reply.body.slice(0, reply.body.lastIndexOf(',"manifest":')), `{"result":${text}`);
    }
  }
  const marked = signed(secret, `\ufeff{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}`);
  assert.deepEqual(readReply(await over(port)(marked), marked, secret), { nonce: "n" });
});

test("under workerd: strangers, doubled headers, other methods, empty and large bodies, and a body that was read", async () => {
  assertSilent(await over(port)(signedCall(newSecret())), 401);
  const doubled = signedCall(secret);
  doubled.headers.push(doubled.headers[0]);
  assertSilent(await over(port)(doubled), 401);
  assertSilent(await over(port)({ ...signedCall(secret), method: "PUT" }), 405);
  assertSilent(await over(port)(signed(secret, "")), 204);
  assertSilent(await over(port)(signed(secret, "x".repeat(512 * 1024 + 1))), 413);
  assertSilent(await over(port, "/consumed")(signedCall(secret)), 500);
  for (const pattern of [/signed with another secret/, /webhook-id is malformed/, /larger than any/, /before anything calls its json/]) await edge.logged(pattern);
  assert.equal(edge.log().includes(secret.slice(6, 20)), false);
});

test("under workerd: a write that was sent twice runs once, also when its first caller has left", async () => {
  const write = () => signedCall(secret, { tool: "write_it", side_effect: "reversible_write", call: "call_a" });
  const { headers, body } = write();
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  const lines = [...headers, ["host", "tools.test"], ["content-length", body.length]].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /toolgate HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const seen = async () => (await ask({ tool: "seen" })).result;
  while ((await seen())[1] !== 1);
  const second = write();
  const waiting = over(port)(second);
  while ((await seen())[0] !== 2);
  socket.destroy();
  await once(socket, "close");
  await ask({ tool: "open" });
  assert.deepEqual(readReply(await waiting, second, secret).result, { written: 1 });
  const third = write();
  assert.deepEqual(readReply(await over(port)(third), third, secret).result, { written: 1 });
  assert.deepEqual(await seen(), [3, 1]);
});
