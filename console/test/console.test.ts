import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../src/console/approvals/changes";
import { merged } from "../src/console/approvals/merge";
import { argumentsText, fieldText, shapeOf } from "../src/console/calls/contract";
import type { Approval } from "../src/console/documents";

const row = (id: string, state = "pending", created = id): Approval => ({ id, state, created_at: created }) as unknown as Approval;
const ids = (rows: readonly Approval[]): string[] => rows.map((each) => each.id);

test("rows stay where they are, new ones come last, and what left the list is asked for", () => {
  const first = merged([], [row("b"), row("c")], false);
  assert.deepEqual([ids(first.rows), first.vanished], [["b", "c"], []]);
  const second = merged(first.rows, [row("a"), row("c"), row("d")], false);
  assert.deepEqual([ids(second.rows), ids(second.vanished)], [["b", "c", "a", "d"], ["b"]]);
  const third = merged([row("b", "rejected"), row("c")], [row("c")], false);
  assert.deepEqual([ids(third.rows), third.vanished], [["b", "c"], []], "what is known to be decided is not asked for again");
});

test("a row that was loaded and lies behind the pages of this look has not vanished", () => {
  const looked = merged([row("a"), row("b"), row("c")], [row("b")], true);
  assert.deepEqual(ids(looked.vanished), ["a"]);
});

test("changes are found by value, not by spelling", () => {
  assert.deepEqual(changesOf('{"a":1,"b":"x\\u0041","c":[1,2]}', '{ "c": [1, 2], "b": "xA", "a": 1 }'), []);
  assert.deepEqual(changesOf('{"a":9007199254740993,"gone":true}', '{"a":9007199254740992,"new":{}}'), [
    { field: "a", from: "9007199254740993", to: "9007199254740992" },
    { field: "gone", from: "true", to: undefined },
    { field: "new", from: undefined, to: "{}" },
  ]);
  assert.deepEqual(changesOf('{"__proto__":1}', '{"__proto__":2}'), [{ field: "__proto__", from: "1", to: "2" }]);
  assert.deepEqual(changesOf("{}", "[]"), []);
});

test("the fields of a contract become arguments with the digits that were typed", () => {
  const input = { id: "integer", note: "string?", when: "date", tags: "string[]?", on: "boolean", any: "json" };
  const values = { id: "9007199254740993", when: "2026-11-30", on: "false", any: ' {"a": 1.0} ' };
  assert.equal(argumentsText(input, values), '{"id":9007199254740993,"when":"2026-11-30","on":false,"any":{"a": 1.0}}');
  assert.equal(argumentsText({ note: "string" }, {}), '{"note":""}', "an empty text is a text");
  assert.throws(() => argumentsText({ id: "integer" }, {}), /A value is needed \(integer\)/);
  assert.throws(() => fieldText(shapeOf("integer"), "1,5"), /not a number/);
  assert.throws(() => fieldText(shapeOf("json?"), "{"), /not JSON/);
  assert.equal(fieldText(shapeOf("number?"), " "), undefined);
});
