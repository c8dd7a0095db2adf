import { createServer } from "node:http";
import { parseExactJson } from "../../dist/json/parse.js";

/** A promise with its resolver outside. */
export function deferred() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

// What a bad line or a struggling server does to one request. Each has received the request in full.
export const drop = ({ response }) => response.destroy();
export const swallow = () => {};
export const answer = (status, body, headers = {}) => ({ response }) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json", ...headers }).end(status === 204 ? undefined : text);
};
export const problem = (status, code, headers, members = {}) =>
  answer(status, { status, code, title: code, type: "about:blank", ...members }, headers);
export const superseded = () => problem(409, "unknown_session", undefined, { superseded: true });
export const after = (condition, behaviour) => async (exchange) => {
  await condition;
  return behaviour(exchange);
};

/**
 * The other end of the wire: well-behaved by default, and per action (`on`) as unreliable as a test wants for the next
 * requests. It knows as little of the protocol as it can; the real gateway is tested elsewhere.
 */
export class Network {
  requests = [];
  #server = createServer((request, response) => this.#receive(request, response));
  #script = new Map();
  #jobs = [];
  #polls = new Set();
  #watchers = new Set();
  #sessions = 0;
  #recorded = new Set();
  isGone = false;
  leaseSeconds = 30;

  static async start() {
    const network = new Network();
    await new Promise((resolve) => network.#server.listen(0, "127.0.0.1", resolve));
    return network;
  }

  /** Ends every connection, swallowed requests among them. */
  cut() {
    this.#server.closeAllConnections();
  }

  close() {
    this.#server.close();
    this.cut();
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** The next requests of this action meet these behaviours, in order; after them all is well again. */
  on(action, ...behaviours) {
    this.#script.set(action, [...(this.#script.get(action) ?? []), ...behaviours]);
  }

  /** Hands jobs to the outstanding poll, or to the next one. */
  push(...jobs) {
    this.#jobs.push(...jobs);
    for (const wake of [...this.#polls]) wake();
  }

  sent(action) {
    return this.requests.filter((request) => request.action === action).map((request) => request.body);
  }

  /** All results that were sent, repeats included. */
  get results() {
    return this.sent("results").flatMap((body) => body.results);
  }

  /** Resolves as soon as `condition` holds; it is looked at after every request, answer and log line. */
  async until(condition) {
    while (!condition()) await new Promise((resolve) => this.#watchers.add(resolve));
  }

  changed() {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  async #receive(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const action = request.url.split("/").at(-1);
    const exchange = { action, text, body: JSON.parse(text), exact: parseExactJson(text), url: request.url, headers: request.headers, response };
    response.on("close", () => this.changed());
    this.requests.push(exchange);
    this.changed();
    const behaviour = this.#script.get(action)?.shift() ?? ((each) => this.behave(each));
    await behaviour(exchange);
  }

  behave(exchange) {
    const { action, body } = exchange;
    const claims = (status, extra = {}) => answer(200, { claims: body.claims.map((claim) => ({ claim, status, ...extra })) })(exchange);
    switch (action) {
      case "workers": {
        this.#sessions += 1;
        const tools = body.manifest.tools.map(({ name }) => ({ name, status: "added" }));
        return answer(200, { session: `session-${this.#sessions}`, lease_seconds: this.leaseSeconds, poll_seconds: 20, tools, contexts: [], disabled: [] })(exchange);
      }
      case "claims":
        return this.#poll(exchange);
      case "accepts":
        return claims("accepted");
      case "renewals":
        return claims("renewed", { lease_seconds: this.leaseSeconds });
      case "returns":
        return claims("returned");
      case "results": {
        const results = body.results.map(({ claim }) => ({ claim, status: this.#recorded.has(claim) ? "repeated" : "recorded" }));
        for (const { claim } of results) this.#recorded.add(claim);
        return answer(200, { results })(exchange);
      }
      case "goodbyes":
        this.isGone = true;
        for (const wake of [...this.#polls]) wake();
        return answer(200, {})(exchange);
    }
  }

  #poll({ body, response }) {
    const finish = (isOver) => {
      const jobs = this.isGone ? [] : this.#jobs.splice(0, body.max);
      if (jobs.length === 0 && !isOver && !this.isGone) return;
      clearTimeout(timer);
      this.#polls.delete(finish);
      if (jobs.length === 0) answer(204, "")({ response });
      else answer(200, `{"jobs":[${jobs.map(jobText).join(",")}]}`)({ response });
    };
    const timer = setTimeout(() => finish(true), body.wait_seconds * 1_000);
    response.on("close", () => {
      clearTimeout(timer);
      this.#polls.delete(finish);
    });
    this.#polls.add(finish);
    finish(false);
  }
}

let jobs = 0;

/** A job on the wire. `arguments` and `input` are JSON text, so that numbers are what the test wrote. */
export function job(tool, { side_effect = "read_only", arguments: args = "{}", principal = PRINCIPAL, ...rest } = {}) {
  jobs += 1;
  return { call: `call_${jobs}`, claim: `claim_${jobs}`, tool, side_effect, attempt: 1, lease_seconds: 10, deadline_seconds: 60, args, principal, ...rest };
}

const PRINCIPAL = '{"id":"u1","tenant_id":"acme","permissions":["orders:read"]}';

export function jobText({ args, principal, input, ...rest }) {
  const given = input === undefined ? "" : `,"input":${input}`;
  return `${JSON.stringify(rest).slice(0, -1)},"arguments":${args},"principal":${principal}${given}}`;
}
