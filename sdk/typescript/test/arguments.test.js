import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeArguments } from "../dist/arguments.js";
import { parseExactJson } from "../dist/json/parse.js";
import { plainValue } from "../dist/json/plain.js";
import { tool } from "../dist/index.js";

function decode(input, text, integers) {
  const options = { name: "t", description: "d", sideEffect: "read_only", input, handler: () => null, ...(integers && { integers }) };
  return decodeArguments(tool(options), parseExactJson(text));
}

describe("accepted", () => {
  const cases = [
    [{ id: "integer" }, '{"id":9007199254740991}', { id: 9007199254740991 }],
    [{ id: "integer" }, '{"id":-9007199254740991}', { id: -9007199254740991 }],
    [{ id: "integer" }, '{"id":-0}', { id: 0 }],
    [{ id: "integer" }, '{"id":9007199254740993}', { id: 9007199254740993n }, "bigint"],
    [{ id: "integer" }, '{"id":7}', { id: 7n }, "bigint"],
    [{ ids: "integer[]" }, '{"ids":[-9223372036854775808,18446744073709551615]}', { ids: [-9223372036854775808n, 18446744073709551615n] }, "bigint"],
    [{ ids: "integer[]?" }, "{}", {}],
    [{ ids: "integer[]" }, '{"ids":[]}', { ids: [] }],
    [{ x: "number" }, '{"x":1e300}', { x: 1e300 }],
    [{ x: "number", id: "integer" }, '{"x":1,"id":1}', { x: 1, id: 1n }, "bigint"],
    [{ note: "string?" }, "{}", {}],
    [{ note: "string?" }, '{"note":null}', {}],
    [{ data: "json?" }, '{"data":null}', { data: null }],
    [{ data: "json" }, '{"data":{"a":[1,2.5,"x",{"__proto__":1}]}}', { data: JSON.parse('{"a":[1,2.5,"x",{"__proto__":1}]}') }],
    [{ data: "json" }, '{"data":{"a":[9007199254740993,1]}}', { data: { a: [9007199254740993n, 1] } }, "bigint"],
    [{ d: "date", t: "datetime", u: "uuid", e: "email", l: "url" }, '{"d":"a","t":"b","u":"c","e":"d","l":"e"}', { d: "a", t: "b", u: "c", e: "d", l: "e" }],
    [{ on: "boolean[]" }, '{"on":[true,false]}', { on: [true, false] }],
  ];
  for (const [input, text, expected, integers] of cases) {
    test(`${JSON.stringify(input)} ${text} ${integers ?? ""}`, () => assert.deepEqual(decode(input, text, integers), expected));
  }
});

describe("refused, naming the field", () => {
  const cases = [
    [{ id: "integer" }, '{"id":9007199254740992}', "integer_out_of_range", /^id: 9007199254740992 .*integers:"bigint"/],
    [{ id: "integer" }, '{"id":9007199254740993}', "integer_out_of_range", /^id: 9007199254740993 /],
    [{ id: "integer" }, '{"id":-9223372036854775808}', "integer_out_of_range", /^id: /],
    [{ ids: "integer[]" }, '{"ids":[1,18446744073709551615]}', "integer_out_of_range", /^ids\[1\]: /],
    [{ data: "json" }, '{"data":{"a":[{"b":9007199254740993}]}}', "integer_out_of_range", /^data\.a\[0\]\.b: /],
    [{ data: "json" }, '{"data":[1e400]}', "number_out_of_range", /^data\[0\]: 1e400/],
    [{ x: "number" }, '{"x":1e400}', "number_out_of_range", /^x: 1e400/],
    [{ id: "integer" }, '{"id":1.0}', "invalid_arguments", /^id: an integer/],
    [{ id: "integer" }, '{"id":1e3}', "invalid_arguments", /^id: /],
    [{ id: "integer" }, '{"id":"1"}', "invalid_arguments", /^id: /],
    [{ id: "integer" }, '{"id":null}', "invalid_arguments", /^id: /],
    [{ id: "integer" }, "{}", "invalid_arguments", /^id: missing/],
    [{ id: "integer" }, "[]", "invalid_arguments", /^arguments: an object/],
    [{ ids: "integer[]" }, '{"ids":1}', "invalid_arguments", /^ids: a list/],
    [{ ids: "string[]?" }, '{"ids":["a",null]}', "invalid_arguments", /^ids\[1\]: /],
    [{ on: "boolean" }, '{"on":"true"}', "invalid_arguments", /^on: /],
    [{ note: "string" }, '{"note":1}', "invalid_arguments", /^note: /],
    [{}, '{"other":1}', "invalid_arguments", /^other: not a field/],
    [{}, '{"toString":1}', "invalid_arguments", /^toString: not a field/],
  ];
  for (const [input, text, code, message] of cases) {
    test(`${JSON.stringify(input)} ${text}`, () => {
      assert.throws(() => decode(input, text), (error) => error.code === code && message.test(error.message));
    });
  }
});

test("a principal is data verbatim, its large integers bigint", () => {
  const principal = plainValue(parseExactJson('{"id":"u","tenant_id":"acme","permissions":["a:b"],"account":9007199254740993,"Level":2}'), "bigint", "principal");
  assert.deepEqual(principal, { id: "u", tenant_id: "acme", permissions: ["a:b"], account: 9007199254740993n, Level: 2 });
});
