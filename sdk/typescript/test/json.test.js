import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseExactJson } from "../dist/json/parse.js";
import { NumberText } from "../dist/json/value.js";
import { exactJsonText } from "../dist/json/write.js";

const NUMBERS = [
  "0", "-0", "7", "-12", "1.0", "0.1", "1e400", "1E+5", "-2.5e-3",
  "9007199254740993", "2512292042121000001", "-9223372036854775808", "18446744073709551615",
];

describe("numbers keep their text", () => {
  for (const text of NUMBERS) {
    test(text, () => {
      assert.deepEqual(parseExactJson(text), new NumberText(text));
      assert.deepEqual(parseExactJson(` {"a":[${text} ]}`), { a: [new NumberText(text)] });
    });
  }
});

describe("everything else is read as JSON.parse reads it", () => {
  const texts = [
    "null", "true", "false", '""', "[]", "{}", " [ ] ", '\t{"a" :\r\n[null , true,"x"]}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\\ud800"', '"é😀\u2028\u2029\u007f"', '{"":{"a":{"b":[[[]]]}}}',
  ];
  for (const text of texts) test(text, () => assert.deepEqual(parseExactJson(text), JSON.parse(text)));

  test("a member called __proto__ is a member", () => {
    const value = parseExactJson('{"__proto__":{"admin":true},"constructor":"x"}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(value.admin, undefined);
  });
});

describe("what is not JSON is refused", () => {
  const texts = [
    "", " ", "nul", "truefalse", "01", "+1", "1.", ".5", "1e", "-", "0x10", "NaN", "Infinity", "1 2", "{} x", "[1,]", "[,1]", "[1 2]", "[", "]",
    '{"a":1,}', "{a:1}", "{'a':1}", '{"a" 1}', '{"a":}', '{"a":1 "b":2}', '{"a":1', '"', '"\\', '"\\x"', '"\\u12"', '"\\u12G4"', '"a\nb"', '"\u0000"',
    "\ufeff{}", "\u00a01", "//\n1", "undefined",
  ];
  for (const text of texts) test(JSON.stringify(text), () => assert.throws(() => parseExactJson(text), SyntaxError));

  test("duplicate members, also when one is escaped", () => {
    assert.throws(() => parseExactJson('{"a":1,"b":2,"a":3}'), /"a" appears twice/);
    assert.throws(() => parseExactJson('{"a":1,"\\u0061":3}'), /"a" appears twice/);
    assert.throws(() => parseExactJson('{"__proto__":1,"__proto__":2}'), /appears twice/);
    assert.deepEqual(parseExactJson('[{"a":true},{"a":false}]'), [{ a: true }, { a: false }]);
  });

  test("nesting beyond the limit, without exhausting the stack", () => {
    const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
    parseExactJson(nested(1_000));
    assert.throws(() => parseExactJson(nested(1_002)), /nesting deeper/);
    assert.throws(() => parseExactJson("[".repeat(1_000_000)), /nesting deeper/);
    assert.throws(() => parseExactJson('{"a":'.repeat(1_000_000)), /nesting deeper/);
  });
});

describe("writing", () => {
  const same = [null, true, "é\u2028\ud800", 0, -0, 1.5, 1e21, [], {}, [undefined, () => 1], { a: undefined, b: Symbol("x"), c: [1, { d: null }] },
    new Date(0), { toJSON: () => ({ x: 1 }) }, Object("boxed"), Object(3), new (class { a = 1; #b = 2; })()];
  for (const value of same) test(String(JSON.stringify(value)), () => assert.equal(exactJsonText(value), JSON.stringify(value)));

  test("bigint as digits", () => {
    assert.equal(exactJsonText({ a: 18446744073709551615n, b: [-9223372036854775808n] }), '{"a":18446744073709551615,"b":[-9223372036854775808]}');
    assert.equal(exactJsonText({ toJSON: () => 9007199254740993n }), "9007199254740993");
  });

  test("what would be lost is refused with its path", () => {
    const cycle = { inner: {} };
    cycle.inner.outer = cycle;
    assert.throws(() => exactJsonText(cycle), /\$\.inner\.outer refers back/);
    assert.throws(() => exactJsonText({ a: [1, Number.NaN] }), /\$\.a\[1\] is NaN/);
    assert.throws(() => exactJsonText({ a: new Map() }), /\$\.a is a Map/);
    assert.throws(() => exactJsonText(() => 1), /is a function/);
    let deep = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    assert.throws(() => exactJsonText(deep), /nested deeper/);
  });

  test("the same object twice is no cycle", () => {
    const shared = { a: 1 };
    assert.equal(exactJsonText([shared, shared]), '[{"a":1},{"a":1}]');
  });
});
