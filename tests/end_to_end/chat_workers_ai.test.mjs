// Workers AI as a binding: the runtime's own code of it, and on its other side a server that answers as the platform's does, in each form that models
// give, with errors and with answers that break.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { BoundGateway, FarSide } from "./support/bound.mjs";
import { Chat, person } from "./support/chat.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until, within } from "./support/until.mjs";

const MODEL = "@cf/meta/llama-4-scout-17b-16e-instruct";
const PICK = { name: "pick", description: "Picks one.", parameters: { type: "object", properties: {} } };

let far, gateway, answers;
before(async () => {
  far = await FarSide.start((asked, response) => answers.shift()(response, asked));
  gateway = await BoundGateway.start({ wrapped: { AI: { module: "cloudflare-internal:ai-api", at: far.address } } });
});
after(async () => {
  await gateway?.stop();
  await far?.stop();
});

/** A stream of these chunks, whole or broken off. */
const stream = (chunks, { cut = false } = {}) => (response) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cf-ai-req-id": "req" });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  if (!cut) return response.end("data: [DONE]\n\n");
  // Once the bytes are on their way, the line breaks.
  response.write(": \n\n", () => response.destroy());
};
const whole = (text, status = 200) => (response) => response.writeHead(status, { "content-type": "application/json" }).end(text);
const delta = (delta, finish_reason = null) => ({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });

async function scene(...told) {
  answers = told;
  far.asked.length = 0;
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("look", "read_only", { description: "Look an order up.", input: { id: "integer" } })]);
  await org.grant(["look"]);
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: ["bot"], model: MODEL });
  let seen = 0;
  const chat = new Chat(await person(org, { unseen: { shift: () => `call-${(seen += 1)}` } }));
  return { chat, worker };
}

/** Says something while the worker serves the call that comes of it. */
async function served({ chat, worker }) {
  const running = chat.say("Where is order 9007199254740993?");
  const job = await worker.job();
  await worker.result(job.claim, '"at sea"');
  return { ran: await running, job };
}

test("a call and an answer, streamed as OpenAI does; the model is named, and what it is sent keeps its digits", async () => {
  const it = await scene(
    stream([
      delta({ role: "assistant", content: "" }),
      delta({ tool_calls: [{ index: 0, id: "chatcmpl-tool-1", type: "function", function: { name: "look", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"id":90071992' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: "54740993}" } }] }),
      delta({}, "tool_calls"),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
    ]),
    stream([delta({ content: "It is " }), delta({ content: "at sea." }), delta({}, "stop")]),
  );
  const { ran, job } = await served(it);
  assert.equal(job.tool, "look");
  assert.deepEqual([ran.text, ran.results, ran.outcome], ["It is at sea.", { "call-1": "at sea" }, { type: "success" }]);
  assert.deepEqual([ran.last.usage[0].model, ran.last.usage[0].totalTokens], [MODEL, 10]);
  assert.deepEqual((await it.chat.kept()).messages[1].metadata, { model: MODEL });
  const [first, second] = far.asked;
  assert.deepEqual([first.path, first.headers["cf-consn-model-id"], first.headers["content-type"]], ["/run?version=3", MODEL, "application/json"]);
  const { inputs } = JSON.parse(first.text);
  assert.deepEqual([inputs.stream, inputs.messages, inputs.tools.map((tool) => tool.function.name)], [true, [{ role: "user", content: "Where is order 9007199254740993?" }], ["look"]]);
  assert.equal(inputs.model, undefined);
  const [, called, result] = JSON.parse(second.text).inputs.messages;
  assert.deepEqual([called.tool_calls[0].function.arguments, result.tool_call_id, result.content], ['{"id":9007199254740993}', called.tool_calls[0].id, "at sea"]);
});

test("numbers of a definition are sent as they were written", async () => {
  const { chat } = await scene(stream([delta({ content: "Ok." }), delta({}, "stop")]));
  const schema = '{"properties":{"n":{"enum":[9007199254740993,-18446744073709551615,0.12345678901234567890,7,1.5]},"s":{"const":"\\ud83d\\ude00 \\u0000 \\"q\\""}},"type":"object"}';
  const body = JSON.stringify(chat.body({ messages: [{ id: "u", role: "user", content: "Pick" }], tools: [{ ...PICK, parameters: "@" }] })).replace('"@"', schema);
  chat.ran(await chat.door.post(chat.path, body));
  const { text } = far.asked[0];
  assert.ok(text.includes('"enum":[9007199254740993,-18446744073709551615,0.12345678901234567890,7,1.5]'), text);
  assert.equal(JSON.parse(text).inputs.tools[1].function.parameters.properties.s.const, '\ud83d\ude00 \0 "q"');
});

test("the older form, streamed and whole; a whole one keeps its digits too", async () => {
  const older = await scene(
    stream([{ response: "Let me ", p: "abc" }, { response: "look.", p: "ab" }, { response: "", tool_calls: [{ name: "look", arguments: { id: 7 } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]),
    whole('{"response":"At sea.","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'),
  );
  const { ran, job } = await served(older);
  assert.deepEqual([ran.text, job.arguments], ["Let me look.At sea.", { id: 7 }]);
  const exact = await scene(whole('{"response":null,"tool_calls":[{"name":"look","arguments":{"id":9007199254740993}}]}'), stream([delta({ content: "Done." }), delta({}, "stop")]));
  await served(exact);
  assert.equal((await exact.chat.kept()).messages[1].toolCalls[0].function.arguments, '{"id":9007199254740993}');
});

test("what the platform refuses is an error of the run in its words, and the thread goes on", async () => {
  for (const [answer, code, words] of [
    [whole('{"errors":[{"message":"AiError: Bad input: no such field","code":5006}],"success":false,"result":{},"messages":[]}', 400), "model_error", /refused the request \(status 400\): AiError: Bad input/],
    [whole('{"internalCode":3040,"name":"InferenceUpstreamError","description":"Capacity temporarily exceeded"}', 429), "model_unavailable", /status 429\): Capacity temporarily exceeded/],
    [whole("<html>bad gateway</html>", 502), "model_unavailable", /status 502/],
    [whole('{"response":'), "model_error", /./],
    [stream([delta({ content: "Half" }), { error: { message: "out of memory" } }]), "model_error", /reports an error: out of memory/],
    [(response) => response.destroy(), "model_unavailable", /could not be reached/],
  ]) {
    const { chat } = await scene(answer, stream([delta({ content: "Now." }), delta({}, "stop")]));
    const { last } = await chat.say("Hi");
    assert.deepEqual([last.type, last.code], ["RUN_ERROR", code], JSON.stringify(last));
    assert.match(last.message, words);
    assert.equal((await chat.run()).text, "Now.");
  }
});

test("an answer that breaks off is no answer: what was said is kept, and none of its calls is made", async () => {
  const call = delta({ tool_calls: [{ index: 0, id: "x", type: "function", function: { name: "look", arguments: '{"id":1}' } }] });
  for (const broken of [stream([delta({ content: "Let me" }), call], { cut: true }), stream([delta({ content: "Let me" }), call])]) {
    const { chat } = await scene(broken, stream([delta({ content: "Again." }), delta({}, "stop")]));
    const ran = await chat.say("Look");
    assert.deepEqual([ran.last.type, ran.last.code, ran.text], ["RUN_ERROR", "model_stream_cut", "Let me"]);
    assert.match(Object.values(ran.results)[0], /broke off; this call was not made/);
    assert.equal((await chat.run()).text, "Again.");
  }
});

test("a client that leaves ends the model's answer too", async () => {
  const closed = Promise.withResolvers();
  const { chat } = await scene((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const talk = setInterval(() => response.write(`data: ${JSON.stringify(delta({ content: "on and on " }))}\n\n`), 20);
    response.on("close", () => {
      clearInterval(talk);
      closed.resolve();
    });
  });
  const leaving = new AbortController();
  const said = assert.rejects(chat.post({ messages: [{ id: "u", role: "user", content: "Talk" }] }, { signal: leaving.signal }));
  await until("the model talks", () => far.asked.length === 1);
  leaving.abort();
  await said;
  await within("its connection ends", 15_000, closed.promise);
});
