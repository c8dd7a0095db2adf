import { ask } from "./asks";
import type { ClientTool } from "./types";

/** The assistant asks the user. What is answered binds nobody: what the gateway holds back for an approval is another thing. */
export const requestUserApproval: ClientTool = {
  definition: {
    name: "request_user_approval",
    description: 'Asks the user to approve or reject an action before it is done. The conversation waits until the user has decided. Gives {"decision":"approved"} or {"decision":"rejected"}.',
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", description: "What is to be done, in one sentence." },
        details: { type: "string", description: "What the user should know to decide." },
      },
      required: ["action"],
      additionalProperties: false,
    },
  },
  defaultEnabled: false,
  timeoutMs: null,
  handler: async ({ action, details }, context) => {
    if (typeof action !== "string" || action.trim() === "") return { error: "action must say what is to be done" };
    return { decision: await ask({ threadId: context.threadId, toolCallId: context.toolCallId, action, details: typeof details === "string" ? details : undefined }, context.signal) };
  },
};
