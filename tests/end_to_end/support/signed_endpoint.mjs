// A customer's endpoint without our SDK: it verifies the gateway's messages strictly, writes down what is wrong with
// them, and answers with replies signed by its own few lines (Standard Webhooks 1.0) - or as a test wants it to.
import { createHash, createHmac, randomBytes } from "node:crypto";

const TOLERANCE_SECONDS = 5;
const ID = /^[A-Za-z0-9_-]{1,100}$/;
/** Members of each message: those that must be there, those that may. */
const MEMBERS = {
  "endpoint.challenge": [["type", "reply_id", "nonce"], []],
  "tools.manifest": [["type", "reply_id"], []],
  "tool.call": [["type", "reply_id", "call", "tool", "arguments", "principal", "attempt", "side_effect", "deadline_seconds"], ["run", "input"]],
};

export const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;

/** The `webhook-signature` of one secret. */
export function signature(secret, id, timestamp, body) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** The three headers of a message; a list of secrets makes a list of signatures. */
export function signedHeaders(secrets, id, body, timestamp = Math.floor(Date.now() / 1000)) {
  const all = [secrets].flat().map((secret) => signature(secret, id, timestamp, body));
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": all.join(" ") };
}

/**
 * `on["tool.call"](message, out)` (likewise `endpoint.challenge`, `tools.manifest`) takes the place of the true answer.
 * `message` is the parsed body, with `text` and the `request`; a true reply is `out.signed(body)`, whose options `id`,
 * `secret`, `timestamp`, `headers`, `status` make it a false one (`out.make` only makes its headers and body);
 * `out.unsigned(status, body, headers)` and `out.raw` (see internet.mjs) do the rest. `handler(message)` gives the result of a true call as JSON text or a value.
 */
export class SignedEndpoint {
  /** Messages that were signed and whole, in order: the body with `text`, `id`, `at`, `timestamp`, `request`, `out`. */
  messages = [];
  /** What was wrong with messages; a test whose gateway is sound finds none. */
  faults = [];
  on = {};
  tools;
  contexts = [];
  hash;
  #handler;

  constructor(internet, host, { secret = newSecret(), tools = [], path = "/toolgate", handler = () => null, dns } = {}) {
    Object.assign(this, { host, path, tools, secrets: [secret].flat() });
    this.#handler = handler;
    internet.host(host, (request, respond) => this.#arrive(request, respond), dns === undefined ? {} : { dns });
  }

  get url() {
    return `https://${this.host}${this.path}`;
  }

  get secret() {
    return this.secrets[0];
  }

  /** The messages of one type, or the attempts at one call. */
  of(type) {
    return this.messages.filter((message) => message.type === type);
  }

  attempts(call) {
    return this.of("tool.call").filter((message) => message.call === call);
  }

  async #arrive(request, respond) {
    const out = this.#out(respond);
    let message;
    try {
      message = this.#verified(request);
    } catch (error) {
      this.faults.push(`${request.method} ${request.path}: ${error.message}`);
      return out.unsigned(400, "");
    }
    out.replyId = message.reply_id;
    this.messages.push(Object.assign(message, { out }));
    return (this.on[message.type] ?? this.#answer.bind(this))(message, out);
  }

  async #answer({ type, nonce, ...message }, out) {
    if (type === "endpoint.challenge") return out.signed({ nonce });
    if (type === "tools.manifest") return out.signed({ tools: this.tools, contexts: this.contexts, ...this.#hash() });
    const result = await this.#handler(message);
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return out.signed(`{"result":${text}${this.hash === undefined ? "" : `,"manifest":${JSON.stringify(this.hash)}`}}`);
  }

  #hash() {
    return this.hash === undefined ? {} : { hash: this.hash };
  }

  #out(respond) {
    const out = {
      raw: respond,
      unsigned: (status, body = "", headers = {}) => respond(status, { "content-type": "application/json", ...headers }, body),
      make: (value, { id = out.replyId, secret = this.secret, timestamp, headers = {} } = {}) => {
        const body = typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value);
        return { body, headers: { "content-type": "application/json", ...signedHeaders(secret, id, body, timestamp), ...headers } };
      },
      signed: (value, { status = 200, ...options } = {}) => {
        const { headers, body } = out.make(value, options);
        return respond(status, headers, body);
      },
    };
    return out;
  }

  /** The message, or an error that says what is wrong with it. */
  #verified({ method, path, header, body, at, ...request }) {
    const text = body.toString("utf8");
    if (method !== "POST" || path !== this.path) throw new Error("not a POST to the endpoint's path");
    if (!Buffer.from(text).equals(body)) throw new Error("the body is not UTF-8");
    if (header("content-type") !== "application/json") throw new Error(`content-type ${header("content-type")}`);
    if (header("cookie") !== undefined || header("authorization") !== undefined) throw new Error("a credential that is no signature");
    const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
    if (![undefined, digest].includes(header("content-digest"))) throw new Error(`content-digest ${header("content-digest")}, not ${digest}`);
    const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(name) ?? "");
    if (!ID.test(id)) throw new Error(`webhook-id "${id}"`);
    if (!/^[1-9][0-9]{9}$/.test(timestamp) || Math.abs(at / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) throw new Error(`webhook-timestamp ${timestamp} at ${at}`);
    const signedBy = this.secrets.filter((secret) => signatures.split(" ").includes(signature(secret, id, timestamp, body)));
    if (signedBy.length === 0) throw new Error("no signature is ours");
    const message = JSON.parse(text);
    checkMembers(message, id);
    return Object.assign(message, { text, id, at, timestamp: Number(timestamp), signatures: signatures.split(" "), signedBy, request: { method, path, header, body, at, ...request } });
  }
}

function checkMembers(message, id) {
  const [wanted, allowed] = MEMBERS[message.type] ?? [[], []];
  const names = Object.keys(message);
  const missing = wanted.filter((name) => !names.includes(name));
  const extra = names.filter((name) => !wanted.includes(name) && !allowed.includes(name));
  if (missing.length + extra.length > 0) throw new Error(`${message.type} lacks ${missing} and has ${extra} too much`);
  if (!/^re_[A-Za-z0-9_-]{16,97}$/.test(message.reply_id)) throw new Error(`reply_id ${message.reply_id}`);
  const isOwn = message.type === "tool.call" ? id === message.call : /^msg_[A-Za-z0-9_-]{16,96}$/.test(id);
  if (!isOwn) throw new Error(`webhook-id ${id} for ${message.type} ${message.call ?? ""}`);
}
