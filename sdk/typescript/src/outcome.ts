import { type Activity, ResultWithActivity } from "./activity.js";
import { exactJsonText } from "./json/write.js";

/** The members of a result beside its claim, as JSON text: `"result":…` with `"activity":…`, or `"error":{…}`. */
export type OutcomeText = string;

const CODE = /^[a-z0-9_]{1,64}$/;
const MESSAGE_CHARACTERS_MAX = 2_000;
const PREVIEW_CHARACTERS = 1_000;
const RESULT = '"result":';

/** What a transport makes of a result beside writing it. */
export interface ResultRules {
  /** An activity is an ornament: one that cannot be sent is reported and left out. */
  readonly onLostActivity: (reason: string) => void;
  /** Where the transport cannot carry more; without it the gateway judges. */
  readonly bytesMax?: number;
}

/** What a handler returned. A result beyond `bytesMax` does not fail a call that happened: a preview stands for it. */
export function returnedOutcome(returned: unknown, { onLostActivity, bytesMax = Number.POSITIVE_INFINITY }: ResultRules): OutcomeText {
  const { result, activity } = returned instanceof ResultWithActivity ? returned : { result: returned, activity: undefined };
  try {
    const text = `${RESULT}${result === undefined ? "null" : exactJsonText(result)}`;
    const fitting = exceeds(text, bytesMax) ? shortenedOutcome(text) : text;
    return activity === undefined ? fitting : withActivityText(fitting, activity, onLostActivity, bytesMax);
  } catch (cause) {
    return errorOutcome(`the handler finished, but its result cannot be written as JSON: ${messageOf(cause)}`, "result_not_serializable");
  }
}

/** What a handler threw: its message and code, never its stack. */
export function thrownOutcome(thrown: unknown): OutcomeText {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return errorOutcome(messageOf(thrown), typeof code === "string" && CODE.test(code) ? code : undefined);
}

export function errorOutcome(message: string, code?: string): OutcomeText {
  return `"error":${exactJsonText({ message: Array.from(message).slice(0, MESSAGE_CHARACTERS_MAX).join(""), code })}`;
}

/** The gateway's own form of a result above its limit, for one that it did not even read. An error stays as it is. */
export function shortenedOutcome(outcome: OutcomeText): OutcomeText {
  if (!outcome.startsWith(RESULT)) return outcome;
  const text = outcome.slice(RESULT.length);
  // Not half of a character beyond U+FFFF.
  const preview = text.slice(0, PREVIEW_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
  return `${RESULT}${exactJsonText({ truncated: true, bytes: byteLength(text), preview })}`;
}

export function messageOf(thrown: unknown): string {
  if (typeof thrown === "string" && thrown !== "") return thrown;
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  return "the handler failed without a message";
}

function withActivityText(outcome: OutcomeText, activity: Activity, onLost: (reason: string) => void, bytesMax: number): OutcomeText {
  try {
    const text = `${outcome},"activity":${activityText(activity)}`;
    if (!exceeds(text, bytesMax)) return text;
    onLost(`with it the answer would have ${byteLength(text)} bytes; the limit is ${bytesMax}`);
  } catch (cause) {
    onLost(messageOf(cause));
  }
  return outcome;
}

// The gateway takes both members or refuses the whole result.
function activityText({ type, content }: Activity): string {
  if (typeof type !== "string") throw new TypeError("the type of an activity must be a text");
  return `{"type":${exactJsonText(type)},"content":${exactJsonText(content)}}`;
}

// A character has three bytes at most, so that small texts are not measured.
function exceeds(text: string, bytesMax: number): boolean {
  return text.length * 3 > bytesMax && byteLength(text) > bytesMax;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
