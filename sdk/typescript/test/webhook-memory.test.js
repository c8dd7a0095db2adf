// What was asked before: where it is kept, how much of it, and what happens when that fails or is full.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProcessMemory, RecentReads } from "../dist/webhook/memory.js";
import { mountCalls, Store, WRITE } from "./support/calls.js";
import { assertSilent, signedCall } from "./support/webhook.js";

test("a shared memory holds writes, marked before they run; reads stay in the process", async () => {
  const memory = new Store();
  let marked;
  const { ask, secret } = mountCalls({ look: () => 1, write_it: () => ((marked = [...memory.values.values()]), { id: 9007199254740993n }) }, { memory });
  await ask(signedCall(secret));
  assert.deepEqual(memory.operations, []);
  await ask(signedCall(secret, { ...WRITE, call: "call_a" }));
  assert.deepEqual(memory.operations, [["get", "write:call_a"], ["put", "write:call_a", 601], ["put", "write:call_a", 601]]);
  assert.deepEqual(marked, ["started"]);
  assert.deepEqual([...memory.values], [["write:call_a", '"result":{"id":9007199254740993}']]);
  // Another instance with the same store.
  const other = mountCalls({ write_it: () => assert.fail("it ran elsewhere") }, { memory, secret });
  const request = signedCall(secret, { ...WRITE, call: "call_a" });
  assert.match((await other.send(request)).body, /^\{"result":\{"id":9007199254740993\},"manifest":/);
});

test("a write that started elsewhere and has no outcome is neither run nor answered", async () => {
  const memory = new Store();
  memory.values.set("write:call_a", "started");
  const { send, secret, logger } = mountCalls({ write_it: () => assert.fail("it may have run") }, { memory });
  assertSilent(await send(signedCall(secret, { ...WRITE, call: "call_a" })), 503);
  assert.ok(logger.has("warn", /outcome is not known/));
});

test("a memory that cannot note that a write starts keeps it from running, and the caller is told that it did not", async () => {
  const { ask, secret, logger } = mountCalls({ write_it: () => assert.fail("it must not run") }, { memory: new Store([2]) });
  const { error } = await ask(signedCall(secret, { ...WRITE, call: "call_a" }));
  assert.equal(error.code, "memory_unavailable");
  assert.ok(logger.has("error", /takes no more, so a write does not run/));
  assert.equal(logger.has("error", /pass/), false, "the store's own message may hold anything");
});

test("a memory that cannot be asked leaves a write without an answer: it may be a repeat of one that ran", async () => {
  let runs = 0;
  const { ask, send, secret, logger } = mountCalls({ write_it: () => (runs += 1) }, { memory: new Store([4]) });
  assert.equal((await ask(signedCall(secret, { ...WRITE, call: "call_a" }))).result, 1);
  assertSilent(await send(signedCall(secret, { ...WRITE, call: "call_a" })), 503);
  assert.ok(logger.has("error", /it may have run before/));
  assert.equal(logger.has("error", /pass/), false);
  assert.equal((await ask(signedCall(secret, { ...WRITE, call: "call_a" }))).result, 1, "once it can be asked again, it tells");
  assert.equal(runs, 1);
});

test("a memory that fails after a write loses no outcome, and a repeat does not run", async () => {
  let runs = 0;
  const { ask, send, secret, logger } = mountCalls({ write_it: () => (runs += 1) }, { memory: new Store([3]) });
  assert.equal((await ask(signedCall(secret, { ...WRITE, call: "call_a" }))).result, 1);
  assert.ok(logger.has("error", /memory failed after a write/));
  assertSilent(await send(signedCall(secret, { ...WRITE, call: "call_a" })), 503);
  assert.equal(runs, 1);
});

test("a memory that fails is no matter of reads", async () => {
  const { ask, secret } = mountCalls({ look: () => 1 }, { memory: new Store([1, 2, 3]) });
  assert.equal((await ask(signedCall(secret))).result, 1);
});

test("what reads returned is kept so many, so much and for so long", () => {
  let nowMs = 0;
  const memory = new RecentReads({ entriesMax: 3, charactersMax: 30 }, () => nowMs);
  const held = () => ["a", "b", "c", "d"].map((key) => memory.get(key) !== undefined);
  for (const key of ["a", "b", "c"]) memory.put(key, "x", 10);
  memory.put("a", "y", 10);
  memory.put("d", "x", 10);
  assert.deepEqual(held(), [true, false, true, true], "the one that was put longest ago goes");
  assert.equal(memory.get("a"), "y");
  memory.put("d", "x".repeat(27), 10);
  assert.deepEqual(held(), [true, false, false, true]);
  memory.put("b", "x".repeat(31), 10);
  assert.deepEqual(held(), [false, false, false, false], "what does not fit at all is not kept");
  assert.equal(memory.size, 0);
  memory.put("a", "x", 10);
  nowMs = 9_999;
  assert.equal(memory.get("a"), "x");
  nowMs = 10_000;
  assert.equal(memory.get("a"), undefined);
  memory.put("b", "x", 10);
  assert.equal(memory.size, 1, "what is over is let go");
});

test("that a write was started is not forgotten for want of room, only its outcome; without room for one more, one more is refused", async () => {
  let nowMs = 0;
  const memory = new ProcessMemory({ entriesMax: 3, charactersMax: 10 }, () => nowMs);
  const held = () => Promise.all(["a", "b", "c", "d"].map((key) => memory.get(key)));
  for (const [key, outcome] of [["a", "12345"], ["b", "1234"]]) {
    await memory.put(key, "started", 10);
    await memory.put(key, outcome, 10);
  }
  assert.deepEqual(await held(), ["12345", "1234", undefined, undefined]);
  await memory.put("c", "started", 10);
  await memory.put("c", "123456", 10);
  assert.deepEqual(await held(), ["started", "1234", "123456", undefined], "the oldest outcome goes");
  await memory.put("b", "12345678901", 10);
  assert.deepEqual(await held(), ["started", "started", "123456", undefined], "one that does not fit at all is not kept");
  await assert.rejects(memory.put("d", "started", 10), /3 writes are remembered already/);
  assert.deepEqual(await held(), ["started", "started", "123456", undefined], "and nothing had to go for it");
  nowMs = 9_999;
  await memory.put("b", "1", 10);
  await assert.rejects(memory.put("d", "started", 10));
  nowMs = 10_000;
  await memory.put("d", "started", 10);
  assert.deepEqual(await held(), [undefined, "1", undefined, "started"], "what is over is let go, and makes room");
  assert.equal(memory.size, 2);
});

test("a replay of a write does not run again however many came between, and one too many is told that it did not run", async () => {
  let runs = 0;
  const memory = new ProcessMemory({ entriesMax: 20, charactersMax: 100 });
  const { ask, send, secret, logger } = mountCalls({ write_it: () => "x".repeat((runs += 1)) }, { memory });
  const calls = Array.from({ length: 20 }, (_, at) => signedCall(secret, { ...WRITE, call: `call_${at}_of_many` }));
  for (const call of calls) await ask(call);
  for (const call of calls.slice(0, 10)) assertSilent(await send(call), 503);
  assert.equal((await ask(calls.at(-1))).result.length, 20, "the last outcomes are there");
  const { error } = await ask(signedCall(secret, { ...WRITE, call: "one_too_many" }));
  assert.equal(error.code, "memory_unavailable");
  assert.ok(logger.has("error", /takes no more/));
  assert.equal(runs, 20);
});
