import type { Activity } from "../activity.js";
import { TransportError } from "../errors.js";
import { optional, type Wire } from "../wire.js";
import type { Document } from "./document.js";

const ENDED_WITHOUT_RESULT = ["failed", "rejected", "expired", "cancelled", "invalidated", "unknown"] as const satisfies readonly Wire["CallState"][];

export type CallState = Wire["CallState"];
export type OpenState = "waiting_approval" | "queued" | "running";
export type EndedState = Exclude<CallState, OpenState>;

/** Where a parked call is decided. */
export interface ApprovalLink {
  readonly id: string;
  readonly digest: string;
  /** RFC 3339, as all times here. */
  readonly expiresAt: string;
  readonly url: string;
}

export interface CallError {
  /** A code of the gateway's, or the handler's own. */
  readonly code: string;
  /** Words fit for a model and a person. */
  readonly message: string;
}

export interface CallFacts {
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly createdAt: string;
}

/** What has no result of its own has this in its place. */
interface Told {
  /** What to tell the model of the call, as the result of its tool call: a sentence of the gateway's, fixed for each state. */
  readonly toolResult: string;
}

/** Waits for a person. Nothing runs before their decision. */
export interface ParkedCall extends CallFacts, Told {
  readonly state: "waiting_approval";
  readonly approval: ApprovalLink;
}

export interface OpenCall extends CallFacts, Told {
  readonly state: "queued" | "running";
}

interface EndedFacts extends CallFacts {
  readonly endedAt: string;
  /** How an unknown outcome became known: `late_result`, or who resolved it. */
  readonly resolvedBy?: string;
  /** Something for the screen beside the outcome. */
  readonly activity?: Activity;
}

export interface SucceededCall<Result = unknown> extends EndedFacts {
  readonly state: "succeeded";
  /** An integer beyond 2^53-1 is a bigint, a number beyond what JavaScript can hold its text. */
  readonly result: Result;
  /** The result's JSON text, digit for digit. */
  readonly resultText: string;
}

export interface UnsuccessfulCall extends EndedFacts, Told {
  readonly state: (typeof ENDED_WITHOUT_RESULT)[number];
  readonly error: CallError;
}

export type EndedCall<Result = unknown> = SucceededCall<Result> | UnsuccessfulCall;

/** A call as it stands; `state` tells what else it has. */
export type Call<Result = unknown> = ParkedCall | OpenCall | EndedCall<Result>;

/** A call in a list: neither result nor activity is there. */
export interface CallSummary extends CallFacts {
  readonly state: CallState;
  readonly endedAt?: string;
  readonly error?: CallError;
  /** As of a call without a result. */
  readonly toolResult?: string;
  readonly approval?: ApprovalLink;
  readonly resolvedBy?: string;
}

export function isEnded<Result>(call: Call<Result>): call is EndedCall<Result> {
  return call.state !== "waiting_approval" && call.state !== "queued" && call.state !== "running";
}

/** Throws a `TransportError` that names the member which is missing or of another kind. */
export function readCall<Result>(answer: Document<Wire["CallView"]>): Call<Result> {
  const facts = readFacts(answer);
  const state = readState(answer);
  switch (state) {
    case "waiting_approval":
      return { ...facts, state, ...readTold(answer), approval: readLink(answer.object("approval")) };
    case "queued":
    case "running":
      return { ...facts, state, ...readTold(answer) };
    case "succeeded":
      return { ...facts, state, ...readEnd(answer), result: answer.value("result") as Result, resultText: answer.source("result") };
    default:
      return { ...facts, state, ...readEnd(answer), ...readTold(answer), error: readError(answer.object("error")) };
  }
}

export function readSummary(entry: Document<Wire["CallView"]>): CallSummary {
  return {
    ...readFacts(entry),
    state: readState(entry),
    ...optional("endedAt", entry.optionalText("ended_at")),
    ...optional("error", entry.has("error") ? readError(entry.object("error")) : undefined),
    ...optional("toolResult", entry.optionalText("tool_result")),
    ...optional("approval", entry.has("approval") ? readLink(entry.object("approval")) : undefined),
    ...optional("resolvedBy", entry.optionalText("resolved_by")),
  };
}

function readFacts(from: Document<Wire["CallView"]>): CallFacts {
  return { id: from.text("call"), tool: from.text("tool"), agent: from.text("agent"), createdAt: from.text("created_at") };
}

function readState(from: Document<Wire["CallView"]>): CallState {
  const word = from.text("state");
  const state = (["waiting_approval", "queued", "running", "succeeded", ...ENDED_WITHOUT_RESULT] as const).find((each) => each === word);
  if (state === undefined) throw new TransportError(`what the gateway sent has a state that this version does not know: ${JSON.stringify(word)}`);
  return state;
}

function readEnd(from: Document<Wire["CallView"]>): Pick<EndedFacts, "endedAt" | "resolvedBy" | "activity"> {
  return {
    endedAt: from.text("ended_at"),
    ...optional("resolvedBy", from.optionalText("resolved_by")),
    ...optional("activity", from.has("activity") ? readActivity(from.object("activity")) : undefined),
  };
}

function readTold(from: Document<Wire["CallView"]>): Told {
  return { toolResult: from.text("tool_result") };
}

function readActivity(from: Document<Wire["Activity"]>): Activity {
  return { type: from.text("type"), content: from.value("content") };
}

function readLink(from: Document<Wire["ApprovalLink"]>): ApprovalLink {
  return { id: from.text("id"), digest: from.text("digest"), expiresAt: from.text("expires_at"), url: from.text("url") };
}

function readError(from: Document<Wire["CallError"]>): CallError {
  return { code: from.text("code"), message: from.text("message") };
}
