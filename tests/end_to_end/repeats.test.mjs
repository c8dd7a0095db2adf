// A caller whose line breaks repeats its submission: the same call, run once, with the outcome it had.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { each, until } from "./support/until.mjs";
import { Crew, NAMES, stopWorker } from "./support/worker_process.mjs";

let gateway, org, crew, worker;
before(async () => {
  gateway = await Gateway.start();
  org = await Org.make(gateway);
  crew = new Crew(org);
  worker = await crew.start();
  await org.grant(NAMES);
});
after(() => gateway.stop());

/** Submits, and drops the connection when `when` comes true. */
async function dropped(tool, args, key, when) {
  const line = new AbortController();
  const answer = org.submit(tool, args, { key, wait: 25, signal: line.signal }).then(() => "answered", () => "broken");
  await when();
  line.abort();
  assert.equal(await answer, "broken");
}

const journal = (what) => crew.journal.filter((entry) => entry.what === what);
const listed = async () => (await org.caller.all("/v1/calls?pool=main", "calls")).length;

test("a connection dropped while the handler runs: the repeat joins the same call, which runs once", async () => {
  for (const tool of ["look", "edit"]) {
    const key = `running ${tool}`;
    const args = { mode: "gate", note: key.replace(" ", "-") };
    const before = journal("start").length;
    await dropped(tool, args, key, () => until("it runs", () => journal("start").length === before + 1));
    const { call } = journal("start").at(-1);
    const repeat = org.submit(tool, args, { key, wait: 20 });
    crew.open(args.note);
    const { status, body } = await repeat;
    assert.deepEqual([status, body.call, body.state, body.result.call], [200, call, "succeeded", call]);
    assert.equal(crew.starts.get(call), 1);
  }
});

test("a connection dropped after the code has run: the repeat gets the stored outcome and runs nothing", async () => {
  const args = { mode: "gate", note: "after" };
  const before = journal("start").length;
  await dropped("edit", args, "after", async () => {
    await until("it runs", () => journal("start").length === before + 1);
  });
  crew.open("after");
  const { call } = journal("start").at(-1);
  await org.callIn(call, "succeeded");
  const [one, other] = [await org.accepted("edit", args, { key: "after" }), await org.accepted("edit", args, { key: "after" })];
  assert.deepEqual(one, other);
  assert.deepEqual([one.call, one.result.call, crew.starts.get(call)], [call, call, 1]);
});

test("a connection dropped at once, whether or not the request arrived: repeats until an answer make one call", async () => {
  const before = await listed();
  const calls = await each(Array.from({ length: 40 }), 8, async (_, n) => {
    const key = `at once ${n}`;
    const line = new AbortController();
    const first = org.submit("edit", { n }, { key, wait: 5, signal: line.signal }).catch(() => undefined);
    // Some are cut before the request is written, some after, some while the answer is on its way.
    await each(Array.from({ length: n % 8 }), 1, () => org.caller.get("/healthz"));
    line.abort();
    await first;
    return (await org.accepted("edit", { n }, { key, wait: 20 })).call;
  });
  assert.equal(new Set(calls).size, 40);
  for (const call of calls) {
    await org.callIn(call, "succeeded");
    assert.equal(crew.starts.get(call), 1);
  }
  assert.equal(await listed(), before + 40);
});

test("a parked call survives its caller: the repeat gets the same approval, and the approved call runs once", async () => {
  const first = await org.accepted("pay", { n: 1 }, { key: "parked" });
  const repeat = await org.accepted("pay", '{ "n" : 1 }', { key: "parked" });
  assert.deepEqual([repeat.call, repeat.approval], [first.call, first.approval]);
  await org.approve(first);
  await org.callIn(first.call, "succeeded");
  assert.equal((await org.accepted("pay", { n: 1 }, { key: "parked" })).state, "succeeded");
  assert.equal(crew.starts.get(first.call), 1);
});

test("a repeat over a restart of the gateway is the same call", async () => {
  const args = { mode: "gate", note: "restart" };
  const before = journal("start").length;
  const broken = org.submit("edit", args, { key: "restart", wait: 25 }).catch(() => "broken");
  await until("it runs", () => journal("start").length === before + 1);
  await gateway.killAndRestart();
  assert.equal(await broken, "broken");
  crew.open("restart");
  const repeat = await until("the repeat is answered", async () => {
    const answer = await org.submit("edit", args, { key: "restart", wait: 20 }).catch(() => undefined);
    return answer?.status === 200 && answer.body;
  }, 30_000);
  assert.deepEqual([repeat.state, repeat.result.call], ["succeeded", journal("start").at(-1).call]);
  assert.equal(crew.starts.get(repeat.call), 1);
});

test("a failed call stays failed under its key, and a fresh key makes a new call", async () => {
  const args = { mode: "throw" };
  const first = await org.accepted("edit", args, { key: "f1", wait: 20 });
  assert.deepEqual([first.state, first.error.code], ["failed", "by_design"]);
  assert.equal((await org.accepted("edit", args, { key: "f1" })).call, first.call);
  const second = await org.accepted("edit", args, { key: "f2", wait: 20 });
  assert.notEqual(second.call, first.call);
  assert.deepEqual([crew.starts.get(first.call), crew.starts.get(second.call)], [1, 1]);
  assert.equal((await stopWorker(worker)).code, 0);
});
