import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, PatchError, patched } from "../../src/agui/patch";

const op = (name: string, path: string, more: Partial<Operation> = {}): Operation => ({ op: name, path, ...more });

for (const [name, document, patch, expected] of [
  ["adds a member", { a: 1 }, [op("add", "/b", { value: 2 })], { a: 1, b: 2 }],
  ["adds over a member", { a: 1 }, [op("add", "/a", { value: null })], { a: null }],
  ["inserts into a list", [1, 3], [op("add", "/1", { value: 2 })], [1, 2, 3]],
  ["adds at the end by length and by dash", [1], [op("add", "/1", { value: 2 }), op("add", "/-", { value: 3 })], [1, 2, 3]],
  ["removes from a list", [1, 2, 3], [op("remove", "/1")], [1, 3]],
  ["replaces the whole", { a: 1 }, [op("replace", "", { value: [1] })], [1]],
  ["removes the whole", { a: 1 }, [op("remove", "")], null],
  ["reads escapes", { "a/b": 1, "a~1": 2 }, [op("remove", "/a~1b"), op("replace", "/a~01", { value: 3 })], { "a~1": 3 }],
  ["moves, and copies for good", { a: { n: 1 } }, [op("copy", "/b", { from: "/a" }), op("replace", "/a/n", { value: 2 }), op("move", "/c", { from: "/a" })], { b: { n: 1 }, c: { n: 2 } }],
  ["tests deeply", { a: [1, { b: null }] }, [op("test", "/a", { value: [1, { b: null }] })], { a: [1, { b: null }] }],
  ["takes an empty name", { "": 1 }, [op("replace", "/", { value: 2 })], { "": 2 }],
] as const) {
  test(`a patch ${name}`, () => {
    const before = structuredClone(document);
    assert.deepEqual(patched(document, patch), expected);
    assert.deepEqual(document, before, "the document is as it was");
  });
}

for (const [name, document, patch] of [
  ["replaces what is not there", {}, [op("replace", "/a", { value: 1 })]],
  ["removes what is not there", [], [op("remove", "/0")]],
  ["inserts beyond the end", [1], [op("add", "/2", { value: 1 })]],
  ["names a place with zeros in front", [1, 2], [op("remove", "/01")]],
  ["reads the end", [1], [op("remove", "/-")]],
  ["has no parent", {}, [op("add", "/a/b", { value: 1 })]],
  ["goes into a number", { a: 1 }, [op("add", "/a/b", { value: 1 })]],
  ["tests another value", { a: 1 }, [op("test", "/a", { value: "1" })]],
  ["tests a list against an object", { a: [] }, [op("test", "/a", { value: {} })]],
  ["moves into itself", { a: { b: 1 } }, [op("move", "/a/b", { from: "/a" })]],
  ["moves from nowhere", {}, [op("move", "/b", { from: "/a" })]],
  ["reaches the prototype", {}, [op("add", "/__proto__/x", { value: 1 })]],
  ["reaches the constructor's prototype", {}, [op("add", "/constructor/prototype/x", { value: 1 })]],
  ["reads an inherited member", {}, [op("copy", "/a", { from: "/toString" })]],
  ["fails in its last operation", { a: 1 }, [op("add", "/b", { value: 1 }), op("remove", "/c")]],
  ["has an operation that is none", {}, [op("double", "/a")]],
] as const) {
  test(`a patch is refused that ${name}`, () => {
    const before = structuredClone(document);
    assert.throws(() => patched(document, patch), PatchError);
    assert.deepEqual(document, before);
    assert.equal(({} as { x?: unknown }).x, undefined);
  });
}
