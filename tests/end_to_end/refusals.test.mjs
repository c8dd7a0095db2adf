// What is refused, with which status and code, and that a refusal leaves nothing behind but an audit entry.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Door } from "./support/client.mjs";
import { Gateway, ROOT_TOKEN } from "./support/gateway.mjs";
import { definition, Org, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const TOOLS = [
  definition("get", "read_only", { input: { id: "integer" } }),
  definition("set", "reversible_write", { input: { id: "integer" }, permissions: ["edit"] }),
];
const GONE = definition("gone", "reversible_write", { permissions: ["edit"] });

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([...TOOLS, GONE]);
  await worker.register(TOOLS);
  await org.grant(["get", "set", "gone"]);
  await org.grant(["set"], { agent: "careful", more: {} });
  await org.grant([], { agent: "bare" });
  return { org, worker };
}

function assertProblem(answer, status, code) {
  assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
  assert.equal(answer.headers["content-type"], "application/problem+json");
  const { type, title, status: repeated, detail } = answer.body;
  assert.deepEqual([type, repeated], [`urn:toolgate:problem:${code}`, status]);
  assert.ok(title !== "" && detail !== "", answer.text);
}

test("the checks of a submission come in the order that the design fixes", async () => {
  const { org } = await shop();
  const none = '{"id":"u","tenant_id":"t"}';
  const editor = '{"id":"u","tenant_id":"t","permissions":["edit"]}';
  const bad = '{"id":"x"}';
  const cases = [
    // A tool that does not exist, then one that is disabled: whatever else is wrong.
    ["nowhere", bad, { agent: "bare", principal: none }, 404, "unknown_tool"],
    ["gone", bad, { agent: "bare", principal: none }, 403, "tool_disabled"],
    ["set", bad, { agent: "bare", principal: none }, 403, "not_granted"],
    ["set", bad, { agent: "careful", principal: none }, 403, "permission_missing"],
    ["set", bad, { agent: "careful", principal: editor }, 403, "write_not_enabled"],
    ["set", bad, { principal: editor }, 428, "idempotency_key_required"],
    ["set", bad, { principal: editor, key: "k" }, 422, "invalid_arguments"],
    ["set", '{"id":1}', { principal: editor, key: "k" }, 202, undefined],
  ];
  for (const [tool, args, options, status, code] of cases) {
    const answer = await org.submit(tool, args, options);
    if (code === undefined) assert.equal(answer.status, status, answer.text);
    else assertProblem(answer, status, code);
  }
});

test("a refusal uses up no idempotency key, makes no record, and stands in the audit", async () => {
  const { org } = await shop();
  const principal = '{"id":"u","tenant_id":"t","permissions":["edit"]}';
  assert.equal((await org.submit("set", '{"id":"1"}', { principal, key: "once" })).status, 422);
  assert.equal((await org.submit("set", '{"id":1}', { principal, key: "once", agent: "bare" })).status, 403);
  assert.deepEqual(await org.caller.all("/v1/calls?pool=main", "calls"), []);
  assert.equal((await org.submit("set", '{"id":1}', { principal, key: "once" })).status, 202);
  assert.equal((await org.submit("nowhere")).status, 404);
  await until("the audit names the refusals", async () => {
    const refused = (await org.audit()).filter(({ event }) => event === "call.refused");
    const codes = refused.map(({ subject, detail }) => `${subject} ${detail.code}`);
    return ["set invalid_arguments", "set not_granted", "nowhere unknown_tool"].every((each) => codes.includes(each));
  });
});

test("every fault of the arguments is named at once", async () => {
  const { org } = await shop();
  const answer = await org.submit("get", '{"extra":1}');
  assertProblem(answer, 422, "invalid_arguments");
  assert.match(answer.body.detail, /extra: is no field/);
  assert.match(answer.body.detail, /id: is missing/);
  for (const args of ["[]", "7", '"{\\"id\\":1"', '"{\\"id\\":1} x"', '{"id":1,"id":2}', '"[]"']) {
    assertProblem(await org.submit("get", args), 422, "invalid_arguments");
  }
  for (const args of ['"{\\"id\\":1}"', '{"id":1}']) assert.equal((await org.submit("get", args)).status, 202, args);
});

test("requests that are not well formed are refused with 400, 415, 422, 404 or 405", async () => {
  const { org } = await shop();
  const good = `{"tool":"get","arguments":{"id":1},"agent":"bot","principal":${PRINCIPAL}}`;
  for (const body of ["", "{", "nonsense", `${good}x`, `${good.slice(0, -1)}`]) {
    assertProblem(await org.caller.post("/v1/calls", body), 400, "invalid_json");
  }
  const members = ['{"tool":"get","agent":"bot"}', '{"agent":"bot","principal":{}}', `${good.slice(0, -1)},"extra":1}`, `${good.slice(0, -1)},"tool":"set"}`, "[]", "null"];
  for (const body of members) assertProblem(await org.caller.post("/v1/calls", body), 422, "invalid_request");
  for (const type of ["text/plain", "application/x-www-form-urlencoded", undefined]) {
    assertProblem(await org.caller.post("/v1/calls", good, { headers: { "content-type": type } }), 415, "unsupported_media_type");
  }
  assert.equal((await org.caller.post("/v1/calls", good, { headers: { "content-type": "Application/JSON; charset=utf-8" } })).status, 202);
  for (const path of ["/v1", "/v1/nothing", "/v2/calls", "/v1/calls/a/b", "/healthz/"]) assertProblem(await org.caller.get(path), 404, "not_found");
  const wrong = await org.caller.send("PATCH", "/v1/keys");
  assertProblem(wrong, 405, "method_not_allowed");
  assert.equal(wrong.headers.allow, "GET, POST");
});

test("no key, a foreign one and a forged one are all 401; a key of another role 403", async () => {
  const { org } = await shop();
  const forged = `${org.admin.key.slice(0, -4)}AAAA`;
  for (const key of [undefined, "", "nonsense", "tg_admin.e30.e30", forged, ROOT_TOKEN]) {
    const answer = await new Door(gateway, key).get("/v1/keys");
    assertProblem(answer, 401, "invalid_key");
    assert.equal(answer.headers["www-authenticate"], "Bearer");
  }
  assertProblem(await org.admin.post("/v1/orgs", { id: "sneaky" }), 401, "invalid_key");
  for (const door of [org.caller, org.worker, org.approver]) assertProblem(await door.get("/v1/keys"), 403, "role_not_allowed");
  assertProblem(await org.submit("get", '{"id":1}', { door: org.admin }), 403, "role_not_allowed");
  const scoped = (await org.key({ role: "caller", name: "scoped", agents: ["careful"] })).door;
  assertProblem(await org.submit("get", '{"id":1}', { door: scoped }), 403, "agent_not_in_scope");
  const elsewhere = (await org.key({ role: "worker", name: "elsewhere", pools: ["other"] })).door;
  assertProblem(await elsewhere.post("/v1/pools/main/claims", { session: "s", max: 1 }), 403, "pool_not_in_scope");
});

test("only what exists can be granted", async () => {
  const { org } = await shop();
  assertProblem(await org.admin.put("/v1/capabilities/c", { tools: ["get", "later"] }), 422, "unknown_tool");
  assertProblem(await org.admin.put("/v1/agents/a", { capabilities: ["nothing"] }), 422, "unknown_capability");
  assertProblem(await org.admin.put("/v1/capabilities/c", { tools: ["get"], allow_writes: true }), 422, "invalid_request");
  for (const name of ["Big", "9lives", "a".repeat(33)]) assertProblem(await org.admin.put(`/v1/agents/${name}`, { capabilities: [] }), 422, "invalid_request");
  assertProblem(await new Door(gateway, ROOT_TOKEN).post("/v1/orgs", { id: org.id }), 409, "org_exists");
});

test("keys are shown once: in no list, no audit entry, no error and no log", async () => {
  const { org } = await shop();
  const specs = [
    { role: "admin", name: "second admin" },
    { role: "caller", name: "c" },
    { role: "worker", name: "w", pools: ["main"] },
    { role: "approver", name: "p" },
    { role: "agent", name: "a", agent: "bot", principal: { id: "u", tenant_id: "t" } },
  ];
  const keys = [org.admin.key];
  for (const spec of specs) keys.push((await org.key(spec)).key);
  for (const key of keys.slice(1)) await new Door(gateway, key).get("/v1/keys");
  await org.admin.get(`/v1/calls/${keys[1]}`);
  const listed = await org.admin.all("/v1/keys?limit=2", "keys");
  assert.ok(specs.every(({ name }) => listed.some((key) => key.name === name)));
  const shown = JSON.stringify([listed, await org.audit()]) + gateway.log;
  for (const key of keys) for (const part of [key, key.split(".")[2]]) assert.ok(!shown.includes(part), "a key is shown again");
});

test("what people decide and change stands in the audit, by name", async () => {
  const { org, worker } = await shop();
  await worker.register([...TOOLS, definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const [one, two] = [await org.accepted("pay", "{}", { key: "1" }), await org.accepted("pay", "{}", { key: "2" })];
  await org.approve(one);
  await org.decide(two.approval.id, { decision: "reject", reason: "no" });
  const { id } = await org.key({ role: "caller", name: "short-lived" });
  await org.admin.must(200, "DELETE", `/v1/keys/${id}`);
  const wanted = [
    ["approval.approved", one.approval.id, "Ann"],
    ["approval.rejected", two.approval.id, "Ann"],
    ["key.created", id, "first admin"],
    ["key.revoked", id, "first admin"],
    ["tool.added", "pay", "worker"],
    ["capability.written", "bot", "first admin"],
    ["agent.written", "bot", "first admin"],
  ];
  for (const [event, subject, by] of wanted) {
    const found = await until(`the audit has ${event} ${subject}`, async () => (await org.audit()).find((entry) => entry.event === event && entry.subject === subject));
    assert.ok(found.by === by || found.by.startsWith(`${by} (key_`), `${event} by ${found.by}`);
  }
});

test("a pool that was never made is not there for any of many who ask at once", async () => {
  const { org } = await shop();
  const answers = await Promise.all(Array.from({ length: 30 }, () => org.admin.get("/v1/pools/never/stats")));
  for (const answer of answers) assertProblem(answer, 404, "not_found");
});
