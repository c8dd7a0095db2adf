// The whole path offline, as scripts/dev shows it: no model is named, so the demo model picks a tool, a person approves, the code runs.
import assert from "node:assert/strict";
import { test } from "node:test";

import { definition } from "../end_to_end/support/org.mjs";
import { barrier, say } from "./support/chatting.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

const at = people();

const TOOLS = [
  definition("get_order_status", "read_only", { description: "Look up the status of an order.", input: { order_id: "integer" } }),
  definition("refund_order", "consequential", { description: "Give the money of an order back.", input: { order_id: "integer" }, permissions: ["refunds:write"] }),
];

test("the demo model is labelled wherever it speaks, and what it calls waits for a person", async () => {
  const shop = await Shop.open(at.gateway, { tools: TOOLS });
  const { key } = await shop.org.key({ role: "agent", name: "chat", agent: "bot", principal: { id: "u1", tenant_id: "t1", permissions: ["refunds:write"] } });
  const page = await at.visit("/chat", [key, shop.keys.approver]);
  await page.getByText("Demo model: no language model answers here").waitFor();
  const answers = page.getByRole("article", { name: "Assistant" });

  await say(page, "What is the status of order 12345?");
  const job = await shop.worker.job();
  assert.deepEqual([job.tool, job.arguments], ["get_order_status", { order_id: 12345 }]);
  await shop.worker.result(job.claim, '{"status":"shipped"}');
  await answers.getByText(/^Demo model: .*shipped/s).first().waitFor();

  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByText("Say what you need. The agent").waitFor();
  await say(page, "Please refund order 12345");
  const shown = barrier(page).getByRole("region", { name: "Exactly what refund_order receives" });
  await shown.waitFor();
  assert.match(await shown.innerText(), /"order_id": 12345/);
  await barrier(page).getByRole("button", { name: /^Approve/ }).click();
  await shop.work('"refunded"');
  await answers.getByText(/^Demo model: .*refunded/s).first().waitFor();
  assert.equal(await barrier(page).count(), 0);
  for (const answer of await answers.all()) assert.equal(await answer.getByText("Demo model", { exact: true }).count(), 1, await answer.innerText());
});
