import type { Call } from "./call.js";

/**
 * What to tell the model about a call, as the result of its tool call: the result's own text, or in every other state
 * what happened, in the gateway's words, and what not to do.
 */
export function toolResult(call: Call): string {
  switch (call.state) {
    case "succeeded":
      return call.resultText;
    case "waiting_approval":
      return `Not run yet: a person must approve the call ${call.id} before ${call.approval.expiresAt}. Do not repeat it.`;
    case "queued":
    case "running":
      return `Accepted, no result yet: the call ${call.id} goes on. Do not repeat it.`;
    case "failed":
      return `Failed (${call.error.code}): ${sentence(call.error.message)}`;
    case "rejected":
      return `Not run. ${sentence(call.error.message)} Do not ask for the same again.`;
    case "expired":
    case "cancelled":
    case "invalidated":
      return `No result (${call.error.code}): ${sentence(call.error.message)}`;
    case "unknown":
      return `Not known whether it took effect (${call.error.code}): ${sentence(call.error.message)} Do not repeat it; a person has to find out.`;
  }
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
