// The demo org, made through the public API alone: of scripts/dev, and of the tests that ask its agents. A second run finds
// what the first one made: the keys stand in a file of their own (mode 600), one `NAME=value` a line.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const toolsAnnouncedMs = 30_000;

export class DemoOrg {
  #url;
  #file;
  #rootToken;

  /** The org `demo` of the gateway at `url`; its keys stand in `file`. The root token is needed where the org is not there yet. */
  constructor({ url, file, rootToken }) {
    this.#url = url;
    this.#file = file;
    this.#rootToken = rootToken;
  }

  /** What stands in the file: the gateway's URL and the keys that were made so far. */
  get kept() {
    if (!existsSync(this.#file)) return {};
    const lines = readFileSync(this.#file, "utf8").split("\n").filter((line) => line.includes("="));
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  }

  /** The org, its pools and the worker's key: what must be there before a worker can announce its tools. */
  async prepare() {
    if (!this.kept.TOOLGATE_ADMIN_KEY) {
      const made = await this.#send("POST", "/v1/orgs", this.#rootToken, { id: "demo" });
      if (made.status === 409) throw new Error(`the org "demo" exists, but ${this.#file} with its keys is gone: remove its folder to start anew`);
      this.#keep({ TOOLGATE_ADMIN_KEY: secret(taken("POST", "/v1/orgs", made).admin_key, "POST /v1/orgs") });
    }
    this.#keep({ TOOLGATE_URL: this.#url });
    await this.#must("PUT", "/v1/pools/shop", { transport: "worker" });
    await this.#must("PUT", "/v1/pools/shipped", { transport: "builtin" });
    await this.#keyOnce("TOOLGATE_WORKER_KEY", { role: "worker", name: "demo shop", pools: ["shop"] });
  }

  /** The agent of the shop, once its worker has announced the tools, and who calls and approves. */
  async grant() {
    const support = { tools: ["get_order_status", "update_shipping_note", "refund_order"], allow_reversible_writes: true };
    const deadline = Date.now() + toolsAnnouncedMs;
    for (;;) {
      const put = await this.#send("PUT", "/v1/capabilities/support", this.kept.TOOLGATE_ADMIN_KEY, support);
      const isEarly = !put.ok && put.content.code === "unknown_tool" && Date.now() < deadline;
      if (!isEarly) {
        taken("PUT", "/v1/capabilities/support", put);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await this.#must("PUT", "/v1/agents/assistant", { capabilities: ["support"] });
    const principal = { id: "ada", tenant_id: "acme", permissions: ["refunds:write"] };
    await this.#keyOnce("TOOLGATE_ASSISTANT_KEY", { role: "agent", name: "demo assistant", agent: "assistant", principal });
    await this.#keyOnce("TOOLGATE_CALLER_KEY", { role: "caller", name: "demo product" });
    await this.#keyOnce("TOOLGATE_APPROVER_KEY", { role: "approver", name: "Demo Approver" });
  }

  /** Two agents over the two data sets that ship, with the tools that ship. */
  async explorers() {
    const tools = ["get_database_schema", "execute_query", "create_chart", "create_map"];
    await this.#must("PUT", "/v1/capabilities/explore", { tools });
    const how =
      "Look at the schema before the first query. Aggregate and sort in SQL, and never make up numbers. Show a chart where numbers are compared or change " +
      "over time, and a map where places matter; then say in two or three sentences what is to be seen.";
    const agents = {
      permits: ["city_permits", "You answer questions about the building permits of the city of Port Alder."],
      grants: ["research_grants", "You answer questions about research grants: who gave how much to whom, and for what."],
    };
    for (const [name, [dataset, what]] of Object.entries(agents)) {
      await this.#must("PUT", `/v1/agents/${name}`, { capabilities: ["explore"], dataset, instructions: `${what} ${how}` });
      const principal = { id: "ada", tenant_id: "acme", permissions: [] };
      await this.#keyOnce(`TOOLGATE_${name.toUpperCase()}_KEY`, { role: "agent", name: `demo ${name}`, agent: name, principal });
    }
  }

  #keep(values) {
    const text = Object.entries({ ...this.kept, ...values }).map(([name, value]) => `${name}=${value}\n`).join("");
    writeFileSync(this.#file, text, { mode: 0o600 });
  }

  async #keyOnce(name, body) {
    if (this.kept[name]) return;
    this.#keep({ [name]: secret((await this.#must("POST", "/v1/keys", body)).key, "POST /v1/keys") });
  }

  async #send(method, path, key, body) {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    let content = {};
    try {
      content = JSON.parse(text);
    } catch {
      content = { detail: text.slice(0, 300) };
    }
    return { ok: answer.ok, status: answer.status, content };
  }

  async #must(method, path, body) {
    return taken(method, path, await this.#send(method, path, this.kept.TOOLGATE_ADMIN_KEY, body));
  }
}

function taken(method, path, { ok, status, content }) {
  if (!ok) throw new Error(`${method} ${path}: ${status} ${content.code ?? ""} ${content.detail ?? content.title ?? ""}`.trim());
  return content;
}

function secret(value, from) {
  if (typeof value !== "string" || !/^[A-Za-z0-9._-]+$/.test(value)) throw new Error(`${from} answered without a key`);
  return value;
}
