// The chat page as it looks and as it is used without a mouse: under axe-core, light, dark and narrow, and by keyboard; and pictures of it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { faultsOf } from "./support/axe.mjs";
import { asking, barrier, chatting, field, say, turn, words } from "./support/chatting.mjs";
import { activity, AGENT_KEY, APPROVER_KEY, called, CHART, finished, MAP, result, said } from "./support/played_gateway.mjs";
import { Screens } from "./support/screens.mjs";

const at = chatting();
const screens = new Screens("chat");

const OFFER = {
  tools: [{ name: "create_chart", score: 340, tokens: 210, added: true, reasons: [{ part: "keyword", what: "chart", points: 220 }, { part: "description", what: "by year", points: 120 }] }],
  left_out: [{ name: "refund_order", score: 0, reason: "no_match" }],
  budget_tokens: 4000,
  used_tokens: 210,
};
const THOUGHT = [{ type: "REASONING_START", messageId: "s1" }, { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" }, { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "Numbers by year: a chart says it best." }, { type: "REASONING_MESSAGE_END", messageId: "r1" }, { type: "REASONING_END", messageId: "s1" }];
const TABLE = "Permits **rose** until 2022, fell a year later, and are at their highest now.\n\n| year | issued | refused |\n| --- | --- | --- |\n| 2023 | 150 | 18 |\n| 2024 | 230 | 9 |\n\nThe figures are those of the [open register](https://register.example/permits).";
const REFUND = '{"order_id":9007199254740993,"cents":1200,"note":"arrived broken"}';

/** Each a conversation, what must be there, and what is done before the look. */
const LOOKS = {
  "chat-chart": {
    ask: "How many permits were issued, year by year?",
    script: () => [{ type: "CUSTOM", name: "toolgate.offer", value: OFFER }, ...THOUGHT, ...called("c1", "create_chart", '{"config":{"series":[]}}', "m1"), result("c1", "Chart created."), activity("c1", "application/json+echart", CHART), ...said("m2", TABLE, { model: "played" })],
    ready: (page) => page.locator(".chart svg").waitFor(),
  },
  "chat-map": {
    ask: "Where are our depots?",
    script: () => [...called("c1", "create_map", '{"data":{}}', "m1"), result("c1", "Map created."), activity("c1", "application/json+leaflet", MAP), ...said("m2", "Both depots lie in zone A.")],
    ready: async (page) => {
      await page.locator("path.map-area").waitFor();
      await page.getByRole("button", { name: /^North depot/ }).click();
      await page.locator(".leaflet-popup-content").waitFor();
    },
  },
  "chat-cards": {
    ask: "Refund the broken lamp of Ms. Lind, and write to her",
    script: () => [...called("c1", "request_user_approval", '{"action":"Send Ms. Lind a letter about her refund","details":"To the address of the order."}', "m1"), ...called("c2", "refund_order", REFUND, "m1"), finished({ type: "interrupt", interrupts: [at.gateway.parked("apr_look", "c2", REFUND)] })],
    ready: (page) => barrier(page).getByRole("button", { name: /^Approve/ }).waitFor(),
  },
  "chat-tools": {
    ask: "What can you do?",
    script: () => said("m1", "I look orders up, refund them when a person agrees, and draw charts and maps."),
    ready: (page) => page.getByRole("button", { name: "Tools", exact: true }).click(),
  },
};

for (const dark of [false, true]) {
  for (const [name, { ask, script, ready }] of Object.entries(LOOKS)) {
    test(`axe-core finds no serious fault: ${name}, ${dark ? "dark" : "light"}`, async () => {
      at.gateway.items = [
        { name: "get_order", description: "Looks an order up.", parameters: {}, metadata: { side_effect: "read_only", pool: "shop", managed_by: "worker" } },
        { name: "refund_order", description: "Refunds part or all of what was paid for an order.", parameters: {}, metadata: { side_effect: "consequential", pool: "shop", managed_by: "worker" } },
      ];
      for (const [number, title] of ["Late parcel of order 1004", "Which suppliers are late?"].entries()) at.gateway.thread(`t-${number}`, { title });
      const page = await at.chat({ dark, keys: [AGENT_KEY, APPROVER_KEY] });
      await turn(page, "request_user_approval", true);
      at.gateway.scripts.push(script());
      await say(page, ask);
      await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: ask }).waitFor();
      await ready(page);
      assert.deepEqual(await faultsOf(page), [], "as it stands");
      await screens.take(page, `${name}-${dark ? "dark" : "light"}`);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      assert.deepEqual(await faultsOf(page), [], "with everything open");
      await page.setViewportSize({ width: 390, height: 780 });
      assert.deepEqual(await faultsOf(page), [], "narrow");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out sideways");
      await screens.take(page, `${name}-narrow-${dark ? "dark" : "light"}`);
    });
  }
}

test("axe-core finds no serious fault where nothing is said, in a dialog, and before the sign-in", async () => {
  at.gateway.thread("t-1", { title: "Late parcel" });
  const page = await at.chat();
  await page.getByText("Say what you need. The agent").waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole("link", { name: /^Late parcel/ }).focus();
  await page.getByRole("button", { name: "Rename Late parcel" }).click();
  assert.deepEqual(await faultsOf(page), []);
  const stranger = await at.chat({ keys: [] });
  await stranger.getByRole("heading", { name: "Chat with an agent" }).waitFor();
  assert.deepEqual(await faultsOf(stranger), []);
});

test("everything can be done by keyboard", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY] });
  const to = async (name) => {
    for (let step = 0; step < 60; step += 1) {
      const here = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
      if (name.test(here)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${name} is not reached`);
  };
  await to(/^Tools$/);
  await page.keyboard.press("Enter");
  await to(/^request_user_approval$/);
  await page.keyboard.press("Space");
  const interrupt = at.gateway.parked("apr_k", "c2", '{"cents":1}');
  at.gateway.scripts.push([...called("c1", "request_user_approval", '{"action":"Go on"}', "m"), ...called("c2", "refund_order", '{"cents":1}', "m"), finished({ type: "interrupt", interrupts: [interrupt] })], [finished({ type: "interrupt", interrupts: [interrupt] })], [result("c2", "1"), ...said("a", "All done.")]);
  await field(page).focus();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Enter");
  await asking(page).waitFor();
  await to(/^Yes, go on/);
  await page.keyboard.press("Enter");
  await barrier(page).getByRole("button", { name: /^Approve/ }).waitFor();
  await to(/^Approve/);
  await page.keyboard.press("Enter");
  await words(page, "All done.").waitFor();
});

screens.mustBeThere();
