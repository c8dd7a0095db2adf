import { GatewayProblem, type Problem, TransportError } from "./errors.js";
import { parseExactJson } from "./json/parse.js";
import { isParsedObject, type ParsedObject } from "./json/value.js";

export type Fetch = typeof globalThis.fetch;

export type Action = "workers" | "claims" | "accepts" | "renewals" | "results" | "returns" | "goodbyes";

export interface PostOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/**
 * One request, one answer: an object, undefined for 204, a `GatewayProblem` for a refusal, a `TransportError` for
 * everything else, an unreadable success included. Repeating is left to the callers, who know what may be repeated.
 */
export class Gateway {
  readonly #poolUrl: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;

  constructor(baseUrl: string, pool: string, apiKey: string, fetch: Fetch) {
    this.#poolUrl = `${baseUrl.replace(/\/+$/, "")}/v1/pools/${pool}`;
    this.#apiKey = apiKey;
    this.#fetch = fetch;
  }

  async post(action: Action, body: string, options: PostOptions): Promise<ParsedObject | undefined> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error(`no answer within ${Math.ceil(options.deadlineMs)} ms`)), options.deadlineMs);
    const forward = () => controller.abort(options.signal?.reason);
    options.signal?.addEventListener("abort", forward, { once: true });
    if (options.signal?.aborted === true) forward();
    try {
      return await this.#exchange(action, body, controller.signal);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", forward);
    }
  }

  async #exchange(action: Action, body: string, signal: AbortSignal): Promise<ParsedObject | undefined> {
    let response: Response;
    let text: string;
    try {
      const send = this.#fetch;
      response = await send(`${this.#poolUrl}/${action}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json", accept: "application/json" },
        body,
        signal,
        // The key must not follow a redirect to wherever it points.
        redirect: "manual",
      });
      text = await response.text();
    } catch (cause) {
      throw new TransportError(`${action}: ${reasonOf(cause)}`, { cause });
    }
    if (response.status === 204) return undefined;
    if (!response.ok) throw new GatewayProblem(readProblem(response, text));
    return readObject(action, text);
  }
}

function readObject(action: Action, text: string): ParsedObject {
  try {
    const value = parseExactJson(text);
    if (isParsedObject(value)) return value;
  } catch (cause) {
    throw new TransportError(`${action}: the answer is not JSON`, { cause });
  }
  throw new TransportError(`${action}: the answer is not a JSON object`);
}

function readProblem(response: Response, text: string): Problem {
  const members = problemMembers(response, text);
  const member = (name: string) => (typeof members[name] === "string" ? (members[name] as string) : undefined);
  const detail = member("detail");
  const retryAfterSeconds = readRetryAfter(response.headers.get("retry-after"));
  return {
    status: response.status,
    code: member("code") ?? `http_${response.status}`,
    title: member("title") ?? (response.statusText || "no title"),
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    superseded: members["superseded"] === true,
  };
}

// A proxy's own error page is a refusal too; only the gateway's problem documents are quoted.
function problemMembers(response: Response, text: string): ParsedObject {
  if (!/^application\/(problem\+)?json\b/i.test(response.headers.get("content-type") ?? "")) return {};
  try {
    const value = parseExactJson(text);
    return isParsedObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}

// fetch hides the interesting part ("fetch failed") in its cause.
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
