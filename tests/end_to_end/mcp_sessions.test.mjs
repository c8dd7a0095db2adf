// Clients before 2026-07-28 that can be asked: their sessions, of which the gateway keeps a level of log messages at most; the
// questions of tools on the streams of their calls, and the answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { able, Mcp, mcpScene, messagesOf, META, serve, Session, TOOLS } from "./support/mcp.mjs";
import { PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";
import { hooked } from "./support/webhooks.mjs";

let gateway, internet;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const STREAM = "text/event-stream";
const FORM = { method: "elicitation/create", params: { message: "Which one?", requestedSchema: { type: "object", properties: { id: { type: "integer" } } } } };
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 9 } };
const ROOTS = { method: "roots/list" };
const asks = (inputRequests, requestState) => ({ result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests, requestState } } });
const ACCEPT = '{"action":"accept","content":{"id":9007199254740993}}';
const SAID = '{"role":"assistant","model":"m","content":{"type":"text","text":"hello"}}';
const held = (mcp, headers) => mcp.legacy("ping", {}, headers);

/** A scene with a session that is asked by the call that it made: what the gateway sent it, and the rest of the stream. */
async function asked(requests = { which: FORM }, capabilities = { elicitation: {} }) {
  const scene = await mcpScene(gateway);
  const session = await scene.mcp.session(capabilities);
  const stream = session.open("look", { id: 1 });
  const job = await scene.worker.job();
  await scene.worker.outcome(job.claim, asks(requests, { seen: 1 }));
  const { response, next } = await stream;
  assert.deepEqual([response.status, response.headers.get("content-type"), response.headers.get("x-accel-buffering")], [200, STREAM, "no"]);
  return { ...scene, session, job, next, question: await next() };
}

const refused = ({ status, message }) => [status, message.error.code, message.id];
const NOT_ASKED = [400, -32602, undefined];
/** Taken, whatever comes of it: some clients end on anything else. */
const TAKEN = [202, ""];
const taken = ({ status, text }) => [status, text];

test("what a client can be asked for is its session's id, which outlives the gateway and is good for its own agent and principal", async () => {
  const scene = await mcpScene(gateway);
  const { mcp } = scene;
  const plain = await mcp.legacy("initialize", { protocolVersion: "2025-11-25", capabilities: {} }, {});
  assert.deepEqual([plain.headers.get("mcp-session-id"), plain.message.result.capabilities], [null, { tools: {} }]);
  const session = await mcp.session({ elicitation: {} });
  assert.match(session.id, /^[\x21-\x7e]{60,128}$/);
  assert.deepEqual(session.hello.capabilities, { tools: {}, logging: {} });
  assert.notEqual((await mcp.session({ elicitation: {} })).id, session.id);
  assert.deepEqual((await session.request("ping")).message.result, {});
  assert.equal((await mcp.post({ jsonrpc: "2.0", method: "notifications/initialized" }, session.headers)).status, 202);
  await gateway.killAndRestart();
  assert.equal((await session.request("tools/list")).message.result.tools.length, 4);
  // Another key of the same agent and principal goes on; not so another principal's, and another org's.
  const agentKey = async (principal) => new Mcp(gateway, (await scene.org.key({ role: "agent", name: "other", agent: "bot", principal })).key);
  const rotated = await agentKey(JSON.parse(PRINCIPAL));
  await scene.org.admin.must(200, "DELETE", `/v1/keys/${scene.keyId}`);
  assert.equal((await rotated.legacy("tools/list", {}, session.headers)).message.result.tools.length, 4);
  const others = [await agentKey({ id: "u2", tenant_id: "t1", permissions: [] }), (await mcpScene(gateway)).mcp];
  for (const other of others) {
    const { status, message } = await held(other, session.headers);
    assert.deepEqual([status, message.error], [404, { code: -32001, message: "Session not found" }]);
  }
  // A 404 means that the session is over, and so says nothing else.
  for (const method of ["prompts/list", "resources/list", "completion/complete", "tasks/get", "subscriptions/listen", "no/such"]) {
    for (const headers of [session.headers, {}]) assert.deepEqual(refused(await rotated.legacy(method, {}, headers)).slice(0, 2), [200, -32601], method);
  }
  for (const id of ["x", `${session.id}x`, `s${session.id}`, session.id.replace(/^f/, "fs"), "x".repeat(5_000)]) {
    const forged = { ...session.headers, "mcp-session-id": id };
    assert.equal((await held(rotated, forged)).status, 404, id.slice(0, 80));
    assert.equal((await rotated.post({ jsonrpc: "2.0", method: "notifications/initialized" }, forged)).status, 404);
    assert.equal((await rotated.post('{"jsonrpc":"2.0","id":"a","result":{}}', forged)).status, 404);
    // The newer era has no sessions and reads none; a new session may always begin.
    assert.equal((await rotated.request("tools/list", {}, { headers: { "mcp-session-id": id } })).status, 200);
    assert.equal((await rotated.legacy("initialize", { protocolVersion: "2025-11-25", capabilities: {} }, { "mcp-session-id": id })).status, 200);
  }
  assert.equal((await rotated.request("server/discover")).headers.get("mcp-session-id"), null);
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await fetch(mcp.url, { method, headers: { authorization: `Bearer ${rotated.key}`, ...session.headers } })).status, 405, method);
  }
});

test("a form is put to the client on its call's stream, and the tool has the answer, digit by digit", async () => {
  const { session, org, worker, job, next, question } = await asked();
  assert.deepEqual([question.jsonrpc, question.method, question.params], ["2.0", "elicitation/create", FORM.params]);
  assert.match(question.id, /^[\x21-\x7e]{80,200}$/);
  const taken = await session.answer(question.id, ACCEPT);
  assert.deepEqual([taken.status, taken.text], [202, ""]);
  const { text } = await until("the next call comes", async () => {
    const polled = await worker.poll({ max: 1, wait: 5 });
    return polled.text !== "" && polled;
  });
  assert.ok(text.includes(`"input":{"responses":{"which":{"action":"accept","content":{"id":9007199254740993}}},"state":{"seen":1}}`), text);
  const [second] = JSON.parse(text).jobs;
  assert.deepEqual([second.tool, second.arguments, second.call === job.call], ["look", { id: 1 }, false]);
  await worker.result(second.claim, '"found"');
  const { result } = await next();
  assert.deepEqual([result.content[0].text, result.isError, result._meta["toolgate/call"], await next()], ["found", false, second.call, undefined]);
  const all = (await org.admin.get(`/v1/calls/${second.call}`)).text + (await org.admin.get(`/v1/calls/${second.call}/events`)).text + (await org.admin.get("/v1/audit")).text;
  assert.ok(!all.includes("9007199254740993"), "what a client answered is shown nowhere");
});

test("a client declines, or says that it cannot answer", async () => {
  const declined = await asked();
  assert.equal((await declined.session.answer(declined.question.id, '{"action":"decline"}')).status, 202);
  const job = await declined.worker.job();
  assert.deepEqual(job.input.responses, { which: { action: "decline" } });
  await declined.worker.result(job.claim, '"nothing then"');
  assert.equal((await declined.next()).result.content[0].text, "nothing then");
  const failed = await asked();
  assert.equal((await failed.session.answer(failed.question.id, { error: { code: -32601, message: "no such method" } })).status, 202);
  const { result } = await failed.next();
  assert.deepEqual([result.isError, result.structuredContent.status, await failed.next()], [true, "input_required", undefined]);
  assert.match(result.content[0].text, /the client gave no answer that counts/);
  assert.deepEqual(taken(await failed.session.answer(failed.question.id, ACCEPT)), TAKEN, "it is over, and nothing comes of it");
  assert.equal((await failed.worker.jobs()).length, 0);
});

test("an answer counts once, under the id that its session was given, and while somebody waits", async () => {
  const { session, mcp, org, worker, next, question: { id } } = await asked();
  const principal = { id: "u2", tenant_id: "t1", permissions: [] };
  const other = new Mcp(gateway, (await org.key({ role: "agent", name: "other", agent: "bot", principal })).key);
  const strangers = [await other.session({ elicitation: {} }), await mcp.session({ elicitation: {} }), await (await mcpScene(gateway)).mcp.session({ elicitation: {} })];
  for (const stranger of strangers) assert.deepEqual(refused(await stranger.answer(id, ACCEPT)), NOT_ASKED);
  assert.equal((await new Session(mcp, undefined).mcp.post(`{"jsonrpc":"2.0","id":"${id}","result":${ACCEPT}}`)).status, 400, "without its session");
  const parts = id.split(".");
  const changed = (at, part) => parts.with(at, part).join(".");
  for (const forged of ["1", "", `${id}x`, changed(1, "1"), changed(2, "1"), changed(3, String(Number(parts[3]) + 1)), changed(4, "A".repeat(43))]) {
    assert.deepEqual(refused(await session.answer(forged, ACCEPT)), NOT_ASKED, forged);
  }
  assert.equal((await session.answer(7, ACCEPT)).status, 400, "ids of ours are texts");
  assert.equal((await session.answer(id, { result: {}, error: {} })).status, 400);
  assert.equal((await worker.jobs()).length, 0, "nothing of it changed anything");
  const all = await Promise.all(Array.from({ length: 5 }, () => session.answer(id, ACCEPT)));
  assert.deepEqual(all.map(taken), all.map(() => TAKEN));
  const job = await worker.job();
  assert.deepEqual(taken(await session.answer(id, '{"action":"decline"}')), TAKEN);
  assert.deepEqual(job.input.responses.which.action, "accept");
  await worker.result(job.claim, "1");
  assert.equal((await next()).result.content[0].text, "1");
  assert.deepEqual(taken(await session.answer(id, ACCEPT)), TAKEN, "late");
  assert.equal((await worker.jobs()).length, 0, "one answer made one call");
});

test("an answer that the tool cannot be called with ends the question at once", async () => {
  const large = `{"action":"accept","content":{"x":"${"y".repeat(70_000)}"}}`;
  for (const wrong of ["7", "[]", "{}", '{"action":"maybe"}', '{"action":"accept","action":"decline"}', large]) {
    const { session, worker, next, question } = await asked();
    assert.deepEqual(taken(await session.answer(question.id, wrong)), TAKEN, wrong.slice(0, 60));
    const { result } = await next();
    assert.deepEqual([result.isError, result.structuredContent.status, await next()], [true, "input_required", undefined], wrong.slice(0, 60));
    assert.deepEqual(taken(await session.answer(question.id, ACCEPT)), TAKEN);
    assert.equal((await worker.jobs()).length, 0, "and the tool is not called");
  }
  // Each is small enough, both together are not.
  const half = `{"action":"accept","content":{"x":"${"y".repeat(40_000)}"}}`;
  const { session, worker, next, question } = await asked({ a: FORM, b: FORM });
  const second = await next();
  assert.deepEqual(taken(await session.answer(question.id, half)), TAKEN);
  assert.deepEqual(taken(await session.answer(second.id, half)), TAKEN);
  assert.deepEqual([(await next()).result.isError, (await worker.jobs()).length], [true, 0]);
});

test("the same principal may answer as a task, too, and the stream goes on", async () => {
  const { session, mcp, worker, job, next, question } = await asked();
  const tasks = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
  await mcp.result("tasks/update", { taskId: job.call, inputResponses: { "0.which": { action: "decline" } } }, { meta: able(tasks) });
  const again = await worker.job();
  assert.deepEqual(taken(await session.answer(question.id, ACCEPT)), TAKEN, "the first answer counts");
  assert.deepEqual(again.input.responses, { which: { action: "decline" } });
  await worker.result(again.claim, '"found"');
  assert.equal((await next()).result.content[0].text, "found");
});

test("several things are asked at once, and one after the other, each as a request of its own", async () => {
  const { session, worker, next, question } = await asked({ which: FORM, text: SAMPLE, folders: ROOTS }, { elicitation: {}, sampling: {}, roots: { listChanged: true } });
  const questions = [question, await next(), await next()];
  assert.deepEqual(questions.map(({ method, params }) => [method, params]), [["roots/list", {}], [SAMPLE.method, SAMPLE.params], [FORM.method, FORM.params]]);
  const [folders, text, which] = questions.map(({ id }) => id);
  assert.equal((await session.answer(which, ACCEPT)).status, 202);
  assert.deepEqual(taken(await session.answer(which, '{"action":"decline"}')), TAKEN, "the first answer counts");
  assert.equal((await session.answer(folders, '{"roots":[{"uri":"file:///a"}]}')).status, 202);
  assert.equal((await worker.jobs()).length, 0, "nothing runs before all is answered");
  assert.equal((await session.answer(text, SAID)).status, 202);
  const job = await worker.job();
  assert.deepEqual([job.input.responses.folders, job.input.responses.text, job.input.responses.which.action], [{ roots: [{ uri: "file:///a" }] }, JSON.parse(SAID), "accept"]);
  await worker.outcome(job.claim, asks({ which: FORM }));
  const again = await next();
  assert.ok(again.method === FORM.method && again.id !== which);
  assert.deepEqual(taken(await session.answer(which, ACCEPT)), TAKEN, "an answer to an earlier question changes nothing");
  assert.equal((await session.answer(again.id, '{"action":"cancel"}')).status, 202);
  const last = await worker.job();
  assert.deepEqual(last.input, { responses: { which: { action: "cancel" } } });
  await worker.result(last.claim, '"done"');
  assert.equal((await next()).result.content[0].text, "done");
});

test("a page for the user has an id, which revision 2025-11-25 wants", async () => {
  const page = { method: "elicitation/create", params: { mode: "url", message: "Sign in.", url: "https://x.example/" } };
  const { session, worker, question } = await asked({ page }, { elicitation: { url: {} } });
  assert.deepEqual(question.params, { ...page.params, elicitationId: question.id });
  assert.equal((await session.answer(question.id, '{"action":"accept"}')).status, 202);
  assert.deepEqual((await worker.job()).input.responses, { page: { action: "accept" } });
});

test("progress goes on while the client is asked, and from the call that asked to the one that was answered", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const session = await mcp.session({ elicitation: {} });
  const served = serve(worker, { look: ({ input }) => (input === undefined ? asks({ which: FORM }) : { result: "found" }) });
  try {
    const { next } = await session.open("look", { id: 1 }, { _meta: { progressToken: "p" } });
    const steps = [];
    let question;
    for (;;) {
      const message = await next();
      if (message.result !== undefined) break;
      if (message.method === FORM.method) question = message.id;
      // A person takes longer than many clients wait for a request of which they hear nothing.
      else if (/is waited for/.test(message.params.message)) await session.answer(question, ACCEPT);
      steps.push(message.params.progress ?? message.method);
    }
    assert.deepEqual(steps, [1, 2, 3, "elicitation/create", 4, 5, 6, 7]);
  } finally {
    await served.stop();
  }
});

test("who cannot be asked is told why, and a write may not ask", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const served = serve(worker, { look: () => asks({ which: FORM }), rename: () => asks({ which: FORM }) });
  try {
    const session = await mcp.session({ elicitation: {} });
    const told = async (door, name, args, headers) => {
      const { message, text } = await mcp.legacy("tools/call", { name, arguments: args }, { ...door.headers, ...headers });
      const { result } = message ?? messagesOf(text).at(-1);
      assert.deepEqual([result.isError, result.structuredContent.status], [true, "input_required"]);
      return result.content[0].text;
    };
    assert.match(await told(session, "look", { id: 1 }, { accept: "application/json" }), /asked on the event stream of its call/);
    assert.match(await told(await mcp.session({ sampling: {} }), "look", { id: 1 }), /\{"elicitation":\{"form":\{\}\}\}/);
    assert.match(await told({ headers: { "mcp-protocol-version": "2025-11-25" } }, "look", { id: 1 }), /\{"elicitation":\{"form":\{\}\}\}/);
    assert.match(await told(session, "rename", { name: "a" }), /only a read_only tool may ask/);
  } finally {
    await served.stop();
  }
});

test("a killed gateway has kept the session, the question and the answer", async () => {
  const { session, org, mcp, next, question } = await asked();
  await gateway.killAndRestart();
  await assert.rejects(next(), "its stream broke");
  assert.equal((await session.answer(question.id, ACCEPT)).status, 202);
  await gateway.killAndRestart();
  assert.deepEqual(taken(await session.answer(question.id, ACCEPT)), TAKEN, "a second one makes no second call");
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  const job = await worker.job();
  assert.deepEqual([Object.keys(job.input.responses), (await worker.jobs()).length], [["which"], 0]);
  await worker.result(job.claim, '"found"');
  const told = await mcp.result("tools/call", { name: "toolgate_approval_status", arguments: { id: job.call } });
  assert.equal(told.structuredContent.result, "found");
});

test("a tool that may not be called any more is not called for an answer, and nobody waits for it", async () => {
  const { session, org, worker, next, question } = await asked();
  await org.grant(["rename"]);
  assert.deepEqual(taken(await session.answer(question.id, ACCEPT)), TAKEN);
  const { result } = await next();
  assert.deepEqual([result.isError, await next()], [true, undefined]);
  assert.equal((await worker.jobs()).length, 0);
  assert.match((await org.admin.must(200, "GET", "/v1/audit")).text, /not_granted/, "why is in the record");
});

test("a client that hangs up is no longer waited for, and that is all", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  const session = await mcp.session({ elicitation: {} });
  const line = new AbortController();
  const stream = session.open("look", { id: 1 }, { signal: line.signal });
  await worker.outcome((await worker.job()).claim, asks({ which: FORM }));
  const { next } = await stream;
  const { id } = await next();
  line.abort();
  await assert.rejects(next(), { name: "AbortError" });
  assert.equal((await mcp.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, session.headers)).status, 202);
  assert.equal((await session.answer(id, ACCEPT)).status, 202, "its answer still counts");
  const job = await worker.job();
  await worker.result(job.claim, '"found"');
  const status = await session.request("tools/call", { name: "toolgate_approval_status", arguments: { id: job.call } });
  assert.equal(status.message.result.structuredContent.result, "found");
});

test("an endpoint's tool asks on the stream, too", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const { key } = await org.key({ role: "agent", name: "mcp", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  endpoint.on["tool.call"] = ({ input }, out) => out.signed(input === undefined ? asks({ which: FORM }, 7) : { result: input });
  const session = await new Mcp(gateway, key).session({ elicitation: {} });
  const { next } = await session.open("look");
  assert.equal((await session.answer((await next()).id, '{"action":"decline"}')).status, 202);
  assert.deepEqual((await next()).result.structuredContent, { responses: { which: { action: "decline" } }, state: 7 });
  assert.deepEqual(endpoint.faults, []);
});

test("a session hears log messages from the level on that it sets, and a killed gateway has kept it", async () => {
  const { mcp, org, worker } = await mcpScene(gateway);
  const handlers = { look: () => ({ result: 1 }) };
  let served = serve(worker, handlers);
  const [session, other] = [await mcp.session({ elicitation: {} }), await mcp.session({ elicitation: {} })];
  const look = async (who) => {
    const { headers, message, text } = await who.request("tools/call", { name: "look", arguments: { id: 1 } });
    const told = message === undefined ? messagesOf(text) : [message];
    assert.equal(told.pop().result.content[0].text, "1");
    return [headers.get("content-type"), ...told.map(({ params }) => [params.level, params.logger, params.data.event, params.data.tool])];
  };
  const set = async (level) => (await session.request("logging/setLevel", { level })).message;
  const INFO = [STREAM, ...["queued", "hand_out", "settle"].map((event) => ["info", "toolgate", event, "look"])];
  try {
    assert.deepEqual(await look(session), ["application/json"], "nobody is told unasked");
    assert.deepEqual((await set("info")).result, {});
    assert.deepEqual(await look(session), INFO);
    await served.stop();
    await gateway.killAndRestart();
    const again = new RawWorker(org.worker);
    await again.register(TOOLS);
    served = serve(again, handlers);
    assert.deepEqual([await look(session), await look(other)], [INFO, ["application/json"]]);
    await set("warning");
    assert.deepEqual(await look(session), [STREAM]);
    await set("emergency");
    assert.deepEqual(await look(session), ["application/json"]);
    for (const level of ["loud", 7, undefined]) assert.equal((await set(level)).error.code, -32602);
    assert.deepEqual(refused(await mcp.legacy("logging/setLevel", { level: "info" })).slice(0, 2), [200, -32601], "without a session it would be nobody's");
  } finally {
    await served.stop();
  }
});

test("a client of 2026-07-28 hears log messages of the request that asks for them", async () => {
  const { mcp, worker } = await mcpScene(gateway);
  assert.deepEqual((await mcp.result("server/discover")).capabilities.logging, {});
  const call = (level, more = {}) => mcp.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta: { ...META, ...more, "io.modelcontextprotocol/logLevel": level } });
  const served = serve(worker, { look: () => ({ result: 1 }) });
  try {
    const heard = messagesOf((await call("debug", { progressToken: "p" })).text);
    assert.deepEqual(heard.slice(0, -1).map(({ method }) => method), [1, 2, 3].flatMap(() => ["notifications/progress", "notifications/message"]));
    assert.deepEqual(heard[1].params.data, { call: heard.at(-1).result._meta["toolgate/call"], tool: "look", event: "queued", message: "The call is accepted and waits for its code." });
    for (const level of ["error", undefined]) assert.equal((await call(level)).headers.get("content-type"), "application/json", level);
    assert.equal((await call("loud")).message.error.code, -32602);
  } finally {
    await served.stop();
  }
  // A worker that goes silent is a warning.
  const { mcp: quiet, worker: slow } = await mcpScene(gateway);
  const meta = { ...META, "io.modelcontextprotocol/logLevel": "warning" };
  const lost = quiet.request("tools/call", { name: "look", arguments: { id: 1 } }, { meta });
  await slow.job();
  const again = await slow.job(20);
  await slow.result(again.claim, "1");
  assert.deepEqual(messagesOf((await lost).text).slice(0, -1).map(({ params }) => [params.level, params.data.event]), [["warning", "lease_lapsed"]]);
});
