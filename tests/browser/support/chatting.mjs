// What the tests of the chat page share: pages of it, and how a person uses them.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";

import { wrong } from "../../schemas/agui.mjs";
import { Browser } from "./browser.mjs";
import { AGENT_KEY, PlayedGateway } from "./played_gateway.mjs";

/** Sets a file up: a browser and a played gateway; what no page may do is looked for after each test, and whether what it sent was AG-UI. */
export function chatting() {
  const browser = new Browser();
  const present = [];
  const own = { gateway: undefined, person, chat };
  before(async () => (own.gateway = await PlayedGateway.start()));
  afterEach(async () => {
    own.gateway.scripts = [];
    const inputs = own.gateway.inputs.splice(0);
    own.gateway.threads.clear();
    own.gateway.model = { label: "played", demo: false };
    for (const each of present.splice(0)) {
      await each.mustBeClean();
      await each.close();
    }
    for (const input of inputs) assert.equal(wrong("RunAgentInput", input), undefined, JSON.stringify(input));
  });
  after(async () => {
    await browser.close();
    await own.gateway.stop();
  });

  async function person(look) {
    const somebody = await browser.person(look);
    present.push(somebody);
    return somebody;
  }

  /** A page of the chat, of a person with these keys. */
  async function chat({ path = "/chat", keys = [AGENT_KEY], scripts = [], ...look } = {}) {
    own.gateway.scripts.push(...scripts);
    const somebody = await person(look);
    const page = await somebody.page(own.gateway, path, keys);
    return Object.assign(page, { person: somebody });
  }
  return own;
}

export const field = (page) => page.getByRole("textbox", { name: "Message" });
/** Says something as soon as something can be said. */
export async function say(page, text) {
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  await field(page).fill(text);
  await field(page).press("Enter");
}
/** The last thing that the assistant said. */
export const words = (page, text) => page.getByRole("article", { name: "Assistant" }).getByText(text, { exact: true });
export const threadOf = (page) => decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);
export const asking = (page) => page.getByRole("region", { name: "The assistant asks you" });
export const barrier = (page) => page.getByRole("region", { name: "The gateway requires approval" });

/** Turns a switch of the tools panel. */
export async function turn(page, tool, on) {
  await page.getByRole("button", { name: "Tools", exact: true }).click();
  const knob = page.getByRole("switch", { name: tool });
  if ((await knob.getAttribute("aria-checked")) !== String(on)) await knob.click();
  await page.getByRole("button", { name: "Close", exact: true }).click();
}
