import assert from "node:assert/strict";
import { test } from "node:test";
import { type Head, type HeadPage, type Heads, NONE, renamed, withFirst, withNext, without } from "../../src/chat/heads";

const PAGE = 20;

/** The gateway's side: conversations newest first, and pages of them whose cursor says what they end with. */
class Kept {
  #clock = Date.parse("2026-01-01T00:00:00Z");
  #heads: Head[] = [];

  say(...threads: string[]): this {
    for (const thread of threads) {
      this.#clock += 1000;
      this.delete(thread);
      this.#heads.unshift({ thread, title: thread, updated_at: new Date(this.#clock).toISOString(), messages: 1, state: "idle" });
    }
    return this;
  }

  delete(thread: string): this {
    this.#heads = this.#heads.filter((head) => head.thread !== thread);
    return this;
  }

  page(cursor?: string): HeadPage {
    const behind = this.#heads.filter(({ updated_at }) => cursor === undefined || updated_at < cursor);
    const threads = behind.slice(0, PAGE);
    return { threads, ...(behind.length > PAGE && { next_cursor: threads.at(-1)?.updated_at ?? "" }) };
  }

  get all(): string[] {
    return this.#heads.map(({ thread }) => thread);
  }
}

const numbers = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, at) => `t${from + at}`);
const names = ({ heads }: Heads): string[] => heads.map(({ thread }) => thread);
const open = (kept: Kept, before = NONE): Heads => withFirst(before, kept.page());
/** Pages on until there is no more. */
function toTheEnd(kept: Kept, heads: Heads): Heads {
  while (heads.cursor !== undefined) heads = withNext(heads, heads.cursor, kept.page(heads.cursor));
  return heads;
}

test("a conversation that is begun pushes none out of the list", () => {
  const kept = new Kept().say(...numbers(1, 25));
  const before = open(kept);
  assert.equal(before.heads.length, 20);
  kept.say("t26");
  const after = open(kept, before);
  assert.deepEqual(names(after), kept.all.slice(0, 21));
  assert.deepEqual(names(toTheEnd(kept, after)), kept.all);
  // The same with all of them paged to: they stay, and nothing is left to page to.
  const whole = toTheEnd(kept, before);
  kept.say("t27", "t28");
  const again = open(kept, whole);
  assert.deepEqual([names(again), again.cursor], [kept.all, undefined]);
});

test("an old conversation that moves to the top stands there once, and pushes none out", () => {
  const kept = new Kept().say(...numbers(1, 45));
  const first = open(kept);
  const second = withNext(first, first.cursor ?? "", kept.page(first.cursor));
  kept.say("t10", "t3");
  const after = open(kept, second);
  assert.deepEqual(names(after).slice(0, 3), ["t3", "t10", "t45"]);
  assert.deepEqual(names(toTheEnd(kept, after)), kept.all);
});

test("a conversation that was deleted goes, wherever it was deleted", () => {
  const kept = new Kept().say(...numbers(1, 25));
  const whole = toTheEnd(kept, open(kept));
  kept.delete("t20");
  assert.deepEqual(names(open(kept, whole)), kept.all);
  kept.delete("t2");
  assert.deepEqual(names(open(kept, without(whole, "t2"))), kept.all);
  for (const thread of numbers(6, 15)) kept.delete(thread);
  assert.deepEqual(names(open(kept, whole)), kept.all, "a page that is all there is, is the list");
});

test("where more than a page is new at once, what lies between is paged to", () => {
  const kept = new Kept().say(...numbers(1, 30));
  const before = toTheEnd(kept, open(kept));
  kept.say(...numbers(31, 55));
  const after = open(kept, before);
  assert.deepEqual(names(after), kept.all.slice(0, 20));
  assert.deepEqual(names(toTheEnd(kept, after)), kept.all);
});

test("a page that was asked for of a list that is not there any more is left out", () => {
  const kept = new Kept().say(...numbers(1, 30));
  const before = open(kept);
  const late = kept.page(before.cursor);
  kept.say(...numbers(31, 55));
  const after = open(kept, before);
  assert.equal(withNext(after, before.cursor ?? "", late), after);
});

test("a new title stands on its conversation alone", () => {
  const kept = new Kept().say("t1", "t2");
  assert.deepEqual(renamed(open(kept), "t1", "The first").heads.map(({ title }) => title), ["t2", "The first"]);
});
