// Approvals beyond yes and no: edits, what was decided before, repeats, the cap, what is shown, what a model is told.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, ENDED, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { each } from "./support/until.mjs";

const INPUT = { amount: "integer", note: "string?" };

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

/** An org whose worker has two consequential tools of the same input. */
async function scene() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(["pay", "send"].map((name) => definition(name, "consequential", { input: INPUT })));
  await org.grant(["pay", "send"]);
  return { org, worker };
}

const approval = async (org, id) => (await org.approver.must(200, "GET", `/v1/approvals/${id}`)).body;

test("an edit replaces the arguments whole: shown as a difference, sent byte for byte, the decision names both digests", async () => {
  const { org, worker } = await scene();
  const parked = await org.accepted("pay", '{"amount":9007199254740993,"note":"é"}', { key: "k" });
  const { id, digest } = parked.approval;
  for (const [body, code] of [
    ['{"amount":"1"}', "invalid_arguments"],
    ['{"amount":1,"more":2}', "invalid_arguments"],
    ['{"note":"x"}', "invalid_arguments"],
  ]) {
    const refused = await org.decide(id, `{"decision":"approve","digest":"${digest}","arguments":${body}}`);
    assert.deepEqual([refused.status, refused.code], [422, code], body);
  }
  const rejected = await org.decide(id, `{"decision":"reject","reason":"no","arguments":{"amount":1}}`);
  assert.deepEqual([rejected.status, rejected.code], [422, "invalid_request"]);
  const decided = await org.decide(id, `{"decision":"approve","digest":"${digest}","arguments":{"note":"\\u0000 ü","amount":9007199254740992}}`);
  assert.equal(decided.status, 200, decided.text);
  assert.match(decided.text, /"changes":\[\{"field":"amount","from":9007199254740993,"to":9007199254740992\},\{"field":"note","from":"é","to":"\\u0000 ü"\}\]/);
  assert.equal(decided.body.decisions[0].digest, digest);
  assert.match(decided.body.decisions[0].sent_digest, /^[0-9a-f]{64}$/);
  assert.notEqual(decided.body.decisions[0].sent_digest, digest);
  const { text } = await worker.poll({ wait: 10 });
  assert.ok(text.includes('"arguments":{"amount":9007199254740992,"note":"\\u0000 ü"}'), text);
  assert.ok((await org.caller.get(`/v1/calls/${parked.call}`)).text.includes('"edited_arguments":{"amount":9007199254740992,'));
  // The key still names what was asked for, not what was sent.
  assert.equal((await org.submit("pay", '{"amount":9007199254740993,"note":"é"}', { key: "k" })).body.call, parked.call);
  assert.equal((await org.submit("pay", '{"amount":9007199254740992,"note":"\\u0000 ü"}', { key: "k" })).code, "idempotency_conflict");
});

test("an edit that changes nothing is none; with a quorum nothing can be edited", async () => {
  const { org } = await scene();
  const same = await org.accepted("pay", '{"amount":1}', { key: "a" });
  const decided = await org.decide(same.approval.id, { decision: "approve", digest: same.approval.digest, arguments: { amount: 1 } });
  assert.deepEqual([decided.body.edited_arguments, decided.body.changes, decided.body.decisions[0].sent_digest], [undefined, undefined, undefined]);
  await org.admin.must(200, "PUT", "/v1/capabilities/bot", { tools: ["pay", "send"], approvals_required: 2 });
  const two = await org.accepted("pay", '{"amount":2}', { key: "b" });
  const refused = await org.decide(two.approval.id, { decision: "approve", digest: two.approval.digest, arguments: { amount: 3 } });
  assert.deepEqual([refused.status, refused.code, refused.body.field], [422, "invalid_request", "arguments"]);
});

test("a rejected call is not asked again within the hour; a changed one, another agent's and another user's are", async () => {
  const { org } = await scene();
  const parked = await org.accepted("pay", '{"amount":7}', { key: "a" });
  await org.decide(parked.approval.id, { decision: "reject", reason: "Wrong account." });
  const again = await org.submit("pay", '{ "amount": 7 }', { key: "b" });
  assert.deepEqual([again.status, again.code, again.body.reason, again.body.call], [409, "recently_rejected", "Wrong account.", parked.call]);
  assert.equal((await org.submit("pay", '{"amount":7}', { key: "a" })).body.state, "rejected", "its own key still names it");
  assert.equal((await org.accepted("pay", '{"amount":8}', { key: "c" })).state, "waiting_approval");
  assert.equal((await org.accepted("send", '{"amount":7}', { key: "d" })).state, "waiting_approval");
  const other = '{"id":"u2","tenant_id":"t1","permissions":[]}';
  assert.equal((await org.accepted("pay", '{"amount":7}', { key: "e", principal: other })).state, "waiting_approval");
  assert.equal((await org.submit("pay", '{"amount":7}', { key: "b" })).status, 409, "a refusal uses no key up");
});

test("the next approver sees what was decided on the like, newest first", async () => {
  const { org } = await scene();
  const first = await org.accepted("pay", '{"amount":1}', { key: "a" });
  await org.approve(first);
  const second = await org.accepted("pay", '{"amount":2}', { key: "b" });
  await org.decide(second.approval.id, { decision: "reject", reason: "Too much." });
  const third = await org.accepted("pay", '{"amount":1}', { key: "c" });
  const { earlier } = await approval(org, third.approval.id);
  assert.deepEqual(
    earlier.map(({ at, ...rest }) => rest),
    [
      { approval: second.approval.id, decision: "reject", by: "Ann", reason: "Too much.", same_arguments: false },
      { approval: first.approval.id, decision: "approve", by: "Ann", same_arguments: true },
    ],
  );
  assert.deepEqual((await approval(org, (await org.accepted("send", '{"amount":1}', { key: "d" })).approval.id)).earlier, [], "of another tool");
});

test("fifty open approvals of one agent and principal are the most, also after a restart; a decision makes room", async () => {
  const { org } = await scene();
  const parked = await each(Array.from({ length: 50 }), 10, (_, n) => org.accepted("pay", { amount: n }, { key: `k${n}` }));
  const full = async (key) => {
    const answer = await org.submit("pay", '{"amount":1000}', { key });
    assert.deepEqual([answer.status, answer.code, answer.body.limit], [429, "too_many_pending", 50]);
  };
  await full("x");
  const other = '{"id":"u2","tenant_id":"t1","permissions":[]}';
  assert.equal((await org.accepted("pay", '{"amount":1}', { key: "y", principal: other })).state, "waiting_approval");
  await gateway.killAndRestart();
  await full("x");
  await org.approve(parked[3]);
  assert.equal((await org.accepted("pay", '{"amount":1000}', { key: "x" })).state, "waiting_approval");
  await full("z");
});

test("what is shown hides nothing: turning, invisible and control characters stand as escapes, to the last character", async () => {
  const { org } = await scene();
  const note = `pay\u202Eeno\u200B\u00A0${"x".repeat(100_000)} and then the tail`;
  const parked = await org.accepted("pay", { amount: 1, note }, { key: "k" });
  const shown = await approval(org, parked.approval.id);
  assert.ok(shown.arguments_text.startsWith('{"amount":1,"note":"pay\\u202eeno\\u200b\\u00a0xxx'), shown.arguments_text.slice(0, 80));
  assert.ok(shown.arguments_text.endsWith(' and then the tail"}'));
  assert.deepEqual(JSON.parse(shown.arguments_text), { amount: 1, note });
  const listed = (await org.approver.all("/v1/approvals?state=pending", "approvals")).find(({ id }) => id === shown.id);
  assert.equal(listed.arguments_text, shown.arguments_text);
});

test("what ends a parked call says what changed, field by field", async () => {
  const { org, worker } = await scene();
  const parked = await org.accepted("pay", '{"amount":1}', { key: "k" });
  const input = { amount: "number", to: "string" };
  await worker.register([definition("pay", "consequential", { input, permissions: ["payments:write"] }), definition("send", "consequential", { input: INPUT })]);
  const ended = await org.callIn(parked.call, "invalidated");
  assert.equal(ended.error.code, "definition_changed");
  assert.match(ended.error.message, /amount was integer and is number, note \(string\?\) was removed, to \(string\) was added/);
  assert.match(ended.tool_result, /^This call did not run\./);
});

test("each state has a sentence for the model, and a result needs none", async () => {
  const { org, worker } = await scene();
  const seen = new Map();
  const note = async (call) => {
    const { state, tool_result } = await org.call(call);
    seen.set(state, tool_result);
  };
  const waiting = await org.accepted("pay", '{"amount":1}', { key: "a" });
  assert.match(waiting.tool_result, /waits for a person's decision and has not run/);
  const rejected = await org.accepted("pay", '{"amount":2}', { key: "b" });
  await org.decide(rejected.approval.id, { decision: "reject", reason: "Not today." });
  await note(rejected.call);
  const cancelled = await org.accepted("pay", '{"amount":3}', { key: "c" });
  await org.caller.must(200, "POST", `/v1/calls/${cancelled.call}/cancel`);
  await note(cancelled.call);
  await org.approve(waiting);
  const { claim } = await worker.job();
  await worker.accept(claim);
  await worker.result(claim, { n: 1 });
  await note(waiting.call);
  assert.match(seen.get("rejected"), /rejected this call, so it did not run\..*Not today\./);
  assert.match(seen.get("cancelled"), /was cancelled/);
  assert.equal(seen.get("succeeded"), undefined);
  for (const state of seen.keys()) assert.ok(ENDED.includes(state));
});

test("an admin accepts a weaker definition by its exact hash, and nothing else", async () => {
  const { org, worker } = await scene();
  await worker.register([definition("pay", "reversible_write", { input: INPUT }), definition("send", "consequential", { input: INPUT })]);
  const { refused, version } = (await org.admin.get("/v1/tools/pay")).body;
  assert.equal(refused.code, "side_effect_weakened");
  const accept = (hash, door = org.admin) => door.post("/v1/tools/pay/acceptances", { version: hash });
  for (const hash of [version, "0".repeat(64), ""]) assert.deepEqual([(await accept(hash)).status, (await accept(hash)).code], [409, "nothing_to_accept"]);
  assert.equal((await accept(refused.version, org.approver)).status, 403);
  const accepted = await accept(refused.version);
  assert.deepEqual([accepted.status, accepted.body.definition.side_effect, accepted.body.refused], [200, "reversible_write", null]);
  assert.equal((await accept(refused.version)).code, "nothing_to_accept", "once");
  assert.equal((await org.admin.get("/v1/tools/pay")).body.versions.length, 2);
  assert.ok((await org.audit()).some(({ event, subject }) => event === "tool.accepted" && subject === "pay"));
});

test("a disabled name can be released: another pool takes it above the floor, and cannot weaken it", async () => {
  const { org, worker } = await scene();
  assert.deepEqual((await org.admin.post("/v1/tools/pay/releases")).code, "tool_in_use");
  await worker.register([definition("send", "consequential", { input: INPUT })]);
  const released = await org.admin.post("/v1/tools/pay/releases");
  assert.deepEqual([released.status, released.body.released, released.body.pool, released.body.granted_by], [200, true, null, ["bot"]]);
  assert.equal((await org.submit("pay", '{"amount":1}', { key: "k" })).code, "unknown_tool");
  assert.equal((await org.admin.put("/v1/capabilities/more", { tools: ["pay"] })).code, "unknown_tool", "nobody can be granted a name without an owner");
  await org.pool("second");
  const key = await org.key({ role: "worker", name: "second", pools: ["second"] });
  const register = async (side_effect) => {
    const manifest = { tools: [definition("pay", side_effect, { input: INPUT })] };
    return (await key.door.must(200, "POST", "/v1/pools/second/workers", { worker: `w-${side_effect}`, manifest })).body.tools[0];
  };
  assert.deepEqual([(await register("read_only")).code, (await org.admin.get("/v1/tools/pay")).body.released], ["side_effect_weakened", true]);
  assert.equal((await register("consequential")).status, "updated");
  const owned = (await org.admin.get("/v1/tools/pay")).body;
  assert.deepEqual([owned.pool, owned.released, owned.enabled], ["second", false, true]);
  assert.equal((await org.accepted("pay", '{"amount":1}', { key: "k" })).state, "waiting_approval", "its grants stand");
});

test("a repeat of a call that was made before its tool moved to another pool is that call, and runs nothing there", async () => {
  const { org, worker } = await scene();
  const paid = await org.accepted("pay", '{"amount":1}', { key: "paid" });
  await org.approve(paid);
  await worker.result((await worker.job()).claim, '"paid once"');
  await org.callIn(paid.call, "succeeded");
  await worker.register([definition("send", "consequential", { input: INPUT })]);
  await org.admin.must(200, "POST", "/v1/tools/pay/releases");
  await org.pool("second");
  const second = new RawWorker((await org.key({ role: "worker", name: "second", pools: ["second"] })).door, { pool: "second" });
  await second.register([definition("pay", "consequential", { input: INPUT })]);
  // The gateway knows by now where new calls go.
  const fresh = await org.accepted("pay", '{"amount":1}', { key: "fresh" });
  assert.equal(fresh.state, "waiting_approval");
  const repeated = await org.submit("pay", '{"amount":1}', { key: "paid" });
  assert.deepEqual([repeated.status, repeated.body.call, repeated.body.state, repeated.body.result], [200, paid.call, "succeeded", "paid once"]);
  assert.equal((await org.submit("pay", '{"amount":2}', { key: "paid" })).code, "idempotency_conflict");
  await org.approve(fresh);
  assert.equal((await second.job()).call, fresh.call);
  assert.deepEqual(await second.jobs(), []);
});
