// Models that behave badly, over the real door: an agent's own endpoint, played by a server of ours behind real TLS. Each
// answer gives a correct transcript or a RUN_ERROR with its code, and the thread goes on afterwards.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Chat, person, Ran } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { Org } from "./support/org.mjs";
import { heard } from "./support/scripted_model.mjs";
import { until } from "./support/until.mjs";
import { newHost } from "./support/webhooks.mjs";

const KEY = "sk-of-an-agent-0123456789";
const tool = (name) => ({ name, description: `The tool ${name}.`, parameters: { type: "object", properties: { city: { type: "string" }, n: { type: "integer" } } } });
const TOOLS = ["get", "get_weather", "get_time", "refund"].map(tool);

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  // The deployment has a model of its own, with a key that no agent's endpoint may see.
  const vars = { TOOLGATE_MODEL_URL: "https://operator.test/v1", TOOLGATE_MODEL_NAME: "m", TOOLGATE_MODEL_KEY: "sk-of-the-operator", TOOLGATE_MODEL_HOSTS: "127.0.0.9:443" };
  gateway = await Gateway.start({ internet, vars });
});
after(() => gateway.stop().finally(() => internet.close()));

/** The chat names the calls that it sees, one after the other. */
const numbered = () => {
  let seen = 0;
  return { unseen: { shift: () => `call-${(seen += 1)}` } };
};

/** An agent with a model of its own: `answers` are taken one a request, the last one for all that follow. */
async function scene(answers, { api_key = KEY } = {}) {
  const host = newHost();
  const left = [answers].flat();
  internet.host(host, (request, respond) => {
    heard(JSON.parse(request.body));
    return (left.length > 1 ? left.shift() : left[0])(request, respond);
  });
  const org = await Org.make(gateway);
  const model = { url: `https://${host}/v1`, name: "played", ...(api_key === undefined ? {} : { api_key }) };
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [], model });
  return { org, host, model, chat: new Chat(await person(org, numbered())), asked: () => internet.requests(host).map(({ body }) => JSON.parse(body)) };
}

const delta = (delta, finish_reason = null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });
const text = (content) => delta({ content });
const end = (reason = "stop") => delta({}, reason);
const piece = ([index, id, name, args]) => ({ ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), type: "function", function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) } });
const calls = (...pieces) => delta({ tool_calls: pieces.map(piece) });
const _ = undefined;
/** A piece of a call as Gemini signs it. */
const signed = (of, signature) => delta({ tool_calls: [{ ...piece(of), extra_content: { google: { thought_signature: signature } } }] });

/** Answers with these events; `cut`: how the bytes are cut, `eol`: how lines end, `done`: whether `[DONE]` follows. */
function events(list, { eol = "\n", cut = 1_000, done = true, type = "text/event-stream" } = {}) {
  return async (request, respond) => {
    const bytes = Buffer.from([...list, ...(done ? ["[DONE]"] : [])].map((event) => `data: ${event}${eol}${eol}`).join(""));
    respond.head(200, { "content-type": type });
    for (let at = 0; at < bytes.length; at += cut) await respond.write(bytes.subarray(at, at + cut));
    respond.end();
  };
}

/** The calls of a run, as name and arguments. */
function called(ran) {
  return ran.of("TOOL_CALL_START").map(({ toolCallId, toolCallName }) => {
    const args = ran.of("TOOL_CALL_ARGS").filter((event) => event.toolCallId === toolCallId).map((event) => event.delta).join("");
    assert.equal(ran.of("TOOL_CALL_END").filter((event) => event.toolCallId === toolCallId).length, 1);
    return `${toolCallName}(${args})`;
  });
}

const WEATHER = 'get_weather({"city":"Rome"})';
const REFUND = 'refund({"n":9007199254740993})';
const STREAMS = [
  ["the documented form", [calls([0, "c1", "get_weather", ""]), calls([0, _, _, '{"city"']), calls([0, _, _, ':"Rome"}']), end("tool_calls")], [WEATHER]],
  ["no index", [calls([_, "c1", "get_weather", ""]), calls([_, _, _, '{"city":"Rome"}']), end("tool_calls")], [WEATHER]],
  ["no index, two calls", [calls([_, "c1", "get_weather", '{"city":"Rome"}']), calls([_, "c2", "refund", '{"n":9007199254740993}']), end("tool_calls")], [WEATHER, REFUND]],
  ["a reused index with a new id", [calls([0, "c1", "get_weather", '{"city":"Rome"}']), calls([0, "c2", "refund", ""]), calls([0, _, _, '{"n":9007199254740993}']), end("tool_calls")], [WEATHER, REFUND]],
  ["fragments on later indexes", [calls([0, "c1", "get_weather", ""]), calls([1, _, _, '{"city"']), calls([2, _, _, ':"Rome"}']), end("tool_calls")], [WEATHER]],
  ["the id on every piece", [calls([0, "c1", "get_weather", ""]), calls([0, "c1", _, '{"city":']), calls([0, "c1", _, '"Rome"}']), end("tool_calls")], [WEATHER]],
  ["a name in pieces", [calls([0, "c1", "get_", ""]), calls([0, _, "weather", ""]), calls([0, _, _, '{"city":"Rome"}']), end("tool_calls")], [WEATHER]],
  ["a name in pieces, the first a name", [calls([0, "c1", "get", ""]), calls([0, _, "_weather", ""]), calls([0, _, _, '{"city":"Rome"}']), end("tool_calls")], [WEATHER]],
  ["the name after the arguments", [calls([0, "c1", _, '{"city":"Rome"}']), calls([0, _, "get_weather", _]), end("tool_calls")], [WEATHER]],
  ["empty arguments", [calls([0, "c1", "get_time", ""]), end("tool_calls")], ["get_time({})"]],
  ["a whole call in one piece, and stop", [calls([0, "c1", "refund", '{"n":9007199254740993}']), end("stop")], [REFUND]],
  ["two calls interleaved", [calls([0, "c1", "get_weather", ""]), calls([1, "c2", "refund", ""]), calls([0, _, _, '{"city":']), calls([1, _, _, '{"n":']), calls([0, _, _, '"Rome"}']), calls([1, _, _, "9007199254740993}"]), end("tool_calls")], [WEATHER, REFUND]],
  ["one id for two calls", [calls([0, "c", "get_weather", '{"city":"Rome"}']), calls([1, "c", "refund", '{"n":9007199254740993}']), end("tool_calls")], [WEATHER, REFUND]],
];

test("calls come out whole, however they were sent", async () => {
  for (const [name, list, expected] of STREAMS) {
    for (const how of [{}, { eol: "\r\n", cut: 1 }, { eol: "\r", cut: 7, done: false }]) {
      const { chat, asked } = await scene([events(list, how), events([text("Done."), end()])]);
      const ran = await chat.say("Do it", { tools: TOOLS });
      assert.deepEqual(called(ran), expected, `${name} ${JSON.stringify(how)}`);
      assert.equal(ran.outcome.pendingToolCallIds.length, expected.length, name);
      for (const id of chat.ids.values()) assert.match(id, /^[A-Za-z0-9]{9}$/);
      // The browser answers, and the model is given each call with its result, digit by digit.
      for (const id of ran.outcome.pendingToolCallIds) chat.answer(id, { ok: true });
      assert.equal((await chat.run({ tools: TOOLS })).text, "Done.", name);
      const sent = asked()[1].messages;
      const [assistant, results] = [sent.find(({ role }) => role === "assistant"), sent.filter(({ role }) => role === "tool")];
      assert.deepEqual(assistant.tool_calls.map(({ function: { name, arguments: args } }) => `${name}(${args})`), expected, name);
      assert.deepEqual(results.map(({ tool_call_id }) => tool_call_id), assistant.tool_calls.map(({ id }) => id), name);
    }
  }
});

const ERRORS = [
  ["cut in the text", events([text("Half an")], { done: false }), "model_stream_cut"],
  ["cut in a call", events([calls([0, "c1", "refund", '{"n":'])], { done: false }), "model_stream_cut"],
  ["done, and no reason for it", events([text("Half an")]), "model_stream_cut"],
  ["an end and nothing before it", events([delta({ role: "assistant", content: "" }), end()]), "model_error", "The model ended its answer with neither text nor a call."],
  ["reasoning alone", events([delta({ reasoning_content: "Hm." }), end()]), "model_error", "The model ended its answer with neither text nor a call."],
  ["blanks alone", events([text("\n\n"), end()]), "model_error", "The model ended its answer with neither text nor a call."],
  ["nothing at all", events([], { done: false }), "model_stream_cut"],
  ["the connection breaks", (request, respond) => (respond.head(200, { "content-type": "text/event-stream", "content-length": "10000" }), respond.end(`data: ${text("Half")}\n\n`, { hangUp: true })), "model_stream_cut"],
  ["an error inside a 200", events([text("Half an"), JSON.stringify({ error: { message: `overloaded <b>x</b>`, code: 529 } })]), "model_error"],
  ["an error inside a 200 that repeats the key", events([JSON.stringify({ error: { message: `Incorrect API key ${KEY}`, code: 401 } })]), "model_error", "The model reports an error: Incorrect API key …"],
  ["a limit in the middle of a call", events([calls([0, "c1", "refund", ""]), end("length")]), "model_stream_cut"],
  ["no JSON", events(["nonsense"]), "model_error"],
  ["a signature without an end", events([signed([0, "c1", "refund", "{}"], "x".repeat(40_000)), end("tool_calls")]), "model_error"],
  ["arguments without a name", events([calls([0, "c1", _, '{"n":1}']), end("tool_calls")]), "model_error"],
  ["too much", events([text("x".repeat(600_000)), text("y".repeat(600_000)), end()], { cut: 100_000 }), "model_error"],
  ["a line without an end", events([text("x".repeat(1_200_000)), end()], { cut: 100_000 }), "model_error"],
  ["a web page", (request, respond) => respond(200, { "content-type": "text/html" }, "<html>Sign in</html>"), "model_error"],
  ["a refusal", (request, respond) => respond(400, { "content-type": "application/json" }, JSON.stringify({ error: { message: `no such model; your key is ${KEY}` } })), "model_error", "The model's endpoint refused the request (status 400): no such model; your key is …"],
  ["a refused key", (request, respond) => respond(401, { "content-type": "application/json" }, JSON.stringify({ error: { message: `Incorrect key ${KEY.slice(0, 6)}***` } })), "model_error", "The model's endpoint refused the key (status 401)."],
  ["a refusal as a web page", (request, respond) => respond(502, { "content-type": "text/html" }, "<html><script>1</script></html>"), "model_unavailable", "The model's endpoint refused the request (status 502)."],
  ["a redirect", (request, respond) => respond(302, { location: "https://elsewhere.test/v1" }), "model_error", "The model's endpoint redirects (status 302), which is not followed."],
  ["no answer", (request, respond) => respond.destroy(), "model_unavailable"],
  ["a long pause", (request, respond) => respond(429, { "retry-after": "60" }, "{}"), "model_unavailable", "The model's endpoint asks for a pause (status 429)."],
];

test("what is no answer is a RUN_ERROR that tells no secret, and the thread goes on", async () => {
  for (const [name, answer, code, message] of ERRORS) {
    const { chat, asked } = await scene([answer, events([text("Now it works."), end()])]);
    const ran = await chat.say("Do it", { tools: TOOLS });
    assert.deepEqual([ran.last.type, ran.last.code], ["RUN_ERROR", code], `${name}: ${JSON.stringify(ran.last)}`);
    if (message !== undefined) assert.equal(ran.last.message, message, name);
    assert.ok(!JSON.stringify(ran.events).includes(KEY) && !ran.last.message.includes("<"), name);
    assert.equal(asked().length, 1, `${name}: it was asked once`);
    const next = await chat.say("Again", { tools: TOOLS });
    assert.equal(next.text, "Now it works.", name);
    // What was cut is no message that the next turn would build on with calls that nobody answers.
    for (const { role, tool_calls = [] } of asked()[1].messages.filter(({ role }) => role === "assistant")) {
      const answered = asked()[1].messages.filter((each) => each.role === "tool").map(({ tool_call_id }) => tool_call_id);
      assert.ok(tool_calls.every(({ id }) => answered.includes(id)), `${name}: ${role}`);
    }
  }
  assert.deepEqual(internet.requests("elsewhere.test"), []);
});

test("a short pause is waited for once, and an answer that is not streamed is read too", async () => {
  const busy = (request, respond) => respond(429, { "retry-after": "1" }, "{}");
  const { chat, asked } = await scene([busy, events([text("At last."), end()])]);
  assert.equal((await chat.say("Do it")).text, "At last.");
  assert.equal(asked().length, 2);
  const twice = await scene([busy, (request, respond) => respond(503, { "retry-after": "0" }, "{}"), events([text("Never."), end()])]);
  assert.equal((await twice.chat.say("Do it")).last.code, "model_unavailable");
  assert.equal(twice.asked().length, 2);
  const message = { role: "assistant", content: "All at once.", tool_calls: [piece([_, "c1", "get_time", "{}"])] };
  const whole = (request, respond) => respond(200, { "content-type": "application/json" }, JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
  const ran = await (await scene(whole)).chat.say("Do it", { tools: TOOLS });
  assert.deepEqual([ran.text, called(ran)], ["All at once.", ["get_time({})"]]);
});

/** The assistant's messages of a request. */
const said = (body) => body.messages.filter(({ role }) => role === "assistant");

test("what Gemini signs goes back with its call, whatever comes later, and to no other model", async () => {
  const SIGNATURE = "CiQBAb+/=\u00e9 not base64 either";
  const whole = signed([0, "c1", "get_weather", '{"city":"Rome"}'], SIGNATURE);
  for (const signature of [[whole], [calls([0, "c1", "get_weather", '{"city":']), signed([0, _, _, '"Rome"}'], SIGNATURE)]]) {
    const first = events([...signature, calls([1, "c2", "get_time", "{}"]), end("tool_calls")]);
    const { org, model, chat, asked } = await scene([first, events([text("Done."), end()])]);
    const ran = await chat.say("Do it", { tools: TOOLS });
    for (const id of ran.outcome.pendingToolCallIds) chat.answer(id, "ok");
    assert.equal((await chat.run({ tools: TOOLS })).text, "Done.");
    await chat.say("And then?", { tools: TOOLS });
    for (const body of asked().slice(1)) {
      const [one, two] = said(body)[0].tool_calls;
      assert.deepEqual([one.function.name, one.extra_content], ["get_weather", { google: { thought_signature: SIGNATURE } }]);
      assert.deepEqual([two.function.name, Object.keys(two).sort()], ["get_time", ["function", "id", "type"]]);
    }
    // It is between the gateway and the model: no client is told.
    assert.ok(!JSON.stringify([ran.events, await chat.kept()]).includes("thought_signature"));
    // Another model takes the conversation over, and may refuse a member that it does not know.
    await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [], model: { ...model, name: "another" } });
    await chat.say("Still there?", { tools: TOOLS });
    assert.ok(said(asked().at(-1))[0].tool_calls.every((call) => !("extra_content" in call)));
  }
});

test("what DeepSeek thought goes back where it called tools, and where it did not it stays away", async () => {
  const thinks = (words) => [...words].map((piece) => delta({ reasoning_content: piece }));
  const { chat, asked } = await scene([
    events([...thinks(["First ", "the weather."]), text("Let me look."), calls([0, "c1", "get_weather", '{"city":"Rome"}']), end("tool_calls")]),
    // It thought nothing this time, and its endpoint wants that back too.
    events([delta({ reasoning_content: "" }), calls([0, "c1", "get_time", "{}"]), end("tool_calls")]),
    events([...thinks(["Now I know."]), text("Sunny."), end()]),
    events([...thinks(["Small talk."]), text("You are welcome."), end()]),
    events([text("Bye."), end()]),
  ]);
  let ran = await chat.say("How is the weather?", { tools: TOOLS });
  for (let round = 0; round < 2; round += 1) {
    for (const id of ran.outcome.pendingToolCallIds) chat.answer(id, "ok");
    ran = await chat.run({ tools: TOOLS });
  }
  assert.equal(ran.text, "Sunny.");
  for (const words of ["Thanks", "Goodbye"]) await chat.say(words, { tools: TOOLS });
  const thoughts = asked().map((body) => said(body).map(({ reasoning_content, content }) => [content, reasoning_content]));
  const [one, two, three] = [["Let me look.", "First the weather."], ["", ""], ["Sunny.", "Now I know."]];
  assert.deepEqual(thoughts, [[], [one], [one, two], [one, two, three], [one, two, three, ["You are welcome.", undefined]]]);
});

test("to an endpoint that wants nothing back, nothing is added", async () => {
  for (const first of [[], [delta({ reasoning: "Hm." })], [delta({ reasoning_content: null })]]) {
    const { chat, asked } = await scene([events([...first, calls([0, "c1", "get_time", "{}"]), end("tool_calls")]), events([text("Noon."), end()])]);
    const ran = await chat.say("What time is it?", { tools: TOOLS });
    for (const id of ran.outcome.pendingToolCallIds) chat.answer(id, "12:00");
    assert.equal((await chat.run({ tools: TOOLS })).text, "Noon.");
    const [assistant] = said(asked()[1]);
    assert.deepEqual([Object.keys(assistant).sort(), Object.keys(assistant.tool_calls[0]).sort()], [["content", "role", "tool_calls"], ["function", "id", "type"]]);
  }
});

test("a slow answer arrives as it is written, reasoning apart from text", async () => {
  let goOn;
  const released = new Promise((resolve) => (goOn = resolve));
  const { chat } = await scene(async (request, respond) => {
    respond.head(200, { "content-type": "text/event-stream" });
    await respond.write(`: keep-alive\n\ndata: ${delta({ reasoning_content: "Hm." })}\n\ndata: ${text("First é")}\n\n`);
    await released;
    await respond.write(`data: ${text(", then.")}\n\ndata: ${end()}\n\n`);
    respond.end("data: [DONE]\n\n");
  });
  const seen = [];
  chat.client.addMessage({ id: "u1", role: "user", content: "Do it" });
  const running = chat.client.runAgent({}, { onEvent: ({ event }) => void seen.push(event) });
  await until("the first words are there", () => seen.some(({ type, delta }) => type === "TEXT_MESSAGE_CONTENT" && delta.includes("First é")));
  assert.ok(!seen.some(({ delta }) => delta?.includes("then")));
  goOn();
  await running;
  const ran = new Ran(seen, (value) => value);
  assert.deepEqual([ran.text, ran.of("REASONING_MESSAGE_CONTENT").map(({ delta }) => delta).join("")], ["First é, then.", "Hm."]);
});

test("silence ends a turn: before the first byte, and in the middle", { timeout: 90_000 }, async () => {
  const gone = [];
  const silent = (request) => void gone.push(request.gone);
  const halting = async (request, respond) => {
    gone.push(request.gone);
    respond.head(200, { "content-type": "text/event-stream" });
    await respond.write(`data: ${text("Half")}\n\n`);
  };
  const scenes = [await scene(silent), await scene(halting)];
  const codes = await Promise.all(scenes.map(async ({ chat }) => (await chat.say("Do it")).last.code));
  assert.deepEqual(codes, ["model_unavailable", "model_stream_cut"]);
  await until("both connections were given up", () => gone.length === 2 && gone.every(({ aborted }) => aborted));
});

test("an agent's key is sealed, sent to its own URL alone, and shown to nobody", async () => {
  const { org, host, model, chat } = await scene(events([text("Hi."), end()]));
  const put = async (model) => (await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [], model })).body.model;
  const sent = async () => {
    assert.equal((await chat.say("Hi")).text, "Hi.");
    return internet.requests(host).at(-1).header("authorization");
  };
  assert.equal(await sent(), `Bearer ${KEY}`);
  const shown = (await org.admin.must(200, "GET", "/v1/agents/bot")).body.model;
  assert.deepEqual(shown, { url: model.url, name: "played", api_key_set: true });
  // Without a key in it, a write keeps the one of this URL; another name makes no difference.
  assert.deepEqual(await put({ url: model.url, name: "other" }), { url: model.url, name: "other", api_key_set: true });
  assert.equal(await sent(), `Bearer ${KEY}`);
  // An empty one takes it away, and no other key takes its place.
  assert.equal((await put({ url: model.url, name: "played", api_key: "" })).api_key_set, false);
  assert.equal(await sent(), undefined);
  // Another URL never inherits it, nor does the old one get it back.
  await put(model);
  const elsewhere = newHost();
  internet.host(elsewhere, events([text("Hi."), end()]));
  assert.equal((await put({ url: `https://${elsewhere}/v1`, name: "played" })).api_key_set, false);
  assert.equal((await chat.say("Hi")).text, "Hi.");
  assert.equal(internet.requests(elsewhere).at(-1).header("authorization"), undefined);
  assert.equal((await put({ url: model.url, name: "played" })).api_key_set, false);
  const audit = (await org.admin.must(200, "GET", "/v1/audit")).text;
  const listed = (await org.admin.must(200, "GET", "/v1/agents")).text;
  assert.ok(!`${audit}${listed}${gateway.log}`.includes(KEY));
  for (const request of internet.requests(host)) assert.ok(!request.path.includes(KEY) && !request.body.includes(KEY));
});

test("the deployment's model has the deployment's key, and an agent may name another model there", async () => {
  internet.host("operator.test", events([text("Hi."), end()]), { dns: null });
  const org = await Org.make(gateway);
  await org.grant([]);
  const chat = new Chat(await person(org, numbered()));
  const written = (body) => org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [], ...body });
  const told = async () => {
    const { body } = await org.admin.must(200, "GET", "/v1/agents/bot");
    assert.deepEqual((await org.admin.must(200, "GET", "/v1/agents")).body.agents, [body]);
    assert.deepEqual((await chat.capabilities()).custom.model, body.chat_model, "the chat says the same");
    return body.chat_model;
  };
  assert.deepEqual(await told(), { label: "m", demo: false });
  assert.equal((await chat.say("Hi")).text, "Hi.");
  assert.deepEqual((await written({ model: "m-large" })).body.chat_model, { label: "m-large", demo: false });
  assert.deepEqual(await told(), { label: "m-large", demo: false });
  assert.equal((await chat.say("Hi")).text, "Hi.");
  const requests = internet.requests("operator.test");
  assert.deepEqual(requests.map((request) => [request.path, request.header("authorization"), JSON.parse(request.body).model]), [
    ["/v1/chat/completions", "Bearer sk-of-the-operator", "m"],
    ["/v1/chat/completions", "Bearer sk-of-the-operator", "m-large"],
  ]);
  assert.deepEqual((await written({ model: "demo" })).body.chat_model, { label: "Demo model", demo: true });
  assert.deepEqual(await told(), { label: "Demo model", demo: true });
  assert.match((await chat.say("Hi")).text, /^Demo model: /);
  assert.equal(internet.requests("operator.test").length, 2, "the demo model asks nobody");
});

test("a host that the operator vouches for may have a model, and no webhook", async () => {
  internet.host("127.0.0.9", events([text("Hi."), end()]), { dns: null });
  const org = await Org.make(gateway);
  const url = "https://127.0.0.9/v1";
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: [], model: { url, name: "local" } });
  assert.equal((await new Chat(await person(org, numbered())).say("Hi")).text, "Hi.");
  for (const other of ["https://127.0.0.9:444/v1", "https://127.0.0.8/v1"]) {
    assert.equal((await org.admin.put("/v1/agents/bot", { capabilities: [], model: { url: other, name: "local" } })).code, "destination_refused");
  }
  assert.equal((await org.admin.put("/v1/pools/hooks", { transport: "webhook", url })).code, "destination_refused");
});

test("the address of an agent's model is judged when it is saved, and again at each turn", async () => {
  const org = await Org.make(gateway);
  const put = (model) => org.admin.put("/v1/agents/bot", { capabilities: [], model });
  internet.dns("half.example.com", { A: ["93.184.215.14", "169.254.169.254"] });
  for (const url of ["http://models.example.com/v1", "https://127.0.0.1/v1", "https://localhost/v1", "https://models.example.com:8443/v1", "https://half.example.com/v1", `${gateway.url.replace("http:", "https:")}/v1`]) {
    const answer = await put({ url, name: "m" });
    assert.deepEqual([answer.status, answer.code], [422, "destination_refused"], `${url}: ${answer.text}`);
    assert.match(answer.body.detail, /^model\.url: /);
  }
  for (const [model, member] of [["", "model"], ["two words", "model"], [{ url: "https://models.example.com/v1/chat/completions", name: "m" }, "model.url"], [{ url: "https://models.example.com/v1", name: "" }, "model.name"], [{ url: "https://models.example.com/v1", name: "m", api_key: "a b" }, "model.api_key"]]) {
    const answer = await put(model);
    assert.deepEqual([answer.status, answer.code, answer.body.field], [422, "invalid_request", member], answer.text);
  }
  for (const model of [7, [], { name: "m" }, { url: "https://models.example.com/v1", name: "m", key: "x" }]) assert.equal((await put(model)).code, "invalid_request");
  assert.equal((await org.admin.get("/v1/agents/bot")).status, 404, "nothing was saved");

  const { host, chat } = await scene(events([text("Hi."), end()]));
  assert.equal((await chat.say("Hi")).text, "Hi.");
  const before = internet.requests(host).length;
  internet.dns(host, { A: ["10.0.0.7"] });
  const ran = await chat.say("Hi");
  assert.deepEqual([ran.last.type, ran.last.code], ["RUN_ERROR", "model_refused_address"]);
  assert.ok(!ran.last.message.includes("10.0.0.7"), "who chats is told nothing of where a name leads");
  assert.equal(internet.requests(host).length, before, "and nothing was sent");
  // A name that flips behind the check: the answer does not count.
  internet.dns(host, { A: ["93.184.215.14"] });
  let flipped = false;
  internet.host(host, (request, respond) => {
    flipped = true;
    internet.dns(host, { A: ["127.0.0.1"] });
    return events([text("Secret."), end()])(request, respond);
  });
  const late = await chat.say("Hi");
  assert.deepEqual([late.last.code, late.text, flipped], ["model_refused_address", "", true]);
});
