// The SDK's caller client against the real gateway: calls, waiting, approvals, refusals.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { CallUnanswered, isProblem, ToolgateClient, toolResult, WaitTimeout } from "@toolgate/sdk/caller";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { Proxy } from "./support/proxy.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { within } from "./support/until.mjs";

const principal = { id: "u1", tenant_id: "t1", permissions: [], account: 9007199254740993n };
const TOOLS = [
  definition("look", "read_only", { input: { id: "integer?", any: "json?" } }),
  definition("edit", "reversible_write", { input: { id: "integer?" } }),
  definition("hang", "reversible_write", { execution_deadline_seconds: 1 }),
  definition("pay", "consequential", { input: { cents: "integer", note: "json?" } }),
];

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => {
  Proxy.stopAll();
  return gateway.stop();
});

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(TOOLS.map(({ name }) => name));
  const clientOf = (door, url = gateway.url) => new ToolgateClient({ baseUrl: url, apiKey: door.key, timeoutMs: 2_000 });
  const caller = clientOf(org.caller);
  const call = (tool, args, more) => caller.call({ tool, arguments: args, agent: "bot", principal, ...more });
  return { org, worker, clientOf, caller, call, approver: clientOf(org.approver) };
}

/** Does the next job of a pool, and says what it was. */
async function work(worker, result) {
  const job = await worker.job();
  if (job.side_effect !== "read_only") assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  assert.equal(await worker.result(job.claim, result), "recorded");
  return job;
}

/** The next change of a watch that is about this approval. */
async function seen(watch, id) {
  for (;;) {
    const { value, done } = await within(`a change of ${id}`, 15_000, watch.next());
    assert.equal(done, false);
    if (value.id === id) return value;
  }
}

test("a read comes back in one request, digit for digit, and is found in list and timeline", async () => {
  const { worker, caller, call } = await shop();
  const text = '{"id":18446744073709551615,"ratio":0.1000000000000000055511151231257827}';
  const [answered, job] = await Promise.all([call("look", { id: 9007199254740993n }, { waitSeconds: 20 }), work(worker, text)]);
  assert.deepEqual([answered.state, answered.resultText, answered.result.id, toolResult(answered)], ["succeeded", text, 18446744073709551615n, text]);
  assert.equal(job.call, answered.id);
  const { idempotencyKey, ...read } = answered;
  assert.match(idempotencyKey, /^[0-9a-f]{32}$/);
  assert.deepEqual(await caller.calls.get(answered.id), read);
  const { events } = await caller.calls.events(answered);
  assert.deepEqual(events.map(({ event }) => event).filter((event) => event === "settle"), ["settle"]);
  const listed = [];
  for await (const each of caller.calls.list({ pool: "main", tool: "look" })) listed.push([each.id, each.state]);
  assert.deepEqual(listed, [[answered.id, "succeeded"]]);
});

test("a write whose answers are cut off is one call, and runs once", async () => {
  const { worker, org, clientOf } = await shop();
  const fates = { calls: ["cut", "swallow"], get_calls: ["cut", "cut"] };
  const proxy = await Proxy.start(gateway, (what, n) => fates[what]?.[n - 1] ?? "pass");
  const client = clientOf(org.caller, proxy.url);
  const ask = { tool: "edit", arguments: { id: 1 }, agent: "bot", principal };
  const submitted = await client.call(ask);
  assert.deepEqual([submitted.state, proxy.counts.calls], ["queued", 3]);
  const [ended, job] = await Promise.all([client.calls.wait(submitted), work(worker, "true")]);
  assert.deepEqual([ended.state, job.call], ["succeeded", submitted.id]);
  assert.ok(proxy.counts.get_calls >= 3, "the wait went on over a line that broke twice");
  assert.deepEqual(await worker.jobs(), [], "nothing ran a second time");
  const again = await client.call({ ...ask, idempotencyKey: submitted.idempotencyKey });
  assert.equal(again.id, submitted.id);

  const dead = await Proxy.start(gateway, () => "cut");
  const lost = await clientOf(org.caller, dead.url).call({ ...ask, arguments: { id: 2 } }).catch((error) => error);
  assert.ok(lost instanceof CallUnanswered, String(lost));
  const found = await client.call({ ...ask, arguments: { id: 2 }, idempotencyKey: lost.idempotencyKey, waitSeconds: 0 });
  assert.deepEqual((await worker.jobs()).map(({ call }) => call), [found.id], "the call that was never answered is there, once");
});

test("a parked call is seen by a watch, approved from what was shown, and runs once with those bytes", async () => {
  const { worker, caller, call, approver } = await shop();
  const abort = new AbortController();
  const watch = approver.approvals.watch({ intervalMs: 100, signal: abort.signal });
  const parked = await call("pay", '{ "note": {"b":[1.0], "10":1, "9":"\\u202e"}, "cents": 9007199254740993 }', { waitSeconds: 25 });
  assert.equal(parked.state, "waiting_approval");
  assert.match(toolResult(parked), /^This call waits for a person's decision and has not run\. Do not ask for it again/);
  const shown = await seen(watch, parked.approval.id);
  assert.equal(shown.argumentsText, '{"cents":9007199254740993,"note":{"10":1,"9":"\u202e","b":[1.0]}}');
  assert.deepEqual([shown.call, shown.digest, shown.principal.account], [parked.id, parked.approval.digest, 9007199254740993n]);
  await assert.rejects(caller.calls.wait(parked, { timeoutMs: 300 }), (error) => error instanceof WaitTimeout && error.call.state === "waiting_approval");
  const waiting = caller.calls.wait(parked);
  assert.equal((await approver.approvals.approve(shown)).state, "approved");
  assert.equal((await work(worker, '"paid"')).call, parked.id);
  assert.equal((await waiting).result, "paid");
  const decided = await seen(watch, parked.approval.id);
  assert.deepEqual([decided.state, decided.decisions[0].by, decided.decisions[0].digest], ["approved", "Ann", shown.digest]);
  const late = await approver.approvals.reject(shown, "too late").catch((error) => error);
  assert.ok(isProblem(late, "already_decided"), String(late));
  assert.deepEqual([late.members.by, late.members.decision, late.members.at], ["Ann", "approve", decided.decisions[0].at]);
  abort.abort();
  assert.equal((await watch.next()).done, true);
  assert.deepEqual(await worker.jobs(), []);
});

test("a rejection reaches who waits, with its reason", async () => {
  const { caller, call, approver, worker } = await shop();
  const parked = await call("pay", { cents: 100 });
  const waiting = caller.calls.wait(parked);
  const mixed = { id: parked.approval.id, digest: (await call("pay", { cents: 999 })).approval.digest };
  await assert.rejects(approver.approvals.approve(mixed), (error) => isProblem(error, "digest_mismatch"));
  await approver.approvals.reject(await approver.approvals.get(parked.approval.id), "not this customer");
  const ended = await waiting;
  assert.deepEqual([ended.state, ended.error.code], ["rejected", "rejected"]);
  assert.match(toolResult(ended), /^A person rejected this call, so it did not run\. .*not this customer/);
  assert.deepEqual(await worker.jobs(), []);
});

test("a decision whose answer is lost is made once, and is no refusal for who made it", async () => {
  const { org, worker, call, clientOf } = await shop();
  const parked = await call("pay", { cents: 1 });
  let isCut = false;
  const breaking = async (...request) => {
    const answer = await fetch(...request);
    if (isCut || !String(request[0]).endsWith("/decision")) return answer;
    isCut = true;
    await answer.body.cancel();
    throw new TypeError("fetch failed");
  };
  const client = new ToolgateClient({ baseUrl: gateway.url, apiKey: org.approver.key, fetch: breaking });
  const decided = await client.approvals.approve(parked.approval);
  assert.deepEqual([decided.state, decided.decisions.length], ["approved", 1]);
  assert.equal((await work(worker, "1")).call, parked.id);
  const other = await org.key({ role: "approver", name: "Bea" });
  await assert.rejects(clientOf(other.door).approvals.approve(parked.approval), (error) => isProblem(error, "already_decided"));
});

test("a call is taken back while it is parked or queued, and not after its end", async () => {
  const { caller, call, worker, approver } = await shop();
  const [parked, queued] = [await call("pay", { cents: 1 }), await call("edit", {})];
  for (const each of [parked, queued]) assert.equal((await caller.calls.cancel(each)).state, "cancelled");
  assert.deepEqual(await worker.jobs(), []);
  await assert.rejects(caller.calls.cancel(queued.id), (error) => isProblem(error, "already_ended") && error.members.state === "cancelled");
  await assert.rejects(approver.approvals.approve(parked.approval), (error) => isProblem(error, "approval_withdrawn") && error.members.state === "cancelled");
  assert.equal(toolResult(await caller.calls.get(parked)), "This call was cancelled and has no result. The call was cancelled.");
});

test("a write that has started is not taken back, and what nobody knows of it is said by a person", async () => {
  const { call, caller, worker, approver } = await shop();
  const submitted = await call("hang", {});
  assert.deepEqual(await worker.accept((await worker.job()).claim), ["accepted"]);
  await assert.rejects(caller.calls.cancel(submitted), (error) => isProblem(error, "already_running"));
  await assert.rejects(approver.calls.resolve(submitted, { outcome: "failed", note: "n" }), (error) => isProblem(error, "not_unknown") && error.members.state === "running");
  const unknown = await caller.calls.wait(submitted);
  assert.deepEqual([unknown.state, unknown.error.code], ["unknown", "deadline_exceeded"]);
  assert.match(toolResult(unknown), /^Whether this call happened is not known, and it will not be run again\./);
  await approver.calls.resolve(submitted, { outcome: "succeeded", note: "It is in the ledger.", result: { id: 9007199254740993n } });
  const { state, resultText, resolvedBy } = await caller.calls.get(submitted);
  assert.deepEqual([state, resultText, resolvedBy], ["succeeded", '{"id":9007199254740993}', "Ann"]);
});

test("refusals have their types, and foreign ids look like absent ones", async () => {
  const { call, caller, approver } = await shop();
  await assert.rejects(call("gone", {}), (error) => isProblem(error, "unknown_tool") && error.status === 404);
  const faults = await call("pay", { cents: "1", more: 1 }).catch((error) => error);
  assert.ok(isProblem(faults, "invalid_arguments"));
  assert.deepEqual(faults.members.faults.map(({ field }) => field).sort(), ["cents", "more"]);
  const first = await call("edit", { id: 1 });
  const conflict = await call("edit", { id: 2 }, { idempotencyKey: first.idempotencyKey }).catch((error) => error);
  assert.ok(isProblem(conflict, "idempotency_conflict"));
  assert.equal(conflict.members.call, first.id);
  const other = await shop();
  const asks = [() => other.caller.calls.get(first), () => other.caller.calls.wait(first), () => other.approver.approvals.get("apr_x"), () => approver.approvals.get(first.id)];
  for (const ask of asks) {
    await assert.rejects(ask(), (error) => isProblem(error, "not_found"));
  }
  await assert.rejects(caller.approvals.list().next(), (error) => isProblem(error, "role_not_allowed") && error.members.roles.includes("approver"));
});

test("an edited approval is sent as it was edited, and the next approver sees what was decided", async () => {
  const { worker, call, approver } = await shop();
  const parked = await call("pay", { cents: 9007199254740993n, note: "a\u202Eb" });
  const shown = await approver.approvals.get(parked.approval.id);
  assert.equal(shown.shownText, '{"cents":9007199254740993,"note":"a\\u202eb"}');
  const decided = await approver.approvals.approve(shown, { arguments: { cents: 9007199254740992n } });
  assert.deepEqual([decided.state, decided.editedText], ["approved", '{"cents":9007199254740992}']);
  assert.deepEqual(decided.changes[0], { field: "cents", fromText: "9007199254740993", toText: "9007199254740992" });
  assert.deepEqual((await work(worker, "null")).arguments, JSON.parse('{"cents":9007199254740992}'));
  const next = await call("pay", { cents: 1 });
  const { earlier } = await approver.approvals.get(next.approval.id);
  assert.deepEqual([earlier.length, earlier[0].decision, earlier[0].sameArguments], [1, "approve", false]);
});
