// The catalogue, grants, keys and timelines as an admin sees them: who manages a tool, how its definition came to be, who may call it, and what became of that.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Door } from "../end_to_end/support/client.mjs";
import { Internet } from "../end_to_end/support/internet.mjs";
import { definition } from "../end_to_end/support/org.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { SignedEndpoint } from "../end_to_end/support/signed_endpoint.mjs";
import { newHost, putPool } from "../end_to_end/support/webhooks.mjs";
import { people } from "./support/people.mjs";
import { PRINCIPAL, Shop, TOOLS } from "./support/shop.mjs";

let internet;
const at = people({
  start: async () => ({ internet: (internet = await Internet.start()) }),
  stop: () => internet.close(),
});

/** The cells of a row, once it is there. */
async function cells(line) {
  await line.getByRole("cell").first().waitFor();
  return (await line.getByRole("cell").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
}
const everyKey = (shop) => [shop.keys.admin, shop.keys.approver, shop.keys.caller];

test("the catalogue says of each tool its class, its pool, who manages it, and whether it is served", async () => {
  const shop = await Shop.open(at.gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: [definition("look_far", "read_only")] });
  await putPool(shop.org, "hooks", endpoint);
  await shop.org.admin.must(201, "PUT", "/v1/pools/shipped", { transport: "builtin" });
  await shop.org.admin.must(201, "PUT", "/v1/tools/by_hand", { pool: "hooks", description: "By hand.", side_effect: "reversible_write", input: {} });
  await shop.worker.register(TOOLS.slice(0, 2));
  const page = await at.visit("/console/tools", [shop.keys.admin]);
  const line = (name) => page.getByRole("region", { name: "Tools" }).getByRole("row", { name: new RegExp(`^${name} `) });
  const wanted = {
    get_order: ["read only", "main", "worker", "enabled"],
    set_note: ["reversible write", "main", "worker", "disabled"],
    refund_order: ["consequential", "main", "worker", "enabled"],
    look_far: ["read only", "hooks", "webhook", "enabled"],
    by_hand: ["reversible write", "hooks", "console", "enabled"],
    create_chart: ["read only", "shipped", "builtin", "enabled"],
  };
  for (const [name, rest] of Object.entries(wanted)) {
    assert.deepEqual((await cells(line(name))).slice(1), rest, name);
  }
  await page.getByLabel("Search").fill("refund");
  await page.getByText("1 of 9 tools").waitFor();
  await line("refund_order").getByRole("link").click();
  await page.getByRole("heading", { name: "refund_order", level: 1 }).waitFor();
  const main = await page.getByRole("main").innerText();
  assert.match(main, /Managed by\s+worker[\s\S]*Permissions\s+refunds:write[\s\S]*Keywords\s+refund, money back[\s\S]*cents\s+integer/);
});

test("each version of a definition stands there as what it changed", async () => {
  const shop = await Shop.open(at.gateway);
  const second = { ...TOOLS[1], description: "Look up an order by its number.", input: { order_id: "integer", with_lines: "boolean?" } };
  await shop.worker.register([TOOLS[0], second, TOOLS[2]]);
  const third = { ...second, permissions: ["orders:read"] };
  await shop.worker.register([TOOLS[0], third, TOOLS[2]]);
  const page = await at.visit("/console/tools/get_order", [shop.keys.admin]);
  const versions = page.getByRole("region", { name: "Versions" }).getByRole("listitem");
  await versions.nth(2).waitFor();
  const texts = (await versions.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  const { versions: kept } = (await shop.org.admin.get("/v1/tools/get_order")).body;
  assert.equal(texts.length, kept.length);
  for (const [n, { version, by }] of kept.entries()) assert.ok(texts[n].startsWith(version.slice(0, 12)) && texts[n].includes(`by ${by}`), texts[n]);
  const only = (pattern) => texts.filter((text) => pattern.test(text)).length;
  assert.equal(only(/The first that was accepted\.$/), 1);
  assert.equal(only(/description − before: "Look up an order\." \+ after: "Look up an order by its number\."/), 1, texts.join("\n"));
  assert.equal(only(/input − before: \{ "order_id": "integer" \} \+ after: \{ "order_id": "integer", "with_lines": "boolean\?" \}/), 1);
  assert.equal(only(/permissions \+ after: \[ "orders:read" \]$/), 1);
});

test("who may call what is listed by agent and by capability, and what is taken away is refused and invalidated", async () => {
  const shop = await Shop.open(at.gateway, { more: { allow_reversible_writes: true, approvals_required: 2, requester_may_approve: false } });
  const parked = await shop.parked();
  const page = await at.visit("/console/agents", everyKey(shop));
  const line = (list, name) => page.getByRole("region", { name: list }).getByRole("row", { name: new RegExp(`^${name} `) });
  assert.deepEqual(await cells(line("Agents", "bot")), ["bot", "bot", "3", "Demo model no model is set", "4,000"]);
  assert.deepEqual(await cells(line("Capabilities", "bot")), ["bot", "refund_order, get_order, set_note", "bot", "reversible writes 2 approvals who asked may not approve"]);
  await line("Capabilities", "bot").getByRole("link").click();
  await page.getByText("Held by: bot.").waitFor();
  await page.getByRole("group", { name: "Tools" }).getByLabel(/^refund_order/).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The capability bot is saved").last().waitFor();
  const refused = await shop.org.submit("refund_order", { order_id: 7, cents: 100 }, { key: "after" });
  assert.deepEqual([refused.status, refused.code], [403, "not_granted"]);
  assert.equal((await shop.org.callIn(parked.call, "invalidated")).state, "invalidated");
  await page.goto(`${at.gateway.url}/console/agents/bot`);
  await page.getByRole("region", { name: "Grants" }).getByRole("row").nth(2).waitFor();
  assert.doesNotMatch(await page.getByRole("region", { name: "Grants" }).innerText(), /refund_order/);
  await page.goto(`${at.gateway.url}/console/history`);
  await page.getByLabel("State").selectOption("invalidated");
  await page.getByRole("region", { name: "Decided approvals" }).getByRole("link", { name: "refund_order" }).waitFor();
  await page.goto(`${at.gateway.url}/console/calls/${parked.call}`);
  await page.getByRole("region", { name: "Timeline" }).getByText("Invalidated", { exact: true }).waitFor();
});

/** Makes a key by the form; its text. */
async function made(page, name, role, fill) {
  const form = page.getByRole("main").locator("form");
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("Role").selectOption(role);
  await fill(form);
  await form.getByRole("button", { name: "Make the key" }).click();
  return page.getByRole("group", { name: `The key ${name}` }).locator("code").innerText();
}

test("keys are made for what they may do, do that and no more, and are listed with it", async () => {
  const shop = await Shop.open(at.gateway);
  await shop.org.pool("other");
  const page = await at.visit("/console/keys", [shop.keys.admin]);
  await page.getByRole("button", { name: "New key" }).click();
  const worker = await made(page, "Night shift", "worker", (form) => form.getByLabel("Pools").fill("main"));
  const agent = await made(page, "Desk", "agent", async (form) => {
    await form.getByLabel("Agent", { exact: true }).fill("bot");
    await form.getByLabel("Principal's id").fill("u7");
    await form.getByLabel("Tenant").fill("t7");
    await form.getByLabel("Ends after days").fill("3");
  });
  const caller = await made(page, "Product", "caller", (form) => form.getByLabel("Agents").fill("bot nobody"));
  const line = (name) => page.getByRole("table").getByRole("row", { name: new RegExp(name) });
  for (const [name, words] of [["Night shift", "pools main"], ["Desk", "agent bot, u7 of t7"], ["Product", "agents bot, nobody"]]) await line(name).getByText(words).waitFor();
  assert.match(await line("Night shift").innerText(), /never/);
  const ends = Date.parse(await line("Desk").locator("time").nth(1).getAttribute("datetime"));
  assert.ok(Math.abs(ends - Date.now() - 3 * 86_400_000) < 600_000);

  const night = new RawWorker(new Door(at.gateway, worker));
  await night.register(TOOLS);
  assert.equal((await new Door(at.gateway, worker).post("/v1/pools/other/workers", { worker: "w", manifest: { tools: [] } })).status, 403);
  const asked = await new Door(at.gateway, agent).must(202, "POST", "/v1/calls", { tool: "get_order", arguments: { order_id: 1 } });
  assert.equal((await night.job()).call, asked.body.call);
  const other = await shop.org.submit("get_order", { order_id: 1 }, { agent: "third", door: new Door(at.gateway, caller) });
  assert.equal(other.status, 403, other.text);

  await line("Product").getByRole("button", { name: "Revoke Product" }).click();
  await page.getByRole("dialog", { name: "Revoke the key?" }).getByRole("button", { name: "Revoke" }).click();
  await line("Product").getByText(/revoked/).waitFor();
  assert.equal((await shop.org.submit("get_order", { order_id: 1 }, { door: new Door(at.gateway, caller) })).status, 401);
});

test("a timeline has words for whatever happened, and shows what was said too late", async () => {
  const shop = await Shop.open(at.gateway, { more: { allow_reversible_writes: true, approvals_required: 2 } });
  const { body } = await shop.org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal: JSON.parse(PRINCIPAL), message: "I want my money back" });
  const run = new Door(at.gateway, body.token);
  const ask = (key) => run.must(202, "POST", "/v1/calls", { tool: "refund_order", arguments: { order_id: 7, cents: 1 } }, { headers: { "idempotency-key": key } });
  const first = (await ask("a")).body;
  assert.equal((await ask("b")).body.call, first.call);
  await shop.org.approve(first);
  const second = (await shop.org.key({ role: "approver", name: "Ben" })).door;
  await shop.org.decide(first.approval.id, { decision: "approve", digest: first.approval.digest }, second);
  await shop.work();
  const note = await shop.org.accepted("set_note", { order_id: 1, note: "x" }, { key: "note" });
  const { claim } = await shop.worker.job();
  await shop.worker.accept(claim);
  await shop.org.callIn(note.call, "unknown");
  await shop.org.admin.must(200, "POST", `/v1/calls/${note.call}/resolution`, { outcome: "failed", note: "not in the log" });
  await shop.worker.result(claim, '"it did happen"');

  const page = await at.visit(`/console/calls/${first.call}`, everyKey(shop));
  const lines = page.getByRole("region", { name: "Timeline" }).locator("ol li");
  const told = async () => {
    const both = await lines.evaluateAll((all) => all.map((line) => [line.querySelector("strong").textContent, line.querySelector("code").textContent, line.innerText.replace(/\s+/g, " ")]));
    for (const [words, event] of both) assert.notEqual(words, event, "an event without words");
    return both;
  };
  await lines.nth(5).waitFor();
  const refund = await told();
  assert.deepEqual(refund.map(([, event]) => event), ["parked", "joined", "approval_given", "approve", "hand_out", "accept", "settle"]);
  assert.match(refund[2][2], /by Ann$/);
  assert.match(refund[3][2], /by Ben$/);
  assert.ok(refund.at(-1)[2].includes(`by ${shop.worker.name}`), refund.at(-1)[2]);
  // Why the tool was offered stands under it.
  const offered = page.getByRole("region", { name: "Offer of its run" });
  await offered.getByText("I want my money back", { exact: true }).waitFor();
  const [offeredName, score, , why] = await cells(offered.getByRole("region", { name: "Offered tools" }).getByRole("row", { name: /^refund_order/ }));
  assert.match(offeredName, /^refund_order/);
  assert.notEqual(score, "0.0");
  assert.match(why, /phrase\s+money back/);
  await page.goto(`${at.gateway.url}/console/calls/${note.call}`);
  await page.getByRole("heading", { name: "Said too late to count" }).waitFor();
  await page.getByText(/it did happen/).waitFor();
  assert.ok((await told()).some(([, event]) => event === "resolve"));
  await page.goto(`${at.gateway.url}/console/calls`);
  const line = page.getByRole("region", { name: "Calls" }).getByRole("row", { name: /set_note/ });
  const [, , agent, state, , reason] = await cells(line);
  assert.deepEqual([agent, state, reason], ["bot", "failed", "resolved_failed"]);
});

test("a call says which turn of its run the offer is of, or that it was made in none", async () => {
  const shop = await Shop.open(at.gateway);
  const { body } = await shop.org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal: JSON.parse(PRINCIPAL), message: "I want my money back" });
  const run = new Door(at.gateway, body.token);
  const asked = await run.must(202, "POST", "/v1/calls", { tool: "refund_order", arguments: { order_id: 7, cents: 1 } }, { headers: { "idempotency-key": "in-a-run" } });
  await run.must(200, "POST", `/v1/runs/${body.run}/turns`, { message: "And where is my order?" });
  const { key } = await shop.org.key({ role: "agent", name: "chat", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  const alone = await new Door(at.gateway, key).must(202, "POST", "/v1/calls", { tool: "refund_order", arguments: { order_id: 7, cents: 2 } }, { headers: { "idempotency-key": "in-none" } });

  const page = await at.visit(`/console/calls/${asked.body.call}`, everyKey(shop));
  const offered = page.getByRole("region", { name: "Offer of its run" });
  const none = page.getByText("It was not made in a run: no offer is kept with it.");
  await offered.getByText("And where is my order?", { exact: true }).waitFor();
  assert.match(await offered.innerText(), /Turn 2, /);
  assert.equal(await offered.getByText("I want my money back", { exact: true }).count(), 0);
  assert.equal(await none.count(), 0);
  await page.goto(`${at.gateway.url}/console/calls/${alone.body.call}`);
  await none.waitFor();
  assert.equal(await offered.count(), 0);
});
