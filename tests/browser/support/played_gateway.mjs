// The pages under the gateway's own headers, and behind them an agent whose runs a test writes down event by event: what a model or a tool may say that
// no real one says on demand. Threads, calls and approvals are kept as the gateway keeps them, as far as the page can see.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png" };

export const AGENT_KEY = "tg_played_agent_key";
export const APPROVER_KEY = "tg_played_approver_key";
const SESSIONS = {
  [AGENT_KEY]: { id: "key-agent", name: "chat", org: "played", role: "agent", agent: "clerk", principal: { id: "u1", tenant_id: "t1" }, created_at: "2026-01-01T00:00:00Z" },
  [APPROVER_KEY]: { id: "key-approver", name: "Ann", org: "played", role: "approver", created_at: "2026-01-01T00:00:00Z" },
};

export class PlayedGateway {
  /** Scripts of runs, first come first played: a list of events, or a function of the input that gives one. An event that is a promise is waited for. */
  scripts = [];
  /** The inputs that runs were asked with. */
  inputs = [];
  threads = new Map();
  calls = new Map();
  approvals = new Map();
  items = [{ name: "get_order", description: "Looks up an order.", parameters: { type: "object" }, metadata: { side_effect: "read_only", pool: "main", managed_by: "worker" } }];
  model = { label: "played", demo: false };
  tiles = null;
  #server;
  #policy;
  #changed = new Set();

  static async start() {
    const gateway = new PlayedGateway();
    // The policy as the gateway has it, so that a page is never tried under another one.
    const source = await readFile(join(root, "core/src/pages.rs"), "utf8");
    gateway.#policy = source.match(/"(default-src 'none';[\s\S]*?require-trusted-types-for 'script')"/)[1].replace(/\\\n\s*/g, "").replace("{tiles}", "");
    gateway.#server = createServer((request, response) => {
      gateway.#answer(request, response).catch((error) => {
        response.destroy(error);
      });
    });
    await new Promise((resolve) => gateway.#server.listen(0, "127.0.0.1", resolve));
    return gateway;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** Changes what is kept, and lets held requests look again. */
  change(work) {
    work();
    for (const look of [...this.#changed]) look();
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.url);
    if (!url.pathname.startsWith("/v1/")) return this.#file(url.pathname, response);
    const body = [];
    for await (const chunk of request) body.push(chunk);
    const text = Buffer.concat(body).toString("utf8");
    const session = SESSIONS[request.headers.authorization?.replace("Bearer ", "")];
    const send = (status, value) => {
      response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" });
      response.end(JSON.stringify(value));
    };
    if (url.pathname === "/v1/site") return send(200, { version: "0.0.0", tiles: this.tiles });
    if (session === undefined) return send(401, { code: "unauthorized", title: "No key", detail: "No key.", status: 401 });
    const [, , kind, name, action] = url.pathname.split("/").map(decodeURIComponent);
    switch (`${request.method} ${kind}${name === undefined ? "" : "/"}${action === undefined ? "" : `/${action}`}`) {
      case "GET session":
        return send(200, session);
      case "GET agents//agui":
        return send(200, { identity: { name, provider: "toolgate" }, tools: { supported: true, items: this.items, clientProvided: true, parallelCalls: true }, custom: { model: this.model } });
      case "POST agents//agui":
        return this.#run(JSON.parse(text), response, send);
      case "GET threads": {
        const all = [...this.threads.values()].reverse().map(({ pending, messages, rounds, ...head }) => ({ ...head, messages: messages.length }));
        const [from, limit] = [Number(url.searchParams.get("cursor") ?? 0), Number(url.searchParams.get("limit") ?? 50)];
        return send(200, { threads: all.slice(from, from + limit), ...(all.length > from + limit && { next_cursor: String(from + limit) }) });
      }
      case "GET threads/":
        return this.threads.has(name) ? send(200, this.threads.get(name)) : send(404, notFound());
      case "PUT threads/":
        this.threads.get(name).title = JSON.parse(text).title;
        return send(200, this.threads.get(name));
      case "DELETE threads/":
        this.threads.delete(name);
        return send(200, { thread: name, deleted: true });
      case "GET calls/":
        return this.#waited(response, send, () => this.calls.get(name));
      case "GET approvals/":
        return send(200, this.approvals.get(name));
      case "POST approvals//decision":
        return this.#decide(name, JSON.parse(text), send);
      default:
        return send(404, notFound());
    }
  }

  async #file(path, response) {
    const file = path.startsWith("/assets/") ? path : path.startsWith("/console") ? "/console.html" : "/index.html";
    const bytes = await readFile(join(root, "console/dist", file)).catch(() => undefined);
    if (bytes === undefined) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES[extname(file)],
      "content-security-policy": this.#policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "permissions-policy": "geolocation=(self), camera=(), microphone=(), payment=(), usb=()",
    });
    response.end(bytes);
  }

  async #run(input, response, send) {
    this.inputs.push(input);
    const script = this.scripts.shift();
    if (script === undefined) return send(500, { code: "internal", title: "No script", detail: "The test wrote down no run.", status: 500 });
    if (!Array.isArray(script) && typeof script !== "function") return send(script.status, script);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const thread = this.thread(input.threadId);
    thread.state = "running";
    for (const message of input.messages) if (message.role === "user") thread.messages.push(message);
    if (thread.title === "") thread.title = String(input.messages[0]?.content ?? "").slice(0, 80);
    const events = typeof script === "function" ? script(input) : script;
    const whole = [{ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId, protocolVersion: "1.0" }, ...events];
    if (!["RUN_FINISHED", "RUN_ERROR"].includes(whole.at(-1).type)) whole.push({ type: "RUN_FINISHED" });
    for (const each of whole) {
      const event = await each;
      if (response.destroyed) break;
      // A test may cut the connection, and may write what is no event.
      if (event === CUT) {
        thread.state = "idle";
        return response.destroy();
      }
      if (event.type === "RUN_FINISHED") {
        Object.assign(event, { threadId: input.threadId, runId: input.runId });
        thread.state = event.outcome?.type === "interrupt" ? "waiting_approval" : event.outcome?.pendingToolCallIds ? "waiting_client" : "idle";
      }
      if (event.type === "RUN_ERROR") thread.state = "idle";
      await new Promise((written) => response.write(`: beat\n\ndata: ${JSON.stringify(event)}\n\n`, written));
    }
    response.end();
  }

  /** A thread as the gateway keeps it; made where it is not there. */
  thread(id, change = {}) {
    const empty = { thread: id, title: "", created_at: "2026-01-01T00:00:00Z", updated_at: new Date().toISOString(), state: "idle", messages: [], pending: { client_calls: [], interrupts: [] }, rounds: 0 };
    const thread = Object.assign(this.threads.get(id) ?? empty, change);
    this.threads.set(id, thread);
    return thread;
  }

  /** Answers once the call does not wait any more. */
  #waited(response, send, find) {
    const look = () => {
      const found = find();
      if (found !== undefined && found.state === "waiting_approval" && !response.destroyed) return;
      this.#changed.delete(look);
      if (!response.destroyed) send(found === undefined ? 404 : 200, found ?? notFound());
    };
    this.#changed.add(look);
    look();
  }

  #decide(id, decision, send) {
    const approval = this.approvals.get(id);
    if (approval.state !== "pending") return send(409, { code: "already_decided", title: "Decided", detail: "It was decided before.", status: 409 });
    if (decision.decision === "approve" && decision.digest !== approval.digest) return send(409, { code: "digest_mismatch", title: "Other digest", detail: "Another digest.", status: 409 });
    this.change(() => {
      approval.state = decision.decision === "approve" ? "approved" : "rejected";
      approval.decisions.push({ at: new Date().toISOString(), by: "Ann", decision: decision.decision, key: "key-approver", ...(decision.reason && { reason: decision.reason }) });
      this.calls.get(approval.call).state = decision.decision === "approve" ? "succeeded" : "rejected";
    });
    send(200, approval);
  }

  /** A parked call with its approval; the interrupt that a run ends with. */
  parked(id, toolCallId, args = "{}", tool = "refund_order") {
    this.calls.set(`call_${id}`, { call: `call_${id}`, agent: "clerk", tool, state: "waiting_approval", created_at: "2026-01-01T00:00:00Z" });
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    this.approvals.set(id, {
      id, agent: "clerk", principal: { id: "u1", tenant_id: "t1" }, tool, version: "v1", call: `call_${id}`, arguments: JSON.parse(args), arguments_text: args, digest: `digest-${id}`,
      required: 1, decisions: [], earlier: [], state: "pending", created_at: "2026-01-01T00:00:00Z", expires_at: expires,
    });
    return {
      id, reason: "tool_call", toolCallId, message: `${tool} needs an approval.`, expiresAt: expires,
      metadata: { call: `call_${id}`, approval: id, approvalUrl: `${this.url}/console/approvals/${id}`, sideEffect: "consequential", argsDigest: `digest-${id}`, tool },
    };
  }
}

/** In a script: the connection breaks here. */
export const CUT = { type: "CUT" };

function notFound() {
  return { code: "not_found", title: "Not there", detail: "There is no such thing.", status: 404 };
}

export const said = (id, text, metadata) => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", ...(metadata && { metadata }) },
  { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: text },
  { type: "TEXT_MESSAGE_END", messageId: id },
];
export const called = (id, name, args = "{}", parent = `m-${id}`) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: parent },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: args },
  { type: "TOOL_CALL_END", toolCallId: id },
];
export const result = (id, content) => ({ type: "TOOL_CALL_RESULT", messageId: `result-${id}`, toolCallId: id, content, role: "tool" });
export const activity = (id, activityType, content) => ({ type: "ACTIVITY_SNAPSHOT", messageId: `activity-${id}`, activityType, content });
export const finished = (outcome) => ({ type: "RUN_FINISHED", ...(outcome && { outcome }) });
export const asks = (...ids) => finished({ type: "success", pendingToolCallIds: ids });

export const CHART = {
  title: "Permits by year",
  xAxis: { type: "category", data: ["2021", "2022", "2023", "2024"] },
  yAxis: { type: "value", name: "permits" },
  legend: {},
  series: [{ type: "bar", name: "issued", data: [120, 190, 150, 230] }, { type: "line", name: "refused", data: [12, 25, 18, 9] }],
};
export const MAP = {
  center: [52.5, 13.4],
  features: {
    type: "FeatureCollection",
    features: [
      { type: "Feature", geometry: { type: "Point", coordinates: [13.38, 52.52] }, properties: { name: "North depot", popup: "Open till 18:00" } },
      { type: "Feature", geometry: { type: "Point", coordinates: [13.45, 52.47] }, properties: { name: "South depot" } },
      { type: "Feature", geometry: { type: "Polygon", coordinates: [[[13.3, 52.45], [13.5, 52.45], [13.5, 52.55], [13.3, 52.55], [13.3, 52.45]]] }, properties: { name: "Zone A" } },
    ],
  },
};
