// The built gateway on disk in a temporary folder, with an org, an agent and keys.
import { readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

import { line, ROOT, start, temporaryFolder } from "./processes.mjs";
import { POOL, TOOLS } from "./tools.mjs";

const ROOT_TOKEN = "a root token for benchmarks only";
/** More than any benchmark has under way at once. */
const SOCKETS_MAX = 1_024;

const AGENT = "bot";
const WAITING = { prefer: "wait=25" };
const principal = { id: "u", tenant_id: "t", permissions: [] };

export class Gateway {
  /** `options` are those of scripts/serve. */
  static async start(options = []) {
    const gateway = new Gateway();
    const state = temporaryFolder();
    const env = { TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: "a master key for benchmarks only, 32 bytes" };
    const served = start(join(ROOT, "scripts/serve"), ["--port", "0", "--state", state, ...options], env);
    gateway.url = (await line(served, "listening on")).replace(/.*listening on /, "").trim();
    gateway.pid = Number(readFileSync(join(state, "pid"), "utf8"));
    gateway.client = caller(gateway.url);
    gateway.admin = (await gateway.client("POST", "/v1/orgs", ROOT_TOKEN, { id: "bench" })).admin_key;
    return gateway;
  }

  putPool(settings) {
    return this.client("PUT", `/v1/pools/${POOL}`, this.admin, settings);
  }

  async key(body) {
    return (await this.client("POST", "/v1/keys", this.admin, body)).key;
  }

  /** Rows and alarms that the pool has written since its object was built. The registry's are not among them. */
  async rowsWritten() {
    return (await this.client("GET", `/v1/pools/${POOL}/stats`, this.admin)).rows_written;
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

  /** A consequential call, parked. */
  park = (n) => this.#submit(TOOLS.consequential, n, this.#fresh());

  /** Approves what is parked, and waits for its end. */
  decide = async ({ call, approval: { id, digest } }, n) => {
    await this.#client("POST", `/v1/approvals/${id}/decision`, this.#approver, { decision: "approve", digest });
    return this.#end(await this.#look(call), n);
  };

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

  #submit(tool, n, headers) {
    const body = { tool, arguments: { city: "Berlin", unit: "C", n }, agent: AGENT, principal };
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
