import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError, isProblem, TransportError } from "../dist/caller/index.js";
import { approvalsPage, approvalText, gone, keyOf, over, refusal, reply } from "./support/caller.js";

const ANN = { decision: "approve", by: "Ann", key: "key-1", at: "2026-11-30T10:05:00.000Z", digest: "digest of apr_1" };
const BEA = { ...ANN, by: "Bea", key: "key-2" };
const decided = (more) => reply(200, approvalText("apr_1", more));
const alreadyDecided = refusal(409, "already_decided", { decision: "approve", by: "Ann", at: ANN.at });

test("an approval is what the gateway says of it", async () => {
  const rejected = { approval: "apr_0", decision: "reject", by: "Bea", at: "t", reason: "too much", same_arguments: true };
  const edit = { edited_arguments: { cents: 90 }, changes: [{ field: "cents", from: 100, to: 90 }, { field: "note", to: null }] };
  const decision = { ...ANN, sent_digest: "digest of what is sent" };
  const more = { purpose: "Refund order 7", required: 2, decisions: [decision], earlier: [rejected], later: 1, arguments_text: '{"cents":100}', ...edit };
  const { client, requests } = over([decided(more)]);
  assert.deepEqual(await client.approvals.get("apr_1"), {
    id: "apr_1", call: "call_of_apr_1", agent: "bot", principal: { id: "u1", tenant_id: "t1", permissions: [] }, tool: "pay", version: "v1",
    arguments: { cents: 100 }, argumentsText: '{"cents":100}', shownText: '{"cents":100}', editedText: '{"cents":90}',
    changes: [{ field: "cents", fromText: "100", toText: "90" }, { field: "note", toText: "null" }], digest: "digest of apr_1", purpose: "Refund order 7",
    createdAt: "2026-11-30T10:00:00.000Z", expiresAt: "2026-12-01T10:00:00.000Z", required: 2, decisions: [{ ...ANN, sentDigest: "digest of what is sent" }],
    earlier: [{ approval: "apr_0", decision: "reject", by: "Bea", at: "t", reason: "too much", sameArguments: true }], state: "pending",
  });
  assert.deepEqual([requests[0].method, requests[0].path], ["GET", "/v1/approvals/apr_1"]);
});

test("what is missing in an approval is named: nothing is shown half", async () => {
  const cases = [[{ args: "[1]" }, /"arguments"/], [{ args: '"{}"' }, /"arguments"/], [{ digest: undefined }, /"digest"/], [{ principal: "u1" }, /"principal"/], [{ required: "1" }, /"required"/], [{ decisions: [{}] }, /"decision"/], [{ earlier: undefined }, /"earlier"/]];
  for (const [more, pattern] of cases) {
    await assert.rejects(over([decided(more)], { attempts: 1 }).client.approvals.get("apr_1"), (error) => error instanceof TransportError && pattern.test(error.message));
  }
});

test("a decision names the digest of the very object that was shown", async () => {
  const shown = { id: "apr_1", digest: "digest of apr_1", arguments: { cents: 100 }, argumentsText: '{"cents":100}' };
  const { client, requests } = over(() => decided({ state: "approved", decisions: [ANN] })());
  assert.equal((await client.approvals.approve(shown)).state, "approved");
  await client.approvals.approve(shown, { arguments: { cents: 18446744073709551615n } });
  await client.approvals.approve(shown, { arguments: '{"cents":50}' });
  await client.approvals.reject(shown, "too much");
  assert.deepEqual(requests.map(({ method, path }) => `${method} ${path}`), Array.from({ length: 4 }, () => "POST /v1/approvals/apr_1/decision"));
  assert.deepEqual(requests.map(({ text }) => text), [
    '{"decision":"approve","digest":"digest of apr_1"}',
    '{"decision":"approve","digest":"digest of apr_1","arguments":{"cents":18446744073709551615}}',
    '{"decision":"approve","digest":"digest of apr_1","arguments":"{\\"cents\\":50}"}',
    '{"decision":"reject","digest":"digest of apr_1","reason":"too much"}',
  ]);
  await assert.rejects(client.approvals.approve({ id: "apr_1" }), ConfigurationError);
  await assert.rejects(client.approvals.approve({ id: "../keys", digest: "d" }), ConfigurationError);
  assert.equal(requests.length, 4);
});

test("who was first is told with name and time", async () => {
  const { client, requests } = over([alreadyDecided]);
  const error = await client.approvals.reject({ id: "apr_1", digest: "d" }, "no").catch((each) => each);
  assert.ok(isProblem(error, "already_decided"));
  assert.deepEqual([error.members.by, error.members.at, error.members.decision, error.status, requests.length], ["Ann", ANN.at, "approve", 409, 1]);
});

test("one's own decision whose answer was lost is not taken for somebody else's", async () => {
  const approve = (script, options) => over(script, options).client.approvals.approve({ id: "apr_1", digest: "digest of apr_1" });
  const own = decided({ state: "approved", decisions: [ANN] });
  assert.equal((await approve([gone, alreadyDecided, own])).state, "approved");
  assert.equal((await approve([refusal(503, "object_unavailable"), alreadyDecided, decided({ required: 2, decisions: [BEA, ANN] })])).decisions.length, 2);
  const refused = (error) => isProblem(error, "already_decided");
  await assert.rejects(approve([gone, alreadyDecided, decided({ state: "approved", decisions: [BEA] })]), refused);
  await assert.rejects(approve([gone, alreadyDecided, decided({ state: "rejected", decisions: [{ ...ANN, decision: "reject" }] })]), refused);
  await assert.rejects(approve([alreadyDecided, own]), refused);
  await assert.rejects(approve([gone, alreadyDecided, own], { apiKey: "tg_approver.no-payload.mac" }), refused);
  await assert.rejects(approve([gone, alreadyDecided, own], { apiKey: keyOf("key-9") }), refused);
  await assert.rejects(approve([gone, refusal(409, "digest_mismatch")]), (error) => isProblem(error, "digest_mismatch"));
});

test("a list is read to its end, whatever the size of its pages", async () => {
  const ids = Array.from({ length: 250 }, (_, n) => `apr_${n}`);
  const { client, requests } = over(({ query: { cursor = "0", state } }) => {
    assert.equal(state, "pending");
    const next = Number(cursor) + 100;
    return reply(200, approvalsPage(ids.slice(Number(cursor), next).map((id) => approvalText(id)), next < 250 ? String(next) : undefined))();
  });
  const listed = [];
  for await (const { id } of client.approvals.list({ state: "pending" })) listed.push(id);
  assert.deepEqual(listed, ids);
  assert.equal(requests.length, 3);
});
