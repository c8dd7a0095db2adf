import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { approvalsPage, approvalText, callText, keyOf } from "./support/caller.js";
import { startWorkerd } from "./support/workerd.js";

const requests = [];
let edge;

// No compatibility flag: none of Node's modules are there, and the date is older than any gateway.
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "edge", worker = .edge), (name = "machine", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge")],
);
const edge :Workerd.Worker = (
  modules = [(name = "edge.js", esModule = embed "edge.js")],
  compatibilityDate = "2024-01-01",
  globalOutbound = "machine",
  bindings = [(name = "GATEWAY", fromEnvironment = "EDGE_GATEWAY"), (name = "KEY", fromEnvironment = "EDGE_KEY")],
);
`;

/** A gateway that never answers the first of two calls, and any of a tool called "never". */
const gateway = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  requests.push({ method: request.method, url: request.url, headers: request.headers, text });
  const seen = requests.filter(({ method, url }) => method === request.method && url === request.url).length;
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body);
  if (request.method === "POST" && request.url === "/v1/calls") {
    return text.includes("never") || seen === 1 ? request.socket.destroy() : answer(202, callText("queued"));
  }
  if (request.url === "/v1/calls/call_1") return answer(200, seen === 1 ? callText("running") : callText("succeeded", { result: "9007199254740993" }));
  if (request.method === "POST") return answer(200, approvalText("apr_1", { state: "approved" }));
  return answer(200, approvalsPage([approvalText("apr_1")]));
});

before(async () => {
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  edge = await startWorkerd("edge-caller.js", CONFIG, { EDGE_GATEWAY: `http://127.0.0.1:${gateway.address().port}`, EDGE_KEY: keyOf("key-1") });
});

after(async () => {
  await edge.stop();
  gateway.close();
  gateway.closeAllConnections();
});

test("under workerd: a lost answer is asked for with the same key, waits end, approvals are decided and watched", async () => {
  const answer = await fetch(`http://127.0.0.1:${edge.port}/`);
  assert.equal(answer.status, 200, edge.log());
  const { states, told, key, unanswered } = await answer.json();
  assert.deepEqual(states, ["queued", "succeeded", "approved", "apr_1"]);
  assert.equal(told, "9007199254740993");
  const sent = requests.filter(({ url }) => url === "/v1/calls");
  assert.deepEqual(sent.slice(0, 2).map(({ headers }) => headers["idempotency-key"]), [key, key]);
  assert.equal(sent[1].text, '{"tool":"pay","arguments":{"id":9007199254740993}}');
  assert.deepEqual(sent.slice(2).map(({ headers }) => headers["idempotency-key"]), Array.from({ length: 4 }, () => unanswered));
  const decision = requests.find(({ url }) => url === "/v1/approvals/apr_1/decision");
  assert.deepEqual(JSON.parse(decision.text), { decision: "approve", digest: "digest of apr_1" });
});
