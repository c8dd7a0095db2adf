// A customer's receiver of notifications: the stock library of Standard Webhooks decides what it believes.
import { Webhook } from "standardwebhooks";

import { newSecret } from "./signed_endpoint.mjs";
import { until } from "./until.mjs";

let made = 0;

const MEMBERS = ["id", "call", "agent", "tool", "principal", "state", "digest", "created_at", "expires_at", "url"];

export class Receiver {
  /** What was signed and whole, in order: the parsed body with `id`, `signedAt` (seconds), `at`, `request`. */
  messages = [];
  /** What was wrong with what came. */
  faults = [];
  /** What it answers: a status, or a function of `(message, respond, n)`. */
  answer = 204;
  #webhook;

  constructor(internet, { secret = newSecret(), host = `n${(made += 1)}.receivers.example.com` } = {}) {
    Object.assign(this, { host, secret, url: `https://${host}/in?token=of-the-receiver` });
    this.#webhook = new Webhook(secret);
    internet.host(host, (request, respond) => this.#arrive(request, respond));
  }

  /** The messages of one type, once there are so many. */
  of(type, count = 1, withinMs = 25_000) {
    const found = () => this.messages.filter((message) => message.type === type);
    return until(`${count} of ${type}`, () => found().length >= count && found(), withinMs);
  }

  #arrive(request, respond) {
    let message;
    try {
      message = this.#read(request);
    } catch (error) {
      this.faults.push(`${request.method} ${request.path}: ${error.message}`);
      return respond(400);
    }
    this.messages.push(message);
    return typeof this.answer === "number" ? respond(this.answer) : this.answer(message, respond, this.messages.length - 1);
  }

  #read(request) {
    const { method, path, body, at } = request;
    if (method !== "POST" || path !== "/in?token=of-the-receiver") throw new Error("another request than a POST to its URL");
    const message = this.#webhook.verify(body, Object.fromEntries(request.headers));
    if (request.header("content-type") !== "application/json") throw new Error(`content-type ${request.header("content-type")}`);
    if (request.header("authorization") !== undefined || request.header("cookie") !== undefined) throw new Error("a credential that is no signature");
    for (const approval of message.data.approvals) {
      const odd = Object.keys(approval).filter((name) => !MEMBERS.includes(name) && !["decided_by", "reason"].includes(name));
      const missing = MEMBERS.filter((name) => typeof approval[name] !== "string" && name !== "principal");
      if (odd.length + missing.length > 0) throw new Error(`an approval has ${odd} too much and lacks ${missing}`);
    }
    return Object.assign(message, { id: request.header("webhook-id"), signedAt: Number(request.header("webhook-timestamp")), at, request });
  }
}

/** Saves a notification for the receiver. */
export function notify(org, receiver, { name = "ops", events = ["approval.requested", "approval.decided", "approval.expired"], status = 201 } = {}) {
  return org.admin.must(status, "PUT", `/v1/notifications/${name}`, { url: receiver.url, secret: receiver.secret, events });
}
