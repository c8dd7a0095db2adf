// Where nobody named a model the demo model answers: no network, labelled everywhere, and the path around it is the whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Chat, person } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

test("the demo model says so in its name, in every message, in the capabilities and where agents are read, and calls what fits", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([
    definition("get_order_status", "read_only", { description: "Look up the status of an order.", input: { order_id: "integer" } }),
    definition("refund_order", "consequential", { description: "Give the money of an order back.", input: { order_id: "integer" }, permissions: ["refunds:write"] }),
  ]);
  await org.grant(["get_order_status", "refund_order"]);
  // Ids of calls are the demo's own, and not scripted.
  const chat = new Chat(await person(org, { unseen: ["look", "pay"] }));
  const body = await chat.capabilities();
  assert.deepEqual(body.custom.model, { label: "Demo model", demo: true });
  // Who reads agents is told too, though no model is written there; and it is no part of what is written.
  const { body: one } = await org.admin.must(200, "GET", "/v1/agents/bot");
  assert.deepEqual([one.model, one.chat_model], [undefined, body.custom.model]);
  assert.deepEqual((await org.admin.must(200, "GET", "/v1/agents")).body.agents, [one]);
  assert.equal((await org.admin.put("/v1/agents/bot", { capabilities: ["bot"], chat_model: one.chat_model })).code, "invalid_request");

  const running = chat.say("What is the status of order 12345?");
  const job = await worker.job();
  assert.deepEqual([job.tool, job.arguments], ["get_order_status", { order_id: 12345 }]);
  await worker.result(job.claim, '{"status":"shipped"}');
  const ran = await running;
  assert.deepEqual(ran.outcome, { type: "success" });
  assert.match(ran.text, /shipped/);

  const asked = await chat.say("Please refund order 12345");
  assert.equal(asked.outcome.type, "interrupt", JSON.stringify(asked.events));
  const [interrupt] = asked.outcome.interrupts;
  await org.decide(interrupt.id, { decision: "approve", digest: interrupt.metadata.argsDigest });
  const going = chat.run({ resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }] });
  const paid = await worker.job();
  assert.deepEqual([paid.tool, paid.arguments], ["refund_order", { order_id: 12345 }]);
  await worker.accept(paid.claim);
  await worker.result(paid.claim, '"refunded"');
  assert.deepEqual((await going).outcome, { type: "success" });

  for (const { role, content, metadata } of (await chat.kept()).messages) {
    if (role !== "assistant") continue;
    assert.deepEqual(metadata, { model: "Demo model", demo: true });
    if (content !== undefined) assert.match(content, /^Demo model: /);
  }
  for (const { metadata } of [...ran.of("TEXT_MESSAGE_START"), ...ran.of("TOOL_CALL_START")]) assert.equal(metadata.demo, true);
});
