import { ToolgateClient } from "../../dist/caller/index.js";

const TIMING = { backoffMs: 2, backoffMsMax: 10, retryAfterMsMax: 30_000, holdSeconds: 20, watchMsMax: 40 };

// What becomes of one request. `gone` is whatever breaks a connection after the request has left.
export const gone = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("other side closed") }));
export const reply = (status, body, headers = {}) => () =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": status < 400 ? "application/json" : "application/problem+json", ...headers },
  });
export const refusal = (status, code, members = {}, headers = {}) => reply(status, { type: `urn:toolgate:problem:${code}`, title: code, status, code, detail: `detail of ${code}`, ...members }, headers);
/** Never answered: only the client's own deadline or signal ends it. */
export const silence = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** A client over a line that treats the requests as the script says, one after the other, and remembers them all. A function treats each. */
export function over(script, options = {}, timing = {}) {
  const requests = [];
  const steps = typeof script === "function" ? undefined : [...script];
  const fetch = async (url, { method, headers, body, signal, redirect }) => {
    const { pathname, searchParams } = new URL(url);
    const request = { method, path: pathname, query: Object.fromEntries(searchParams), headers, text: body, body: body && JSON.parse(body), signal, redirect, at: performance.now() };
    requests.push(request);
    signal.throwIfAborted();
    const step = steps === undefined ? script : (steps.shift() ?? refusal(400, "nothing_scripted"));
    return step(request, requests.length);
  };
  const client = new ToolgateClient({ baseUrl: "https://gate.test/", apiKey: keyOf("key-1"), fetch, ...options }, { ...TIMING, ...timing });
  return { client, requests };
}

/** An approver key of the gateway's form, as far as the SDK reads it. */
export function keyOf(id) {
  return `tg_approver.${Buffer.from(JSON.stringify({ o: "acme", r: "approver", k: id, n: "Ann", g: 1 })).toString("base64url")}.bm90LWEtcmVhbC1tYWM`;
}

const FACTS = { call: "call_1", tool: "pay", agent: "bot", created_at: "2026-11-30T10:00:00.000Z" };
const ENDED_AT = "2026-11-30T10:00:01.000Z";

/** What the gateway would have the model told. */
export const toldOf = (state) => `It is ${state}; do not ask for it again.`;

/** A call on the wire. `result` is JSON text. */
export function callText(state, { result, ...more } = {}) {
  const isEnded = !["waiting_approval", "queued", "running"].includes(state);
  const members = {
    ...FACTS,
    state,
    ...(isEnded && { ended_at: ENDED_AT }),
    ...(state !== "succeeded" && { tool_result: toldOf(state) }),
    ...(isEnded && state !== "succeeded" && { error: { code: state, message: `It is ${state}.` } }),
    ...(state === "waiting_approval" && { approval: { id: "apr_1", digest: "d1", expires_at: "2026-12-01T10:00:00.000Z", url: "https://gate.test/v1/approvals/apr_1" } }),
    ...more,
  };
  const text = JSON.stringify(members);
  return state === "succeeded" ? `${text.slice(0, -1)},"result":${result ?? "null"}}` : text;
}

/** An approval on the wire. `args` is JSON text. */
export function approvalText(id, { args = '{"cents":100}', ...more } = {}) {
  const members = {
    id,
    call: `call_of_${id}`,
    agent: "bot",
    principal: { id: "u1", tenant_id: "t1", permissions: [] },
    tool: "pay",
    version: "v1",
    digest: `digest of ${id}`,
    created_at: FACTS.created_at,
    expires_at: "2026-12-01T10:00:00.000Z",
    required: 1,
    decisions: [],
    earlier: [],
    arguments_text: args,
    state: "pending",
    ...more,
  };
  return `${JSON.stringify(members).slice(0, -1)},"arguments":${args}}`;
}

export const approvalsPage = (approvals, next) => `{"approvals":[${approvals.join(",")}]${next === undefined ? "" : `,"next_cursor":${JSON.stringify(next)}`}}`;
