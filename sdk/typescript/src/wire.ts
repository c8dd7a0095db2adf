import { TransportError } from "./errors.js";
import { isParsedObject, NumberText, type Parsed, type ParsedObject } from "./json/value.js";

/** A call as the gateway sends it, by whatever transport: names in our casing, data untouched. */
export interface WireCall {
  readonly call: string;
  readonly tool: string;
  readonly arguments: Parsed;
  readonly principal: Parsed;
  readonly run: string | undefined;
  /** What the client answered, when the tool had asked it for something. */
  readonly input?: ParsedObject;
  readonly attempt: number;
  readonly sideEffect: string;
  readonly deadlineSeconds: number;
}

/** A job as a poll brings it: a call with the hold of it. */
export interface WireJob extends WireCall {
  readonly claim: string;
  readonly leaseSeconds: number;
}

/** What was answered about one claim. */
export interface ClaimAnswer {
  readonly status: string;
  readonly leaseSeconds: number | undefined;
  readonly cancelRequested: boolean;
}

export interface ToolStatus {
  readonly name: string;
  /** `added`, `updated`, `unchanged` or `refused`. */
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
}

export interface ContextStatus {
  readonly contextType: string;
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
}

/** What the gateway made of the manifest. */
export interface Registration {
  readonly session: string;
  readonly leaseSeconds: number;
  readonly pollSeconds: number;
  readonly tools: readonly ToolStatus[];
  readonly contexts: readonly ContextStatus[];
  /** Tools of the pool that no live worker announces any more. */
  readonly disabled: readonly string[];
}

/** The readable jobs; `onUnreadable` hears of the others, so that one of them does not take the rest along. */
export function readJobs(reply: ParsedObject, onUnreadable: (reason: string) => void): WireJob[] {
  return objects(reply, "jobs").flatMap((entry) => {
    try {
      return [readJob(entry)];
    } catch (fault) {
      onUnreadable(fault instanceof Error ? fault.message : String(fault));
      return [];
    }
  });
}

function readJob(entry: ParsedObject): WireJob {
  return { ...readCall(entry), claim: text(entry, "claim"), leaseSeconds: number(entry, "lease_seconds") };
}

/** Throws a `TransportError` that names the member which is missing or of another kind. */
export function readCall(entry: ParsedObject): WireCall {
  const input = entry["input"];
  return {
    ...(isParsedObject(input) ? { input } : {}),
    call: text(entry, "call"),
    tool: text(entry, "tool"),
    arguments: entry["arguments"] ?? {},
    principal: entry["principal"] ?? {},
    run: optionalText(entry, "run"),
    attempt: number(entry, "attempt"),
    sideEffect: text(entry, "side_effect"),
    deadlineSeconds: number(entry, "deadline_seconds"),
  };
}

/** Answers by claim, from the list called `list` ("claims" or "results"). */
export function readClaimAnswers(reply: ParsedObject | undefined, list: "claims" | "results"): Map<string, ClaimAnswer> {
  const answers = new Map<string, ClaimAnswer>();
  for (const entry of reply === undefined ? [] : objects(reply, list)) {
    answers.set(text(entry, "claim"), {
      status: text(entry, "status"),
      leaseSeconds: entry["lease_seconds"] instanceof NumberText ? number(entry, "lease_seconds") : undefined,
      cancelRequested: entry["cancel_requested"] === true,
    });
  }
  return answers;
}

export function readRegistration(reply: ParsedObject | undefined): Registration {
  if (reply === undefined) throw new TransportError("workers: the answer is empty");
  const remarks = (entry: ParsedObject) => {
    const code = optionalText(entry, "code");
    const detail = optionalText(entry, "detail");
    return { ...(code === undefined ? {} : { code }), ...(detail === undefined ? {} : { detail }) };
  };
  return {
    session: text(reply, "session"),
    leaseSeconds: number(reply, "lease_seconds"),
    pollSeconds: number(reply, "poll_seconds"),
    tools: objects(reply, "tools").map((entry) => ({ name: text(entry, "name"), status: text(entry, "status"), ...remarks(entry) })),
    contexts: objects(reply, "contexts").map((entry) => ({
      contextType: text(entry, "context_type"),
      status: text(entry, "status"),
      ...remarks(entry),
    })),
    disabled: list(reply, "disabled").filter((entry) => typeof entry === "string"),
  };
}

function list(from: ParsedObject, name: string): Parsed[] {
  const value = from[name];
  return Array.isArray(value) ? value : [];
}

function objects(from: ParsedObject, name: string): ParsedObject[] {
  return list(from, name).filter(isParsedObject);
}

export function text(from: ParsedObject, name: string): string {
  const value = from[name];
  if (typeof value !== "string") throw new TransportError(`what the gateway sent has no text "${name}"`);
  return value;
}

export function optionalText(from: ParsedObject, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" ? value : undefined;
}

export function number(from: ParsedObject, name: string): number {
  const value = from[name];
  const result = value instanceof NumberText ? Number(value.text) : Number.NaN;
  if (!Number.isFinite(result)) throw new TransportError(`what the gateway sent has no number "${name}"`);
  return result;
}
