// Calls of a chat that come to nothing: whatever became of them the conversation stays one that every provider takes, the
// model is told the sentence of the state, and the official client finds no fault.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { TOOLS as SHIPPED } from "./support/builtin.mjs";
import { Chat, staged } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { MODEL_VARS, ScriptedModel } from "./support/scripted_model.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [
  definition("look", "read_only", { description: "Look an order up.", input: { id: "integer" } }),
  definition("brief", "read_only", { description: "A short one.", queue_deadline_seconds: 1 }),
  definition("note", "reversible_write", { description: "Write a note.", input: { text: "string?" } }),
  definition("slow", "reversible_write", { description: "A slow one.", execution_deadline_seconds: 1 }),
];
const ALL = TOOLS.map(({ name }) => name);
const WHERE = { name: "get_location", description: "Where the user is.", parameters: { type: "object", properties: {} } };

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

/** What every provider asks of a conversation: directly behind the calls of a message one result each, in their order, and none elsewhere. */
function assertWhole({ messages }) {
  for (let at = 0; at < messages.length; at += 1) {
    const { role, tool_calls = [] } = messages[at];
    assert.notEqual(role, "tool", `messages[${at}] is the result of no call before it`);
    for (const { id, function: { arguments: args } } of tool_calls) {
      at += 1;
      assert.deepEqual([messages[at]?.role, messages[at]?.tool_call_id, typeof JSON.parse(args)], ["tool", id, "object"], `messages[${at}]`);
    }
  }
}

/** Another message of the person: the official client sends all that it has, and nothing of it is refused. */
async function goesOn(chat) {
  model.next({ text: "Gladly." });
  const ran = await chat.say("Go on", { tools: [WHERE] });
  assert.deepEqual([ran.text, ran.outcome], ["Gladly.", { type: "success" }]);
  for (const body of model.asked) assertWhole(body);
  assert.deepEqual((await chat.kept()).pending, { client_calls: [], interrupts: [] });
}

/** The call of a tool, as the gateway keeps it. */
async function theCall(org, tool) {
  const calls = await org.admin.all(`/v1/calls?pool=main&tool=${tool}`, "calls");
  assert.equal(calls.length, 1, tool);
  return org.call(calls[0].call);
}

/** How the gateway says that a call ended: with its result in the stream, before it, and in the thread that is read. */
async function assertEnds(chat, ran, expected) {
  for (const [id, state] of Object.entries(expected)) {
    const ends = ran.events.findIndex(({ name, value }) => name === "toolgate.call" && value.toolCallId === id && value.state === state);
    const told = ran.events.findIndex(({ type, toolCallId }) => type === "TOOL_CALL_RESULT" && toolCallId === id);
    assert.ok(ends >= 0 && told > ends, `${id} ${state}: ${JSON.stringify(ran.custom("toolgate.call"))}`);
    // What the gate did not take was never a call there.
    assert.equal("call" in ran.events[ends].value, state !== "refused", id);
  }
  const { calls } = await chat.kept();
  const kept = calls.filter(({ toolCallId }) => toolCallId in expected);
  assert.deepEqual(Object.fromEntries(kept.map(({ toolCallId, state }) => [toolCallId, state])), expected);
  for (const { call, state } of kept) assert.equal(call !== undefined, state !== "refused");
}

/** The result that the client was told and the model was given. */
function assertTold(chat, ran, id, expected) {
  assert.equal(ran.results[id], expected);
  assert.ok(chat.given(1).includes(`tool ${id}: ${expected}`), chat.given(1).join("\n"));
}

test("a write of which nobody knows whether it happened is told as that, and is not made again", async () => {
  const { chat, org, worker } = await scene();
  model.next({ calls: [{ id: "s", name: "slow" }, { id: "l", name: "look", arguments: { id: 1 } }] }, { text: "I do not know." });
  const running = chat.say("Write");
  const jobs = [];
  while (jobs.length < 2) jobs.push(...(await worker.jobs({ wait: 15 })));
  const of = (tool) => jobs.find((job) => job.tool === tool).claim;
  await worker.accept(of("slow"));
  await worker.result(of("look"), '"seen"');
  const ran = await running;
  const { state, error } = await theCall(org, "slow");
  assert.deepEqual([state, error.code], ["unknown", "deadline_exceeded"]);
  assertTold(chat, ran, "s", `Whether this call happened is not known, and it will not be run again. ${error.message} Tell the user; a person can find out.`);
  assertTold(chat, ran, "l", "seen");
  await assertEnds(chat, ran, { s: "unknown", l: "succeeded" });
  assert.deepEqual([ran.text, ran.outcome], ["I do not know.", { type: "success" }]);
  // A late result finds out; what the conversation was told stays what it was told.
  assert.equal(await worker.result(of("slow"), '"written"'), "late");
  assert.equal((await theCall(org, "slow")).state, "succeeded");
  await goesOn(chat);
  assert.match(chat.given(2)[2], /^tool s: Whether this call happened is not known/);
  assert.deepEqual(await worker.jobs(), []);
});

test("a call that nobody took before its queue deadline is told as expired", async () => {
  const { chat, org } = await scene();
  model.next({ calls: [{ id: "b", name: "brief" }] }, { text: "Nobody is there." });
  const ran = await chat.say("Quick");
  const { state, error } = await theCall(org, "brief");
  assert.deepEqual([state, error.code], ["expired", "no_worker"]);
  assertTold(chat, ran, "b", `This call was not run in time and will not be. ${error.message}`);
  await assertEnds(chat, ran, { b: "expired" });
  assert.deepEqual([ran.text, ran.outcome], ["Nobody is there.", { type: "success" }]);
  await goesOn(chat);
});

test("a tool that the agent is not granted, and a write that is not enabled, are refused in words that the gate uses everywhere", async () => {
  const { chat, org, worker } = await scene();
  await org.grant(["look", "slow"], { more: {} });
  const refused = await Promise.all(["note", "slow"].map((tool) => org.submit(tool)));
  assert.deepEqual(refused.map(({ code }) => code), ["not_granted", "write_not_enabled"]);
  model.next({ calls: [{ id: "n", name: "note" }, { id: "s", name: "slow" }] }, { text: "I may not." });
  const ran = await chat.say("Write");
  for (const [at, id] of ["n", "s"].entries()) assertTold(chat, ran, id, `The call was refused: ${refused[at].body.detail}`);
  assert.deepEqual([ran.text, ran.outcome], ["I may not.", { type: "success" }]);
  const [offer] = ran.custom("toolgate.offer");
  assert.deepEqual([offer.tools.map(({ name }) => name), offer.left_out.map(({ name, reason }) => [name, reason])], [["look"], [["slow", "write_not_enabled"]]]);
  assert.deepEqual(model.asked[0].tools.map((tool) => tool.function.name), ["look"]);
  await assertEnds(chat, ran, { n: "refused", s: "refused" });
  assert.deepEqual([ran.custom("toolgate.call").length, await worker.jobs()], [2, []]);
  await goesOn(chat);
});

test("what loses its grant or its opt-in while it is queued did not run, and each is told why", async () => {
  const { chat, org, worker } = await scene();
  for (const [tools, more, code, text] of [
    [["look", "slow"], { allow_reversible_writes: true }, "not_granted", "one"],
    [ALL, {}, "write_not_enabled", "two"],
  ]) {
    await org.grant(ALL);
    model.next({ calls: [{ id: text, name: "note", arguments: { text } }] }, { text: "Not any more." });
    const running = chat.say(`Note ${text}`);
    const call = await until("the call is queued", async () => (await org.admin.all("/v1/calls?pool=main&tool=note", "calls")).find(({ state }) => state === "queued")?.call);
    await org.grant(tools, { more });
    // It is judged once more before it is handed out.
    assert.deepEqual(await worker.jobs(), []);
    const ran = await running;
    const { state, error } = await org.call(call);
    assert.deepEqual([state, error.code], ["invalidated", code]);
    assert.equal(ran.results[text], `This call did not run. ${error.message}`);
    await assertEnds(chat, ran, { [text]: "invalidated" });
    assert.deepEqual([ran.text, chat.given(-1).at(-1)], ["Not any more.", `tool ${text}: This call did not run. ${error.message}`]);
  }
  await goesOn(chat);
  assert.deepEqual(await worker.jobs(), []);
});

test("one message with every end at once: each result stands directly behind its call, in the order of the calls", async () => {
  const { chat, org, worker } = await scene();
  await org.grant(["look", "brief", "slow"]);
  const calls = [["b", "brief"], ["w", "get_location"], ["n", "note"], ["s", "slow"], ["x", "launch_rocket"], ["l", "look", { id: 1 }]];
  model.next({ calls: calls.map(([id, name, args]) => ({ id, name, arguments: args })) }, { text: "So much for that." });
  const running = chat.say("Everything", { tools: [WHERE] });
  // One is taken and never answered, one fails, and one goes back to the queue, where it waits beyond its deadline.
  const taken = new Map();
  while (!taken.has("slow") || !taken.has("look")) for (const job of await worker.jobs({ max: 1, wait: 15 })) taken.set(job.tool, job);
  await worker.accept(taken.get("slow").claim);
  await worker.error(taken.get("look").claim, { message: "no such order" });
  if (taken.has("brief")) await worker.giveBack(taken.get("brief").claim);
  const first = await running;
  assert.deepEqual(first.outcome, { type: "success", pendingToolCallIds: ["w"] });
  assert.equal(model.asked.length, 1);
  await assertEnds(chat, first, { b: "expired", n: "refused", s: "unknown", x: "refused", l: "failed" });
  // The browser's own call is none of the gateway's.
  assert.ok((await chat.kept()).calls.every(({ toolCallId }) => toolCallId !== "w"));
  chat.answer("w", "here");
  const ran = await chat.run({ tools: [WHERE] });
  assert.deepEqual([ran.text, ran.outcome], ["So much for that.", { type: "success" }]);
  const beginnings = ["tool b: This call was not run in time", "tool w: here", "tool n: The call was refused", "tool s: Whether this call happened is not known", "tool x: The call was refused", "tool l: This call failed. no such order"];
  const given = chat.given(1).slice(2);
  assert.deepEqual(given.map((line, at) => line.slice(0, beginnings[at]?.length)), beginnings);
  await goesOn(chat);
});

test("what a small budget leaves out is not advertised to the model; what ships with the gateway is, once it is granted", async () => {
  const { org, who } = await scene();
  const budget = (tokens, capabilities = ["bot"]) => org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities, offer_budget_tokens: tokens });
  const turn = async () => {
    model.forget();
    model.next({ text: "Ok." });
    const [offer] = (await new Chat(who).say("Look an order up")).custom("toolgate.offer");
    const [{ tools = [] }] = model.asked;
    assert.deepEqual(tools.map((tool) => tool.function.name), offer.tools.map(({ name }) => name), "what is said to be offered is what the model is sent");
    return offer;
  };
  await budget(4_000);
  const whole = await turn();
  assert.deepEqual(whole.tools.map(({ name }) => name).sort(), [...ALL].sort());
  // Room for the first alone, of which a first turn may take 70 %.
  await budget(Math.ceil(whole.tools[0].tokens / 0.7));
  const small = await turn();
  assert.deepEqual(small.tools.map(({ name }) => name), ["look"]);
  assert.deepEqual(small.left_out.map(({ name }) => name).sort(), ["brief", "note", "slow"]);
  await budget(1);
  const none = await turn();
  assert.deepEqual([none.tools, none.no_tools.causes.includes("budget")], [[], true]);
  await org.admin.must(201, "PUT", "/v1/pools/shipped", { transport: "builtin" });
  await org.admin.must(200, "PUT", "/v1/capabilities/explore", { tools: SHIPPED });
  await budget(1, ["bot", "explore"]);
  const shipped = await turn();
  assert.deepEqual(shipped.tools.map(({ name, reasons }) => [name, reasons.at(-1)]), [...SHIPPED].sort().map((name) => [name, { part: "pinned", what: "builtin", points: 0 }]));
  assert.deepEqual(shipped.left_out.map(({ name }) => name).sort(), [...ALL].sort());
});
