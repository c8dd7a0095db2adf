import { type Activity, ResultWithActivity } from "./activity.js";
import { exactJsonText } from "./json/write.js";

/** The members of a result beside its claim, as JSON text: `"result":…` with `"activity":…`, or `"error":{…}`. */
export type OutcomeText = string;

const CODE = /^[a-z0-9_]{1,64}$/;
const MESSAGE_CHARACTERS_MAX = 2_000;

/** What a handler returned. An activity is an ornament: one that cannot be written is reported and left out. */
export function returnedOutcome(returned: unknown, onLostActivity: (reason: string) => void): OutcomeText {
  const { result, activity } = returned instanceof ResultWithActivity ? returned : { result: returned, activity: undefined };
  try {
    const text = `"result":${result === undefined ? "null" : exactJsonText(result)}`;
    return activity === undefined ? text : text + activityText(activity, onLostActivity);
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

/** The gateway's own form of a result above its limit, for one that it did not even read. */
export function truncatedOutcome(bytes: number, preview: string): OutcomeText {
  return `"result":${exactJsonText({ truncated: true, bytes, preview })}`;
}

export function messageOf(thrown: unknown): string {
  if (typeof thrown === "string" && thrown !== "") return thrown;
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  return "the handler failed without a message";
}

function activityText({ type, content }: Activity, onLost: (reason: string) => void): string {
  try {
    return `,"activity":${exactJsonText({ type, content })}`;
  } catch (cause) {
    onLost(messageOf(cause));
    return "";
  }
}
