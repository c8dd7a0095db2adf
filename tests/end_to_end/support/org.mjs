// An org with its keys, a pool, and an agent: what most tests begin with.
import { Door, json } from "./client.mjs";
import { ROOT_TOKEN } from "./gateway.mjs";
import { until } from "./until.mjs";

let made = 0;

export const PRINCIPAL = '{"id":"u1","tenant_id":"t1","permissions":["refunds:write"]}';

/** A tool as a manifest announces it. */
export function definition(name, side_effect, more = {}) {
  return { name, description: `The tool ${name}.`, side_effect, input: {}, ...more };
}

export class Org {
  /** A fresh org: a pool `main` with a worker key, a caller, an approver. */
  static async make(gateway, id = `org-${process.pid}-${(made += 1)}`) {
    const org = new Org();
    org.gateway = gateway;
    org.id = id;
    const root = new Door(gateway, ROOT_TOKEN);
    const { admin_key } = (await root.must(201, "POST", "/v1/orgs", { id })).body;
    org.admin = new Door(gateway, admin_key);
    await org.pool("main");
    org.worker = (await org.key({ role: "worker", name: "worker", pools: ["main"] })).door;
    org.callerKey = await org.key({ role: "caller", name: "caller" });
    org.caller = org.callerKey.door;
    org.approver = (await org.key({ role: "approver", name: "Ann" })).door;
    return org;
  }

  async pool(name) {
    await this.admin.must(201, "PUT", `/v1/pools/${name}`, { transport: "worker" });
  }

  /** A new key: its id, and the door it opens. */
  async key(spec) {
    const { id, key } = (await this.admin.must(201, "POST", "/v1/keys", spec)).body;
    return { id, key, door: new Door(this.gateway, key) };
  }

  /** Gives the agent these tools, with reversible writes, in a capability of its own. */
  async grant(tools, { agent = "bot", capability = agent, more = { allow_reversible_writes: true } } = {}) {
    const answers = [
      await this.admin.put(`/v1/capabilities/${capability}`, { tools, ...more }),
      await this.admin.put(`/v1/agents/${agent}`, { capabilities: [capability] }),
    ];
    for (const { status, text } of answers) if (status !== 200 && status !== 201) throw new Error(`grant: ${status} ${text}`);
  }

  /** Submits a call. `args` is JSON text or a value; `key` the idempotency key, `wait` in seconds. */
  submit(tool, args = "{}", { key, wait, agent = "bot", principal = PRINCIPAL, door = this.caller, ...options } = {}) {
    const body = `{"tool":${json(tool)},"arguments":${typeof args === "string" ? args : json(args)},"agent":${json(agent)},"principal":${principal}}`;
    const headers = { ...(key === undefined ? {} : { "idempotency-key": key }), ...(wait === undefined ? {} : { prefer: `wait=${wait}` }) };
    return door.post("/v1/calls", body, { headers, ...options });
  }

  /** Submits a call that must be accepted; its view. */
  async accepted(tool, args, options) {
    const answer = await this.submit(tool, args, options);
    if (answer.status !== 202 && answer.status !== 200) throw new Error(`${tool}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async call(id) {
    return (await this.caller.must(200, "GET", `/v1/calls/${id}`)).body;
  }

  /** The call once it is in one of these states. */
  async callIn(id, states, withinMs = 15_000) {
    let seen;
    return until(`${id} becomes ${states} (it is ${seen})`, async () => {
      const call = await this.call(id);
      seen = call.state;
      return [states].flat().includes(call.state) && call;
    }, withinMs).catch((error) => {
      throw new Error(`${error.message}; it is ${seen}`);
    });
  }

  async events(id) {
    return (await this.caller.must(200, "GET", `/v1/calls/${id}/events`)).body;
  }

  decide(approval, body, door = this.approver) {
    return door.post(`/v1/approvals/${approval}/decision`, body);
  }

  /** Approves what a 202 has shown. */
  async approve(call) {
    const answer = await this.decide(call.approval.id, { decision: "approve", digest: call.approval.digest });
    if (answer.status !== 200) throw new Error(`approve: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async audit() {
    return this.admin.all("/v1/audit", "audit");
  }
}

export const ENDED = ["succeeded", "failed", "rejected", "expired", "cancelled", "invalidated", "unknown"];
