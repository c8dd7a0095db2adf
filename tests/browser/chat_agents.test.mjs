// Somebody who holds the keys of two agents, and goes from one to the other: conversations, tools and switches are each agent's own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Internet } from "../end_to_end/support/internet.mjs";
import { definition, Org, PRINCIPAL } from "../end_to_end/support/org.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { MODEL_VARS, ScriptedModel } from "../end_to_end/support/scripted_model.mjs";
import { field, say, threadOf, turn, words } from "./support/chatting.mjs";
import { people } from "./support/people.mjs";

let internet, model;
const at = people({
  start: async () => {
    internet = await Internet.start();
    model = new ScriptedModel(internet);
    return { internet, vars: MODEL_VARS };
  },
  stop: () => internet.close(),
});

const conversations = (page) => page.getByRole("navigation", { name: "Conversations" });
/** What the panel of tools says: what is behind the gateway, and which of the browser's are on. */
async function tools(page) {
  await page.getByRole("button", { name: "Tools", exact: true }).click();
  const panel = page.getByRole("region", { name: "Tools" });
  await panel.locator("strong").first().waitFor();
  const switches = await panel.getByRole("switch").evaluateAll((knobs) => Object.fromEntries(knobs.map((knob) => [knob.getAttribute("aria-label") ?? knob.textContent, knob.getAttribute("aria-checked") === "true"])));
  const behind = await panel.locator("strong").allInnerTexts();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  return { behind, switches };
}
const offered = () => model.asked.at(-1).tools.map((tool) => tool.function.name).sort();

test("the agent picker goes to the other agent's conversations, tools and switches, and back", async () => {
  const org = await Org.make(at.gateway);
  await new RawWorker(org.worker).register([definition("look", "read_only", { description: "Look an order up." }), definition("count", "read_only", { description: "Count the parcels." })]);
  const keys = [];
  for (const [agent, tool] of [["clerk", "look"], ["packer", "count"]]) {
    await org.grant([tool], { agent });
    keys.push((await org.key({ role: "agent", name: `chat of ${agent}`, agent, principal: JSON.parse(PRINCIPAL) })).key);
  }
  model.next({ text: "The clerk here." }, { text: "The packer here." }, { text: "The clerk again." });
  const page = await at.visit("/chat", keys);
  const picker = page.getByRole("combobox", { name: "Agent" });
  const choose = async (agent) => {
    const value = await picker.getByRole("option", { name: new RegExp(`^${agent} `) }).getAttribute("value");
    await picker.selectOption(value);
    await page.getByRole("heading", { level: 1, name: agent, exact: true }).waitFor();
  };
  await picker.waitFor();
  assert.deepEqual((await picker.getByRole("option").allInnerTexts()).sort(), ["clerk for u1", "packer for u1"]);

  await choose("clerk");
  await turn(page, "request_user_approval", true);
  await turn(page, "get_current_location", false);
  const ofClerk = { behind: ["look"], switches: { get_current_location: false, request_user_approval: true } };
  assert.deepEqual(await tools(page), ofClerk);
  await say(page, "Look for my order");
  await words(page, "The clerk here.").waitFor();
  assert.deepEqual(offered(), ["look", "request_user_approval"]);
  await conversations(page).getByRole("link", { name: /^Look for my order/ }).waitFor();
  const thread = threadOf(page);

  await choose("packer");
  await words(page, "The clerk here.").waitFor({ state: "detached" });
  await conversations(page).getByText("Nothing was said yet.").waitFor();
  assert.equal(await conversations(page).getByRole("listitem").count(), 0);
  assert.deepEqual(await tools(page), { behind: ["count"], switches: { get_current_location: true, request_user_approval: false } });
  await say(page, "Count the parcels");
  await words(page, "The packer here.").waitFor();
  assert.deepEqual(offered(), ["count", "get_current_location"]);
  await conversations(page).getByRole("link", { name: /^Count the parcels/ }).waitFor();
  assert.equal(await conversations(page).getByRole("listitem").count(), 1);
  assert.notEqual(threadOf(page), thread);

  await choose("clerk");
  await words(page, "The packer here.").waitFor({ state: "detached" });
  assert.deepEqual(await tools(page), ofClerk);
  await conversations(page).getByRole("link", { name: /^Look for my order/ }).click();
  await words(page, "The clerk here.").waitFor();
  assert.equal(threadOf(page), thread);
  assert.equal(await conversations(page).getByRole("listitem").count(), 1);
  await field(page).waitFor();
  await say(page, "Look once more");
  await words(page, "The clerk again.").waitFor();
  assert.deepEqual(offered(), ["look", "request_user_approval"]);
});
