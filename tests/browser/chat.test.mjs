// The chat page in Chromium: what is said, drawn, asked and decided. The agent behind it is played event by event; chat_gateway.test.mjs has the real one.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { until } from "../end_to_end/support/until.mjs";
import { asking, barrier, chatting, field, say, threadOf, turn, words } from "./support/chatting.mjs";
import { activity, AGENT_KEY, APPROVER_KEY, asks, called, CHART, CUT, finished, MAP, result, said } from "./support/played_gateway.mjs";

const at = chatting();
const results = (input) => input.messages.map(({ toolCallId, content }) => [toolCallId, JSON.parse(content)]);

test("an answer streams in, and stands in the list of conversations", async () => {
  const page = await at.chat({ scripts: [said("a1", "Hello **there**.")] });
  await say(page, "Hi");
  await words(page, "there").waitFor();
  assert.equal(await page.getByRole("article", { name: "You" }).innerText(), "Hi");
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /^Hi/ }).waitFor();
  assert.match(page.url(), /\/chat\/th_[0-9a-f]+$/);
  assert.deepEqual(at.gateway.inputs[0].tools.map(({ name }) => name), ["get_current_location"]);
  assert.equal(at.gateway.inputs[0].protocolVersion, "1.0");
});

test("a chart appears, drawn, with its numbers as a table", async () => {
  const page = await at.chat({ scripts: [[...called("c1", "create_chart"), result("c1", "Chart created."), activity("c1", "application/json+echart", CHART)]] });
  await say(page, "Permits");
  const svg = page.locator(".chart svg");
  await svg.getByText("Permits by year").waitFor();
  const drawn = await svg.evaluate((root) => ({ texts: [...root.querySelectorAll("text")].map((text) => text.textContent), shapes: root.querySelectorAll("path").length, width: root.clientWidth }));
  for (const text of ["2021", "2024", "issued", "refused"]) assert.ok(drawn.texts.includes(text), text);
  assert.ok(drawn.shapes > 8 && drawn.width > 300, JSON.stringify(drawn));
  await page.getByText("The numbers as a table").click();
  const rows = await page.getByRole("region", { name: "Permits by year" }).getByRole("row").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split(/\t/).map((cell) => cell.trim())), [["Category", "issued", "refused"], ["2021", "120", "12"], ["2022", "190", "25"], ["2023", "150", "18"], ["2024", "230", "9"]]);
});

test("a map appears without any tile, and its places are reached by keyboard", async () => {
  const page = await at.chat({ scripts: [[...called("c1", "create_map"), result("c1", "Map created."), activity("c1", "application/json+leaflet", MAP)]] });
  await say(page, "Depots");
  await page.locator("path.map-area").waitFor();
  assert.equal(await page.locator("path.map-point").count(), 2);
  assert.ok((await page.locator("path.map-net").count()) > 4);
  assert.equal(await page.locator(".map img").count(), 0);
  await page.getByText("13.4°E").waitFor();
  const places = page.getByRole("list", { name: "Places of the map" });
  await places.getByRole("button", { name: /^North depot/ }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".leaflet-popup-content").getByText("Open till 18:00").waitFor();
});

test("tiles come from the server that the operator names, with its attribution", async () => {
  at.gateway.tiles = { url: `${at.gateway.url}/assets/{z}-{x}-{y}.png`, attribution: "© <b>Somebody</b>" };
  const page = await at.chat({ scripts: [[...called("c1", "create_map"), result("c1", "Map created."), activity("c1", "application/json+leaflet", MAP)]] });
  await say(page, "Depots");
  await page.locator("img.leaflet-tile").first().waitFor({ state: "attached" });
  await page.getByText("© <b>Somebody</b>").waitFor();
  assert.equal(await page.locator("path.map-net").count(), 0);
  assert.match(await page.locator("img.leaflet-tile").first().getAttribute("src"), /\/assets\/\d+-\d+-\d+\.png$/);
  at.gateway.tiles = null;
});

test("an activity that nobody draws is shown as JSON, and one that is broken says why", async () => {
  const broken = [["application/json+echart", { series: [{ type: "gauge" }] }, /type "gauge" is not drawn/], ["application/json+leaflet", { center: [13.4, 152.5], features: [] }, "ok"], ["application/json+leaflet", { center: [152.5, 13.4], features: [] }, /not on the earth/]];
  const page = await at.chat({ scripts: [[activity("x1", "application/x-seats", { row: 7 }), ...broken.map(([type, content], at) => activity(`b${at}`, type, content))]] });
  await say(page, "Seats");
  await page.getByText("This page has no drawing for application/x-seats").waitFor();
  assert.match(await page.getByRole("region", { name: "Activity of the type application/x-seats" }).innerText(), /"row": 7/);
  await page.getByText(broken[0][2]).waitFor();
  await page.getByText(broken[2][2]).waitFor();
  assert.equal(await page.locator(".map").count(), 1, "the one that is on the earth is drawn");
});

test("the location is given where the user allows it", async () => {
  const page = await at.chat({ permissions: ["geolocation"], geolocation: { latitude: 52.5, longitude: 13.4, accuracy: 20 }, scripts: [[...called("c1", "get_current_location"), asks("c1")], said("a2", "You are in Berlin.")] });
  await say(page, "Where am I?");
  await words(page, "You are in Berlin.").waitFor();
  assert.deepEqual(results(at.gateway.inputs[1]), [["c1", { latitude: 52.5, longitude: 13.4, accuracy_m: 20 }]]);
  assert.equal(at.gateway.inputs[1].messages.length, 1, "only the new result goes out");
});

test("a location that is denied is a result, not a failure", async () => {
  const page = await at.chat({ scripts: [[...called("c1", "get_current_location"), asks("c1")], said("a2", "Never mind.")] });
  await say(page, "Where am I?");
  await words(page, "Never mind.").waitFor();
  assert.deepEqual(results(at.gateway.inputs[1]), [["c1", { error: "the user does not allow this page to know the location" }]]);
});

test("a tool that is off is not advertised, and the switches are kept", async () => {
  const page = await at.chat({ scripts: [said("a1", "One."), said("a2", "Two."), said("a3", "Three.")] });
  const advertised = (number) => at.gateway.inputs[number].tools.map(({ name }) => name);
  await turn(page, "get_current_location", false);
  await say(page, "1");
  await words(page, "One.").waitFor();
  assert.deepEqual(advertised(0), []);
  await page.reload();
  await turn(page, "request_user_approval", true);
  await say(page, "2");
  await words(page, "Two.").waitFor();
  assert.deepEqual(advertised(1), ["request_user_approval"]);
  await turn(page, "get_current_location", true);
  await say(page, "3");
  await words(page, "Three.").waitFor();
  assert.deepEqual(advertised(2), ["get_current_location", "request_user_approval"]);
});

const ASKED = [...called("c1", "request_user_approval", '{"action":"Send the letter","details":"To Ms. Lind"}'), asks("c1")];

test("the assistant asks, and yes and no go back as decisions", async () => {
  const page = await at.chat({ scripts: [ASKED, said("a2", "Sent."), [...called("c2", "request_user_approval", '{"action":"Send it again"}'), asks("c2")], said("a3", "Left.")] });
  await turn(page, "request_user_approval", true);
  await say(page, "Write to her");
  assert.match(await asking(page).innerText(), /Send the letter[\s\S]*To Ms. Lind/);
  await asking(page).getByRole("button", { name: "Yes, go on" }).click();
  await words(page, "Sent.").waitFor();
  assert.equal(await field(page).evaluate((element) => element === document.activeElement), true, "the focus is back where one writes");
  await say(page, "Again");
  await asking(page).getByRole("button", { name: /^No/ }).click();
  await words(page, "Left.").waitFor();
  assert.deepEqual([results(at.gateway.inputs[1]), results(at.gateway.inputs[3])], [[["c1", { decision: "approved" }]], [["c2", { decision: "rejected" }]]]);
  assert.equal(await asking(page).count(), 0);
});

test("the question stays in its own conversation and is there again after a reload", async () => {
  const page = await at.chat({ scripts: [ASKED] });
  await turn(page, "request_user_approval", true);
  await say(page, "Write to her");
  await asking(page).waitFor();
  const thread = threadOf(page);
  at.gateway.thread(thread, {
    state: "waiting_client",
    messages: [{ id: "u1", role: "user", content: "Write to her" }, { id: "m-c1", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "request_user_approval", arguments: '{"action":"Send the letter"}' } }] }],
    pending: { client_calls: [{ toolCallId: "c1", name: "request_user_approval", arguments: '{"action":"Send the letter"}' }], interrupts: [] },
    rounds: 1,
  });
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByText("Say what you need. The agent").waitFor();
  assert.equal(await asking(page).count(), 0);
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: /Write to her/ }).click();
  await asking(page).waitFor();
  await page.reload();
  await asking(page).waitFor();
  at.gateway.scripts.push(said("a2", "Sent."));
  await asking(page).getByRole("button", { name: "Yes, go on" }).click();
  await words(page, "Sent.").waitFor();
  assert.deepEqual(results(at.gateway.inputs.at(-1)), [["c1", { decision: "approved" }]]);
});

test("after five rounds the calls that are left get an error, and no tool is advertised", async () => {
  const page = await at.chat({ scripts: [...[1, 2, 3, 4, 5, 6].map((number) => [...called(`c${number}`, "get_current_location"), asks(`c${number}`)]), said("end", "Enough.")] });
  await say(page, "On and on");
  await words(page, "Enough.").waitFor();
  assert.equal(at.gateway.inputs.length, 7);
  assert.deepEqual(results(at.gateway.inputs[6]), [["c6", { error: "round limit reached" }]]);
  assert.deepEqual(at.gateway.inputs.map(({ tools }) => tools.length), [1, 1, 1, 1, 1, 1, 0]);
});

const ARGS = '{"order_id":9007199254740993,"cents":1200}';
const parked = (id) => [...called("c1", "refund_order", ARGS), { type: "CUSTOM", name: "toolgate.call", value: { toolCallId: "c1", call: `call_${id}`, tool: "refund_order", side_effect: "consequential", state: "waiting_approval" } }, finished({ type: "interrupt", interrupts: [at.gateway.parked(id, "c1", ARGS)] })];
const refunded = [result("c1", '{"refunded":true}'), ...said("a2", "Refunded.")];

test("the gateway's card approves, with exactly what is sent", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], scripts: [parked("apr_1"), refunded] });
  await say(page, "Refund it");
  const shown = barrier(page).getByRole("region", { name: "Exactly what refund_order receives" });
  await shown.waitFor();
  assert.match(await shown.innerText(), /9007199254740993/);
  assert.match(await barrier(page).innerText(), /consequential/);
  assert.equal(at.gateway.inputs.length, 1);
  await barrier(page).getByRole("button", { name: /^Approve/ }).click();
  await words(page, "Refunded.").waitFor();
  assert.equal(at.gateway.approvals.get("apr_1").state, "approved");
  assert.deepEqual([at.gateway.inputs[1].messages, at.gateway.inputs[1].resume], [[], [{ interruptId: "apr_1", status: "resolved" }]]);
  assert.equal(await barrier(page).count(), 0);
});

test("the gateway's card rejects with a reason", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], scripts: [parked("apr_2"), [{ type: "CUSTOM", name: "toolgate.call", value: { toolCallId: "c1", call: "call_apr_2", tool: "refund_order", side_effect: "consequential", state: "rejected" } }, result("c1", "A person rejected this call, so it did not run. Wrong account"), ...said("a2", "It was rejected.")]] });
  await say(page, "Refund it");
  await barrier(page).getByRole("button", { name: /^Reject/ }).click();
  await barrier(page).getByLabel("Why not").fill("Wrong account");
  await page.keyboard.press("Enter");
  await words(page, "It was rejected.").waitFor();
  assert.equal(at.gateway.approvals.get("apr_2").decisions[0].reason, "Wrong account");
  assert.equal(await page.locator(".call > summary .badge.bad").innerText(), "rejected");
});

test("without an approver's key the page says where it is decided, and goes on when it was", async () => {
  const page = await at.chat({ scripts: [parked("apr_3"), refunded] });
  await say(page, "Refund it");
  assert.equal(await barrier(page).getByRole("link", { name: "this approval" }).getAttribute("href"), "/console/approvals/apr_3");
  assert.equal(await barrier(page).getByRole("button").count(), 0);
  at.gateway.change(() => {
    at.gateway.approvals.get("apr_3").state = "approved";
    at.gateway.calls.get("call_apr_3").state = "succeeded";
  });
  await words(page, "Refunded.").waitFor();
});

test("a message can be said while the gateway's card waits", async () => {
  const waits = parked("apr_4");
  const page = await at.chat({ scripts: [waits, [...said("a2", "It still waits."), waits.at(-1)]] });
  await say(page, "Refund it");
  await barrier(page).waitFor();
  await say(page, "And?");
  await words(page, "It still waits.").waitFor();
  await barrier(page).waitFor();
});

test("two browsers look at one card: the second one sees what the first decided", async () => {
  const first = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], scripts: [parked("apr_5")] });
  await say(first, "Refund it");
  await barrier(first).getByRole("button", { name: /^Approve/ }).waitFor();
  const thread = threadOf(first);
  const interrupt = parked("apr_5").at(-1).outcome.interrupts[0];
  const before = [{ id: "u1", role: "user", content: "Refund it" }, { id: "m-c1", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "refund_order", arguments: ARGS } }] }];
  at.gateway.thread(thread, { state: "waiting_approval", messages: before, pending: { client_calls: [], interrupts: [interrupt] } });
  const second = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], path: `/chat/${thread}` });
  await barrier(second).getByRole("button", { name: /^Approve/ }).waitFor();
  // Whichever resumes first has the run; the other one is told that the thread is busy, and then finds the thread done.
  at.gateway.scripts.push(() => {
    at.gateway.thread(thread, { state: "idle", messages: [...before, { id: "result-c1", role: "tool", toolCallId: "c1", content: "{}" }, { id: "a2", role: "assistant", content: "Refunded." }], pending: { client_calls: [], interrupts: [] } });
    return refunded;
  }, { status: 409, code: "thread_busy", title: "Busy", detail: "Another run of this thread is under way." });
  await barrier(second).getByRole("button", { name: /^Approve/ }).click();
  for (const page of [first, second]) {
    await words(page, "Refunded.").waitFor();
    await until("the card is gone", async () => (await barrier(page).count()) === 0);
  }
  assert.equal(at.gateway.approvals.get("apr_5").decisions.length, 1);
});

test("a decision that was made elsewhere meanwhile is said, not repeated", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], scripts: [parked("apr_6")] });
  await say(page, "Refund it");
  const approve = barrier(page).getByRole("button", { name: /^Approve/ });
  await approve.waitFor();
  const approval = at.gateway.approvals.get("apr_6");
  // The page has not looked again; the call is not told to be decided yet.
  Object.assign(approval, { state: "rejected", decisions: [{ at: "2026-01-01T00:00:00Z", by: "Bob", decision: "reject", key: "k", reason: "no" }] });
  await approve.click();
  await barrier(page).getByText("It is rejected by Bob, decided elsewhere").waitFor();
});

test("a run that fails is shown with its reason, and the next message goes on", async () => {
  const page = await at.chat({ scripts: [[...said("a1", "I begin"), { type: "RUN_ERROR", message: "The model did not answer in time.", code: "model_unavailable" }], [...said("a2", "half"), CUT], { status: 409, code: "thread_busy", title: "Busy", detail: "Another run of this thread is under way." }, said("a3", "Well again.")] });
  await say(page, "One");
  await page.getByRole("alert").getByText("The model did not answer in time.").waitFor();
  await say(page, "Two");
  await page.getByRole("alert").getByText(/cannot be reached|ended before the run did/).waitFor();
  await say(page, "Three");
  await page.getByRole("alert").getByText("Another run of this thread is under way.").waitFor();
  assert.equal(await field(page).inputValue(), "Three", "what was not taken is the user's again");
  await field(page).press("Enter");
  await words(page, "Well again.").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("stop ends a run", async () => {
  const page = await at.chat({ scripts: [[...said("a1", "It takes long"), new Promise(() => undefined)]] });
  await say(page, "Go");
  await words(page, "It takes long").waitFor();
  at.gateway.thread(threadOf(page), { state: "idle", messages: [{ id: "u", role: "user", content: "Go" }, { id: "a1", role: "assistant", content: "It takes long" }] });
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped. What the gateway had begun").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await page.getByRole("button", { name: "Send" }).waitFor();
});

test("reasoning, offer, grounding and calls are there for who wants to know", async () => {
  const offer = { tools: [{ name: "get_order", score: 12, tokens: 80, added: true, reasons: [{ part: "keyword", what: "order", points: 12 }] }], left_out: [{ name: "set_note", reason: "write_not_enabled", score: 3 }], budget_tokens: 4000, used_tokens: 80 };
  at.gateway.model = { label: "Demo", demo: true };
  const page = await at.chat({
    path: "/chat?context_type=order&context_id=7",
    scripts: [[
      { type: "CUSTOM", name: "toolgate.grounding", value: { context_type: "order", context_id: "7", digest: [{ label: "Customer", value: "Lind" }] } },
      { type: "CUSTOM", name: "toolgate.offer", value: offer },
      { type: "REASONING_START", messageId: "s1" }, { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" }, { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "It is about an order." }, { type: "REASONING_MESSAGE_END", messageId: "r1" }, { type: "REASONING_END", messageId: "s1" },
      ...called("c1", "get_order", '{"order_id":9007199254740993}', "m1"),
      { type: "CUSTOM", name: "toolgate.call", value: { toolCallId: "c1", call: "call_9", tool: "get_order", side_effect: "read_only", state: "queued" } },
      result("c1", '{"total":1e400,"id":12345678901234567890}'),
      ...said("m2", "Demo model: it is there.", { model: "Demo", demo: true }),
    ]],
  });
  await say(page, "What is it?");
  await words(page, "Demo model: it is there.").waitFor();
  assert.deepEqual(at.gateway.inputs[0].forwardedProps, { toolgate: { context: { context_type: "order", context_id: "7" } } });
  await page.getByText("Demo model: no language model answers here").waitFor();
  await page.getByText("About order 7").click();
  await page.getByText("Lind").waitFor();
  await page.getByText("Reasoning", { exact: true }).click();
  await page.getByText("It is about an order.").waitFor();
  await page.getByText("1 tool was offered in this turn").click();
  await page.getByText("a keyword: order +12").waitFor();
  await page.getByText(/set_note, writes are not enabled for the agent/).waitFor();
  await page.getByText("Tool get_order").click();
  assert.match(await page.getByRole("region", { name: "Arguments of get_order" }).innerText(), /9007199254740993/);
  assert.match(await page.getByRole("region", { name: "Result of get_order" }).innerText(), /1e400[\s\S]*12345678901234567890/);
  assert.equal(await page.getByRole("link", { name: "This call in the console" }).getAttribute("href"), "/console/calls/call_9");
});

test("a screen that is about no one thing is named without an id", async () => {
  const page = await at.chat({ path: "/chat?context_type=dashboard", scripts: [[{ type: "CUSTOM", name: "toolgate.grounding", value: { context_type: "dashboard", digest: [{ label: "Open orders", value: "3" }] } }, ...said("a1", "Three are open.")]] });
  await say(page, "How much is open?");
  await words(page, "Three are open.").waitFor();
  assert.deepEqual(at.gateway.inputs[0].forwardedProps, { toolgate: { context: { context_type: "dashboard" } } });
  await page.getByText("About dashboard").click();
  await page.getByText("Open orders").waitFor();
});

test("a conversation that is begun pushes none out of the list of many", async () => {
  const said_at = (second) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  for (let number = 1; number <= 25; number += 1) at.gateway.thread(`t-${number}`, { title: `Talk ${number}`, updated_at: said_at(number) });
  const page = await at.chat({ scripts: [said("a1", "Hello.")] });
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: /^Talk 25 / }).waitFor();
  await say(page, "The newest");
  await words(page, "Hello.").waitFor();
  await list.getByRole("link", { name: /^The newest/ }).waitFor();
  await list.getByRole("button", { name: "Older ones" }).click();
  await list.getByRole("link", { name: /^Talk 1 / }).waitFor();
  const titles = await list.getByRole("listitem").locator(".title").allInnerTexts();
  assert.deepEqual(titles, ["The newest", ...Array.from({ length: 25 }, (_, before) => `Talk ${25 - before}`)]);
  assert.equal(await list.getByRole("button", { name: "Older ones" }).count(), 0);
});

test("conversations are paged, renamed, and deleted after a question", async () => {
  for (let number = 1; number <= 25; number += 1) at.gateway.thread(`t-${number}`, { title: `Talk ${number}`, messages: [{ id: `u${number}`, role: "user", content: `Number ${number}` }] });
  const page = await at.chat();
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: /^Talk 25 / }).waitFor();
  assert.equal(await list.getByRole("listitem").count(), 20);
  await list.getByRole("button", { name: "Older ones" }).click();
  await list.getByRole("link", { name: /^Talk 1 / }).click();
  await page.getByText("Number 1", { exact: true }).waitFor();
  await list.getByRole("button", { name: "Rename Talk 1", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("The first");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await until("it has its new title", async () => at.gateway.threads.get("t-1").title === "The first");
  await list.getByRole("button", { name: "Delete The first", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.ok(at.gateway.threads.has("t-1"));
  await list.getByRole("button", { name: "Delete The first", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The conversation was deleted.").waitFor();
  assert.ok(!at.gateway.threads.has("t-1"));
  assert.equal(new URL(page.url()).pathname, "/chat");
  await page.goto(`${at.gateway.url}/chat/t-1`);
  await page.getByText("This conversation is not there").waitFor();
});

test("a screen reader hears whole messages, and none of their pieces", async () => {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const end = { type: "TEXT_MESSAGE_END", messageId: "a1" };
  const page = await at.chat({ scripts: [[...said("a1", "It is ").slice(0, 2), gate.then(() => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: "whole." })), end]] });
  const heard = page.getByRole("log", { name: "What was said" });
  await say(page, "Speak");
  await page.getByRole("article", { name: "Assistant" }).getByText("It is").waitFor();
  assert.equal(await heard.innerText(), "");
  open();
  await heard.getByText("It is whole.").waitFor();
  assert.equal(await heard.getAttribute("aria-live"), "polite");
});

test("the first load is at most 60 KB, charts and maps apart", async () => {
  const { gzipSync } = await import("node:zlib");
  const page = await at.chat();
  const files = await page.evaluate(() => [...new Set(performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith("/assets/")))]);
  const sizes = await Promise.all(["/index.html", ...files].map(async (file) => gzipSync(await readFile(new URL(`../../console/dist${file}`, import.meta.url)), { level: 9 }).length));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(files.length >= 4 && !files.some((file) => /draw(Chart|Map)/.test(file)), files.join(" "));
  assert.ok(whole <= 60 * 1024, `${whole} bytes`);
});
