import { GatewayProblem, type Problem, TransportError } from "./errors.js";
import { parseExactJson } from "./json/parse.js";
import { carriedValue } from "./json/plain.js";
import { isParsedObject, NumberText, type ParsedObject } from "./json/value.js";

export type Fetch = typeof globalThis.fetch;

export interface Message {
  /** Names the request in errors. */
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly apiKey: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ExchangeOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/**
 * One request, one answer: its text when the gateway took the request, a `GatewayProblem` for a refusal, a
 * `TransportError` for everything else. Repeating is left to the callers, who know what may be repeated.
 */
export async function exchange(send: Fetch, message: Message, options: ExchangeOptions): Promise<Reply> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${Math.ceil(options.deadlineMs)} ms`)), options.deadlineMs);
  const forward = () => controller.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", forward, { once: true });
  if (options.signal?.aborted === true) forward();
  try {
    return await request(send, message, controller.signal);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", forward);
  }
}

async function request(send: Fetch, { what, method, url, apiKey, body, headers }: Message, signal: AbortSignal): Promise<Reply> {
  let response: Response;
  let text: string;
  try {
    response = await send(url, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal,
      // The key must not follow a redirect to wherever it points.
      redirect: "manual",
    });
    text = await response.text();
  } catch (cause) {
    throw new TransportError(`${what}: ${reasonOf(cause)}`, { cause });
  }
  if (!response.ok) throw new GatewayProblem(readProblem(response, text));
  return { status: response.status, text };
}

/** The answer as an object; anything else is a `TransportError`. */
export function readObject(what: string, text: string): ParsedObject {
  try {
    const value = parseExactJson(text);
    if (isParsedObject(value)) return value;
  } catch (cause) {
    throw new TransportError(`${what}: the answer is not JSON`, { cause });
  }
  throw new TransportError(`${what}: the answer is not a JSON object`);
}

function readProblem(response: Response, text: string): Problem {
  const members = problemMembers(response, text);
  const member = (name: string) => (typeof members[name] === "string" ? (members[name] as string) : undefined);
  const detail = member("detail");
  // A page of another origin cannot read the header; the gateway says it in the body too.
  const retryAfterSeconds = readRetryAfter(response.headers.get("retry-after")) ?? readSeconds(members["retry_after_seconds"]);
  return {
    status: response.status,
    code: member("code") ?? `http_${response.status}`,
    title: member("title") ?? (response.statusText || "no title"),
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    superseded: members["superseded"] === true,
    members: carriedValue(members) as Readonly<Record<string, unknown>>,
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

function readSeconds(value: ParsedObject[string] | undefined): number | undefined {
  const seconds = value instanceof NumberText ? Number(value.text) : Number.NaN;
  return seconds >= 0 && Number.isFinite(seconds) ? seconds : undefined;
}

// fetch hides the interesting part ("fetch failed") in its cause.
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
