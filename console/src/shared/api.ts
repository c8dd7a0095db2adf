import type { components } from "../../../sdk/typescript/src/wire.gen";
import { type HeldKey, keyFailed } from "./keys";
import { readJson } from "./json";

export type Schemas = components["schemas"];
export type ProblemCode = Schemas["ProblemBody"]["code"];

/** The gateway said no (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(
    readonly status: number,
    readonly code: ProblemCode | "unreadable",
    readonly title: string,
    readonly detail: string,
    /** Further members of the problem, by name. */
    readonly members: Readonly<Record<string, unknown>>,
  ) {
    super(detail || title);
  }
}

/** The gateway was not reached. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";
  constructor() {
    super("The gateway cannot be reached. Check the connection; nothing is known to have been done.");
  }
}

export interface Call {
  readonly key?: HeldKey | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Paths whose values stay JSON text: see `readJson`. */
  readonly raw?: readonly string[] | undefined;
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends a request with a held key. A body that is text goes as it stands; throws `ProblemError` or `OfflineError`. */
export async function request<Body>(method: string, path: string, body?: unknown, call: Call = {}): Promise<Answer<Body>> {
  const response = await open(method, path, body, call);
  const text = await textOf(response, call.signal);
  if (!response.ok) throw problemOf(response.status, text);
  return { status: response.status, headers: response.headers, body: (text === "" ? {} : readJson(text, call.raw)) as Body };
}

/** The response itself, for who reads it as a stream. Its status is not looked at, but for a key that is none (401). */
export async function open(method: string, path: string, body?: unknown, call: Call = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json", ...call.headers };
  // The gateway takes writes with a key of a sign-in from its own page alone, which says so by a header that no other page can set.
  if (method !== "GET" && method !== "HEAD") headers["x-toolgate-console"] = "1";
  if (call.key !== undefined) headers["authorization"] = `Bearer ${call.key.key}`;
  const sent: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store", redirect: "error" };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    sent.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  if (call.signal !== undefined) sent.signal = call.signal;
  let response: Response;
  try {
    response = await fetch(path, sent);
  } catch (fault) {
    if (call.signal?.aborted) throw fault;
    throw new OfflineError();
  }
  if (response.status === 401 && call.key !== undefined) keyFailed(call.key);
  return response;
}

async function textOf(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (fault) {
    if (signal?.aborted) throw fault;
    throw new OfflineError();
  }
}

/** The problem that a text of an answer says. */
export function problemOf(status: number, text: string): ProblemError {
  try {
    const { code, title, detail, type: _type, status: _status, ...members } = JSON.parse(text) as Record<string, unknown>;
    if (typeof code === "string") {
      return new ProblemError(status, code as ProblemCode, String(title ?? ""), String(detail ?? ""), members);
    }
  } catch {
    // Said below.
  }
  return new ProblemError(status, "unreadable", `Status ${status}`, `The answer has the status ${status} and is no problem document.`, {});
}

export async function get<Body>(path: string, call: Call = {}): Promise<Body> {
  return (await request<Body>("GET", path, undefined, call)).body;
}

/** A path with its parameters encoded: `` path`/v1/calls/${id}` ``. */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((whole, text, at) => whole + encodeURIComponent(values[at - 1] ?? "") + text);
}

/** A path with a query; what is undefined or empty is left out. */
export function query(base: string, members: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parts = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
  return parts.length === 0 ? base : `${base}?${parts.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

/** Words for a person about anything that was thrown. */
export function wordsOf(fault: unknown): string {
  if (fault instanceof ProblemError) return fault.detail || fault.title;
  return fault instanceof Error ? fault.message : String(fault);
}
