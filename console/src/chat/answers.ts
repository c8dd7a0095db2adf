/** Runs the handlers of client calls: all at once, each with a time of its own, and none can take the run down. */
import type { ClientTool } from "./tools/types";

export const HANDLER_MS = 60_000;

export interface ClientCall {
  readonly toolCallId: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface Answered {
  readonly call: ClientCall;
  /** JSON text for the model. */
  readonly content: string;
}

/** The answer that a call gets which has none of its own. */
export function failure(words: string): string {
  return JSON.stringify({ error: words });
}

/** Rejects when the signal aborts, and only then. */
export function answerAll(calls: readonly ClientCall[], tools: readonly ClientTool[], threadId: string, signal: AbortSignal): Promise<Answered[]> {
  return Promise.all(calls.map(async (call) => ({ call, content: await answer(call, tools, threadId, signal) })));
}

async function answer(call: ClientCall, tools: readonly ClientTool[], threadId: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const tool = tools.find(({ definition }) => definition.name === call.name);
  if (tool === undefined) return failure(`this browser has no tool ${call.name}, or it is switched off`);
  const args = readArguments(call.arguments);
  if (args === undefined) return failure("the arguments are not a JSON object");
  const limit = new AbortController();
  const timeout = tool.timeoutMs === undefined ? HANDLER_MS : tool.timeoutMs;
  const both = AbortSignal.any([signal, limit.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const aborted = (): void => (signal.aborted ? reject(signal.reason as Error) : resolve(failure(`no answer within ${(timeout ?? 0) / 1_000} s`)));
      both.addEventListener("abort", aborted, { once: true });
      if (timeout !== null) timer = setTimeout(() => limit.abort(), timeout);
      // An async function, so that what a handler throws at once is caught too.
      const run = async (): Promise<unknown> => tool.handler(args, { threadId, toolCallId: call.toolCallId, signal: both });
      run().then((value) => resolve(textOf(value)), (thrown: unknown) => resolve(failure(thrown instanceof Error ? thrown.message : String(thrown))));
    });
  } finally {
    clearTimeout(timer);
  }
}

/** For the handler's own use. What is shown and sent on stays the text. */
function readArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value ?? null) ?? failure("the tool returned nothing that JSON can say");
  } catch {
    return failure("the tool returned nothing that JSON can say");
  }
}
