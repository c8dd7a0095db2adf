// Text of others in every place where the console shows any: none of it may run, load anything, or meet the page's policy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Door } from "../end_to_end/support/client.mjs";
import { each, until } from "../end_to_end/support/until.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

const { payloads } = JSON.parse(readFileSync(new URL("../vectors/xss.json", import.meta.url), "utf8"));
const TEXTS = payloads.map((payload) => payload.text);
const DESCRIPTION_MAX = 2_000;
const at = people();

/** Texts joined into as few as the limit allows. */
function joined(texts, most) {
  const parts = [""];
  for (const text of texts) {
    if (parts.at(-1).length + text.length + 1 > most) parts.push("");
    parts[parts.length - 1] += `${text}\n`;
  }
  return parts.map((part) => part.slice(0, most));
}

/** No element that the console itself never makes. */
async function assertPlain(page) {
  const odd = await page.evaluate(() =>
    [...document.querySelectorAll("iframe, object, embed, svg, math, video, audio, base, meta[http-equiv], style, script:not([src]), marquee, form[action], template, xss, img:not([alt='']), a[href^='javascript' i], a[href^='data' i], [style*='url']")].map(
      (element) => element.outerHTML.slice(0, 200),
    ),
  );
  assert.deepEqual(odd, []);
}

const tools = [
  { name: "say", description: "Say it.", side_effect: "consequential", input: { text: "string", any: "json?" } },
  { name: "look", description: "Look.", side_effect: "read_only", input: { text: "string" } },
  ...joined(TEXTS, DESCRIPTION_MAX).map((description, n) => ({ name: `told_${n}`, description, side_effect: "read_only", input: {}, routing: { keywords: TEXTS.slice(n * 10, n * 10 + 10).map((text) => text.slice(0, 60)) } })),
];

async function open() {
  const shop = await Shop.open(at.gateway, { tools: tools.slice(0, 2) });
  const registered = await new RawWorker(shop.org.worker, { name: "<img src=x onerror=globalThis.ran=1>" }).register(tools);
  assert.ok(registered.tools.filter((tool) => tool.status !== "refused").length >= 3, JSON.stringify(registered.tools));
  return shop;
}

test("in approvals: arguments, names of members, principals, purposes, names of approvers, reasons", async () => {
  const shop = await open();
  const views = [];
  for (const [n, text] of TEXTS.entries()) {
    const args = JSON.stringify({ text, any: { [text]: [text] } });
    const named = await shop.org.submit("say", args, { key: `k${n}`, principal: JSON.stringify({ id: text, tenant_id: text, permissions: [] }) });
    // What is too long for an id is carried beside it.
    const principal = JSON.stringify({ id: "u1", tenant_id: "t1", permissions: [], shown: text });
    const answer = named.status === 202 ? named : await shop.org.submit("say", args, { key: `k${n}`, principal });
    assert.equal(answer.status, 202, answer.text);
    views.push({ ...answer.body, text });
  }
  await until("they are listed", async () => (await shop.pending()).length === views.length);
  const page = await at.visit("/console/approvals", [shop.keys.approver, shop.keys.admin]);
  const rows = page.getByRole("list", { name: "Waiting" }).getByRole("listitem");
  await rows.nth(views.length - 1).waitFor();
  for (const [n] of views.entries()) {
    if (n > 0) await page.keyboard.press("j");
    await page.waitForFunction((at) => document.querySelectorAll(".queue li")[at]?.classList.contains("current"), n);
    await page.getByRole("article").getByText("Ids and digest").click();
    await assertPlain(page);
  }
  const shown = await page.getByRole("article").getByRole("region", { name: "Arguments" }).innerText();
  assert.ok(shown.includes("onmouseover=globalThis.ran=1"), "the text itself is there, in full");
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: `Reject ${views.length}…` }).click();
  await page.getByRole("dialog").waitFor();
  await assertPlain(page);

  let named = 0;
  for (const [n, view] of views.entries()) {
    const made = await shop.org.admin.post("/v1/keys", { role: "approver", name: view.text });
    named += made.status === 201 ? 1 : 0;
    const door = made.status === 201 ? new Door(at.gateway, made.body.key) : shop.org.approver;
    const decided = await shop.org.decide(view.approval.id, { decision: "reject", reason: TEXTS[n] }, door);
    assert.equal(decided.status, 200, decided.text);
  }
  assert.ok(named > 30, `${named} names were taken`);
  await page.reload();
  await page.getByText("Nothing waits for a decision.").waitFor();
  await page.goto(`${at.gateway.url}/console/history`);
  await page.getByLabel("State").selectOption("rejected");
  await page.getByRole("table").getByRole("row").nth(views.length).waitFor();
  await assertPlain(page);
  for (const view of [views[0], views.at(-1)]) {
    await page.goto(`${at.gateway.url}/console/approvals/${view.approval.id}`);
    await page.getByRole("region", { name: "Decisions", exact: true }).waitFor();
    await assertPlain(page);
  }
  for (const path of ["/console/keys", "/console/audit"]) {
    await page.goto(`${at.gateway.url}${path}`);
    await page.getByRole("table").getByRole("row").nth(30).waitFor();
    await assertPlain(page);
  }
});

test("in calls: results, errors, activities, notes", async () => {
  const shop = await open();
  const calls = [];
  const settle = async (finish) => {
    const { call } = await shop.org.accepted("look", { text: TEXTS[calls.length % TEXTS.length] });
    const job = await shop.worker.job();
    await finish(job);
    calls.push(call);
  };
  await settle((job) => shop.worker.outcome(job.claim, { result: TEXTS }));
  await settle((job) => shop.worker.outcome(job.claim, { result: Object.fromEntries(TEXTS.map((text, n) => [text, n])), activity: { type: "text/html", content: TEXTS } }));
  for (const message of joined(TEXTS, 1_000)) await settle((job) => shop.worker.error(job.claim, { code: "broken", message }));
  const page = await at.visit("/console/calls", [shop.keys.admin]);
  await page.getByRole("table").waitFor();
  for (const call of calls) {
    await page.goto(`${at.gateway.url}/console/calls/${call}`);
    await page.getByRole("region", { name: "Timeline" }).waitFor();
    await assertPlain(page);
  }
});

test("in the catalogue, the pools and the offers: descriptions, keywords, refusals, workers, messages, reasons", async () => {
  const shop = await open();
  await shop.worker.register([{ ...tools[0], side_effect: "read_only", description: TEXTS[0], permissions: [] }]);
  const page = await at.visit("/console/tools", [shop.keys.admin, shop.keys.caller]);
  await page.getByRole("table").waitFor();
  await assertPlain(page);
  for (const { name } of tools) {
    await page.goto(`${at.gateway.url}/console/tools/${name}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await assertPlain(page);
  }
  await page.goto(`${at.gateway.url}/console/pools/main`);
  await page.getByRole("region", { name: "Workers" }).waitFor();
  await assertPlain(page);
  await shop.org.grant(tools.slice(1).map((tool) => tool.name));
  await page.goto(`${at.gateway.url}/console/offers`);
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Principal's id").fill("u1");
  await page.getByLabel("Tenant").fill("t1");
  await page.getByLabel("Budget, in tokens").fill("60000");
  for (const message of joined(TEXTS, 4_000)) {
    await page.getByLabel("Message").fill(message);
    await page.getByRole("button", { name: "Offer", exact: true }).click();
    await page.getByRole("heading", { name: "Turn 1" }).waitFor();
    await assertPlain(page);
  }
});

test("in what is typed and in addresses: forms, filters, paths", async () => {
  const shop = await open();
  const page = await at.visit("/console/try", [shop.keys.admin, shop.keys.caller, shop.keys.approver]);
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Tool").selectOption("look");
  for (const text of TEXTS) {
    for (const label of ["text", "Principal's id", "Tenant", "Idempotency key"]) await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel("Arguments as JSON").check();
    await assertPlain(page);
    await page.getByLabel("Arguments as JSON").uncheck();
  }
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("alert").or(page.getByRole("heading", { name: "Outcome" })).waitFor();
  await assertPlain(page);
  for (const text of TEXTS) {
    for (const path of ["/console/tools/", "/console/agents/", "/console/approvals/", "/console/calls/"]) {
      await page.evaluate((to) => history.pushState(null, "", to), `${path}${encodeURIComponent(text)}`);
      await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    }
    await assertPlain(page);
  }
  await page.goto(`${at.gateway.url}/console/calls?pool=main&tool=${encodeURIComponent(TEXTS[0])}&agent=${encodeURIComponent(TEXTS[12])}`);
  await page.getByText("No call fits.").or(page.getByRole("alert")).waitFor();
  await assertPlain(page);
});
