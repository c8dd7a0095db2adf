import { ToolgateClient as FromRoot } from "@toolgate/sdk";
import {
  type Approval,
  type Call,
  type CallError,
  type CallState,
  CallUnanswered,
  type EndedCall,
  GatewayProblem,
  isEnded,
  isProblem,
  knownProblem,
  type KnownProblem,
  type ProblemCode,
  type SubmittedCall,
  ToolgateClient,
  toolResult,
  WaitTimeout,
} from "@toolgate/sdk/caller";
import { assertType, type Equal } from "./equal.js";

declare const client: ToolgateClient;
declare const principal: { id: string; tenant_id: string; permissions: string[]; plan: string };
assertType<Equal<typeof FromRoot, typeof ToolgateClient>>();
new ToolgateClient({ baseUrl: "https://gate.test", apiKey: "k", fetch, timeoutMs: 5_000, attempts: 2 });

interface Receipt {
  receipt_id: bigint | number;
}
declare function show(words: string): void;
declare function confirmed(approval: Approval): Promise<boolean>;

export async function calls(): Promise<void> {
  const call = await client.call<Receipt>({ tool: "refund_order", arguments: { order_id: 7n }, agent: "support", principal, waitSeconds: 20 });
  assertType<Equal<typeof call, SubmittedCall<Receipt>>>();
  assertType<Equal<typeof call.idempotencyKey, string>>();
  switch (call.state) {
    case "succeeded":
      assertType<Equal<typeof call.result, Receipt>>();
      assertType<Equal<typeof call.resultText, string>>();
      // @ts-expect-error its result is what the model is told
      call.toolResult;
      break;
    case "waiting_approval":
      assertType<Equal<typeof call.approval.digest, string>>();
      assertType<Equal<typeof call.toolResult, string>>();
      break;
    case "queued":
    case "running":
      assertType<Equal<typeof call.toolResult, string>>();
      // @ts-expect-error there is no outcome yet
      call.error;
      break;
    default:
      assertType<Equal<typeof call.state, "failed" | "rejected" | "expired" | "cancelled" | "invalidated" | "unknown">>();
      assertType<Equal<typeof call.error, CallError>>();
      assertType<Equal<typeof call.toolResult, string>>();
  }
  const ended = await client.calls.wait<Receipt>(call, { timeoutMs: 1_000, signal: AbortSignal.timeout(5_000) });
  assertType<Equal<typeof ended, EndedCall<Receipt>>>();
  const read: Call = await client.calls.get(call.id, { waitSeconds: 5 });
  if (isEnded(read)) assertType<Equal<typeof read.endedAt, string>>();
  show(toolResult(read));
  show(toolResult(call));
  for await (const each of client.calls.list({ pool: "shop", state: "unknown" })) {
    assertType<Equal<typeof each.state, CallState>>();
    assertType<Equal<typeof each.toolResult, string | undefined>>();
    await client.calls.resolve(each, { outcome: "failed", note: "Not in the ledger." });
  }
  // @ts-expect-error a pool is required
  client.calls.list({});
  // @ts-expect-error nothing ends as "done"
  await client.calls.resolve("call_1", { outcome: "done", note: "n" });
  // @ts-expect-error a list is no arguments
  await client.call({ tool: "look", arguments: [1] });
}

export async function approvals(): Promise<void> {
  for await (const approval of client.approvals.watch({ signal: AbortSignal.timeout(1), intervalMs: 500, onFault: (fault) => show(fault.message) })) {
    if (approval.state !== "pending") continue;
    if (await confirmed(approval)) await client.approvals.approve(approval);
    else await client.approvals.reject(approval, "too much");
    await client.approvals.approve(approval, { arguments: { ...approval.arguments, cents: 50 } });
  }
  // @ts-expect-error an id alone shows nothing to decide on
  await client.approvals.approve("apr_1");
  // @ts-expect-error a rejection has a reason
  await client.approvals.reject({ id: "apr_1", digest: "d" });
}

export function problems(error: unknown): void {
  if (isProblem(error, "already_decided")) {
    assertType<Equal<typeof error.code, "already_decided">>();
    const by: string = error.members.by;
    show(`${by} ${error.members.decision} ${error.members.at}`);
  }
  if (isProblem(error, "invalid_arguments")) for (const { field, message } of error.members.faults ?? []) show(field + message);
  if (isProblem(error, "busy")) assertType<Equal<typeof error.retryAfterSeconds, number | undefined>>();
  if (isProblem(error)) assertType<Equal<typeof error, GatewayProblem>>();
  // @ts-expect-error no such code
  isProblem(error, "already_decidet");
  const known: KnownProblem | undefined = knownProblem(error);
  switch (known?.code) {
    case "idempotency_conflict":
      show(known.members.call);
      break;
    case "payload_too_large":
      show(String(known.members.limit_bytes + known.members.bytes));
      break;
    case "already_running":
      // @ts-expect-error this code brings nothing along
      show(known.members.by satisfies string);
      break;
    default:
      assertType<Equal<Exclude<ProblemCode, NonNullable<typeof known>["code"]>, "idempotency_conflict" | "payload_too_large" | "already_running">>();
  }
  if (error instanceof CallUnanswered) show(error.idempotencyKey);
  if (error instanceof WaitTimeout && error.call?.state === "waiting_approval") show(error.call.approval.url);
}

// The code of the README as printed there.
declare const baseUrl: string, apiKey: string, signal: AbortSignal, shown: Approval;
declare function use(result: unknown): void;
declare function answerModel(words: string): void;
declare function remove(approval: Approval): void;

export async function readmeCalls(): Promise<void> {
  const client = new ToolgateClient({ baseUrl, apiKey });

  const call = await client.call({ tool: "refund_order", arguments: { order_id: 7 }, agent: "support", principal, waitSeconds: 20 });
  if (call.state === "succeeded") use(call.result);
  else if (call.state === "waiting_approval") show(call.approval.url);
  const ended = await client.calls.wait(call);
  answerModel(toolResult(ended));
}

export async function readmeApprovals(): Promise<void> {
  for await (const approval of client.approvals.watch({ signal })) {
    if (approval.state !== "pending") remove(approval);
    else show(approval.shownText);
  }

  await client.approvals.approve(shown);
  await client.approvals.reject(shown, "This customer was refunded yesterday.");
}

export function readmeRefusals(error: unknown): void {
  if (isProblem(error, "already_decided")) show(`${error.members.by} was first, at ${error.members.at}`);
}
