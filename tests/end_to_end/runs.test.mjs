// Runs: made by a caller, continued with their own tokens; offers that only grow; tokens that live by their parent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Door } from "./support/client.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const principal = JSON.parse(PRINCIPAL);
const TOOLS = [
  definition("get_order_status", "read_only", { description: "Look up an order's status, carrier and arrival.", input: { order_id: "integer" } }),
  definition("refund_order", "consequential", {
    description: "Give the money of an order back.", input: { order_id: "integer" }, permissions: ["refunds:write"],
    routing: { keywords: ["refund", "money back"], patterns: ["\\bORD-\\d+\\b"] },
  }),
  definition("list_invoices", "read_only", { description: "Invoices of a customer." }),
  definition("rename_customer", "reversible_write", { description: "Change a customer's name." }),
];

async function scene(tools = TOOLS, grant) {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(tools);
  await org.grant(tools.map(({ name }) => name), grant);
  return { org, worker };
}

/** A run, and the door that its token opens. */
async function run(org, more = {}) {
  const { body } = await org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal, ...more });
  return { ...body, door: new Door(gateway, body.token) };
}

const names = (offer) => offer.tools.map(({ name }) => name);
const turn = async (one, message, more) => (await one.door.must(200, "POST", `/v1/runs/${one.run}/turns`, { message, ...more })).body;

test("a run is offered what its text asks for, with the reasons, and the rest is listed with why not", async () => {
  const { org } = await scene();
  const small = await run(org, { message: "I want my money back for ORD-77", budget_tokens: 130 });
  assert.match(small.run, /^run_[0-9a-v]{24}_[A-Za-z0-9_-]{11}$/);
  const [best] = small.offer.tools;
  assert.equal(best.name, "refund_order");
  assert.ok(best.reasons.some(({ part, what }) => part === "phrase" && what === "money back"));
  assert.ok(best.reasons.some(({ part, what }) => part === "pattern" && what === "\\bORD-\\d+\\b"));
  assert.equal(best.score, best.reasons.reduce((sum, { points }) => sum + points, 0));
  assert.equal(best.added, true);
  assert.ok(small.offer.used_tokens <= 130 * 0.7 && small.offer.budget_tokens === 130);
  assert.equal(small.offer.left_out.length + small.offer.tools.length, TOOLS.length);
  for (const { reason } of small.offer.left_out) assert.match(reason, /^(no_match|budget)$/);
  // A catalogue that fits the budget is offered whole, the best first.
  const all = await run(org, { message: "what is the status of my order?" });
  assert.deepEqual(names(all.offer).sort(), TOOLS.map(({ name }) => name).sort());
  assert.equal(all.offer.tools[0].name, "get_order_status");
  assert.equal(all.offer.no_tools, undefined);
});

test("a run says afterwards what was offered and why; its calls say whose they are", async () => {
  const { org } = await scene();
  const one = await run(org, { message: "hello", budget_tokens: 130 });
  const said = `I want my money back for ORD-77${" please".repeat(200)}`;
  const { offer } = await turn(one, said);
  const shown = { ...offer, tools: offer.tools.map(({ definition: _, ...tool }) => tool) };
  assert.ok(shown.tools.some(({ name, reasons }) => name === "refund_order" && reasons.length > 0));
  const approver = (await org.key({ role: "approver", name: "Ann" })).door;
  for (const door of [org.admin, org.caller, approver]) {
    const { body } = await door.must(200, "GET", `/v1/runs/${one.run}`);
    assert.deepEqual({ ...body, created_at: 0, turned_at: 0 }, {
      run: one.run, agent: "bot", profile: "openai", created_at: 0, turned_at: 0, turns: 2, text: said.slice(0, 1_000), offer: shown,
    });
    assert.ok(Date.parse(body.created_at) <= Date.parse(body.turned_at));
  }
  // A run's own token, an agent's key and a caller of other agents read none.
  assert.equal((await one.door.get(`/v1/runs/${one.run}`)).status, 403);
  const other = (await org.key({ role: "caller", name: "Other", agents: ["another"] })).door;
  assert.equal((await other.get(`/v1/runs/${one.run}`)).code, "not_found");
  const { body: parked } = await one.door.must(202, "POST", "/v1/calls", { tool: "refund_order", arguments: { order_id: 7 } }, { headers: { "idempotency-key": "k" } });
  assert.equal(parked.run, one.run);
  assert.equal((await org.call(parked.call)).run, one.run);
  const { body: plain } = await org.submit("refund_order", { order_id: 8 }, { key: "plain" });
  assert.equal("run" in plain, false);
});

test("within a run the offered set only grows, at its end, and the same input gives the same bytes", async () => {
  const many = Array.from({ length: 60 }, (_, n) =>
    definition(`tool_${n}_${["invoice", "parcel", "voucher", "ticket"][n % 4]}`, "read_only", { description: `Number ${n}, about a ${["invoice", "parcel", "voucher", "ticket"][n % 4]}.` }));
  const { org } = await scene(many);
  const one = await run(org, { message: "my invoice", budget_tokens: 1_500 });
  const same = await run(org, { message: "my invoice", budget_tokens: 1_500 });
  assert.equal(JSON.stringify(one.offer), JSON.stringify(same.offer));
  let last = one.offer;
  const block = (offer) => offer.tools.map((tool) => JSON.stringify(tool.definition)).join("\n");
  const prefixes = new Set([block(last)]);
  let growths = 1;
  for (let n = 0; n < 50; n += 1) {
    const { offer } = await turn(one, ["my parcel", "a voucher", "my invoice", "hello", "ticket please"][n % 5]);
    assert.deepEqual(names(offer).slice(0, last.tools.length), names(last));
    assert.ok(offer.used_tokens <= 1_500);
    const added = offer.tools.filter((tool) => tool.added).length;
    assert.equal(offer.tools.length, last.tools.length + added);
    growths += added > 0 ? 1 : 0;
    assert.ok(block(offer).startsWith(block(last)), "the block of definitions keeps its beginning, byte for byte");
    prefixes.add(block(offer));
    last = offer;
  }
  assert.ok(growths > 1, "it did grow");
  assert.equal(prefixes.size, growths, "one block for each step of growth");
  assert.ok(last.left_out.some(({ reason }) => reason === "budget"));
});

test("turns of one run at the same time lose nothing", async () => {
  const { org } = await scene();
  const one = await run(org, { budget_tokens: 100 });
  const answers = await Promise.all(["refund", "invoices", "order status"].map((message) => one.door.post(`/v1/runs/${one.run}/turns`, { message })));
  for (const { status, code } of answers) assert.ok(status === 200 || code === "busy", code);
  const { offer } = await turn(one, "thanks");
  for (const { status, body } of answers) if (status === 200) for (const name of names(body.offer)) assert.ok(names(offer).includes(name), name);
});

test("offered is not allowed, and not offered is not refused", async () => {
  const { org, worker } = await scene();
  const one = await run(org, { message: "refund", budget_tokens: 80 });
  assert.ok(!names(one.offer).includes("list_invoices"));
  const call = one.door.post("/v1/calls", { tool: "list_invoices", arguments: {} }, { headers: { prefer: "wait=10" } });
  const job = await worker.job();
  assert.equal(job.run, one.run);
  await worker.result(job.claim, '"none"');
  assert.equal((await call).body.result, "none");
  // What the principal may not do is left out, and refused.
  const poor = await run(org, { message: "refund", principal: { ...principal, permissions: [] } });
  assert.ok(poor.offer.left_out.some(({ name, reason }) => name === "refund_order" && reason === "permission_missing"));
  const refused = await poor.door.post("/v1/calls", { tool: "refund_order", arguments: { order_id: 1 } }, { headers: { "idempotency-key": "k" } });
  assert.equal(refused.code, "permission_missing");
});

test("an offer without tools says why", async () => {
  const { org } = await scene();
  await org.admin.must(200, "PUT", "/v1/agents/idle", { capabilities: [] });
  const idle = await run(org, { agent: "idle", message: "refund" });
  assert.deepEqual([idle.offer.tools, idle.offer.no_tools], [[], { causes: ["nothing_granted"] }]);
  const none = await run(org, { message: "zzzz qqqq", budget_tokens: 60 });
  assert.deepEqual(none.offer.no_tools, { causes: ["no_match"] });
  const tight = await run(org, { message: "refund", budget_tokens: 1 });
  assert.ok(tight.offer.no_tools.causes.includes("budget"));
});

test("an agent's pinned tools are always advertised, and its budget counts", async () => {
  const { org } = await scene();
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: ["bot"], pinned_tools: ["list_invoices"], offer_budget_tokens: 70 });
  const one = await run(org, { message: "refund" });
  assert.equal(one.offer.budget_tokens, 70);
  assert.equal(one.offer.tools[0].name, "list_invoices");
  assert.ok(one.offer.tools[0].reasons.some(({ part, what }) => part === "pinned" && what === "agent"));
});

test("identical calls of one run join while they wait for a decision; those of another run, and other arguments, do not", async () => {
  const { org, worker } = await scene();
  const [one, other] = [await run(org, { message: "Refund order 7, the parcel never came" }), await run(org)];
  const pay = (door, args, key) => door.post("/v1/calls", { tool: "refund_order", arguments: args }, { headers: { "idempotency-key": key } });
  const first = await pay(one.door, { order_id: 7 }, "a");
  assert.deepEqual([first.status, first.body.state], [202, "waiting_approval"]);
  const again = await pay(one.door, { order_id: 7 }, "b");
  assert.deepEqual([again.status, again.body.call], [202, first.body.call]);
  const calls = new Set([first, await pay(one.door, { order_id: 8 }, "c"), await pay(other.door, { order_id: 7 }, "d")].map(({ body }) => body.call));
  assert.equal(calls.size, 3);
  // The approver is told what the turn said, as something that nobody verified, and only of the run that said it.
  const approval = (await org.approver.must(200, "GET", `/v1/approvals/${first.body.approval.id}`)).body;
  assert.equal(approval.purpose, "Refund order 7, the parcel never came");
  await org.approve(first.body);
  const job = await worker.job();
  assert.equal(job.call, first.body.call);
  assert.equal((await pay(one.door, { order_id: 7 }, "b")).body.call, first.body.call, "the second key leads there for ever");
  await worker.accept(job.claim);
  await worker.result(job.claim, '"done"');
  assert.deepEqual((await worker.jobs()).length, 0, "it ran once");
  const events = (await org.events(first.body.call)).events.map(({ event }) => event);
  assert.ok(events.includes("joined"), events.join());
});

test("a run token is for its run alone, and lives by the key that made it", async () => {
  const { org, worker } = await scene();
  const maker = await org.key({ role: "caller", name: "maker" });
  const { body } = await maker.door.must(201, "POST", "/v1/runs", { agent: "bot", principal });
  const door = new Door(gateway, body.token);
  const other = await run(org);
  assert.equal((await door.post(`/v1/runs/${other.run}/turns`, { message: "x" })).code, "not_found");
  const call = other.door.post("/v1/calls", { tool: "list_invoices", arguments: {} });
  const { body: made } = await call;
  assert.equal((await door.get(`/v1/calls/${made.call}`)).code, "not_found", "a call of another run of the same principal");
  assert.equal((await other.door.get(`/v1/calls/${made.call}`)).status, 200);
  const renewed = await maker.door.must(200, "POST", `/v1/runs/${body.run}/tokens`, {});
  assert.equal((await new Door(gateway, renewed.body.token).post(`/v1/runs/${body.run}/turns`, { message: "refund" })).status, 200);
  const expires = Date.parse(renewed.body.expires_at) - Date.now();
  assert.ok(expires > 0 && expires <= 3_600_000);
  const elsewhere = await org.key({ role: "caller", name: "elsewhere", agents: ["other"] });
  assert.equal((await elsewhere.door.post(`/v1/runs/${body.run}/tokens`, {})).code, "not_found");
  for (const role of ["admin", "approver", "worker"]) assert.equal((await org[role].post("/v1/runs", { agent: "bot", principal })).code, "role_not_allowed");
  const parked = await door.post("/v1/calls", { tool: "refund_order", arguments: { order_id: 1 } }, { headers: { "idempotency-key": "p" } });
  await org.admin.must(200, "DELETE", `/v1/keys/${maker.id}`);
  assert.equal((await door.post("/v1/calls", { tool: "list_invoices", arguments: {} })).code, "invalid_key");
  assert.equal((await door.post(`/v1/runs/${body.run}/turns`, { message: "x" })).code, "invalid_key");
  assert.equal((await org.caller.get(`/v1/calls/${parked.body.call}`)).body.state, "invalidated");
  void worker;
});

test("doors and origins of a token count", async () => {
  const { org } = await scene();
  const closed = await run(org, { doors: ["mcp", "mcp"] });
  assert.equal((await turn(closed, "hello")).offer.tools.length, TOOLS.length, "turns are taken whatever the door");
  assert.equal((await closed.door.post("/v1/calls", { tool: "list_invoices", arguments: {} })).code, "door_not_allowed");
  const page = await run(org, { origins: ["https://app.example.com"] });
  const ask = (origin, door = page.door) => door.post(`/v1/runs/${page.run}/turns`, { message: "hi" }, { headers: { origin } });
  const good = await ask("https://app.example.com");
  assert.deepEqual([good.status, good.headers["access-control-allow-origin"]], [200, "*"]);
  const foreign = await ask("https://evil.example.com");
  assert.deepEqual([foreign.status, foreign.code], [403, "origin_not_allowed"]);
  assert.equal((await ask("null")).code, "origin_not_allowed");
  assert.equal((await ask(gateway.url)).status, 200, "the gateway's own pages");
  assert.equal((await org.caller.post("/v1/runs", { agent: "bot", principal }, { headers: { origin: "https://app.example.com" } })).code, "origin_not_allowed");
  const preflight = await fetch(`${gateway.url}/v1/calls`, {
    method: "OPTIONS", headers: { origin: "https://any.example", "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
  });
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin"), preflight.headers.get("access-control-allow-credentials")], [204, "*", null]);
  assert.match(preflight.headers.get("access-control-allow-headers"), /authorization/);
});

test("what a run may not be is refused by name", async () => {
  const { org } = await scene();
  for (const [more, field] of [
    [{ agent: "nobody" }, "agent"],
    [{ agent: "No Name" }, "agent"],
    [{ budget_tokens: 0 }, "budget_tokens"],
    [{ origins: ["app.example.com"] }, "origins[0]"],
    [{ doors: [] }, "doors"],
    [{ message: "x".repeat(32_001) }, "message"],
    [{ principal: { id: "u" } }, "principal.tenant_id"],
  ]) {
    const { status, code, body } = await org.caller.post("/v1/runs", { agent: "bot", principal, ...more });
    assert.deepEqual([status, code, body.field], [422, "invalid_request", field]);
  }
  for (const more of [{ profile: "other" }, { doors: ["window"] }, { label: "x" }, { context: { context_type: "a", label: "b" } }]) {
    assert.equal((await org.caller.post("/v1/runs", { agent: "bot", principal, ...more })).code, "invalid_request");
  }
  assert.equal((await org.caller.post("/v1/runs", { agent: "bot", principal: { ...principal, x: "y".repeat(5_000) } })).code, "payload_too_large");
  const one = await run(org);
  for (const id of [one.run.slice(0, -1), `${one.run}x`, "run_x", one.run.replace(/.$/, (last) => (last === "A" ? "B" : "A"))]) {
    assert.equal((await org.caller.post(`/v1/runs/${id}/tokens`, {})).code, "not_found", id);
  }
  const foreign = await scene();
  assert.equal((await foreign.org.caller.post(`/v1/runs/${one.run}/tokens`, {})).code, "not_found");
});
