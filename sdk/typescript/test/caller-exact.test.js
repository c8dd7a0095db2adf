import assert from "node:assert/strict";
import { test } from "node:test";
import { toolResult } from "../dist/caller/index.js";
import { Document } from "../dist/caller/document.js";
import { approvalsPage, approvalText, callText, over, reply } from "./support/caller.js";

const TEXTS = [
  "9007199254740993",
  "-18446744073709551616",
  "1e400",
  "0.1000000000000000055511151231257827",
  "1.0",
  "-0",
  "null",
  "true",
  '""',
  '"\\ud800 \\u0041 \\" \\\\ \\/ é 👩‍🔧 \u2028 \u202e"',
  '{"10":1,"9":{"b":[],"a":{}},"__proto__":2}',
  '[ 1 , {"a" : "]}," } , [ ] ]',
  `"${'\\"'.repeat(1_000)}"`,
  `${"[".repeat(400)}${"]".repeat(400)}`,
];

test("a result's text is the text that came, digit for digit, and is what the model is told", async () => {
  for (const text of TEXTS) {
    const { client } = over([reply(200, callText("succeeded", { result: text }))]);
    const call = await client.calls.get("call_1");
    assert.equal(call.resultText, text);
    assert.equal(toolResult(call), text);
  }
});

test("plain data rounds no integer, and holds what a number cannot as text", async () => {
  const plain = async (text) => (await over([reply(200, callText("succeeded", { result: text }))]).client.calls.get("call_1")).result;
  assert.deepEqual(await plain("[9007199254740991,9007199254740993,-9007199254740993,18446744073709551615]"), [9007199254740991, 9007199254740993n, -9007199254740993n, 18446744073709551615n]);
  assert.deepEqual(await plain("[1.5,1e3,1e400,-1e400]"), [1.5, 1000, "1e400", "-1e400"]);
  const odd = await plain('{"__proto__":{"polluted":1},"a":"\\ud800"}');
  assert.deepEqual([Object.keys(odd), {}.polluted, odd.a], [["__proto__", "a"], undefined, "\ud800"]);
});

test("arguments go out as they were given: a bigint as its digits, a model's text untouched", async () => {
  const { client, requests } = over(() => reply(200, callText("queued"))());
  await client.call({ tool: "pay", arguments: { id: 18446744073709551615n, ratio: 0.1, none: null, left: undefined } });
  assert.equal(requests[0].text, '{"tool":"pay","arguments":{"id":18446744073709551615,"ratio":0.1,"none":null}}');
  const text = '{ "id": 9007199254740993, "x": 1.0 }';
  await client.call({ tool: "pay", arguments: text, principal: { id: "u1", tenant_id: "t1", permissions: [], account: 9007199254740993n } });
  assert.equal(requests[1].body.arguments, text);
  assert.match(requests[1].text, /"account":9007199254740993\}/);
});

test("an approval shows the arguments byte for byte, wherever it stands in a page", async () => {
  const args = TEXTS.slice(0, -1).map((text) => `{"value":${text},"z":1}`);
  const page = approvalsPage(args.map((each, n) => approvalText(`apr_${n}`, { args: each })));
  const { client } = over([reply(200, page), reply(200, ` ${approvalText("apr_0", { args: '{"id": 9007199254740993}' })} `)]);
  const shown = [];
  for await (const approval of client.approvals.list()) shown.push(approval);
  assert.deepEqual(shown.map(({ argumentsText }) => argumentsText), args);
  assert.equal(shown[0].arguments.value, 9007199254740993n);
  const one = await client.approvals.get("apr_0");
  assert.deepEqual([one.argumentsText, one.arguments], ['{"id": 9007199254740993}', { id: 9007199254740993n }]);
});

test("the texts of members are found in any writing of the object", () => {
  const document = Document.read("t", '\n{ "a" : [1 , "x,y"] ,"\\u0062":{"c":"}"}, "" : -1e9\t, "d":[{"e":[ ]},{ }] }\r\n');
  assert.deepEqual(["a", "b", ""].map((name) => document.source(name)), ['[1 , "x,y"]', '{"c":"}"}', "-1e9"]);
  assert.equal(document.object("b").source("c"), '"}"');
  assert.deepEqual(document.list("d").map((entry) => entry.has("e")), [true, false]);
  assert.equal(document.list("d")[0].source("e"), "[ ]");
  for (const read of [() => document.source("c"), () => document.object("a"), () => document.list("b"), () => document.list("a"), () => document.text("a"), () => document.number("d")]) assert.throws(read, { code: "transport" });
});
