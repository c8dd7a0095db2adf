import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bodyText, jsonFault, membersOf, pretty, readJson, tokens, Verbatim } from "../src/shared/json";
import { pieces, UNSEEN, visible } from "../src/shared/visible";

test("the characters that are not seen are those of the gateway", () => {
  const source = readFileSync(new URL("../../core/src/visible.rs", import.meta.url), "utf8");
  const list = source.slice(source.indexOf("= ["), source.indexOf("];"));
  const ranges = [...list.matchAll(/\(0x([0-9A-F_]+), 0x([0-9A-F_]+)\)/g)].map((found) =>
    [found[1], found[2]].map((digits) => Number.parseInt((digits ?? "").replaceAll("_", ""), 16)),
  );
  assert.ok(ranges.length > 20);
  assert.deepEqual(UNSEEN, ranges);
});

test("what is not seen is written out and marked", () => {
  assert.deepEqual(pieces("a\u202efdp.exe"), [
    { text: "a", unseen: false },
    { text: "\\u202e", unseen: true },
    { text: "fdp.exe", unseen: false },
  ]);
  assert.equal(visible("pay\u200bpal\ufeff\u{e0041}\u0007\ud800"), "pay\\u200bpal\\ufeff\\udb40\\udc41\\u0007\\ud800");
  assert.equal(visible("a\nb", true), "a\nb");
  assert.equal(visible("a\nb"), "a\\u000ab");
  assert.equal(visible("Ann Müller 在庫 👍"), "Ann Müller 在庫 👍");
});

test("members that are kept raw are the text that came", () => {
  const text = ' {"id":"a","arguments": {"n":9007199254740993,"x":1.0, "10":1,"2":2},"changes":[{"field":"n","from":1e3},{"field":"m","to":-0}],"state":"pending"}';
  const read = readJson(text, ["arguments", "changes.*.from", "changes.*.to"]);
  assert.deepEqual(read, {
    id: "a",
    arguments: '{"n":9007199254740993,"x":1.0, "10":1,"2":2}',
    changes: [
      { field: "n", from: "1e3" },
      { field: "m", to: "-0" },
    ],
    state: "pending",
  });
  assert.deepEqual(readJson('{"a":[{"b":[1,{"c":2}]},{"b":null}],"d":{}}', ["a.*.b"]), { a: [{ b: '[1,{"c":2}]' }, { b: "null" }], d: {} });
  assert.deepEqual(readJson('{"arguments":"x"}', []), { arguments: "x" });
  assert.equal(readJson("12", [""]), 12);
});

test("pretty printing changes blanks alone", () => {
  const text = '{"n":9007199254740993,"e":{},"l":[],"a":[1,2.50,{"b":"\\u202e\\"x"}],"t":true}';
  const shown = pretty(text);
  assert.equal(
    shown,
    '{\n  "n": 9007199254740993,\n  "e": {},\n  "l": [],\n  "a": [\n    1,\n    2.50,\n    {\n      "b": "\\u202e\\"x"\n    }\n  ],\n  "t": true\n}',
  );
  assert.deepEqual(tokens(shown).map((token) => token.text), tokens(text).map((token) => token.text));
  assert.equal(pretty("no json"), "no json");
});

test("a fault says where it is", () => {
  assert.equal(jsonFault('{"a":1}'), undefined);
  for (const text of ["", "{", '{"a":}', '{"a":1,}', "[1,]", "01", "1 2", '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', "'x'", '"\t"', "[".repeat(1_100)]) {
    assert.match(jsonFault(text) ?? "none", /in line \d+, column \d+$/, text);
  }
  assert.match(jsonFault('{\n  "a": x\n}') ?? "", /line 2, column 8/);
});

test("a body carries text as it stands", () => {
  assert.equal(bodyText({ a: 1, b: undefined, c: new Verbatim("9007199254740993"), d: "x" }), '{"a":1,"c":9007199254740993,"d":"x"}');
  assert.deepEqual([...(membersOf('{"a": [1, 2],"b":"x"}') ?? [])], [
    ["a", "[1, 2]"],
    ["b", '"x"'],
  ]);
  assert.equal(membersOf("[1]"), undefined);
});
