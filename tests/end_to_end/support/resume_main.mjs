// A process that knows nothing of a call but its id: it looks at it, has it approved, and waits for its end.
import { ToolgateClient, toolResult } from "@toolgate/sdk/caller";

const { TOOLGATE_URL: baseUrl, TOOLGATE_KEY: apiKey, TOOLGATE_APPROVER_KEY, CALL } = process.env;
const [caller, approver] = [apiKey, TOOLGATE_APPROVER_KEY].map((key) => new ToolgateClient({ baseUrl, apiKey: key }));

const was = await caller.calls.get(CALL);
const shown = await approver.approvals.get(was.approval.id);
const decided = await approver.approvals.approve(shown);
const ended = await caller.calls.wait(CALL, { timeoutMs: 30_000 });
console.log(JSON.stringify({ was: was.state, decided: decided.state, state: ended.state, told: toolResult(ended) }));
