import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { tool } from "../../dist/index.js";
import { MemoryLogger } from "./worker.js";

// The other end of the wire, written from the specification alone: it shares no code with what it tests.
export const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;
export const now = () => Math.floor(Date.now() / 1_000);

export function signature(secret, id, timestamp, body) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

export const contentDigest = (body) => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

/** A signed request as the gateway sends it. `extra` replaces or adds headers; undefined takes one away. */
export function signed(secret, body, { id = "msg_1", timestamp = now(), ...extra } = {}) {
  const bytes = Buffer.from(body);
  const signatures = [secret].flat().map((each) => signature(each, id, timestamp, bytes));
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
    "content-type": "application/json",
    "content-digest": contentDigest(bytes),
    ...extra,
  };
  return { method: "POST", headers: Object.entries(headers).filter(([, value]) => value !== undefined), body: bytes };
}

let messages = 0;

/** The body of a call. `arguments` and `principal` are JSON text, so that numbers are what the test wrote. */
export function callText({ arguments: args = "{}", principal = '{"id":"u1","tenant_id":"acme","permissions":[]}', ...rest } = {}) {
  messages += 1;
  const members = { type: "tool.call", reply_id: `re_${messages}`, call: `call_${messages}`, tool: "look", attempt: 1, side_effect: "read_only", deadline_seconds: 15, ...rest };
  return `${JSON.stringify(members).slice(0, -1)},"arguments":${args},"principal":${principal}}`;
}

/** A signed call: its `webhook-id` is the call's own. */
export function signedCall(secret, members, options) {
  const text = callText(members);
  return signed(secret, text, { id: JSON.parse(text).call, ...options });
}

/** The parsed reply, after its signature, its age and its headers were found right. A `timestamp` is its very own. */
export function readReply(reply, request, secret, { timestamp } = {}) {
  assert.equal(reply.status, 200, `status ${reply.status}: ${reply.body}`);
  const { reply_id: replyId } = JSON.parse(request.body.toString().replace(/^\uFEFF/, ""));
  assert.equal(reply.headers["webhook-id"], replyId);
  assert.match(reply.headers["webhook-timestamp"], /^[1-9][0-9]{9}$/);
  if (timestamp === undefined) assert.ok(Math.abs(Number(reply.headers["webhook-timestamp"]) - now()) <= 60, "the reply's timestamp is fresh");
  else assert.equal(reply.headers["webhook-timestamp"], String(timestamp));
  assert.equal(reply.headers["webhook-signature"], signature(secret, replyId, reply.headers["webhook-timestamp"], reply.body));
  assert.match(reply.headers["content-type"], /^application\/json\b/);
  return JSON.parse(reply.body);
}

/** What a stranger learns: a status. */
export function assertSilent(reply, status) {
  assert.equal(reply.status, status);
  assert.equal(reply.body, "");
  for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^webhook-/);
}

/** Handlers as tools: those whose name begins with "write" are writes. */
export function toolsOf(handlers) {
  return Object.entries(handlers).map(([name, given]) => {
    const { handler, ...rest } = typeof given === "function" ? { handler: given } : given;
    return tool({ name, description: name, sideEffect: name.startsWith("write") ? "reversible_write" : "read_only", input: {}, handler, ...rest });
  });
}

/** Options of an endpoint, and the log that it writes. */
export function endpointOptions(handlers, options) {
  const logger = new MemoryLogger(() => {});
  return { tools: toolsOf(handlers), secret: newSecret(), logger, ...options };
}
