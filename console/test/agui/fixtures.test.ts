import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Expected, type Fixture, judged, judgeFolder } from "./fixtures";
import type { Raw } from "./official";

const run = { threadId: "t", runId: "r" };
const STREAM: readonly Raw[] = [
  { type: "RUN_STARTED", ...run },
  { type: "TEXT_MESSAGE_START", messageId: "m", metadata: { shelf: null } },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Row B", future: 1 },
  { type: "TEXT_MESSAGE_END", messageId: "m" },
  { type: "STATE_SNAPSHOT", snapshot: { books: [1, 2] } },
  { type: "RUN_FINISHED", ...run },
];
const fixture = (expect: Expected, stream = STREAM): Fixture => ({ name: "own", stream, expect });

const FITS: Expected = {
  outcome: "completed", eventTypesAbsent: ["RAW"], eventTypes: STREAM.map(({ type }) => type as string), eventPaths: { "2.delta": "Row B", "4.snapshot.books.1": 2 }, eventAbsentPaths: ["2.future"],
  messageCount: 1, messages: [{ content: "Row B", metadata: { shelf: null } }], state: { books: [1, 2] }, warnings: ["in the official client's words"],
};

test("a fixture that the reader keeps to is passed, and what it says of a request is not seen", async () => {
  assert.deepEqual(await judged(fixture(FITS)), { misses: [], unseen: [] });
  assert.deepEqual((await judged(fixture({ ...FITS, request: { tools: [] } }))).unseen, ["request"]);
  const failing = [...STREAM.slice(0, -1), { type: "RUN_ERROR", message: "it broke" }];
  assert.deepEqual((await judged(fixture({ outcome: "completed", runError: "broke" }, failing))).misses, []);
  assert.deepEqual((await judged(fixture({ outcome: "failed" }, STREAM.slice(1)))).misses, []);
  assert.deepEqual((await judged({ ...fixture({ outcome: "failed" }, STREAM.slice(1)), name: "truncated-stream-fails-the-run" })).misses, ['outcome: "not_started"'], "refused, but for another reason");
});

for (const [name, expect] of [
  ["outcome", { outcome: "failed" }],
  ["runError", { runError: true }],
  ["eventTypes", { eventTypes: ["RUN_STARTED"] }],
  ["eventTypesAbsent", { eventTypesAbsent: ["STATE_SNAPSHOT"] }],
  ["eventPaths", { eventPaths: { "2.delta": "Row C" } }],
  ["eventPaths", { eventPaths: { "9.delta": null } }],
  ["eventAbsentPaths", { eventAbsentPaths: ["1.metadata.shelf"] }],
  ["messageCount", { messageCount: 2 }],
  ["messages", { messages: [] }],
  ["messages", { messages: [{ metadata: { shelf: null, more: 1 } }] }],
  ["state", { state: { books: [1] } }],
  ["state", { state: [] }],
] as const satisfies readonly (readonly [string, Expected])[]) {
  test(`a fixture that the reader misses is told: ${name} ${JSON.stringify(expect)}`, async () => {
    const { misses } = await judged(fixture(expect));
    assert.equal(misses.length, 1);
    assert.ok(misses[0]?.startsWith(name), misses[0]);
  });
}

test("a folder fails by what must be right alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fixtures-"));
  const said: string[] = [];
  const put = (name: string, expect: Expected): void => writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...fixture(expect), name }));
  try {
    assert.equal(await judgeFolder(folder, (line) => said.push(line)), false, "an empty folder shows nothing");
    put("one", FITS);
    put("era-old", { messageCount: 7 });
    assert.equal(await judgeFolder(folder, (line) => said.push(line)), true);
    assert.equal(said.at(-1), "2 fixtures: 1 passed, 1 relaxed, 0 failed");
    put("two", { messageCount: 7 });
    assert.equal(await judgeFolder(folder, (line) => said.push(line)), false);
    assert.equal(said.at(-1), "3 fixtures: 1 passed, 1 relaxed, 1 failed");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
