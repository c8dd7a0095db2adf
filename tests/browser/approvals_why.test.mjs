// What an approver knows beside the arguments: who asks, why, until when, and what was decided on the like before.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ageParked } from "../end_to_end/support/aging.mjs";
import { Door } from "../end_to_end/support/client.mjs";
import { until } from "../end_to_end/support/until.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

const at = people();

const card = (page) => page.getByRole("article", { name: "Approval of refund_order" });
const row = (page, name = /refund_order/) => page.getByRole("list", { name: "Waiting" }).getByRole("button", { name });
const facts = async (page) => (await card(page).locator("dl.facts").first().innerText()).replace(/\s+/g, " ");

test("the card says which agent asks for whom, why as nobody verified it, since when and until when", async () => {
  const shop = await Shop.open(at.gateway);
  const principal = { id: "ada", tenant_id: "acme", permissions: ["refunds:write"] };
  const { body } = await shop.org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal, message: "The lamp came broken,\nI want my money back." });
  const asked = await new Door(at.gateway, body.token).must(202, "POST", "/v1/calls", { tool: "refund_order", arguments: { order_id: 7, cents: 100 } }, { headers: { "idempotency-key": "a" } });
  await until("the list has it", async () => (await shop.pending()).length === 1);
  const kept = await shop.approval(asked.body.approval.id);
  const page = await at.visit("/console/approvals", [shop.keys.approver]);
  await card(page).waitFor();
  assert.match(await facts(page), /Agent bot On behalf of ada of acme Asked .* \((just now|\d+ s ago)\) Expires .* \((1 d|23 h 59 min) left\)/);
  const times = await card(page).locator("dl.facts time").evaluateAll((all) => all.map((time) => time.dateTime));
  assert.deepEqual(new Set(times.slice(0, 4)), new Set([kept.created_at, kept.expires_at]));
  assert.match(await row(page).innerText(), /(1 d|23 h 59 min) left[\s\S]*bot for ada of acme/);
  const why = card(page).locator(".purpose");
  assert.equal(await why.locator("blockquote").innerText(), "The lamp came broken,\\u000aI want my money back.", "nobody writes lines of the card");
  assert.match(await why.innerText(), /unverified[\s\S]*Nobody checked this\./);
  const ids = card(page).getByText("Ids and digest");
  await ids.click();
  for (const id of [kept.id, kept.call, kept.digest]) await card(page).getByText(id, { exact: true }).waitFor();
});

test("what was decided on the like before stands on the next card, and leads there", async () => {
  const shop = await Shop.open(at.gateway);
  const first = await shop.parked('{"order_id":1,"cents":100}');
  await shop.org.approve(first);
  await shop.work();
  const second = await shop.parked('{"order_id":2,"cents":5}');
  await shop.org.decide(second.approval.id, { decision: "reject", reason: "Order 2 was never paid." });
  await shop.parked('{"order_id":1,"cents":100}', { principal: '{"id":"stranger","tenant_id":"t1","permissions":["refunds:write"]}' });
  const third = await shop.parked('{"order_id":1,"cents":100}');
  const page = await at.visit(`/console/approvals/${third.approval.id}`, [shop.keys.approver]);
  const earlier = card(page).getByRole("region", { name: "Earlier decisions" }).getByRole("listitem");
  await earlier.nth(1).waitFor();
  const told = (await earlier.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  assert.ok(told.some((text) => /^approved by Ann, .* \(the same arguments\)$/.test(text)), told.join("\n"));
  assert.ok(told.some((text) => /^rejected by Ann, .* \(other arguments\) Order 2 was never paid\.$/.test(text)), told.join("\n"));
  await earlier.filter({ hasText: "rejected" }).getByRole("link").click();
  await page.waitForURL(new RegExp(`/console/approvals/${second.approval.id}$`));
  await card(page).getByText("Order 2 was never paid.").waitFor();
  await page.goto(`${at.gateway.url}/console/approvals`);
  await row(page, /stranger/).click();
  await card(page).getByText("stranger", { exact: true }).waitFor();
  assert.equal(await card(page).getByRole("region", { name: "Earlier decisions" }).count(), 0, "those were for another principal");
});

test("an approval whose time is over goes by itself: the open card says so, decides nothing, and stands in the history", async () => {
  const shop = await Shop.open(at.gateway);
  const { approval, call } = await shop.parked();
  const person = await at.person();
  const page = await person.page(at.gateway, "/console/approvals", [shop.keys.approver]);
  await card(page).getByRole("button", { name: "Approve…", exact: true }).waitFor();
  await at.gateway.kill();
  await page.getByRole("alert").getByText("The gateway cannot be reached.").waitFor();
  assert.ok(ageParked(at.gateway.storage) >= 1);
  await at.gateway.start();
  await card(page).getByText("expired", { exact: true }).first().waitFor();
  await card(page).getByRole("button", { name: "Approve…", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("alert").waitFor({ state: "detached" });
  assert.equal((await shop.approval(approval.id)).state, "expired");
  assert.equal((await shop.org.call(call)).error.code, "approval_expired");
  assert.deepEqual(await shop.worker.jobs(), []);
  await page.goto(`${at.gateway.url}/console/history`);
  await page.getByLabel("State").selectOption("expired");
  const line = page.getByRole("region", { name: "Decided approvals" }).getByRole("row", { name: /refund_order/ });
  await line.waitFor();
  assert.match((await line.innerText()).replace(/\s+/g, " "), /bot, u1 of t1 .* nobody expired$/);
});
