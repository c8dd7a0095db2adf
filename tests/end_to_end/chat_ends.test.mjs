// Ends of a run that only trouble reaches, through the official client: too many turns, too many calls at once, a thread that is
// deleted and a key that is revoked under a run. Each leaves a thread that goes on, or none.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Chat, person, staged } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { faultOf, MODEL_VARS, ScriptedModel } from "./support/scripted_model.mjs";
import { until } from "./support/until.mjs";

/** CHAT_TURNS_MAX and CHAT_CALLS_MAX of the protocol. */
const TURNS_MAX = 16;
const CALLS_MAX = 16;
const TOOLS = [definition("look", "read_only", { description: "Look an order up.", input: { id: "integer?" } })];

let internet, gateway, model;
before(async () => {
  internet = await Internet.start();
  model = new ScriptedModel(internet);
  gateway = await Gateway.start({ internet, vars: MODEL_VARS });
});
after(async () => {
  await gateway.stop();
  await internet.close();
});

const scene = () => staged(gateway, model, TOOLS);

/** A turn that is on its way until it is let go, and what lets it. */
function held(turn) {
  let release;
  const hold = new Promise((resolve) => (release = resolve));
  return [{ ...turn, hold }, release];
}

const asked = (times) => until("the model was asked", () => model.asked.length === times);

test("a model that goes on calling is asked 16 times, and again when the person speaks", async () => {
  const { chat } = await scene();
  let turns = 0;
  model.always(() => ({ calls: [{ id: `r${(turns += 1)}`, name: "launch_rocket" }] }));
  const ran = await chat.say("Go");
  assert.deepEqual([ran.last.type, ran.last.code, model.asked.length], ["RUN_ERROR", "turn_limit", TURNS_MAX]);
  assert.match(ran.last.message, /16 turns/);
  // Each call has its result: nothing is open, and nothing waits.
  assert.equal(Object.keys(ran.results).length, TURNS_MAX);
  const kept = await chat.kept();
  assert.deepEqual([kept.state, kept.pending, kept.messages.length], ["idle", { client_calls: [], interrupts: [] }, 1 + 2 * TURNS_MAX]);
  model.always(undefined);
  model.next({ text: "I stop." });
  const next = await chat.say("Stop it");
  assert.deepEqual([next.text, next.outcome, model.asked.length], ["I stop.", { type: "success" }, TURNS_MAX + 1]);
});

test("of more calls in one message than may be, the first 16 are made, and each of the others is told that it was not", async () => {
  const { chat, worker } = await scene();
  const ids = Array.from({ length: CALLS_MAX + 3 }, (_, at) => `c${at}-`);
  model.next({ calls: ids.map((id, at) => ({ id, name: "look", arguments: { id: at } })) }, { text: "Enough." });
  const running = chat.say("Everything");
  const seen = [];
  while (seen.length < CALLS_MAX) {
    for (const job of await worker.jobs({ wait: 15 })) {
      seen.push(job.arguments.id);
      await worker.result(job.claim, `"seen ${job.arguments.id}"`);
    }
  }
  const ran = await running;
  const beyond = JSON.stringify({ error: `not made: more than ${CALLS_MAX} calls in one message` });
  const expected = ids.map((id, at) => [id, at < CALLS_MAX ? `seen ${at}` : beyond]);
  assert.deepEqual(ran.results, Object.fromEntries(expected));
  assert.deepEqual(chat.given(1).slice(2), expected.map(([id, told]) => `tool ${id}: ${told}`));
  assert.deepEqual([ran.text, ran.outcome, await worker.jobs()], ["Enough.", { type: "success" }, []]);
  assert.deepEqual((await chat.kept()).calls.map(({ state }) => state), ids.map((_, at) => (at < CALLS_MAX ? "succeeded" : "refused")));
});

test("a thread that is deleted under a run ends it, makes none of its calls, and its name is free for another", async () => {
  const { chat, worker } = await scene();
  const [turn, release] = held({ text: "Let me look.", calls: [{ id: "l", name: "look" }] });
  model.next(turn);
  const running = chat.say("Look");
  await asked(1);
  await chat.door.must(200, "DELETE", `/v1/threads/${chat.threadId}`);
  release();
  const ran = await running;
  assert.deepEqual([ran.last.type, ran.last.code], ["RUN_ERROR", "thread_lost"]);
  assert.match(ran.last.message, /deleted/);
  assert.deepEqual([await worker.jobs(), model.asked.length], [[], 1]);
  assert.equal((await chat.door.get(`/v1/threads/${chat.threadId}`)).status, 404);
  model.next({ text: "A new beginning." });
  assert.equal((await chat.say("Hello?")).text, "A new beginning.");
  assert.ok(!JSON.stringify(model.asked[1]).includes("Let me look."));
});

test("a key that is revoked under a run ends it before its call is made; another key of the person makes it, once", async () => {
  const { chat, org, who, worker } = await scene();
  const [turn, release] = held({ calls: [{ id: "l", name: "look", arguments: { id: 7 } }] });
  model.next(turn);
  const running = chat.say("Look");
  await asked(1);
  await org.admin.must(200, "DELETE", `/v1/keys/${who.id}`);
  release();
  const ran = await running;
  assert.deepEqual([ran.last.type, ran.last.code, ran.results], ["RUN_ERROR", "invalid_key", {}]);
  assert.deepEqual([await worker.jobs(), model.asked.length], [[], 1]);
  await assert.rejects(chat.say("And now?"), /401/);
  const other = new Chat(await person(org, model), chat.threadId);
  assert.equal((await other.kept()).state, "idle");
  model.next({ text: "Found." });
  const going = other.say("Go on");
  const job = await worker.job();
  assert.deepEqual(job.arguments, { id: 7 });
  await worker.result(job.claim, '"seen"');
  const went = await going;
  assert.deepEqual([went.text, went.outcome, Object.values(went.results), await worker.jobs()], ["Found.", { type: "success" }, ["seen"], []]);
});

test("what no provider takes is found in what a played model is asked", () => {
  const call = (id, more = {}) => ({ id, type: "function", function: { name: "look", arguments: "{}", ...more } });
  const asks = (...messages) => faultOf({ messages: [{ role: "user", content: "Hi" }, ...messages] });
  const calls = (...tool_calls) => ({ role: "assistant", content: "", tool_calls });
  const result = (tool_call_id) => ({ role: "tool", tool_call_id, content: "" });
  assert.equal(asks(calls(call("a"), call("b")), result("a"), result("b")), undefined);
  for (const wrong of [
    [calls(call("a"))],
    [calls(call("a"), call("b")), result("b"), result("a")],
    [calls(call("a")), { role: "user", content: "So?" }, result("a")],
    [calls(call("a")), result("a"), result("a")],
    [calls(call("a"), call("a")), result("a"), result("a")],
    [calls(call("a", { name: "" })), result("a")],
    [calls(call("a", { arguments: "{" })), result("a")],
    [calls(call("a", { arguments: "7" })), result("a")],
    [{ role: "user" }],
  ]) assert.notEqual(asks(...wrong), undefined, JSON.stringify(wrong));
});
