// Two orgs with the same names: to each, what is the other's is exactly like what does not exist.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { Door } from "./support/client.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

const TOOLS = ["get", "set", "pay"].map((name, n) => definition(name, ["read_only", "reversible_write", "consequential"][n]));

let gateway, theirs, ours;
before(async () => {
  gateway = await Gateway.start();
  [theirs, ours] = [await settled("theirs", "private"), await settled("ours", "own")];
});
after(() => gateway.stop());

/** An org with everything that has a name or an id. `own` stands in the names that the other org does not have. */
async function settled(id, own) {
  const org = await Org.make(gateway, id);
  org.worker = (await org.key({ role: "worker", name: "w", pools: ["main", "private", "own", "absent", "absenu"] })).door;
  await org.pool(own);
  const worker = new RawWorker(org.worker, { name: "same-name" });
  await worker.register(TOOLS);
  await new RawWorker(org.worker, { pool: own, name: "same-name" }).register([definition(own, "read_only")]);
  await org.grant(["get", "set", "pay", own]);
  await org.grant([own], { agent: own });
  const { id: key } = await org.key({ role: "caller", name: own });
  const parked = await org.accepted("pay", "{}", { key: "parked" });
  const write = await org.accepted("set", "{}", { key: "write" });
  const job = await worker.job();
  await worker.accept(job.claim);
  const queued = await org.accepted("get", "{}", { key: "queued" });
  const run = (await org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal: JSON.parse(PRINCIPAL) })).body;
  const { door: agentDoor } = await org.key({ role: "agent", name: "a", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  await agentDoor.must(200, "POST", "/v1/agents/bot/agui", said(own));
  const doors = { runDoor: new Door(gateway, run.token), agentDoor };
  return Object.assign(org, { workerSession: worker.session, claim: job.claim, key_id: key, parked, write, queued, run: run.run, ...doors });
}

/** The same shape, another value: no such thing exists in any org. */
const twisted = (id) => id.slice(0, -3) + (id.endsWith("AAA") ? "BBB" : "AAA");

const call = { body: undefined, foreign: () => theirs.queued.call, also: () => [theirs.write.call, theirs.parked.call] };
const approval = { role: "approver", foreign: () => theirs.parked.approval.id };
const name = { role: "admin", foreign: () => "private", absent: () => "absent" };
const pool = { ...name };
const claims = (member) => ({
  role: "worker",
  path: "main",
  foreign: () => theirs.claim,
  body: (claim) => ({ session: ours.workerSession, ...member(claim) }),
});
const sessions = (member) => ({
  role: "worker",
  path: "main",
  foreign: () => theirs.workerSession,
  body: (session) => ({ session, ...member }),
});
const lists = (role, query = "") => ({ role, query, list: true });

const rpc = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });

const said = (threadId) => ({ threadId, runId: "r", messages: [{ id: "u", role: "user", content: "hello" }] });
const thread = { role: "agentDoor", foreign: () => "private", absent: () => "absent" };

const BY_HAND = { description: "d", side_effect: "read_only", input: {} };

/** For each route what to try: with whose key, and where the other org's name or id goes (into the path, or the body). */
const TABLE = {
  "GET /healthz": [{ list: true }],
  "GET /openapi.json": [{ list: true }],
  "POST /v1/orgs": [{ role: "admin", foreign: () => "theirs", absent: () => "nobody", body: (id) => ({ id }) }],
  "GET /v1/keys": [lists("admin")],
  "POST /v1/keys": [
    { role: "admin", foreign: () => "private", absent: () => "absent", body: (it) => ({ role: "worker", name: "n", pools: [it] }) },
    { role: "admin", foreign: () => "private", absent: () => "absent", body: (it) => ({ role: "caller", name: "n", agents: [it] }) },
  ],
  "DELETE /v1/keys/{id}": [{ role: "admin", foreign: () => theirs.key_id }],
  "GET /v1/site": [{ list: true }],
  "GET /v1/session": ["admin", "caller", "worker", "approver"].map((role) => lists(role)),
  // Without Cloudflare Access there is nothing here: sessions.test.mjs.
  "POST /v1/sessions": [],
  "GET /v1/capabilities": [lists("admin")],
  "GET /v1/agents": [lists("admin")],
  "GET /v1/pools": [lists("admin")],
  "GET /v1/capabilities/{name}": [name],
  "PUT /v1/capabilities/{name}": [
    { ...name, body: () => ({ tools: ["get"] }) },
    { ...name, path: "c", body: (tool) => ({ tools: [tool] }) },
  ],
  "GET /v1/agents/{name}": [name],
  "PUT /v1/agents/{name}": [
    { ...name, body: () => ({ capabilities: [] }) },
    { ...name, path: "a", body: (capability) => ({ capabilities: [capability, "x"] }), foreign: () => "zeta", absent: () => "zetb" },
    { ...name, path: "a", body: (tool) => ({ capabilities: [], pinned_tools: [tool] }) },
  ],
  "GET /v1/pools/{pool}": [pool],
  "PUT /v1/pools/{pool}": [{ ...pool, body: () => ({ transport: "worker" }), last: true }],
  "GET /v1/pools/{pool}/stats": [pool],
  "GET /v1/tools": [lists("admin")],
  "GET /v1/tools/{tool}": [name],
  "PUT /v1/tools/{tool}": [
    { ...name, body: () => ({ ...BY_HAND, pool: "main" }) },
    { ...name, path: "by_hand", body: (it) => ({ ...BY_HAND, pool: it }) },
  ],
  "POST /v1/tools/{tool}/acceptances": [{ ...name, body: () => ({ version: "0".repeat(32) }) }],
  "POST /v1/tools/{tool}/releases": [name],
  "POST /v1/pools/{pool}/challenges": [pool],
  "POST /v1/pools/{pool}/secret-rotations": [pool],
  "POST /v1/pools/{pool}/manifest-syncs": [pool],
  "GET /v1/notifications": [lists("admin")],
  "GET /v1/notifications/{name}": [name],
  "PUT /v1/notifications/{name}": [{ ...name, body: () => ({ url: "https://127.0.0.1/", events: ["approval.requested"] }) }],
  "DELETE /v1/notifications/{name}": [name],
  "POST /v1/pools/{pool}/workers": [
    { role: "worker", foreign: () => "private", absent: () => "absent", body: () => ({ worker: "w", manifest: { tools: [] } }) },
    // The name of the other org's tool is free here.
    { role: "worker", path: "main", foreign: () => "private", absent: () => "absenu", body: (tool) => ({ worker: `free ${tool}`, manifest: { tools: [...TOOLS, definition(tool, "read_only")] } }), last: true },
  ],
  "POST /v1/pools/{pool}/goodbyes": [sessions({})],
  "POST /v1/pools/{pool}/claims": [
    sessions({ max: 1, wait_seconds: 0 }),
    claims((claim) => ({ max: 0, wait_seconds: 0, accepts: [claim] })),
    claims((claim) => ({ max: 0, wait_seconds: 0, results: [{ claim, result: 1 }] })),
  ],
  "POST /v1/pools/{pool}/accepts": [claims((claim) => ({ claims: [claim] })), sessions({ claims: [] })],
  "POST /v1/pools/{pool}/renewals": [claims((claim) => ({ claims: [claim] })), sessions({ claims: [] })],
  "POST /v1/pools/{pool}/returns": [claims((claim) => ({ claims: [claim] })), sessions({ claims: [] })],
  "POST /v1/pools/{pool}/results": [claims((claim) => ({ results: [{ claim, result: 1 }] })), sessions({ results: [] })],
  "POST /v1/runs": [{ role: "caller", foreign: () => "private", absent: () => "absent", body: (agent) => ({ agent, principal: JSON.parse(PRINCIPAL) }) }],
  "GET /v1/runs/{run}": ["admin", "approver", "caller"].map((role) => ({ role, foreign: () => theirs.run })),
  "POST /v1/runs/{run}/turns": [{ role: "runDoor", foreign: () => theirs.run, body: () => ({ message: "m" }) }],
  "POST /v1/runs/{run}/tokens": [{ role: "caller", foreign: () => theirs.run, body: () => ({}) }],
  "GET /v1/agents/{agent}/agui": [{ role: "agentDoor", foreign: () => "private", absent: () => "absent" }],
  "POST /v1/agents/{agent}/agui": [
    { role: "agentDoor", foreign: () => "private", absent: () => "absent", body: () => said("new") },
    // A thread of theirs is none of ours: a run that says nothing has nothing to go on with.
    { role: "agentDoor", path: "bot", foreign: () => "private", absent: () => "absent", body: (threadId) => ({ ...said(threadId), messages: [] }) },
  ],
  "GET /v1/threads": [lists("agentDoor")],
  "GET /v1/threads/{thread}": [thread],
  "PUT /v1/threads/{thread}": [{ ...thread, body: () => ({ title: "Taken" }) }],
  "DELETE /v1/threads/{thread}": [thread],
  "POST /mcp/{agent}": [
    { role: "agentDoor", foreign: () => "private", absent: () => "absent", body: () => rpc("tools/list", {}) },
    { role: "agentDoor", path: "bot", foreign: () => "private", absent: () => "absent", body: (tool) => rpc("tools/call", { name: tool, arguments: {} }) },
    { role: "agentDoor", path: "bot", foreign: () => theirs.queued.call, body: (id) => rpc("tools/call", { name: "toolgate_approval_status", arguments: { id } }) },
  ],
  "GET /.well-known/oauth-protected-resource/mcp/{agent}": [{ role: "caller", foreign: () => "private", absent: () => "absent" }],
  "POST /v1/calls": [
    { role: "caller", foreign: () => "private", absent: () => "absent", body: (tool) => `{"tool":"${tool}","agent":"bot","principal":${PRINCIPAL}}` },
    { role: "caller", foreign: () => "private", absent: () => "absent", body: (agent) => `{"tool":"get","agent":"${agent}","principal":${PRINCIPAL}}` },
  ],
  "GET /v1/calls": [
    lists("caller", "?pool=main"),
    lists("admin", "?pool=main&agent=bot"),
    { role: "caller", inQuery: "?pool=", foreign: () => "private", absent: () => "absent" },
    { role: "caller", inQuery: "?pool=main&tool=", foreign: () => "private", absent: () => "absent" },
    { role: "caller", inQuery: "?pool=main&agent=", foreign: () => "private", absent: () => "absent" },
  ],
  "GET /v1/calls/{call}": [{ ...call, role: "caller" }, { ...call, role: "admin" }],
  "GET /v1/calls/{call}/events": [{ ...call, role: "caller" }, { ...call, role: "admin" }],
  "POST /v1/calls/{call}/cancel": [{ ...call, role: "caller" }, { ...call, role: "admin" }],
  "POST /v1/calls/{call}/resolution": ["admin", "approver"].map((role) => ({ ...call, role, body: () => ({ outcome: "failed", note: "n" }) })),
  "GET /v1/approvals": [lists("approver"), lists("approver", "?state=pending")],
  "GET /v1/approvals/{id}": [approval],
  "POST /v1/approvals/{id}/decision": [
    { ...approval, body: () => ({ decision: "approve", digest: theirs.parked.approval.digest }) },
    { ...approval, body: () => ({ decision: "reject", reason: "r" }) },
  ],
  "GET /v1/audit": [lists("admin")],
};

/** Method and path of every route, from the place that decides. */
function routes() {
  const source = readFileSync(new URL("../../core/src/route.rs", import.meta.url), "utf8");
  const table = source.slice(source.indexOf("const TABLE"));
  return [...table.matchAll(/^ {4}\("([A-Z]+)", "([^"]+)", /gm)].map(([, method, path]) => `${method} ${path}`);
}

test("the table of this file has every route of the gateway", () => {
  const source = readFileSync(new URL("../../core/src/route.rs", import.meta.url), "utf8");
  const variants = source.slice(source.indexOf("pub enum Route {"), source.indexOf("\n}\n")).match(/^ {4}[A-Z]\w*(\(String\))?,$/gm);
  // Two are the gateway's own, by which its objects ask the edge: webhook_review.test.mjs. Pages are files.
  assert.equal(routes().length, variants.length - 2);
  assert.deepEqual(Object.keys(TABLE).toSorted(), routes().toSorted());
});

/** What the other org must never show: its id, and every id and name that only it has. */
const SECRETS = () => ["theirs", "private", theirs.key_id, theirs.workerSession, theirs.claim, theirs.run, ...[theirs.parked, theirs.write, theirs.queued].map(({ call: id }) => id), theirs.parked.approval.id];

async function attempt(route, { role, path, query = "", body, inQuery }, value) {
  const [method, template] = route.split(" ");
  const inPath = path ?? (inQuery === undefined ? value : "");
  const filled = template.replace(/\{\w+\}/, inPath) + (inQuery === undefined ? query : inQuery + value);
  const answer = await (role === undefined ? ours.caller : ours[role]).send(method, filled, body?.(value));
  // What the request itself named is repeated in some answers; ids and keys that are made are fresh each time.
  const plain = answer.text.replaceAll(value, "·").replace(/"(key|session|at|id|run|token|expires_at)":"[^"]*"/g, '"$1":"·"').replace(/"created_at":"[^"]*"/g, "");
  return { status: answer.status, text: plain, headers: Object.keys(answer.headers).toSorted() };
}

test("every endpoint answers to the other org's names and ids as to made-up ones", async (t) => {
  const all = Object.entries(TABLE).flatMap(([route, cases]) => cases.map((each, n) => ({ route, n, ...each })));
  const ordered = [...all.filter(({ last }) => !last), ...all.filter(({ last }) => last)];
  for (const each of ordered.filter(({ list }) => !list)) {
    await t.test(`${each.route} (${each.n})`, async () => {
      const foreigners = [each.foreign(), ...(each.also?.() ?? [])];
      for (const foreign of foreigners) {
        const absent = each.absent?.() ?? twisted(foreign);
        const [one, other] = [await attempt(each.route, each, foreign), await attempt(each.route, each, absent)];
        assert.deepEqual(one, other);
        if (each.route.includes("{call}") || each.route.includes("{id}")) {
          assert.equal(one.status, 404);
          const malformed = await attempt(each.route, each, "nonsense");
          assert.deepEqual(malformed, other);
        }
      }
    });
  }
});

test("no list, number or document of an org shows anything of another one", async () => {
  await until("their approval is in their index", async () => (await theirs.approver.all("/v1/approvals", "approvals")).length === 1);
  for (const [route, cases] of Object.entries(TABLE)) {
    for (const each of cases.filter(({ list }) => list)) {
      const [method, path] = route.split(" ");
      const answer = await (each.role === undefined ? ours.caller : ours[each.role]).send(method, path + (each.query ?? ""));
      assert.equal(answer.status, 200, route);
      // What was tried above on their approval is in our own audit, with the id that we sent.
      const text = route === "GET /v1/audit" ? JSON.stringify(answer.body.audit.filter(({ event }) => event !== "approval.refused")) : answer.text;
      // "private" and "theirs" stand in our own audit and lists where the attempts above put them.
      for (const secret of SECRETS().slice(2)) assert.ok(!text.includes(secret), `${route} shows ${secret}`);
    }
  }
});

test("with the other org's key nothing of ours is changed: every state is as it was", async () => {
  const states = await Promise.all([theirs.parked, theirs.write, theirs.queued].map(({ call: id }) => theirs.call(id).then(({ state }) => state)));
  assert.deepEqual(states, ["waiting_approval", "running", "queued"]);
  const touched = /^(call|approval)\.|^key\.revoked$/;
  assert.deepEqual((await theirs.audit()).filter(({ event }) => touched.test(event)), []);
  assert.equal((await theirs.admin.must(200, "GET", "/v1/agents/private")).body.capabilities.length, 1);
  const worker = new RawWorker(theirs.worker);
  worker.session = theirs.workerSession;
  assert.deepEqual((await worker.renew(theirs.claim)).map(({ status }) => status), ["renewed"]);
  assert.equal(await worker.result(theirs.claim, '"theirs"'), "recorded");
  assert.deepEqual((await worker.jobs()).map((job) => job.call), [theirs.queued.call]);
});

test("the same idempotency key in two orgs makes two calls", async () => {
  const [one, other] = [await theirs.accepted("set", "{}", { key: "same" }), await ours.accepted("set", "{}", { key: "same" })];
  assert.notEqual(one.call, other.call);
});
