// The inbox as an approver uses it, in Chromium against the built gateway.
import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../end_to_end/support/until.mjs";
import { signIn } from "./support/browser.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

const at = people();

const approver = (shop, path = "/console/approvals", keys = [shop.keys.approver]) => at.visit(path, keys);
const row = (page, name = /refund_order/) => page.getByRole("list", { name: "Waiting" }).getByRole("button", { name });
const card = (page) => page.getByRole("article", { name: "Approval of refund_order" });
const dialog = (page, name) => page.getByRole("dialog", { name });

test("exactly the arguments are shown, the approval asks once more, and approved is not executed", async () => {
  const shop = await Shop.open(at.gateway);
  const { call, approval } = await shop.parked('{"order_id":9007199254740993,"cents":100,"note":"pay\\u200bpal \\u202egpj"}');
  const page = await approver(shop);
  const shown = card(page).getByRole("region", { name: "Arguments" });
  await shown.waitFor();
  const text = await shown.innerText();
  assert.equal(text, '{\n  "cents": 100,\n  "note": "pay\\u200bpal \\u202egpj",\n  "order_id": 9007199254740993\n}');
  assert.match(await card(page).innerText(), /u1 of t1/);

  await card(page).getByRole("button", { name: "Approve…", exact: true }).click();
  await dialog(page, "Approve this call?").waitFor();
  assert.equal((await shop.approval(approval.id)).state, "pending", "the question alone decides nothing");
  await dialog(page, "Approve this call?").getByRole("button", { name: "Approve" }).click();
  await page.getByRole("status").getByText("approved. It has not run yet").waitFor();
  await card(page).getByText("approved, and not finished yet").waitFor();
  assert.equal((await shop.approval(approval.id)).decisions[0].by, "Ann");

  const poll = await shop.worker.poll({ wait: 10 });
  assert.match(poll.text, /"arguments":\{"cents":100,"note":"pay\u200bpal \u202egpj","order_id":9007199254740993\}/);
  const [job] = poll.body.jobs;
  await shop.worker.accept(job.claim);
  await shop.worker.result(job.claim, "true");
  await card(page).getByText("succeeded").waitFor();
  const { ended_at } = await shop.org.call(call);
  assert.equal(await card(page).getByText("The call itself:").locator("..").locator("time").getAttribute("datetime"), ended_at);
});

test("a rejection needs a reason, which reaches the caller", async () => {
  const shop = await Shop.open(at.gateway);
  const { call } = await shop.parked();
  const page = await approver(shop);
  await card(page).getByRole("button", { name: "Reject…" }).click();
  const asked = dialog(page, "Reject this call?");
  await asked.getByRole("button", { name: "Reject" }).click();
  await asked.getByText("A rejection needs a reason.").waitFor();
  await asked.getByLabel("Reason").fill("Not this customer.");
  await asked.getByRole("button", { name: "Reject" }).click();
  await card(page).getByText("It did not run and will not.").waitFor();
  const ended = await shop.org.callIn(call, "rejected");
  assert.match(ended.error.message, /Not this customer\./);
});

test("an edit is checked, shown as a difference, and sent as it was typed", async () => {
  const shop = await Shop.open(at.gateway);
  await shop.parked('{"order_id":7,"cents":1000}');
  const page = await approver(shop);
  await card(page).getByRole("button", { name: "Edit and approve…" }).click();
  const asked = dialog(page, "Edit and approve");
  const editor = asked.getByLabel("Arguments to send instead");
  const send = asked.getByRole("button", { name: /Approve with these arguments/ });
  assert.equal(await send.getAttribute("aria-disabled"), "true", "nothing was changed yet");
  await editor.fill('{"order_id":7,"cents":}');
  await asked.getByText("a value was expected, in line 1, column 23").waitFor();
  assert.equal(await send.getAttribute("aria-disabled"), "true");
  await editor.fill('{"order_id":7,"cents":"nine","extra":1}');
  await send.click();
  await asked.getByText("The gateway does not take these arguments:").waitFor();
  const faults = await asked.getByRole("listitem").allInnerTexts();
  assert.ok(faults.some((text) => text.startsWith("cents: must be an integer")), faults.join());
  await editor.fill('{"order_id":7,"cents":900000000000000001}');
  const difference = asked.getByLabel("What the edit changes");
  assert.match(await difference.innerText(), /cents[\s\S]*1000[\s\S]*900000000000000001/);
  await send.click();
  await card(page).getByText("Edited by the approver: this is sent instead").waitFor();
  const poll = await shop.worker.poll({ wait: 10 });
  assert.match(poll.text, /"arguments":\{"cents":900000000000000001,"order_id":7\}/);
});

test("where two must say yes nothing can be edited, the button says why, and one yes leaves it waiting", async () => {
  const shop = await Shop.open(at.gateway, { more: { allow_reversible_writes: true, approvals_required: 2 } });
  const { approval } = await shop.parked();
  const page = await approver(shop);
  const edit = card(page).getByRole("button", { name: /^Edit and approve…: nothing can be edited/ });
  await edit.press("Enter");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await card(page).getByRole("button", { name: "Approve…", exact: true }).click();
  await dialog(page, "Approve this call?").getByRole("button", { name: "Approve" }).click();
  await card(page).getByText("1 of 2 approvals").waitFor();
  await card(page).getByRole("button", { name: /^Approve…: you have approved it/ }).waitFor();
  assert.equal((await shop.approval(approval.id)).state, "pending");
});

test("several are decided at once, each with an answer of its own", async () => {
  const shop = await Shop.open(at.gateway);
  const views = [await shop.parked('{"order_id":1,"cents":1}'), await shop.parked('{"order_id":2,"cents":2}'), await shop.parked('{"order_id":3,"cents":3}')];
  const page = await approver(shop);
  await row(page).nth(2).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: "Approve 3…" }).click();
  const asked = dialog(page, "Approve 3 calls?");
  assert.equal(await asked.getByRole("region", { name: "Arguments of refund_order" }).count(), 3, "what is decided is shown");
  await shop.org.decide(views[1].approval.id, { decision: "reject", reason: "No." });
  await asked.getByRole("button", { name: "Approve all 3" }).click();
  const done = dialog(page, "What came of it");
  await done.waitFor();
  const lines = await done.getByRole("listitem").allInnerTexts();
  assert.match(lines[0], /done[\s\S]*approved/);
  assert.match(lines[1], /decided elsewhere[\s\S]*rejected by Ann/);
  assert.match(lines[2], /done/);
  await done.getByRole("button", { name: "Close" }).last().click();
  assert.deepEqual(await Promise.all(views.map(async ({ approval }) => (await shop.approval(approval.id)).state)), ["approved", "rejected", "approved"]);
  await page.getByRole("button", { name: "Clear 3 decided" }).click();
  await page.getByText("Nothing waits for a decision.").waitFor();
});

test("two browsers have the same card open: one decides, the other is told who and when, and both cannot", async () => {
  const shop = await Shop.open(at.gateway);
  const other = await shop.org.key({ role: "approver", name: "Ben" });
  const { approval } = await shop.parked();
  const [ann, ben] = [await approver(shop), await approver(shop, "/console/approvals", [other.key])];
  for (const page of [ann, ben]) {
    await card(page).getByRole("button", { name: "Approve…", exact: true }).click();
    await dialog(page, "Approve this call?").waitFor();
  }
  await Promise.all([ann, ben].map((page) => dialog(page, "Approve this call?").getByRole("button", { name: "Approve" }).click()));
  const { decisions } = await until("it is decided", async () => {
    const read = await shop.approval(approval.id);
    return read.state === "approved" && read;
  });
  assert.equal(decisions.length, 1);
  const [winner, loser] = decisions[0].by === "Ann" ? [ann, ben] : [ben, ann];
  await winner.getByRole("status").getByText("approved. It has not run yet").waitFor();
  await loser.getByRole("status").getByText(`Decided elsewhere: approved by ${decisions[0].by} at`).waitFor();
});

test("a card that is decided elsewhere says so by itself, and cannot be decided any more", async () => {
  const shop = await Shop.open(at.gateway);
  const { approval } = await shop.parked();
  const page = await approver(shop);
  await card(page).getByRole("button", { name: "Reject…" }).click();
  await dialog(page, "Reject this call?").getByLabel("Reason").fill("I was about to");
  await shop.org.decide(approval.id, { decision: "approve", digest: approval.digest });
  await dialog(page, "Reject this call?").getByRole("alert").getByText("Decided elsewhere: approved by Ann at").waitFor();
  await dialog(page, "Reject this call?").getByRole("button", { name: /^Reject: Decided elsewhere/ }).press("Enter");
  await page.keyboard.press("Escape");
  await card(page).getByText("Decided elsewhere: approved by Ann at").waitFor();
  assert.equal(await card(page).getByRole("button", { name: "Approve…", exact: true }).count(), 0);
  assert.deepEqual((await shop.approval(approval.id)).decisions.map((each) => each.decision), ["approve"]);
});

test("new ones appear by themselves, and none that is looked at moves", async () => {
  const shop = await Shop.open(at.gateway);
  await shop.parked('{"order_id":1,"cents":1}');
  const page = await approver(shop);
  await row(page).first().waitFor();
  await shop.parked('{"order_id":2,"cents":2}');
  await row(page).nth(1).waitFor();
  assert.match(await row(page).first().innerText(), /"order_id":1/);
  assert.match(await page.title(), /^\(2\) Approvals/);
});

test("everything goes by keyboard, and no single key decides anything", async () => {
  const shop = await Shop.open(at.gateway);
  const [one, two] = [await shop.parked('{"order_id":1,"cents":1}'), await shop.parked('{"order_id":2,"cents":2}')];
  const page = await at.visit("/console/approvals");
  // The key is typed, the way there is Tab alone.
  for (let presses = 0; (await page.evaluate(() => document.activeElement?.getAttribute("type"))) !== "password"; presses += 1) {
    assert.ok(presses < 40, "Tab reaches the field for the key");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.insertText(shop.keys.approver);
  await page.keyboard.press("Enter");
  await row(page).nth(1).waitFor();

  const focused = (text) => page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted), text);
  await page.keyboard.press("j");
  await focused('"order_id":2');
  await page.keyboard.press("k");
  await focused('"order_id":1');
  await page.keyboard.press("a");
  await dialog(page, "Approve this call?").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("Escape");
  await dialog(page, "Approve this call?").waitFor({ state: "detached" });
  assert.equal((await shop.approval(one.approval.id)).state, "pending");
  await page.keyboard.press("a");
  await dialog(page, "Approve this call?").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("approved. It has not run yet").waitFor();
  assert.equal((await shop.approval(one.approval.id)).state, "approved");

  // The next one is chosen and has the focus.
  await focused('"order_id":2');
  await page.keyboard.press("r");
  await dialog(page, "Reject this call?").waitFor();
  await page.keyboard.insertText("a, r and e are letters here");
  await page.keyboard.press("Control+Enter");
  const rejected = await until("it is rejected", async () => {
    const read = await shop.approval(two.approval.id);
    return read.state === "rejected" && read;
  });
  assert.equal(rejected.decisions[0].reason, "a, r and e are letters here");

  await dialog(page, "Reject this call?").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await dialog(page, "Keys of the inbox").getByRole("switch", { name: "Single keys" }).click();
  await page.keyboard.press("Escape");
  await shop.parked('{"order_id":3,"cents":3}');
  await row(page, /"order_id":3/).click();
  await page.keyboard.press("a");
  assert.equal(await page.getByRole("dialog").count(), 0, "single keys are off");
});

test("a key that comes before the last drawing has settled leads to its row all the same", async () => {
  const shop = await Shop.open(at.gateway);
  for (const n of [1, 2]) await shop.parked(`{"order_id":${n},"cents":1}`);
  const page = await approver(shop);
  await row(page).nth(1).waitFor();
  // Selecting draws at once, and what follows a drawing comes with the next frame: the key is between the two.
  await page.evaluate(async () => {
    document.querySelector(".queue input[type=checkbox]").click();
    await Promise.resolve().then(() => undefined);
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('"order_id":2'));
});

test("a link to an approval leads to its page: without a key it asks for one, and opening decides nothing", async () => {
  const shop = await Shop.open(at.gateway);
  const { approval } = await shop.parked();
  const page = await at.visit(new URL(approval.url).pathname);
  assert.equal(new URL(page.url()).pathname, `/console/approvals/${approval.id}`);
  await page.getByRole("heading", { name: "Approval", level: 1 }).waitFor();
  assert.doesNotMatch(await page.content(), /order_id/);
  await page.getByLabel("Key", { exact: true }).fill("tg_approver.nonsense.mac");
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The gateway does not know this key.").waitFor();
  await page.getByLabel("Key", { exact: true }).fill(shop.keys.approver);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await card(page).waitFor();
  await page.reload();
  await card(page).getByRole("button", { name: "Approve…", exact: true }).waitFor();
  assert.equal((await shop.approval(approval.id)).state, "pending");
  await card(page).getByRole("button", { name: "Approve…", exact: true }).click();
  await dialog(page, "Approve this call?").getByRole("button", { name: "Approve" }).click();
  await card(page).getByText("approved, and not finished yet").waitFor();
  await page.goto(`${at.gateway.url}/console/approvals/apr_made-up`);
  await page.getByRole("heading", { name: "No such approval" }).waitFor();
});

test("what was decided stands in the history, with who, when and why", async () => {
  const shop = await Shop.open(at.gateway);
  const [older, newer] = [await shop.parked('{"order_id":1,"cents":1}'), await shop.parked('{"order_id":2,"cents":2}')];
  await shop.org.decide(older.approval.id, { decision: "reject", reason: "An older one." });
  await shop.org.decide(newer.approval.id, { decision: "reject", reason: "Twice the same." });
  const page = await approver(shop, "/console/history");
  await page.getByLabel("State").selectOption("rejected");
  const line = page.getByRole("table").getByRole("row").nth(1);
  assert.match(await line.innerText(), /refund_order[\s\S]*Ann[\s\S]*Twice the same\.[\s\S]*rejected/);
});

test("a key that is revoked is put away, and the page says so", async () => {
  const shop = await Shop.open(at.gateway);
  const short = await shop.org.key({ role: "approver", name: "Cleo" });
  const page = await approver(shop, "/console/approvals", [short.key]);
  await page.getByText("Nothing waits for a decision.").waitFor();
  await shop.org.admin.must(200, "DELETE", `/v1/keys/${short.id}`);
  await page.getByText('The approver key "Cleo" is not valid any more').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem("toolgate.keys")), "[]");
});

test("a key stays in its tab unless it is to be kept on the device", async () => {
  const shop = await Shop.open(at.gateway);
  const person = await at.person();
  const page = await person.page(at.gateway, "/console/approvals", [shop.keys.approver]);
  const second = await person.context.newPage();
  await second.goto(`${at.gateway.url}/console/approvals`);
  await second.getByText("This needs an approver key.").waitFor();
  await second.getByLabel(/^Keep on this device/).check();
  await second.getByLabel("Key", { exact: true }).fill(shop.keys.approver);
  await second.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await second.getByText("Nothing waits for a decision.").waitFor();
  const third = await person.context.newPage();
  await third.goto(`${at.gateway.url}/console/approvals`);
  await third.getByText("Nothing waits for a decision.").waitFor();
  await signIn(page, shop.keys.caller);
  await page.getByRole("button", { name: "Keys (2)" }).click();
  await dialog(page, "Keys").getByRole("button", { name: "Forget the caller key caller" }).click();
  await dialog(page, "Keys").getByText("caller", { exact: true }).waitFor({ state: "detached" });
});
