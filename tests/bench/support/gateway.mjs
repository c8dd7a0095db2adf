// The built gateway on disk in a temporary folder, with an org, an agent and keys.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

import { line, ROOT, start, temporaryFolder } from "./processes.mjs";
import { DESCRIPTION, INPUT, POOL, TOOLS } from "./tools.mjs";

const ROOT_TOKEN = "a root token for benchmarks only";
/** More than any benchmark has under way at once. */
const SOCKETS_MAX = 1_024;

const AGENT = "bot";
const WAITING = { prefer: "wait=25" };
const principal = { id: "u", tenant_id: "t", permissions: [] };

export class Gateway {
  #state;
  #options;
  #served;

  /** `options` are those of scripts/serve. */
  static async start(options = []) {
    const gateway = new Gateway();
    gateway.#state = temporaryFolder();
    gateway.#options = options;
    await gateway.#serve("0");
    gateway.client = caller(gateway.url);
    gateway.admin = (await gateway.client("POST", "/v1/orgs", ROOT_TOKEN, { id: "bench" })).admin_key;
    return gateway;
  }

  async #serve(port) {
    const env = { TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: "a master key for benchmarks only, 32 bytes" };
    this.#served = start(join(ROOT, "scripts/serve"), ["--port", port, "--state", this.#state, ...this.#options], env);
    this.url = (await line(this.#served, "listening on")).replace(/.*listening on /, "").trim();
    this.pid = Number(readFileSync(join(this.#state, "pid"), "utf8"));
  }

  /** Ends it and starts it again; `between` is given its storage while it does not run. */
  async restart(between) {
    const ended = once(this.#served, "exit");
    this.#served.kill("SIGTERM");
    await ended;
    between(this.#state);
    await this.#serve(new URL(this.url).port);
  }

  putPool(settings) {
    return this.client("PUT", `/v1/pools/${POOL}`, this.admin, settings);
  }

  async key(body) {
    return (await this.client("POST", "/v1/keys", this.admin, body)).key;
  }

  /** Of the pool's object since it was built: `rows_written` (rows and alarms; the registry's are not among them), and more. */
  stats() {
    return this.client("GET", `/v1/pools/${POOL}/stats`, this.admin);
  }

  async rowsWritten() {
    return (await this.stats()).rows_written;
  }

  /** Announces the tools, by a worker that takes no job. */
  async announce() {
    const tools = Object.entries(TOOLS).map(([side_effect, name]) => ({ name, description: DESCRIPTION, side_effect, input: INPUT }));
    const key = await this.key({ role: "worker", name: "bench", pools: [POOL] });
    await this.client("POST", `/v1/pools/${POOL}/workers`, key, { worker: "bench", manifest: { tools } });
  }

  /** Grants the tools, which are registered by now, and gives those who use them. */
  async open() {
    await this.client("PUT", "/v1/capabilities/all", this.admin, { tools: Object.values(TOOLS), allow_reversible_writes: true });
    await this.client("PUT", `/v1/agents/${AGENT}`, this.admin, { capabilities: ["all"] });
    return new Desk(this.client, await this.key({ role: "caller", name: "bench" }), await this.key({ role: "approver", name: "bench" }));
  }
}

/** A caller who waits for the end of each call, and the approver of what is parked. A wrong end ends the benchmark. */
class Desk {
  #client;
  #caller;
  #approver;
  #key = 0;

  constructor(client, callerKey, approverKey) {
    [this.#client, this.#caller, this.#approver] = [client, callerKey, approverKey];
  }

  read = async (n) => this.#end(await this.#submit(TOOLS.read_only, n, {}), n);

  write = async (n) => this.#end(await this.#submit(TOOLS.reversible_write, n, this.#fresh()), n);

  /** A consequential call, parked; for another principal than the one that the rest is for, if it is given. */
  park = (n, whose) => this.#submit(TOOLS.consequential, n, this.#fresh(), whose);

  /** Approves what is parked, and waits for its end. */
  decide = async ({ call, approval: { id, digest } }, n) => {
    await this.approve({ id, digest });
    return this.#end(await this.#look(call), n);
  };

  approve = ({ id, digest }) => this.#client("POST", `/v1/approvals/${id}/decision`, this.#approver, { decision: "approve", digest });

  approval = (id) => this.#client("GET", `/v1/approvals/${id}`, this.#approver);

  /** A page of the index of approvals, after a cursor. */
  page = (state, cursor = "") => this.#client("GET", `/v1/approvals?state=${state}&cursor=${encodeURIComponent(cursor)}`, this.#approver);

  /** How many approvals of a state the index has. */
  async count(state) {
    let [count, cursor] = [0, ""];
    do {
      const { approvals, next_cursor } = await this.page(state, cursor);
      [count, cursor] = [count + approvals.length, next_cursor];
    } while (cursor !== undefined);
    return count;
  }

  parkAndDecide = async (n) => this.decide(await this.park(n), n);

  async #end(seen, n) {
    let call = seen;
    while (["queued", "running"].includes(call.state)) call = await this.#look(call.call);
    if (call.state !== "succeeded" || call.result.n !== n) throw new Error(`wrong end: ${JSON.stringify(call)}`);
  }

  #look(call) {
    return this.#client("GET", `/v1/calls/${call}`, this.#caller, undefined, WAITING);
  }

  #fresh() {
    return { "idempotency-key": `bench ${this.#key++}` };
  }

  #submit(tool, n, headers, id = principal.id) {
    const body = { tool, arguments: { city: "Berlin", unit: "C", n }, agent: AGENT, principal: { ...principal, id } };
    return this.#client("POST", "/v1/calls", this.#caller, body, { ...WAITING, ...headers });
  }
}

/** A keep-alive JSON client; an answer outside 2xx is an error. */
export function caller(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  const { hostname, port } = new URL(url);
  return (method, path, key, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const sent = { ...headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
      if (text !== undefined) Object.assign(sent, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
      const request = http.request({ agent, hostname, port, method, path, headers: sent }, (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (answer += chunk));
        response.on("end", () => {
          if (response.statusCode >= 300) return reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
          resolve(answer ? JSON.parse(answer) : undefined);
        });
      });
      request.on("error", reject);
      request.end(text);
    });
}
