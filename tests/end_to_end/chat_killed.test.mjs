// A run that dies, with its gateway or because its client left: what it submitted is settled by the next one, and no write
// runs twice.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { staged } from "./support/chat.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { MODEL_VARS, ScriptedModel } from "./support/scripted_model.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [definition("note", "reversible_write", { input: { n: "integer" } }), definition("look", "read_only", {})];
/** A lease lapses after a minute. */
const LAPSE_MS = 70_000;

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

const scene = (tools = TOOLS) => staged(gateway, model, tools);

/** The run of a bare request once no earlier one holds the thread. */
function free(chat, more) {
  return until("the thread is free", async () => {
    const answer = await chat.post(more);
    return answer.status !== 409 && chat.ran(answer);
  }, LAPSE_MS);
}

test("a gateway killed in the middle of a run: the next run settles its write, which ran once", async () => {
  const { chat, org, worker } = await scene();
  model.next({ text: "Noting.", calls: [{ id: "n", name: "note", arguments: { n: 1 } }, { id: "m", name: "note", arguments: { n: 2 } }] }, { text: "Noted both." });
  const dying = chat.post({ messages: [{ id: "u", role: "user", content: "Note 1 and 2" }] }).catch(() => "cut");
  // One is accepted and has run, the other is with its worker, and nobody was told of either.
  const jobs = [];
  while (jobs.length < 2) jobs.push(...(await worker.jobs({ wait: 15 })));
  const [first, second] = jobs;
  await worker.accept(first.claim);
  await until("the calls are known to the thread", async () => (await chat.kept()).messages.length === 2);
  await gateway.killAndRestart();
  await dying;
  assert.equal(await worker.result(first.claim, '"one"'), "recorded");
  // The other was never accepted: it is handed out again, once.
  const again = await worker.job(30);
  assert.equal(again.call, second.call);
  await worker.accept(again.claim);
  await worker.result(again.claim, '"two"');
  const ran = await free(chat, {});
  assert.deepEqual(ran.results, { [jobId(ran, first)]: "one", [jobId(ran, second)]: "two" });
  assert.equal(ran.text, "Noted both.");
  assert.deepEqual(await worker.jobs(), []);
  const calls = (await org.admin.all("/v1/calls?pool=main&tool=note", "calls")).map(({ call }) => call).sort();
  assert.deepEqual(calls, [first.call, second.call].sort());
});

/** Which of the model's calls a job was. */
function jobId(ran, job) {
  return job.arguments.n === 1 ? "n" : "m";
}

test("a client that leaves in the middle of a call: the call goes on, and its result is there for the next run", async () => {
  const { chat, worker } = await scene();
  model.next({ calls: [{ id: "n", name: "note", arguments: { n: 1 } }] });
  // The run may go on to its end without its client, stop behind the call, or stop in the middle of this.
  model.always({ text: "It is noted." });
  const leaving = new AbortController();
  const left = chat.post({ messages: [{ id: "u", role: "user", content: "Note it" }] }, { signal: leaving.signal }).catch(() => "left");
  const job = await worker.job();
  await worker.accept(job.claim);
  leaving.abort();
  assert.equal(await left, "left");
  await worker.result(job.claim, '"noted"');
  await free(chat, {});
  const kept = await chat.kept();
  const said = kept.messages.map(({ role, content }) => [role, content]);
  assert.deepEqual([...said.slice(0, 3), said.at(-1)], [["user", "Note it"], ["assistant", undefined], ["tool", "noted"], ["assistant", "It is noted."]]);
  assert.deepEqual(await worker.jobs(), []);
});

test("a client that leaves while the model speaks: what was said is kept, and the next run asks again", async () => {
  const { chat } = await scene();
  let release;
  model.next({ text: "Once upon a time there was", hold: new Promise((resolve) => (release = resolve)) }, { text: "The end." });
  const leaving = new AbortController();
  const left = chat.post({ messages: [{ id: "u", role: "user", content: "A story" }] }, { signal: leaving.signal }).catch(() => "left");
  await until("the model speaks", async () => model.asked.length === 1);
  leaving.abort();
  await left;
  release();
  const ran = await free(chat, {});
  assert.ok(["The end.", ""].includes(ran.text), ran.text);
  const roles = (await chat.kept()).messages.map(({ role }) => role);
  assert.equal(roles[0], "user");
  assert.equal(roles.at(-1), "assistant");
});

test("a parked call outlives a kill: decided meanwhile, it runs once", async () => {
  const { chat, org, worker } = await scene([definition("pay", "consequential", { permissions: ["refunds:write"] })]);
  model.next({ calls: [{ id: "p", name: "pay" }] }, { text: "Paid." });
  const ran = await chat.say("Pay");
  const [interrupt] = ran.outcome.interrupts;
  await gateway.killAndRestart();
  await org.decide(interrupt.id, { decision: "approve", digest: interrupt.metadata.argsDigest });
  const job = await worker.job();
  await worker.accept(job.claim);
  await worker.result(job.claim, '"paid"');
  const [again] = (await chat.kept()).pending.interrupts;
  assert.equal(again.id, interrupt.id);
  const resumed = await chat.run({ resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }] });
  assert.deepEqual([resumed.results, resumed.text], [{ p: "paid" }, "Paid."]);
  assert.deepEqual(await worker.jobs(), []);
});
