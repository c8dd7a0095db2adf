import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunInput, ThreadView } from "../../src/chat/loop";
import { called, conversation, interrupt, pending, PlayedDoor, Problem, run, said, started, THREAD, tool } from "./played";

const results = (input: RunInput | undefined) => input?.messages.map(({ toolCallId, content }) => [toolCallId, content]);
const view = (change: Partial<ThreadView> = {}): ThreadView => ({ title: "T", state: "idle", messages: [], pending: { client_calls: [], interrupts: [] }, rounds: 0, ...change });

test("a message goes out alone, with the tools that are on, and the answer comes in", async () => {
  const door = new PlayedDoor([run(said("a1", "Hello."))]);
  const { it, talk } = conversation(door, [tool("f", async () => 1)]);
  assert.equal(await it.say("Hi"), true);
  assert.deepEqual(talk().messages.map(({ role, content }) => [role, content]), [["user", "Hi"], ["assistant", "Hello."]]);
  assert.equal(talk().status, "idle");
  const [input] = door.inputs;
  assert.deepEqual([input?.threadId, input?.protocolVersion, input?.messages.length, input?.tools.map(({ name }) => name)], [THREAD, "1.0", 1, ["f"]]);
  assert.ok(input !== undefined && !("resume" in input) && !("forwardedProps" in input));
});

test("handlers of one turn run at the same time, and only their results go back", async () => {
  const door = new PlayedDoor([run([...called("c1", "a", '{"x":1}', "m"), ...called("c2", "b", "{}", "m")], pending("c1", "c2")), run(said("a2", "Both."))]);
  let both = 0;
  let open: () => void;
  const together = new Promise<void>((resolve) => (open = resolve));
  const meet = async (value: unknown) => {
    both += 1;
    if (both === 2) open();
    await together;
    return value;
  };
  const { it, talk } = conversation(door, [tool("a", (args) => meet(args)), tool("b", () => meet("B"))]);
  await it.say("Go");
  assert.deepEqual(results(door.inputs[1]), [["c1", '{"x":1}'], ["c2", '"B"']]);
  assert.deepEqual(door.inputs[1]?.tools.map(({ name }) => name), ["a", "b"]);
  assert.deepEqual(talk().messages.map(({ role }) => role), ["user", "assistant", "tool", "tool", "assistant"]);
});

test("whatever a handler does becomes a result", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const door = new PlayedDoor([
    run([...called("c1", "throws"), ...called("c2", "hangs"), ...called("c3", "none"), ...called("c4", "circle"), ...called("c5", "void"), ...called("c6", "throws", "[1]"), ...called("c7", "throws", "{"), ...called("c8", "void", "")], pending("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")),
    run([]),
  ]);
  const { it } = conversation(door, [
    tool("throws", () => { throw new Error("denied"); }),
    tool("hangs", () => new Promise(() => undefined), { timeoutMs: 5 }),
    tool("circle", async () => circle),
    tool("void", async () => undefined),
  ]);
  await it.say("Go");
  assert.deepEqual(results(door.inputs[1]), [
    ["c1", '{"error":"denied"}'],
    ["c2", '{"error":"no answer within 0.005 s"}'],
    ["c3", '{"error":"this browser has no tool none, or it is switched off"}'],
    ["c4", '{"error":"the tool returned nothing that JSON can say"}'],
    ["c5", "null"],
    ["c6", '{"error":"the arguments are not a JSON object"}'],
    ["c7", '{"error":"the arguments are not a JSON object"}'],
    ["c8", "null"],
  ]);
});

test("after five rounds the remaining calls are answered with an error, and no tool is advertised", async () => {
  const round = (number: number) => run(called(`c${number}`, "f"), pending(`c${number}`));
  const door = new PlayedDoor([...[1, 2, 3, 4, 5, 6].map(round), run(said("end", "Enough."))]);
  let ran = 0;
  const { it, talk } = conversation(door, [tool("f", async () => (ran += 1))]);
  await it.say("Go");
  assert.equal(ran, 5);
  assert.deepEqual(results(door.inputs[6]), [["c6", '{"error":"round limit reached"}']]);
  assert.deepEqual(door.inputs.map(({ tools }) => tools.length), [1, 1, 1, 1, 1, 1, 0]);
  assert.deepEqual([talk().status, talk().error, talk().messages.at(-1)?.content], ["idle", undefined, "Enough."]);
  const answered = new Set(talk().messages.flatMap(({ toolCallId }) => toolCallId ?? []));
  assert.ok(talk().messages.flatMap(({ toolCalls }) => toolCalls ?? []).every(({ id }) => answered.has(id)), "no call is left without a result");
});

test("the rounds begin anew with the user's next message", async () => {
  const round = (number: string) => run(called(number, "f"), pending(number));
  const door = new PlayedDoor([...["1", "2", "3"].map(round), run([]), ...["4", "5", "6"].map(round), run([])]);
  const { it, talk } = conversation(door, [tool("f", async () => 1)]);
  await it.say("Go");
  await it.say("Again");
  assert.deepEqual([door.inputs.length, talk().error], [8, undefined]);
});

test("an assistant that asks on after the last round is left", async () => {
  const round = (number: number) => run(called(`c${number}`, "f"), pending(`c${number}`));
  const { it, talk } = conversation(new PlayedDoor([1, 2, 3, 4, 5, 6, 7].map(round)), [tool("f", async () => 1)]);
  await it.say("Go");
  assert.match(talk().error?.message ?? "", /rounds are used up/);
  assert.equal(talk().status, "idle");
});

test("a failed run ends the loop, and so does a stream that breaks a rule or stops", async () => {
  const failing = [
    (input: RunInput) => [started(input), ...called("c1", "f"), { type: "RUN_ERROR", message: "The model did not answer.", code: "model_unavailable" }],
    (input: RunInput) => [started(input), { type: "TEXT_MESSAGE_CONTENT", messageId: "x", delta: "?" }],
    (input: RunInput) => [started(input), ...said("a", "half")],
  ];
  const codes = ["model_unavailable", "not_open", "truncated"];
  for (const [at, script] of failing.entries()) {
    const door = new PlayedDoor([script]);
    const { it, talk } = conversation(door, [tool("f", async () => assert.fail("no handler runs"))]);
    assert.equal(await it.say("Go"), true);
    assert.deepEqual([talk().error?.code, talk().status, door.inputs.length], [codes[at], "idle", 1]);
  }
});

test("a message that the gateway refuses is the user's again", async () => {
  const door = new PlayedDoor([new Problem(409, "thread_busy"), run(said("a", "Now."))]);
  const { it, talk } = conversation(door);
  assert.equal(await it.say("Go"), false);
  assert.deepEqual([talk().messages, talk().error?.code], [[], "thread_busy"]);
  assert.equal(await it.say("Go"), true);
  assert.deepEqual([talk().messages.length, talk().error], [2, undefined]);
});

test("a tool of this browser whose name the gateway has is left out, and the message goes out again", async () => {
  const clash = new Problem(400, "tool_name_clash", { tools: ["f"] });
  const door = new PlayedDoor([clash, run(said("a", "Without it.")), run(said("b", "Still.")), clash]);
  const { it, talk } = conversation(door, [tool("f", async () => 1), tool("g", async () => 1)]);
  assert.equal(await it.say("Go"), true);
  assert.deepEqual(door.inputs.map(({ tools, messages }) => [tools.map(({ name }) => name), messages.length]), [[["f", "g"], 1], [["g"], 1]]);
  assert.deepEqual([[...talk().clashing], talk().error, talk().messages.length], [["f"], undefined, 2]);
  await it.say("More");
  assert.deepEqual(door.inputs.at(-1)?.tools.map(({ name }) => name), ["g"]);
  // A name that was left out already brings no end to it: the refusal is shown.
  assert.equal(await it.say("Once more"), false);
  assert.equal(talk().error?.code, "tool_name_clash");
});

test("a parked call is waited for, and the resume only names it", async () => {
  const waits = { type: "interrupt", interrupts: [interrupt("apr-1", "c1", { expiresAt: "2030-01-01T00:00:00Z" })] };
  const door = new PlayedDoor([run(called("c1", "refund"), waits), run([{ type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "c1", content: "refunded" }, ...said("a2", "Done.")])]);
  const { it, talk, until } = conversation(door, [tool("f", async () => 1)]);
  const end = it.say("Refund it");
  await until(({ status }) => status === "deciding");
  assert.deepEqual(talk().interrupts.map(({ id }) => id), ["apr-1"]);
  assert.equal(door.inputs.length, 1, "nothing is sent while nobody decided");
  door.decide("call-apr-1");
  await end;
  assert.deepEqual([door.inputs[1]?.messages, door.inputs[1]?.resume], [[], [{ interruptId: "apr-1", status: "resolved" }]]);
  assert.deepEqual(talk().messages.map(({ role }) => role), ["user", "assistant", "tool", "assistant"]);
});

test("what ran out of time is cancelled, not resolved", async () => {
  const door = new PlayedDoor([run(called("c1", "refund"), { type: "interrupt", interrupts: [interrupt("apr-1", "c1", { expiresAt: "2030-01-01T00:00:00Z" })] }), run([])]);
  door.clock = Date.parse("2030-01-02T00:00:00Z");
  const { it } = conversation(door);
  door.decide("call-apr-1");
  await it.say("Refund it");
  assert.deepEqual(door.inputs[1]?.resume, [{ interruptId: "apr-1", status: "cancelled" }]);
});

test("of two parked calls each is taken up when it is decided", async () => {
  const [first, second] = [interrupt("apr-1", "c1"), interrupt("apr-2", "c2")];
  const door = new PlayedDoor([
    run([...called("c1", "refund", "{}", "m"), ...called("c2", "refund", "{}", "m")], { type: "interrupt", interrupts: [first, second] }),
    run([{ type: "TOOL_CALL_RESULT", messageId: "r2", toolCallId: "c2", content: "2" }], { type: "interrupt", interrupts: [first] }),
    run([{ type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "c1", content: "1" }]),
  ]);
  const { it, until } = conversation(door);
  const end = it.say("Both");
  await until(({ status }) => status === "deciding");
  door.decide("call-apr-2");
  await until(({ status, interrupts }) => status === "deciding" && interrupts.length === 1);
  door.decide("call-apr-1");
  await end;
  assert.deepEqual(door.inputs.map(({ resume }) => resume?.map(({ interruptId }) => interruptId)), [undefined, ["apr-2"], ["apr-1"]]);
});

test("a decision that the gateway has not seen yet is not asked for in a hurry", async () => {
  const waits = { type: "interrupt", interrupts: [interrupt("apr-1", "c1")] };
  const door = new PlayedDoor([run(called("c1", "refund"), waits), run([], waits), run([])]);
  const { it, until } = conversation(door);
  door.decide("call-apr-1");
  const end = it.say("Refund it");
  await until(({ status }) => status === "running" && door.inputs.length === 2 && door.paused === 1);
  assert.equal(door.inputs.length, 2);
  door.tick();
  await end;
  assert.equal(door.inputs.length, 3);
});

test("client calls beside a parked one are answered first", async () => {
  const waits = { type: "interrupt", interrupts: [interrupt("apr-1", "c2")] };
  const door = new PlayedDoor([run([...called("c1", "f", "{}", "m"), ...called("c2", "refund", "{}", "m")], waits), run([], waits), run([])]);
  const { it, until } = conversation(door, [tool("f", async () => "here")]);
  const end = it.say("Both");
  await until(({ status }) => status === "deciding");
  assert.deepEqual(results(door.inputs[1]), [["c1", '"here"']]);
  door.decide("call-apr-1");
  await end;
});

test("while a decision is waited for, a message can be said; the call stays where it is", async () => {
  const waits = { type: "interrupt", interrupts: [interrupt("apr-1", "c1")] };
  const door = new PlayedDoor([run(called("c1", "refund"), waits), run(said("a2", "It still waits."), waits), run([])]);
  const { it, until, talk } = conversation(door);
  const first = it.say("Refund it");
  await until(({ status }) => status === "deciding");
  const second = it.say("And?");
  await until(({ status, messages }) => status === "deciding" && messages.at(-1)?.content === "It still waits.");
  assert.deepEqual(door.inputs[1]?.messages.map(({ role }) => role), ["user"]);
  door.decide("call-apr-1");
  await Promise.all([first, second]);
  assert.equal(talk().status, "idle");
});

test("what is parked is waited for again after a run that did not speak of it", async () => {
  const parked = interrupt("apr-1", "c1");
  const door = new PlayedDoor([
    run(called("c1", "refund"), { type: "interrupt", interrupts: [parked] }),
    run(said("a2", "It still waits.")),
    run([{ type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "c1", content: "1" }, ...said("a3", "Done.")]),
  ]);
  const { it, until, talk } = conversation(door);
  const first = it.say("Refund it");
  await until(({ status }) => status === "deciding");
  door.view = view({ state: "waiting_approval", messages: [{ id: "a2", role: "assistant", content: "It still waits." }], pending: { client_calls: [], interrupts: [parked as never] } });
  const second = it.say("And?");
  await until(({ status, messages }) => status === "deciding" && messages.at(-1)?.content === "It still waits.");
  door.decide("call-apr-1");
  await Promise.all([first, second]);
  assert.deepEqual([talk().status, talk().messages.at(-1)?.content, door.inputs[2]?.resume?.length, door.asked.length], ["idle", "Done.", 1, 1]);
});

test("while this browser is asked, a message ends the asking", async () => {
  const door = new PlayedDoor([run(called("c1", "ask"), pending("c1")), run(said("a2", "Never mind."))]);
  let aborted = false;
  const { it, until } = conversation(door, [tool("ask", (_args, { signal }) => new Promise(() => signal.addEventListener("abort", () => (aborted = true))), { timeoutMs: null })]);
  const first = it.say("Ask me");
  await until(({ status }) => status === "asking");
  await it.say("Never mind");
  await first;
  assert.deepEqual([aborted, door.inputs.length, door.inputs[1]?.messages.length], [true, 2, 1]);
});

test("stop ends the run, the handlers and the waiting, and reads the thread again", async () => {
  const never = new Promise<never>(() => undefined);
  const door = new PlayedDoor([(input) => [started(input), ...said("a1", "Well"), never]]);
  const { it, until, talk } = conversation(door);
  const end = it.say("Go");
  await until(({ messages }) => messages.at(-1)?.content === "Well");
  door.view = view({ messages: [{ id: "id-1", role: "user", content: "Go" }, { id: "a1", role: "assistant", content: "Well, cut off." }] });
  await it.stop();
  await end;
  assert.deepEqual([talk().status, talk().stopped, talk().error, talk().messages.at(-1)?.content], ["idle", true, undefined, "Well, cut off."]);
});

test("after a reload the waiting calls of this browser are answered", async () => {
  const door = new PlayedDoor([run(said("a2", "Thanks."))]);
  const call = { toolCallId: "c1", name: "ask", arguments: '{"action":"x"}' };
  door.view = view({ state: "waiting_client", rounds: 2, messages: [{ id: "m", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "ask", arguments: call.arguments } }] }], pending: { client_calls: [call], interrupts: [] } });
  const { it, talk } = conversation(door, [tool("ask", async (args, { threadId, toolCallId }) => [args["action"], threadId, toolCallId])]);
  await it.load();
  assert.deepEqual(results(door.inputs[0]), [["c1", `["x","${THREAD}","c1"]`]]);
  assert.deepEqual(talk().messages.map(({ role }) => role), ["assistant", "tool", "assistant"]);
});

test("after a reload the rounds that were used stay used", async () => {
  const door = new PlayedDoor([run([])]);
  const call = { toolCallId: "c1", name: "f", arguments: "{}" };
  door.view = view({ state: "waiting_client", rounds: 5, messages: [{ id: "m", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }] }], pending: { client_calls: [call], interrupts: [] } });
  const { it } = conversation(door, [tool("f", async () => assert.fail("no sixth round"))]);
  await it.load();
  assert.deepEqual([results(door.inputs[0]), door.inputs[0]?.tools], [[["c1", '{"error":"round limit reached"}']], []]);
});

test("after a reload a parked call is waited for again", async () => {
  const door = new PlayedDoor([run(said("a2", "Done."))]);
  door.view = view({ state: "waiting_approval", pending: { client_calls: [], interrupts: [{ id: "apr-1", reason: "tool_call", toolCallId: "c1", metadata: { call: "call-1" } }] } });
  const { it, until } = conversation(door);
  const end = it.load();
  await until(({ status }) => status === "deciding");
  door.decide("call-1");
  await end;
  assert.deepEqual(door.inputs[0]?.resume, [{ interruptId: "apr-1", status: "resolved" }]);
});

test("a run of another browser is looked at until it is over", async () => {
  const door = new PlayedDoor();
  door.view = view({ state: "running", messages: [{ id: "u", role: "user", content: "Hi" }] });
  const { it, until, talk } = conversation(door);
  const end = it.load();
  await until(({ status }) => status === "elsewhere");
  assert.equal(it.open, false);
  door.view = view({ messages: [{ id: "u", role: "user", content: "Hi" }, { id: "a", role: "assistant", content: "Hello." }] });
  door.tick();
  await end;
  assert.deepEqual([talk().status, talk().messages.length], ["idle", 2]);
});

test("what another browser answered is not answered again", async () => {
  const door = new PlayedDoor([run(called("c1", "ask"), pending("c1"))]);
  let aborted = false;
  const { it, until, talk } = conversation(door, [tool("ask", (_args, { signal }) => new Promise(() => signal.addEventListener("abort", () => (aborted = true))), { timeoutMs: null })]);
  const end = it.say("Ask me");
  await until(({ status }) => status === "asking");
  door.view = view({ messages: [{ id: "a9", role: "assistant", content: "Answered elsewhere." }] });
  await until(() => door.paused === 1);
  door.tick();
  await end;
  assert.deepEqual([aborted, door.inputs.length, talk().messages.at(-1)?.content, talk().status], [true, 1, "Answered elsewhere.", "idle"]);
});

test("a resume that another browser was faster with becomes a look", async () => {
  const door = new PlayedDoor([run(called("c1", "refund"), { type: "interrupt", interrupts: [interrupt("apr-1", "c1")] }), new Problem(409, "thread_busy")]);
  const { it, until, talk } = conversation(door);
  const end = it.say("Refund it");
  await until(({ status }) => status === "deciding");
  door.view = view({ messages: [{ id: "a9", role: "assistant", content: "Refunded." }] });
  door.decide("call-apr-1");
  await end;
  assert.deepEqual([talk().error, talk().messages.at(-1)?.content], [undefined, "Refunded."]);
});

test("a thread that is not there says so", async () => {
  const { it, talk } = conversation(new PlayedDoor());
  await it.load();
  assert.equal(talk().absent, true);
});

test("a thread that is read says which calls the gateway knows, and the offer of its last answer", async () => {
  const messages: ThreadView["messages"] = [{ id: "m", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }] }, { id: "a", role: "assistant", content: "There." }];
  const gate = { toolCallId: "c1", call: "call_1", tool: "look", side_effect: "read_only" };
  const door = new PlayedDoor([]);
  door.view = view({ messages, calls: [gate], offer: { tools: [] }, offer_message: "m" });
  const { it, talk } = conversation(door);
  await it.load();
  assert.deepEqual([[...talk().calls], [...talk().offers]], [[["c1", gate]], [["m", { tools: [] }]]]);
  // One of older days, and an offer that was answered with nothing.
  for (const older of [view({ messages }), view({ messages, calls: [], offer: { tools: [] } })]) {
    const other = new PlayedDoor([]);
    other.view = older;
    const read = conversation(other);
    await read.it.load();
    assert.deepEqual([read.talk().calls.size, read.talk().offers.size, read.talk().messages.length, read.talk().error], [0, 0, 2, undefined]);
  }
});

test("offers, calls and grounding stand where they belong", async () => {
  const door = new PlayedDoor([
    run([
      { type: "CUSTOM", name: "toolgate.grounding", value: { context_type: "order", context_id: "7" } },
      { type: "CUSTOM", name: "toolgate.offer", value: { tools: [], turn: 1 } },
      ...called("c1", "find", "{}", "m1"),
      { type: "CUSTOM", name: "toolgate.call", value: { toolCallId: "c1", call: "call_1", tool: "find", state: "done" } },
      { type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "c1", content: "1" },
      { type: "CUSTOM", name: "toolgate.offer", value: { tools: [], turn: 2 } },
      ...said("m2", "Found."),
    ]),
  ]);
  const { it, talk } = conversation(door);
  await it.say("Find it");
  assert.deepEqual([...talk().offers], [["m1", { tools: [], turn: 1 }], ["m2", { tools: [], turn: 2 }]]);
  assert.deepEqual([...talk().calls.keys()], ["c1"]);
  assert.deepEqual(talk().grounding, { context_type: "order", context_id: "7" });
});
