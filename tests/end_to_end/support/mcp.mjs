// The MCP door by hand: messages as a client of either era would send them.
import { json } from "./client.mjs";
import { definition, Org, PRINCIPAL } from "./org.mjs";
import { RawWorker } from "./raw_worker.mjs";

export const MODERN = "2026-07-28";
export const META = { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} };

/** `_meta` of a client that can do these things. */
export const able = (capabilities) => ({ ...META, "io.modelcontextprotocol/clientCapabilities": capabilities });

const NAMED = { "tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId" };
let ids = 0;

export class Mcp {
  constructor(gateway, key, agent = "bot") {
    this.url = `${gateway.url}/mcp/${agent}`;
    this.key = key;
  }

  /** Any POST; the answer's status, headers and message. */
  async post(body, headers = {}, signal) {
    const response = await fetch(this.url, {
      method: "POST",
      signal,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${this.key}`, ...headers },
      body: typeof body === "string" ? body : json(body),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, message: isJson ? JSON.parse(text) : undefined };
  }

  /** A modern request. `params` may be JSON text without `_meta`, for numbers that JavaScript would round. */
  request(method, params = {}, { meta = META, headers = {}, id = (ids += 1), signal } = {}) {
    const text = typeof params === "string" ? params : json(params);
    const parsed = JSON.parse(text);
    const name = NAMED[method] === undefined ? {} : { "mcp-name": parsed[NAMED[method]] };
    const members = text.slice(1, -1).trim();
    const body = `{"jsonrpc":"2.0","id":${json(id)},"method":${json(method)},"params":{${members}${members ? "," : ""}"_meta":${json(meta)}}}`;
    return this.post(body, { "mcp-protocol-version": MODERN, "mcp-method": method, ...name, ...headers }, signal);
  }

  /** The result of a modern request that must have one. */
  async result(method, params, options) {
    const { status, message, text } = await this.request(method, params, options);
    if (status !== 200 || message?.result === undefined) throw new Error(`${method}: ${status} ${text}`);
    return message.result;
  }

  /** The session of a client before 2026-07-28 that can be asked for these things. */
  async session(capabilities, protocolVersion = "2025-11-25") {
    const { headers, message } = await this.legacy("initialize", { protocolVersion, capabilities, clientInfo: { name: "c", version: "1" } }, {});
    return new Session(this, headers.get("mcp-session-id"), message.result);
  }

  /** A request as clients before 2026-07-28 send it. */
  legacy(method, params = {}, headers = { "mcp-protocol-version": "2025-11-25" }) {
    return this.post({ jsonrpc: "2.0", id: (ids += 1), method, params }, headers);
  }
}

/** What a client before 2026-07-28 sends after its `initialize`. */
export class Session {
  constructor(mcp, id, hello) {
    Object.assign(this, { mcp, id, hello });
    this.headers = { "mcp-protocol-version": "2025-11-25", "mcp-session-id": id };
  }

  request(method, params) {
    return this.mcp.legacy(method, params, this.headers);
  }

  /** A call whose answer is read while it comes: `next()` is the next message, nothing after the last one. */
  async open(name, args = {}, { _meta, signal } = {}) {
    const response = await fetch(this.mcp.url, {
      method: "POST",
      signal,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${this.mcp.key}`, ...this.headers },
      body: json({ jsonrpc: "2.0", id: (ids += 1), method: "tools/call", params: { name, arguments: args, _meta } }),
    });
    const messages = eventsOf(response);
    return { response, next: async () => (await messages.next()).value };
  }

  /** Answers a request of the gateway's. `says`: JSON text of a result, or other members. */
  answer(id, says) {
    const member = typeof says === "string" ? `"result":${says}` : json(says).slice(1, -1);
    return this.mcp.post(`{"jsonrpc":"2.0","id":${json(id)},${member}}`, this.headers);
  }
}

/** The messages of a stream of events, as they come. */
export async function* eventsOf(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
    }
  }
}

/** The messages of a stream of events that has ended. */
export const messagesOf = (text) => text.split("\n\n").filter((event) => event.startsWith("data: ")).map((event) => JSON.parse(event.slice(6)));

export const TOOLS = [
  definition("look", "read_only", { description: "Look at an order.", input: { id: "integer" } }),
  definition("rename", "reversible_write", { input: { name: "string" } }),
  definition("refund", "consequential", { input: { id: "integer" } }),
];

/** An org whose agent has tools, a worker by hand, and the door with an agent key. */
export async function mcpScene(gateway, tools = TOOLS) {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(tools);
  await org.grant(tools.map(({ name }) => name));
  const { key, id } = await org.key({ role: "agent", name: "mcp", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  return { org, worker, key, keyId: id, mcp: new Mcp(gateway, key) };
}

/** Answers jobs of these tools by itself until it is stopped, each as it comes. */
export function serve(worker, handlers) {
  let open = true;
  const jobs = [];
  const work = async (job) => {
    if (job.side_effect !== "read_only") await worker.accept(job.claim);
    const { error, ...outcome } = await handlers[job.tool](job);
    if (error === undefined) await worker.outcome(job.claim, outcome);
    else await worker.error(job.claim, error);
  };
  const loop = (async () => {
    const working = [];
    while (open) {
      for (const job of await worker.jobs({ wait: 1 })) {
        jobs.push(job);
        working.push(work(job));
      }
    }
    await Promise.all(working);
  })();
  return { jobs, stop: () => ((open = false), loop) };
}
