// Each page of the console under axe-core, light and dark, and pictures of the main ones.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Door } from "../end_to_end/support/client.mjs";
import { until } from "../end_to_end/support/until.mjs";
import { faultsOf } from "./support/axe.mjs";
import { people } from "./support/people.mjs";
import { Screens } from "./support/screens.mjs";
import { Shop, TOOLS } from "./support/shop.mjs";

const at = people({
  ready: async () => {
    shop = await Shop.open(at.gateway, { id: "acme" });
    calls = await filled(shop);
  },
});
const screens = new Screens("console");

let shop, calls;

/** Something in every list: calls in several states, decisions, a refused definition. */
async function filled(shop) {
  const done = await shop.parked('{"order_id":1001,"cents":4990,"note":"arrived broken"}');
  await shop.org.approve(done);
  await shop.work('{"refunded_cents":4990}');
  const rejected = await shop.parked('{"order_id":1002,"cents":120000}');
  await shop.org.decide(rejected.approval.id, { decision: "reject", reason: "The order was never paid." });
  const unknown = await shop.org.accepted("set_note", { order_id: 7, note: "leave at the door" }, { key: "note" });
  const job = await shop.worker.job();
  await shop.worker.accept(job.claim);
  await shop.org.callIn(unknown.call, "unknown");
  const read = shop.org.submit("get_order", { order_id: 1001 }, { wait: 10 });
  const look = await shop.worker.job();
  await shop.worker.result(look.claim, '{"order_id":1001,"status":"shipped"}');
  await read;
  await shop.org.admin.put("/v1/agents/bot", { capabilities: ["bot"], pinned_tools: ["get_order"], instructions: "Answer in two sentences." });
  const run = await shop.org.caller.must(201, "POST", "/v1/runs", {
    agent: "bot",
    principal: { id: "ada", tenant_id: "acme", permissions: ["refunds:write"] },
    message: "My order 1003 never came. I want my money back, all 49.90.",
  });
  const token = new Door(at.gateway, run.body.token);
  const waiting = [];
  for (const [n, args] of ['{"order_id":1003,"cents":4990,"note":"never came"}', '{"order_id":1004,"cents":250,"note":"late \\u202eyadrutaS"}', '{"order_id":9007199254740993,"cents":900}'].entries()) {
    const answer = await token.post("/v1/calls", `{"tool":"refund_order","arguments":${args}}`, { headers: { "idempotency-key": `waits-${n}` } });
    assert.equal(answer.status, 202, answer.text);
    waiting.push(answer.body);
  }
  await shop.worker.register([{ ...TOOLS[0], permissions: [], description: "Refund what was paid for an order." }, ...TOOLS.slice(1)]);
  await until("the list has them", async () => (await shop.pending()).length === 3);
  return { done, unknown, waiting: waiting[0] };
}

const PAGES = [
  ["sign-in", () => "/console/approvals", []],
  ["approvals", () => "/console/approvals"],
  ["history", () => "/console/history"],
  ["approval", () => `/console/approvals/${calls.done.approval.id}`],
  ["calls", () => "/console/calls"],
  ["call", () => `/console/calls/${calls.unknown.call}`],
  ["try", () => "/console/try"],
  ["offers", () => "/console/offers"],
  ["tools", () => "/console/tools"],
  ["tool", () => "/console/tools/refund_order"],
  ["agents", () => "/console/agents"],
  ["agent", () => "/console/agents/bot"],
  ["capability", () => "/console/capabilities/bot"],
  ["pools", () => "/console/pools"],
  ["pool", () => "/console/pools/main"],
  ["new-pool", () => "/console/new-pool"],
  ["keys", () => "/console/keys"],
  ["notifications", () => "/console/notifications"],
  ["audit", () => "/console/audit"],
  ["nothing", () => "/console/nothing"],
];

async function settled(page) {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}

async function look(page, name, theme, full = true) {
  const faults = await faultsOf(page);
  assert.deepEqual(faults, [], `${name}, ${theme}:\n  ${faults.join("\n  ")}`);
  await screens.take(page, `${name}-${theme}`, { fullPage: full });
}

for (const theme of ["light", "dark"]) {
  test(`no page has a serious fault, ${theme}`, async () => {
    const keys = [shop.keys.caller, shop.keys.admin, shop.keys.approver];
    const stranger = await at.visit("/console/approvals", [], { dark: theme === "dark" });
    await settled(stranger);
    await look(stranger, "sign-in", theme);
    const page = await at.visit("/console", keys, { dark: theme === "dark" });
    for (const [name, path] of PAGES.slice(1)) {
      await page.goto(`${at.gateway.url}${path()}`);
      await settled(page);
      if (name === "offers") await offer(page);
      await look(page, name, theme);
    }
  });

  test(`no dialog has a serious fault, ${theme}`, async () => {
    const page = await at.visit("/console/approvals", [shop.keys.approver, shop.keys.admin], { dark: theme === "dark" });
    await page.getByRole("article").waitFor();
    for (const [key, name] of [["a", "Approve this call?"], ["r", "Reject this call?"], ["e", "Edit and approve"], ["?", "Keys of the inbox"]]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog", { name }).waitFor();
      if (key === "e") await page.getByLabel("Arguments to send instead").fill('{\n  "cents": 2500,\n  "note": "never came, half of it",\n  "order_id": 1003\n}');
      await look(page, key === "e" ? "approvals-question" : name, theme, false);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByRole("button", { name: "Reject 3…" }).click();
    await page.getByRole("dialog", { name: "Reject 3 calls?" }).waitFor();
    await look(page, "bulk", theme, false);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Keys \(2\)$/ }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await look(page, "keys dialog", theme, false);
  });
}

async function offer(page) {
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Principal's id").fill("ada");
  await page.getByLabel("Tenant").fill("acme");
  await page.getByLabel("Permissions").fill("refunds:write");
  await page.getByLabel("Message").fill("My order 1003 never came, I want my money back.");
  await page.getByRole("button", { name: "Offer", exact: true }).click();
  await page.getByRole("heading", { name: "Turn 1" }).waitFor();
}

test("on a narrow screen nothing but tables has to be moved sideways", async () => {
  const page = await at.visit("/console", [shop.keys.caller, shop.keys.admin, shop.keys.approver], { viewport: { width: 360, height: 740 } });
  for (const [name, path] of PAGES) {
    await page.goto(`${at.gateway.url}${path()}`);
    await settled(page);
    const wide = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      const isOver = (element) => element.getBoundingClientRect().right > clientWidth;
      return scrollWidth > clientWidth ? [...document.querySelectorAll("body *")].filter(isOver).map((element) => element.outerHTML.slice(0, 120)) : [];
    });
    assert.deepEqual(wide, [], `${name} is too wide`);
  }
});

test("the colours follow the switch, and stay", async () => {
  const page = await at.visit("/console/approvals", []);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await ground(), dark);
});

screens.mustBeThere();
