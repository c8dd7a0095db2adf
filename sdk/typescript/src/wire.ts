import { TransportError } from "./errors.js";
import { isParsedObject, NumberText, type Parsed, type ParsedObject } from "./json/value.js";
import type { components } from "./wire.gen.js";

/** What crosses the wire, as the gateway describes it. */
export type Wire = components["schemas"];

type OurCasing<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<OurCasing<Tail>>}` : Name;

/** A type of the wire with its names in our casing. */
type Ours<Type> = { readonly [Name in keyof Type as OurCasing<Name & string>]: Type[Name] };

/** A call as the gateway sends it, by whatever transport: names in our casing, data untouched. */
export interface WireCall extends Omit<Ours<Wire["Job"]>, "arguments" | "principal" | "input" | "claim" | "leaseSeconds"> {
  readonly arguments: Parsed;
  readonly principal: Parsed;
  /** What the client answered, when the tool had asked it for something. */
  readonly input?: ParsedObject;
}

/** A job as a poll brings it: a call with the hold of it. */
export interface WireJob extends WireCall, Pick<Ours<Wire["Job"]>, "claim" | "leaseSeconds"> {}

/** What was answered about one claim. */
export type ClaimAnswer = Omit<Ours<Wire["ClaimStatus"]>, "claim">;

/** What became of one tool of the manifest. */
export interface ToolStatus extends Ours<Wire["ToolStatus"]> {}

/** What became of one context of the manifest. */
export interface ContextStatus extends Ours<Wire["ContextStatus"]> {}

/** What the gateway made of the manifest. */
export interface Registration extends Omit<Ours<Wire["RegisterAnswer"]>, "tools" | "contexts"> {
  readonly tools: readonly ToolStatus[];
  readonly contexts: readonly ContextStatus[];
}

/** The readable jobs; `onUnreadable` hears of the others, so that one of them does not take the rest along. */
export function readJobs(reply: ParsedObject, onUnreadable: (reason: string) => void): WireJob[] {
  return objects(reply, "jobs" satisfies keyof Wire["PollAnswer"]).flatMap((entry) => {
    try {
      return [readJob(entry)];
    } catch (fault) {
      onUnreadable(fault instanceof Error ? fault.message : String(fault));
      return [];
    }
  });
}

function readJob(entry: ParsedObject): WireJob {
  const job = new Members<Wire["Job"]>(entry);
  return { ...readCall(entry), claim: job.text("claim"), leaseSeconds: job.number("lease_seconds") };
}

/** Throws a `TransportError` that names the member which is missing or of another kind. */
export function readCall(entry: ParsedObject): WireCall {
  const call = new Members<Wire["Job"]>(entry);
  const input = call.value("input");
  return {
    ...(input !== undefined && isParsedObject(input) ? { input } : {}),
    call: call.text("call"),
    tool: call.text("tool"),
    arguments: call.value("arguments") ?? {},
    principal: call.value("principal") ?? {},
    ...optional("run", call.optionalText("run")),
    attempt: call.number("attempt"),
    sideEffect: call.text("side_effect"),
    deadlineSeconds: call.number("deadline_seconds"),
  };
}

/** Answers by claim. */
export function readClaimAnswers(reply: ParsedObject | undefined, list: keyof Wire["ClaimsAnswer"] | keyof Wire["ResultsAnswer"]): Map<string, ClaimAnswer> {
  const answers = new Map<string, ClaimAnswer>();
  for (const entry of reply === undefined ? [] : objects(reply, list)) {
    const answer = new Members<Wire["ClaimStatus"]>(entry);
    answers.set(answer.text("claim"), {
      status: answer.text("status"),
      ...optional("leaseSeconds", answer.value("lease_seconds") instanceof NumberText ? answer.number("lease_seconds") : undefined),
      ...optional("cancelRequested", answer.value("cancel_requested") === true ? true : undefined),
    });
  }
  return answers;
}

export function readRegistration(reply: ParsedObject | undefined): Registration {
  if (reply === undefined) throw new TransportError("workers: the answer is empty");
  const answer = new Members<Wire["RegisterAnswer"]>(reply);
  return {
    session: answer.text("session"),
    leaseSeconds: answer.number("lease_seconds"),
    pollSeconds: answer.number("poll_seconds"),
    tools: objects(reply, "tools" satisfies keyof Wire["RegisterAnswer"]).map((entry) => {
      const tool = new Members<Wire["ToolStatus"]>(entry);
      return { name: tool.text("name"), status: tool.text("status"), ...remarks(tool) };
    }),
    contexts: objects(reply, "contexts" satisfies keyof Wire["RegisterAnswer"]).map((entry) => {
      const context = new Members<Wire["ContextStatus"]>(entry);
      return { contextType: context.text("context_type"), status: context.text("status"), ...remarks(context) };
    }),
    disabled: list(reply, "disabled" satisfies keyof Wire["RegisterAnswer"]).filter((entry) => typeof entry === "string"),
  };
}

function remarks(of: Members<Pick<Wire["ToolStatus"], "code" | "detail">>) {
  return { ...optional("code", of.optionalText("code")), ...optional("detail", of.optionalText("detail")) };
}

/** A member that is left out rather than undefined. */
export function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

/** The members of something that the gateway sent, by the names that its description gives them. */
class Members<Type> {
  readonly #of: ParsedObject;

  constructor(of: ParsedObject) {
    this.#of = of;
  }

  /** Of a word that a newer gateway may send and this version does not know, the type says too little: it is carried as it is. */
  text<Name extends keyof Type & string>(name: Name): Extract<Type[Name], string> {
    return text(this.#of, name) as Extract<Type[Name], string>;
  }

  optionalText<Name extends keyof Type & string>(name: Name): Extract<Type[Name], string> | undefined {
    return optionalText(this.#of, name) as Extract<Type[Name], string> | undefined;
  }

  number(name: keyof Type & string): number {
    return number(this.#of, name);
  }

  value(name: keyof Type & string): Parsed | undefined {
    return this.#of[name];
  }
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
