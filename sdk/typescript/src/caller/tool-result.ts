import type { Call } from "./call.js";

/**
 * What to tell the model about a call, as the result of its tool call: the result's own text, or in every other state
 * the gateway's sentence: what happened, and what not to do.
 */
export function toolResult(call: Call): string {
  return call.state === "succeeded" ? call.resultText : call.toolResult;
}
