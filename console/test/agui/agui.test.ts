import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ProtocolError } from "../../src/agui/types";
import { body, official, ours, plain, type Raw } from "./official";
import { bent, Dice, stream } from "./streams";
import { eventsOf, EVENT_CHARS_MAX, Lines } from "../../src/agui/sse";

interface Case {
  readonly name: string;
  readonly stream: Raw[];
  readonly official?: string;
  readonly expect: {
    readonly outcome: "completed" | "failed";
    readonly rule?: string;
    readonly says?: string;
    readonly messages?: unknown[];
    readonly state?: unknown;
    readonly warnings?: string[];
    readonly warns?: string[];
    readonly events?: string[];
    readonly end?: unknown;
  };
}

const { cases } = JSON.parse(readFileSync(new URL("../../tests/vectors/agui-streams.json", import.meta.url), "utf8")) as { cases: Case[] };

for (const { name, stream: events, expect, official: apart } of cases) {
  test(`stream: ${name}`, async () => {
    const found = await ours(events);
    if (expect.outcome === "completed") assert.ifError(found.fault as Error);
    else {
      assert.ok(found.fault instanceof ProtocolError, "the stream is refused");
      assert.equal(found.fault.rule, expect.rule);
      if (expect.says !== undefined) assert.ok(found.fault.message.includes(expect.says), found.fault.message);
    }
    if (expect.messages !== undefined) assert.deepEqual(plain(found.messages), expect.messages);
    if ("state" in expect) assert.deepEqual(found.state, expect.state);
    if (expect.warnings !== undefined) assert.deepEqual(found.warnings, expect.warnings);
    for (const word of expect.warns ?? []) assert.ok(found.warnings.some((warning) => warning.includes(word)), `${word}: ${found.warnings.join(" ")}`);
    if (expect.events !== undefined) assert.deepEqual(found.events.map(({ type }) => type), expect.events);
    if (expect.end !== undefined) assert.deepEqual(plain(found.outcome), expect.end);
    if (apart === undefined) await same(events, found);
    else assert.notDeepEqual(await shape(events), { refused: found.fault !== undefined, messages: plain(found.messages) }, "the official client says something else, as the case says");
  });
}

async function shape(events: readonly Raw[]): Promise<unknown> {
  const theirs = await official(events);
  return { refused: theirs.fault !== undefined, messages: plain(theirs.messages) };
}

async function same(events: readonly Raw[], found: Awaited<ReturnType<typeof ours>>, before?: readonly Raw[]): Promise<void> {
  const theirs = await official(events, before);
  const say = () => `${JSON.stringify(events, null, 1)}\nours: ${String(found.fault)}\ntheirs: ${String(theirs.fault)}`;
  assert.equal(found.fault !== undefined, theirs.fault !== undefined, say());
  // Of a stream that it refuses, the official client may not have applied the last good events yet.
  if (found.fault !== undefined) return;
  assert.deepEqual(plain(found.messages), plain(theirs.messages), `messages differ: ${say()}`);
  assert.deepEqual(plain(found.state), plain(theirs.state), `states differ: ${say()}`);
  const last = found.outcome;
  assert.equal(last?.type === "failed" ? last.message : undefined, theirs.runError);
  assert.deepEqual(last?.type === "success" ? last.pendingToolCallIds : undefined, theirs.runError === undefined ? theirs.pending : undefined, say());
  if (last?.type !== "failed") assert.deepEqual(plain(last?.type === "interrupt" ? last.interrupts : []), plain(theirs.interrupts));
}

/** Where ours is stricter, as the draft of the protocol is: the official client of today does not look. */
const STRICTER = new Set(["other_run", "other_thread", "same_interrupt", "truncated"]);

test("streams by chance mean to this reader what they mean to the official client", async () => {
  const seed = Number(process.env["TOOLGATE_SEED"] ?? 1);
  const STREAMS = 2_000;
  const seen = { completed: 0, refused: 0, stricter: 0 };
  for (let number = 0; number < STREAMS; number += 1) {
    const dice = new Dice(seed * 1_000_003 + number);
    let events = stream(dice);
    for (let bend = dice.number(3); bend > 0 && events.length > 0; bend -= 1) events = bent(dice, events);
    const found = await ours(events);
    if (found.fault instanceof ProtocolError && STRICTER.has(found.fault.rule)) {
      seen.stricter += 1;
      continue;
    }
    try {
      await same(events, found);
    } catch (fault) {
      assert.fail(`seed ${seed}, stream ${number}: ${String(fault)}`);
    }
    seen[found.fault === undefined ? "completed" : "refused"] += 1;
  }
  assert.ok(seen.completed > STREAMS / 4 && seen.refused > STREAMS / 4, `both kinds are made often: ${JSON.stringify(seen)}`);
});

test("lines end in three ways, and split anywhere", () => {
  const text = ": beat\r\ndata: {\"a\":1}\r\n\r\nevent: x\rdata:{\"b\":2}\r\rid: 3\ndata: 1\ndata: 2\n\ndata: last";
  for (let size = 1; size <= text.length; size += 1) {
    const lines = new Lines();
    const found: string[] = [];
    for (let at = 0; at < text.length; at += size) found.push(...lines.feed(text.slice(at, at + size)));
    assert.deepEqual([...found, ...lines.end()], ['{"a":1}', '{"b":2}', "1\n2", "last"], `in pieces of ${size}`);
  }
});

test("an event that grows without an end is refused", () => {
  const lines = new Lines();
  lines.feed(`data: ${"x".repeat(EVENT_CHARS_MAX - 10)}\n`);
  assert.throws(() => lines.feed(`data: ${"x".repeat(20)}`), (fault: ProtocolError) => fault.rule === "too_large");
});

test("characters that were split between chunks come together", async () => {
  for (const chunk of [1, 2, 3, 5]) {
    const found = [];
    for await (const event of eventsOf(body([{ type: "CUSTOM", name: "日本", value: "\u{1F4BB}ü" }], chunk))) found.push(event);
    assert.deepEqual(found, [{ type: "CUSTOM", name: "日本", value: "\u{1F4BB}ü" }]);
  }
});

test("what is no event is refused", async () => {
  for (const data of ["[1]", "null", "1", "{}", '{"type":1}', '{"type":""}', "{"]) {
    const bytes = new TextEncoder().encode(`data: ${data}\n\n`);
    const events = eventsOf(new Response(bytes).body as ReadableStream<Uint8Array>);
    await assert.rejects(() => events.next(), (fault: ProtocolError) => ["not_json", "not_an_event"].includes(fault.rule), data);
  }
});
