// The pages with the network cut to everything but the gateway: the main paths of chat and console, and nothing was even tried beside it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, test } from "node:test";

import { definition } from "../end_to_end/support/org.mjs";
import { barrier, say } from "./support/chatting.mjs";
import { Cut } from "./support/cut.mjs";
import { Demo, drawnChart } from "./support/demo.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

let demo, cut;
const at = people({
  ready: async () => {
    demo = await Demo.open(at.gateway);
    cut = await Cut.around(at.gateway);
  },
  stop: () => cut.stop(),
});
afterEach(() => {
  cut.passed = [];
  cut.refused = [];
});

/** A person who can reach the gateway, and nothing else. */
const alone = (path, keys = []) => at.visit(path, keys, { flags: cut.flags });
function assertAlone() {
  assert.deepEqual(cut.refused, []);
  assert.ok(cut.passed.some((line) => /^GET .*\/assets\//.test(line)) && cut.passed.some((line) => / .*\/v1\//.test(line)), "what the page shows came through the proxy");
}

test("the network is cut: no other port of this machine, no name, no datagram", async () => {
  let seen = 0;
  const other = createServer((_, answer) => {
    seen += 1;
    answer.end("reached");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const somebody = await at.person({ flags: cut.flags });
    const page = await somebody.context.newPage();
    const tried = async (url) => (await page.goto(url).catch(() => undefined))?.status();
    assert.equal(await tried(`${at.gateway.url}/healthz`), 200);
    const port = other.address().port;
    for (const url of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, "http://toolgate.example/"]) assert.equal(await tried(url), 403, url);
    assert.equal(await tried("https://toolgate.example/"), undefined);
    assert.equal(seen, 0);
    for (const line of [`GET http://127.0.0.1:${port}/`, "GET http://toolgate.example/", "CONNECT toolgate.example:443"]) assert.ok(cut.refused.includes(line), `${line} is not in ${cut.refused.join()}`);
    // The one that failed last would get in the way.
    const fresh = await somebody.context.newPage();
    await fresh.goto(`${at.gateway.url}/healthz`);
    const candidates = await fresh.evaluate(async () => {
      const found = [];
      const peer = new RTCPeerConnection();
      peer.createDataChannel("x");
      peer.onicecandidate = ({ candidate }) => candidate && found.push(candidate.candidate);
      await peer.setLocalDescription(await peer.createOffer());
      while (peer.iceGatheringState !== "complete") await new Promise((resolve) => peer.addEventListener("icegatheringstatechange", resolve, { once: true }));
      return found;
    });
    assert.deepEqual(candidates.filter((each) => / udp /i.test(each)), []);
  } finally {
    other.close();
    other.closeAllConnections();
  }
});

test("chat: signing in, a chart and a map", async () => {
  const page = await alone("/chat");
  await page.getByRole("heading", { name: "Chat with an agent" }).waitFor();
  await page.getByRole("main").getByLabel("Key", { exact: true }).fill(demo.keys.TOOLGATE_PERMITS_KEY);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Demo model: no language model answers here").waitFor();
  await say(page, "Draw a bar chart of how many permits there are per district");
  const drawn = await drawnChart(page);
  assert.equal(drawn.filled.length, 10);
  assert.ok(drawn.texts.includes("Quarry Heights"));
  await page.getByText(/The user sees it now/).first().waitFor();
  await say(page, "Where are the top 5 permits by cost? Show a map");
  await page.locator("path.map-point").nth(4).waitFor();
  await page.getByRole("list", { name: "Places of the map" }).getByRole("button").first().click();
  await page.locator(".leaflet-popup-content").getByText(/district:/).waitFor();
  assertAlone();
});

const TOOLS = [definition("refund_order", "consequential", { description: "Give the money of an order back.", input: { order_id: "integer" }, permissions: ["refunds:write"] })];

test("chat and console: an approval beside the conversation, one in the inbox, edited", async () => {
  const shop = await Shop.open(at.gateway, { tools: TOOLS });
  const { key } = await shop.org.key({ role: "agent", name: "chat", agent: "bot", principal: { id: "u1", tenant_id: "t1", permissions: ["refunds:write"] } });
  const page = await alone("/chat", [key, shop.keys.approver]);
  await say(page, "Please refund order 12345");
  await barrier(page).getByRole("button", { name: /^Approve/ }).click();
  await shop.work('"refunded"');
  await page.getByRole("article", { name: "Assistant" }).getByText(/^Demo model: .*refunded/s).first().waitFor();

  await shop.parked('{"order_id":7}');
  const inbox = await alone("/console/approvals");
  await inbox.getByLabel("Key", { exact: true }).fill(shop.keys.approver);
  await inbox.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await inbox.getByRole("button", { name: "Edit and approve…" }).click();
  const asked = inbox.getByRole("dialog", { name: "Edit and approve" });
  await asked.getByLabel("Arguments to send instead").fill('{"order_id":8}');
  await asked.getByRole("button", { name: /Approve with these arguments/ }).click();
  await inbox.getByRole("status").getByText("approved. It has not run yet").waitFor();
  assert.deepEqual((await shop.work()).arguments, { order_id: 8 });
  await inbox.getByRole("article").getByText("succeeded").waitFor();
  assertAlone();
});

test("console: every page of it opens", async () => {
  const page = await alone("/console", [demo.keys.TOOLGATE_ADMIN_KEY]);
  const links = page.getByRole("navigation", { name: "Console" }).getByRole("link");
  const names = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.ok(names.length >= 8, names.join());
  for (const path of [...names, "/console/tools/create_map", "/console/agents/permits", "/console/pools/shipped"]) {
    await page.goto(`${at.gateway.url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.getByRole("alert").count(), 0, path);
  }
  assertAlone();
});
