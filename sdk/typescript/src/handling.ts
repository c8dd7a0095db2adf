import { decodeArguments } from "./arguments.js";
import type { CallContext, CallInput, Principal } from "./call-context.js";
import { monotonicMs } from "./clock.js";
import { CallAborted } from "./errors.js";
import { carriedValue, plainValue } from "./json/plain.js";
import { isParsedObject, type ParsedObject } from "./json/value.js";
import { type OutcomeText, type ResultRules, returnedOutcome, thrownOutcome } from "./outcome.js";
import type { Tool } from "./tool.js";
import type { WireCall } from "./wire.js";

/** What a handler is given, decoded. */
export interface Input {
  readonly args: unknown;
  readonly principal: Principal;
}

/** Throws `CallRefused`, naming what does not fit the tool. */
export function decodeInput(tool: Tool, call: WireCall): Input {
  return { args: decodeArguments(tool, call.arguments), principal: plainValue(call.principal, "bigint", "principal") as Principal };
}

/** The stricter of the two classes counts; they differ only if the gateway and this code disagree. */
export function isWriteOf(tool: Tool, call: WireCall): boolean {
  return call.sideEffect !== "read_only" || tool.sideEffect !== "read_only";
}

export interface Handling extends Input {
  readonly tool: Tool;
  readonly call: WireCall;
  readonly signal: AbortSignal;
  /** The execution deadline has passed; whoever owns the signal aborts it. */
  readonly onDeadline: () => void;
  readonly rules: ResultRules;
}

/** Timers hold 31 bits of milliseconds and fire at once beyond that. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Runs one handler under its deadline: the same for every transport. Never rejects; undefined when there is nothing true
 * to report. What becomes of the outcome is the transport's business.
 */
export async function runHandler({ tool, call, args, principal, signal, onDeadline, rules }: Handling): Promise<OutcomeText | undefined> {
  const startedAtMs = monotonicMs();
  const deadlineMs = call.deadlineSeconds * 1_000;
  const timer: unknown = setTimeout(onDeadline, Math.min(deadlineMs, TIMER_MS_MAX));
  // A handler that never ends must not keep a stopped process alive.
  if (hasUnref(timer)) timer.unref();
  const context: CallContext = {
    callId: call.call,
    principal,
    attempt: call.attempt,
    tool: tool.name,
    ...(call.run === undefined ? {} : { run: call.run }),
    ...(call.input === undefined ? {} : { input: inputOf(call.input) }),
    signal,
    deadline: {
      seconds: call.deadlineSeconds,
      remainingSeconds: () => Math.max(0, startedAtMs + deadlineMs - monotonicMs()) / 1_000,
    },
  };
  try {
    return returnedOutcome(await tool.handler(args, context), rules);
  } catch (thrown) {
    return saysNothing(signal, thrown) ? undefined : thrownOutcome(thrown);
  } finally {
    clearTimeout(timer as ReturnType<typeof setTimeout>);
  }
}

export function abortCode(signal: AbortSignal): string | undefined {
  const reason: unknown = signal.reason;
  return reason instanceof CallAborted ? reason.code : undefined;
}

function inputOf({ responses, state }: ParsedObject): CallInput {
  const given = isParsedObject(responses) ? (carriedValue(responses) as CallInput["responses"]) : {};
  return { responses: given, ...(state === undefined ? {} : { state: carriedValue(state) }) };
}

// An operation that we interrupted may have happened or not: calling that "failed" would invite a second try.
// After a requested cancellation the handler's error is its answer to the request.
function saysNothing(signal: AbortSignal, thrown: unknown): boolean {
  const code = abortCode(signal);
  if (code === undefined || code === "cancel_requested") return false;
  const reason: unknown = signal.reason;
  return thrown === reason || (thrown instanceof Error && (thrown.name === "AbortError" || thrown.cause === reason));
}

// Browsers have numbers for timers.
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
