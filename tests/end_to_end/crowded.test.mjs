// Many tools, and pools that are dead: a limit hits who goes over it and nobody else, and what fails is named.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Mcp } from "./support/mcp.mjs";
import { definition, Org, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const principal = JSON.parse(PRINCIPAL);
const many = (count, prefix = "tool") => Array.from({ length: count }, (_, n) => definition(`${prefix}_${n}`, "read_only"));

/** A pool with a worker of its own. */
async function poolOf(org, name) {
  await org.pool(name);
  const { door } = await org.key({ role: "worker", name, pools: [name] });
  return new RawWorker(door, { pool: name, name });
}

test("1,500 tools from one pool are refused loudly and harm nobody else", async () => {
  const org = await Org.make(gateway);
  const [greedy, modest] = [await poolOf(org, "greedy"), await poolOf(org, "modest")];
  await modest.register([definition("look", "read_only")]);
  const refused = await greedy.post("workers", { worker: "greedy", manifest: { tools: many(1_500) } });
  assert.deepEqual([refused.status, refused.code], [422, "invalid_request"], refused.text);
  assert.match(refused.body.detail, /256/);
  await greedy.register(many(256));
  await org.grant(["look"]);
  const call = org.submit("look", "{}", { wait: 10 });
  await modest.result((await modest.job()).claim, '"seen"');
  assert.equal((await call).body.result, "seen");
  const too = async (path, body) => (await org.admin.put(path, body)).body.field;
  const names = (count) => Array.from({ length: count }, () => "look");
  assert.equal(await too("/v1/agents/bot", { capabilities: ["bot"], pinned_tools: names(65) }), "pinned_tools");
  assert.equal(await too("/v1/agents/bot", { capabilities: names(65) }), "capabilities");
  assert.equal(await too("/v1/capabilities/bot", { tools: names(4_097) }), "tools");
  const { body } = await org.caller.must(201, "POST", "/v1/runs", { agent: "bot", principal, message: "look" });
  assert.deepEqual(body.offer.tools.map(({ name }) => name), ["look"], "what is not granted takes no room");
});

test("of three pools with one dead the other two work, and the dead one is named", async () => {
  const org = await Org.make(gateway);
  const workers = [];
  for (const name of ["alpha", "beta", "gamma"]) {
    const worker = await poolOf(org, name);
    await worker.register([definition(`look_${name}`, "read_only", { queue_deadline_seconds: 1 })]);
    workers.push(worker);
  }
  await org.grant(["look_alpha", "look_beta", "look_gamma"]);
  const [alpha, , gamma] = workers;
  const calls = ["alpha", "beta", "gamma"].map((name) => org.submit(`look_${name}`, "{}", { wait: 10 }));
  for (const worker of [alpha, gamma]) await worker.result((await worker.job()).claim, `"${worker.pool}"`);
  const [first, dead, last] = (await Promise.all(calls)).map(({ body }) => body);
  assert.deepEqual([first.result, last.result], ["alpha", "gamma"]);
  assert.deepEqual([dead.state, dead.error.code], ["expired", "no_worker"]);
  assert.match(dead.error.message, /the pool beta/);
  assert.match(dead.tool_result, /the pool beta/);
});

test("who does not wait for the queue deadline is told which pool takes nothing, by every door", async () => {
  const org = await Org.make(gateway);
  await (await poolOf(org, "silent")).register([definition("look", "read_only")]);
  await org.grant(["look"]);
  const agent = await org.key({ role: "agent", name: "m", agent: "bot", principal });
  const { body: waiting } = await agent.door.must(202, "POST", "/v1/calls", { tool: "look", arguments: {} }, { headers: { prefer: "wait=1" } });
  assert.equal(waiting.state, "queued");
  assert.match(waiting.tool_result, /the pool silent, of which nobody has taken it/);
  const told = await new Mcp(gateway, agent.key).result("tools/call", { name: "toolgate_approval_status", arguments: { id: waiting.call } });
  assert.match(told.content[0].text, /the pool silent/);
});
