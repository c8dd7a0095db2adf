// What keeps a call does not answer for a while: its stream goes on, and a client's answer is brought again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { Gateway } from "./support/gateway.mjs";
import { withoutCalls } from "./support/broken_storage.mjs";
import { mcpScene } from "./support/mcp.mjs";

const BROKEN = /a step was undone: storage failed: Error: no such table: calls/;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop({ expects: BROKEN }));

const FORM = { method: "elicitation/create", params: { message: "Which one?", requestedSchema: { type: "object", properties: {} } } };
const ASKS = { result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests: { which: FORM } } } };

const failures = () => gateway.log.split("\n").filter((line) => BROKEN.test(line)).length;

/** The storage fails for this long; it must have been needed meanwhile. */
async function interrupted(millis, meanwhile = async () => undefined) {
  const failed = failures();
  const back = withoutCalls(gateway.storage);
  const done = meanwhile();
  try {
    await pause(millis);
    assert.ok(failures() > failed, "the storage was needed, and failed");
  } finally {
    back();
  }
  return done;
}

test("a stream outlasts a pool that does not answer, tells what happened and is never told to repeat the call", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const session = await mcp.session({ elicitation: {} });
  const opened = session.open("rename", { name: "a" }, { _meta: { progressToken: "p" } });
  const job = await worker.job();
  await worker.accept(job.claim);
  const { next } = await opened;
  // A look at the call lasts five seconds; the next one fails.
  await interrupted(6_500);
  await worker.result(job.claim, '"done"');
  const told = [];
  for (let message = await next(); message !== undefined; message = await next()) told.push(message);
  const { result } = told.at(-1);
  assert.deepEqual([result?.content[0].text, result?.isError], ["done", false], JSON.stringify(told));
  assert.ok(told.slice(0, -1).every(({ method }) => method === "notifications/progress"));
  assert.equal((await worker.jobs()).length, 0, "it ran once");
});

test("the answer to a question is brought again until it is taken, and the question goes on meanwhile", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const session = await mcp.session({ elicitation: {} });
  const opened = session.open("look", { id: 1 });
  await worker.outcome((await worker.job()).claim, ASKS);
  const { next } = await opened;
  const { id } = await next();
  const { status, text } = await interrupted(1_000, () => session.answer(id, '{"action":"accept"}'));
  assert.deepEqual([status, text], [202, ""]);
  const job = await worker.job();
  assert.deepEqual(job.input.responses, { which: { action: "accept" } });
  await worker.result(job.claim, '"found"');
  assert.equal((await next()).result.content[0].text, "found");
});
