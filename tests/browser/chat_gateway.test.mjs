// The chat page in Chromium against the built gateway: its model is scripted, everything else is as it runs.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Door } from "../end_to_end/support/client.mjs";
import { Internet } from "../end_to_end/support/internet.mjs";
import { definition, Org, PRINCIPAL } from "../end_to_end/support/org.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { MODEL_VARS, ScriptedModel } from "../end_to_end/support/scripted_model.mjs";
import { until } from "../end_to_end/support/until.mjs";
import { asking, barrier, field, say, threadOf, turn, words } from "./support/chatting.mjs";
import { people } from "./support/people.mjs";
import { CHART, MAP } from "./support/played_gateway.mjs";

let internet, model;
const at = people({
  start: async () => {
    internet = await Internet.start();
    model = new ScriptedModel(internet);
    return { internet, vars: MODEL_VARS };
  },
  stop: () => internet.close(),
});

const TOOLS = [
  definition("look", "read_only", { description: "Look an order up.", input: { id: "integer" } }),
  definition("draw", "read_only", { description: "Draw something.", input: { what: "string" } }),
  definition("refund", "consequential", { description: "Refund an order.", input: { id: "integer" } }),
];

async function scene() {
  const org = await Org.make(at.gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(TOOLS.map(({ name }) => name));
  model.forget();
  const { key } = await org.key({ role: "agent", name: "chat", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  return { org, worker, key, approver: org.approver.key };
}
const open = ({ key }, { path = "/chat", keys = [], ...look } = {}) => at.visit(path, [key, ...keys], look);
const call = (name, args = {}) => ({ calls: [{ id: `call_${name}_${model.asked.length}`, name, arguments: args }] });
/** What the model was given last: roles and words. */
const given = (n = -1) => model.asked.at(n).messages.map(({ role, content }) => [role, content]);
const offered = (n = -1) => (model.asked.at(n).tools ?? []).map((tool) => tool.function.name).sort();

/** Serves one job. */
async function serve(worker, result, activity) {
  const job = await worker.job();
  if (job.side_effect !== "read_only") await worker.accept(job.claim);
  if (activity === undefined) await worker.result(job.claim, result);
  else await worker.outcome(job.claim, { result: JSON.parse(result), activity });
  return job;
}

/** Each call on the page: its tool, and the word and the tone of its badge. */
const badges = (page) =>
  page.locator(".call > summary").evaluateAll((all) =>
    all.map((one) => {
      const badge = one.querySelector(".badge");
      return [one.querySelector("strong").textContent, badge.textContent, badge.className.replace("badge ", "")];
    }));

/** What stands on the page, to compare with the same thread after a reload: offers and links are of the moment. */
const standing = (page) => page.locator(".message.user, .markdown, .call > summary, .call pre").allTextContents();

test("words, reasoning and a call behind the gate come in, and stand there after a reload", async () => {
  const stage = await scene();
  model.next({ reasoning: "An order.", text: "Let me look.", ...call("look", '{"id":9007199254740993}') }, { text: "It is **at sea**." });
  const page = await open(stage);
  await say(page, "Where is 9007199254740993?");
  assert.match((await serve(stage.worker, '{"big":18446744073709551615}')).tool, /look/);
  await words(page, "at sea").waitFor();
  await page.getByText("Tool look").click();
  assert.match(await page.getByRole("region", { name: "Arguments of look" }).innerText(), /9007199254740993/);
  assert.match(await page.getByRole("region", { name: "Result of look" }).innerText(), /18446744073709551615/);
  const link = await page.getByRole("link", { name: "This call in the console" }).getAttribute("href");
  assert.equal((await stage.org.call(link.split("/").at(-1))).state, "succeeded");
  await page.getByText(/tools? (was|were) offered in this turn/).click();
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /^Where is 9007199254740993/ }).waitFor();
  const before = await page.getByRole("article").allInnerTexts();
  await page.reload();
  await words(page, "at sea").waitFor();
  assert.equal((await page.getByRole("article").allInnerTexts()).length, before.length);
  // Why it had these tools, and which call of the gateway's this was, is there too.
  await page.getByText("Tool look").click();
  assert.equal(await page.getByRole("link", { name: "This call in the console" }).getAttribute("href"), link);
  await page.getByText(/tools? (was|were) offered in this turn/).click();
  await page.getByText(/^look score \d+/).waitFor();
});

test("charts and maps of a customer's own tools are drawn, now and after a reload", async () => {
  const stage = await scene();
  model.next(call("draw", { what: "permits" }), call("draw", { what: "depots" }), { text: "Both are drawn." });
  const page = await open(stage);
  await say(page, "Draw permits and depots");
  await serve(stage.worker, '"Chart created."', { type: "application/json+echart", content: CHART });
  await serve(stage.worker, '"Map created."', { type: "application/json+leaflet", content: MAP });
  await words(page, "Both are drawn.").waitFor();
  for (let round = 0; round < 2; round += 1) {
    await page.locator(".chart svg").getByText("Permits by year").waitFor();
    await page.locator("path.map-area").waitFor();
    assert.equal(await page.locator("path.map-point").count(), 2);
    await page.reload();
  }
  await page.locator(".chart svg").waitFor();
  const shown = await standing(page);
  assert.equal(shown.filter((text) => text.includes("Tool draw")).length, 2);
});

test("the location goes to the model where it is allowed, and an error where not", async () => {
  const stage = await scene();
  model.next(call("get_current_location"), { text: "Found." }, call("get_current_location"), { text: "Not found." });
  const page = await open(stage, { permissions: ["geolocation"], geolocation: { latitude: 52.5, longitude: 13.4, accuracy: 20 } });
  await say(page, "Where am I?");
  await words(page, "Found.").waitFor();
  assert.deepEqual(JSON.parse(given().at(-1)[1]), { latitude: 52.5, longitude: 13.4, accuracy_m: 20 });
  await page.context().clearPermissions();
  const other = await open(stage);
  await say(other, "Where am I?");
  await words(other, "Not found.").waitFor();
  assert.match(given().at(-1)[1], /does not allow/);
});

test("a question of the assistant survives a reload, stays in its thread, and its answer reaches the model", async () => {
  const stage = await scene();
  model.next(call("request_user_approval", { action: "Send the letter" }), { text: "Sent." });
  const page = await open(stage);
  await turn(page, "request_user_approval", true);
  await say(page, "Write to her");
  await asking(page).getByText("Send the letter").waitFor();
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByText("Say what you need. The agent").waitFor();
  assert.equal(await asking(page).count(), 0);
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /Write to her/ }).click();
  await asking(page).waitFor();
  await page.reload();
  await asking(page).getByRole("button", { name: "Yes, go on" }).click();
  await words(page, "Sent.").waitFor();
  assert.deepEqual(JSON.parse(given().at(-1)[1]), { decision: "approved" });
});

test("a new message answers what was asked before it", async () => {
  const stage = await scene();
  model.next(call("request_user_approval", { action: "Send the letter" }), { text: "Then not." });
  const page = await open(stage);
  await turn(page, "request_user_approval", true);
  await say(page, "Write to her");
  await asking(page).waitFor();
  await say(page, "Forget it");
  await words(page, "Then not.").waitFor();
  assert.equal(await asking(page).count(), 0);
  assert.deepEqual(given().slice(-2), [["tool", '{"error":"superseded by a new message"}'], ["user", "Forget it"]]);
  const before = await standing(page);
  await page.reload();
  await words(page, "Then not.").waitFor();
  assert.deepEqual(await standing(page), before);
});

test("a tool that is off is never told to the model", async () => {
  const stage = await scene();
  model.next({ text: "One." }, { text: "Two." });
  const page = await open(stage);
  await say(page, "1");
  await words(page, "One.").waitFor();
  assert.ok(offered().includes("get_current_location"));
  assert.ok(!offered().includes("request_user_approval"));
  await turn(page, "get_current_location", false);
  await say(page, "2");
  await words(page, "Two.").waitFor();
  assert.ok(!offered().includes("get_current_location"));
});

test("after five rounds the loop ends, and no call is without an answer", async () => {
  const stage = await scene();
  let turns = 0;
  model.always(() => ((turns += 1) > 6 ? { text: "Enough." } : call("get_current_location")));
  const page = await open(stage, { permissions: ["geolocation"], geolocation: { latitude: 1, longitude: 2 } });
  await say(page, "On and on");
  await words(page, "Enough.").waitFor();
  const { body } = await stage.org.key({ role: "agent", name: "look", agent: "bot", principal: JSON.parse(PRINCIPAL) }).then(({ door }) => door.must(200, "GET", `/v1/threads/${threadOf(page)}`));
  const answered = new Map(body.messages.filter(({ role }) => role === "tool").map(({ toolCallId, content }) => [toolCallId, content]));
  const calls = body.messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  assert.equal(calls.filter(({ id }) => /latitude/.test(answered.get(id))).length, 5);
  assert.ok(calls.every(({ id }) => answered.has(id)) && calls.some(({ id }) => answered.get(id) === '{"error":"round limit reached"}'));
});

test("the gateway's card approves exactly these bytes, and the conversation goes on", async () => {
  const stage = await scene();
  model.next(call("refund", '{"id":9007199254740993}'), { text: "Refunded." });
  const page = await open(stage, { keys: [stage.approver] });
  await say(page, "Refund it");
  const shown = barrier(page).getByRole("region", { name: "Exactly what refund receives" });
  await shown.waitFor();
  assert.match(await shown.innerText(), /9007199254740993/);
  assert.deepEqual(await stage.worker.jobs(), [], "nothing is handed out before the decision");
  await barrier(page).getByRole("button", { name: /^Approve/ }).click();
  const poll = await stage.worker.poll({ wait: 15 });
  assert.match(poll.text, /"arguments":\{"id":9007199254740993\}/);
  const [job] = poll.body.jobs;
  await stage.worker.accept(job.claim);
  await stage.worker.result(job.claim, '{"ok":true}');
  await words(page, "Refunded.").waitFor();
  await until("the card is gone", async () => (await barrier(page).count()) === 0);
});

test("the gateway's card rejects, and the model is told why", async () => {
  const stage = await scene();
  model.next(call("refund", { id: 7 }), { text: "Then not." });
  const page = await open(stage, { keys: [stage.approver] });
  await say(page, "Refund it");
  await barrier(page).getByRole("button", { name: /^Reject/ }).click();
  await barrier(page).getByLabel("Why not").fill("Not this customer");
  await page.keyboard.press("Enter");
  await words(page, "Then not.").waitFor();
  assert.match(given().at(-1)[1], /Not this customer/);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await badges(page), [["refund", "rejected", "bad"]]);
    await page.reload();
    await words(page, "Then not.").waitFor();
  }
});

test("a call says how it ended, whatever its result looks like, now and after a reload", async () => {
  const stage = await scene();
  model.next(call("look", { id: 1 }), call("look", { id: 2 }), call("launch_rocket"), { text: "That was all." });
  const page = await open(stage);
  await say(page, "Look twice");
  const job = await stage.worker.job();
  await stage.worker.error(job.claim, { message: "no such order" });
  // A good result that has a member of this name is no error.
  await serve(stage.worker, '{"error":null,"order":2}');
  await words(page, "That was all.").waitFor();
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await badges(page), [["look", "failed", "bad"], ["look", "succeeded", "good"], ["launch_rocket", "refused", "bad"]]);
    await page.reload();
    await words(page, "That was all.").waitFor();
  }
});

test("a parked call survives a reload, and a decision in the inbox ends the waiting", async () => {
  const stage = await scene();
  model.next(call("refund", { id: 7 }), { text: "Refunded." });
  const page = await open(stage);
  await say(page, "Refund it");
  await barrier(page).getByRole("link", { name: "this approval" }).waitFor();
  await page.reload();
  const id = (await barrier(page).getByRole("link", { name: "this approval" }).getAttribute("href")).split("/").at(-1);
  const { digest } = (await stage.org.approver.must(200, "GET", `/v1/approvals/${id}`)).body;
  await stage.org.approver.must(200, "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest });
  await serve(stage.worker, '{"ok":true}');
  await words(page, "Refunded.").waitFor();
});

test("Approve in the inbox, in another browser, lets the waiting conversation go on by itself", async () => {
  const stage = await scene();
  model.next(call("refund", { id: 7 }), { text: "Refunded." });
  // The person who chats holds no approver's key, so nothing on their page can decide.
  const page = await open(stage);
  await say(page, "Refund it");
  await barrier(page).getByRole("link", { name: "this approval" }).waitFor();
  assert.equal(await barrier(page).getByRole("button", { name: /^Approve/ }).count(), 0);
  const inbox = await at.visit("/console/approvals", [stage.approver]);
  const card = inbox.getByRole("article", { name: "Approval of refund" });
  await card.getByRole("button", { name: "Approve…", exact: true }).click();
  await inbox.getByRole("dialog", { name: "Approve this call?" }).getByRole("button", { name: /^Approve/ }).click();
  const job = await serve(stage.worker, '{"refunded":true}');
  assert.deepEqual([job.tool, job.arguments], ["refund", { id: 7 }]);
  await words(page, "Refunded.").waitFor();
  assert.equal(await barrier(page).count(), 0);
  assert.match(given().at(-1)[1], /"refunded":true/, "the model was given the result");
  await card.getByText("succeeded").waitFor();
});

test("two browsers look at one card, and both see what was decided, once", async () => {
  const stage = await scene();
  model.next(call("refund", { id: 7 }), { text: "Refunded." });
  const first = await open(stage, { keys: [stage.approver] });
  await say(first, "Refund it");
  await barrier(first).getByRole("button", { name: /^Approve/ }).waitFor();
  const second = await open(stage, { path: `/chat/${threadOf(first)}`, keys: [stage.approver] });
  await barrier(second).getByRole("button", { name: /^Approve/ }).click();
  await serve(stage.worker, '{"ok":true}');
  for (const page of [first, second]) {
    await words(page, "Refunded.").waitFor();
    await until("the card is gone", async () => (await barrier(page).count()) === 0);
    assert.equal(await page.getByRole("alert").count(), 0);
  }
  assert.deepEqual(await standing(first), await standing(second));
  assert.equal(model.asked.length, 2, "one run went on");
});

test("while a decision is waited for, the conversation can go on", async () => {
  const stage = await scene();
  model.next(call("refund", { id: 7 }), { text: "It waits for a person." });
  const page = await open(stage, { keys: [stage.approver] });
  await say(page, "Refund it");
  await barrier(page).getByRole("button", { name: /^Approve/ }).waitFor();
  await say(page, "What is with it?");
  await words(page, "It waits for a person.").waitFor();
  await barrier(page).getByRole("button", { name: /^Approve/ }).waitFor();
});

test("a model that fails is said, and the next message goes on", async () => {
  const stage = await scene();
  model.next({ status: 500 }, { text: "Half of", cut: true }, { text: "Well again." });
  const page = await open(stage);
  await say(page, "One");
  await page.getByText("The run failed.").waitFor();
  await page.getByRole("alert").getByText("model_").waitFor();
  await say(page, "Two");
  await page.getByRole("alert").getByText("model_stream_cut").waitFor();
  await say(page, "Three");
  await words(page, "Well again.").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("stop leaves the run, and what it had is there", async () => {
  const stage = await scene();
  let end;
  model.next({ text: "It takes long.", hold: new Promise((resolve) => (end = resolve)) }, { text: "Anew." });
  const page = await open(stage);
  await say(page, "Go");
  await words(page, "It takes long.").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped. What the gateway had begun").waitFor();
  end();
  // The thread is free again once the gateway has seen the end.
  await until("a message is taken", async () => {
    await say(page, "Again");
    return words(page, "Anew.").waitFor({ timeout: 2_000 }).then(() => true, () => false);
  });
});

test("a page that is opened while a run is under way shows its end", async () => {
  const stage = await scene();
  let end;
  model.next({ text: "Slowly but surely.", hold: new Promise((resolve) => (end = resolve)) });
  const page = await open(stage);
  await say(page, "Go");
  await words(page, "Slowly but surely.").waitFor();
  const other = await open(stage, { path: `/chat/${threadOf(page)}` });
  await other.getByText("A run of this conversation is under way somewhere else.").waitFor();
  end();
  await words(other, "Slowly but surely.").waitFor();
  await other.getByRole("button", { name: "Send" }).and(other.locator(":not([aria-disabled])")).waitFor();
});

test("an admin makes a key of an agent for a person, and speaks with it", async () => {
  const stage = await scene();
  model.next({ text: "Hello." });
  const page = await at.visit("/chat", [stage.org.admin.key]);
  await page.getByRole("button", { name: "Another agent or person…" }).click();
  const dialog = page.getByRole("dialog", { name: "Speak with an agent" });
  await dialog.getByLabel("Agent", { exact: true }).selectOption("bot");
  await dialog.getByLabel("Person").fill("u9");
  await dialog.getByLabel("Tenant").fill("t9");
  await dialog.getByRole("button", { name: "Make the key" }).click();
  await field(page).waitFor();
  await page.getByRole("combobox", { name: "Agent" }).getByRole("option", { name: "bot for u9" }).waitFor({ state: "attached" });
  await say(page, "Hi");
  await words(page, "Hello.").waitFor();
});

test("every agent of the org can be chosen, however many there are", async () => {
  const stage = await scene();
  // The gateway lists a hundred at a time.
  for (let number = 0; number < 101; number += 1) await stage.org.admin.must(200, "PUT", `/v1/agents/a${String(number).padStart(3, "0")}`, { capabilities: ["bot"] });
  const page = await at.visit("/chat", [stage.org.admin.key]);
  await page.getByRole("button", { name: "Another agent or person…" }).click();
  const options = page.getByRole("dialog", { name: "Speak with an agent" }).getByLabel("Agent", { exact: true }).getByRole("option");
  await options.first().waitFor({ state: "attached" });
  const names = await options.allTextContents();
  assert.deepEqual([names.length, names.at(-1)], [102, "bot"]);
});

test("tools behind the gateway stand in the panel with their class, always on", async () => {
  const stage = await scene();
  const page = await open(stage);
  await page.getByRole("button", { name: "Tools", exact: true }).click();
  const granted = page.getByRole("region", { name: "Behind the gateway" });
  await granted.getByText(/^Always on/).waitFor();
  await granted.getByRole("listitem").first().waitFor();
  const tools = await granted.getByRole("listitem").evaluateAll((all) => all.map((one) => [one.querySelector("strong").textContent, one.querySelector(".badge").textContent]));
  assert.deepEqual(tools.sort(), [["draw", "read_only"], ["look", "read_only"], ["refund", "consequential"]]);
  assert.equal(await granted.getByRole("switch").count(), 0);
  assert.equal(await page.getByRole("region", { name: "Tools", exact: true }).getByRole("switch").count(), 2, "the browser's own have one each");
});

test("a conversation is renamed and deleted, and the gateway has it so", async () => {
  const stage = await scene();
  model.next({ text: "One." });
  const page = await open(stage);
  await say(page, "The order");
  await words(page, "One.").waitFor();
  const thread = threadOf(page);
  const door = new Door(at.gateway, stage.key);
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("button", { name: "Rename The order", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Lind's order");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await list.getByRole("link", { name: /^Lind's order/ }).waitFor();
  assert.equal((await door.must(200, "GET", `/v1/threads/${thread}`)).body.title, "Lind's order");
  await page.reload();
  await words(page, "One.").waitFor();
  await list.getByRole("button", { name: "Delete Lind's order", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The conversation was deleted.").waitFor();
  await until("it is not listed", async () => (await list.getByRole("listitem").count()) === 0);
  assert.equal(new URL(page.url()).pathname, "/chat");
  assert.equal((await door.get(`/v1/threads/${thread}`)).status, 404);
  await page.goto(`${at.gateway.url}/chat/${thread}`);
  await page.getByText("This conversation is not there").waitFor();
  assert.deepEqual((await door.must(200, "GET", "/v1/threads")).body.threads, []);
});

test("a thread of another person is not there", async () => {
  const stage = await scene();
  model.next({ text: "Mine." });
  const page = await open(stage);
  await say(page, "Hi");
  await words(page, "Mine.").waitFor();
  const { key } = await stage.org.key({ role: "agent", name: "other", agent: "bot", principal: { id: "u2", tenant_id: "t1", permissions: [] } });
  const other = await at.visit(`/chat/${threadOf(page)}`, [key]);
  await other.getByText("This conversation is not there").waitFor();
});
