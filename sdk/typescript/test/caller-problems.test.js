import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { GatewayProblem, isProblem, knownProblem, PROBLEM_CODES, toolResult, TransportError } from "../dist/caller/index.js";
import { callText, over, refusal, reply } from "./support/caller.js";

const root = new URL("../../../", import.meta.url);
const pages = new URL("docs/errors/", root);
const documented = readdirSync(pages).filter((name) => name.endsWith(".md") && name !== "README.md").map((name) => name.slice(0, -3));

const refused = async (answer) => over([answer], { attempts: 1 }).client.calls.get("call_1").then(assert.fail, (error) => error);

test("the known codes are the gateway's", () => {
  const source = readFileSync(new URL("protocol/src/problems.rs", root), "utf8");
  const codes = [...source.matchAll(/^ {4}[A-Z_]+ = "([a-z_]+)", \d+, /gm)].map(([, code]) => code);
  assert.ok(codes.length > 40);
  assert.deepEqual(PROBLEM_CODES, [...new Set(codes)].sort(), "src/caller/problems.ts lists the codes of protocol/src/problems.rs");
});

test("the example of every page becomes a problem with its members", async () => {
  for (const code of documented) {
    const example = /```json\n([^]*?)```/.exec(readFileSync(new URL(`${code}.md`, pages), "utf8"))[1];
    const members = JSON.parse(example);
    const error = await refused(reply(members.status, example, { "content-type": "application/problem+json" }));
    assert.ok(isProblem(error, code), code);
    assert.equal(knownProblem(error), error);
    assert.deepEqual({ ...error.members }, members);
    assert.deepEqual([error.status, error.title, error.detail], [members.status, members.title, members.detail]);
  }
});

test("a code that nobody knows yet, and an answer that is no problem document, are refusals all the same", async () => {
  const unknown = await refused(refusal(409, "from_the_future", { limit: 9007199254740993, nested: { a: [1.5] } }));
  assert.ok(isProblem(unknown) && !isProblem(unknown, "busy"));
  assert.deepEqual([unknown.code, unknown.members.nested, knownProblem(unknown)], ["from_the_future", { a: [1.5] }, undefined]);
  for (const [answer, code] of [
    [reply(404, "<html>not here</html>", { "content-type": "text/html" }), "http_404"],
    [reply(403, '{"code":', { "content-type": "application/problem+json" }), "http_403"],
    [reply(400, "[]"), "http_400"],
    [reply(401, '{"code":7,"title":{},"detail":null}'), "http_401"],
    [reply(409, '{"code":"already_decided"}'), "already_decided"],
  ]) {
    const error = await refused(answer);
    assert.ok(isProblem(error));
    assert.equal(error.code, code);
    assert.equal(knownProblem(error)?.members.by, undefined);
  }
  for (const other of [undefined, null, "busy", { code: "busy" }, new Error("busy"), new TransportError("busy")]) {
    assert.deepEqual([isProblem(other), isProblem(other, "busy"), knownProblem(other)], [false, false, undefined]);
  }
});

test("a number in a problem is exact, and the pause stands in the body where the header cannot be read", async () => {
  const error = await refused(reply(503, '{"code":"busy","retry_after_seconds":3,"count":9007199254740993}'));
  assert.deepEqual([error.retryAfterSeconds, error.members.count], [3, 9007199254740993n]);
  assert.equal((await refused(refusal(503, "busy", { retry_after_seconds: 3 }, { "retry-after": "2" }))).retryAfterSeconds, 2);
  for (const odd of ["-1", '"3"', "null", "1e999"]) assert.equal((await refused(reply(503, `{"code":"busy","retry_after_seconds":${odd}}`))).retryAfterSeconds, undefined);
});

test("every state has words for the model: the result's own text, or the gateway's sentence as it came", async () => {
  const read = async (state, more) => over([reply(200, callText(state, more))], { attempts: 1 }).client.calls.get("call_1");
  const succeeded = await read("succeeded", { result: '{"id": 9007199254740993}' });
  assert.deepEqual([toolResult(succeeded), "toolResult" in succeeded], ['{"id": 9007199254740993}', false]);
  for (const state of ["waiting_approval", "queued", "running", "failed", "rejected", "expired", "cancelled", "invalidated", "unknown"]) {
    const sentence = `What became of it: ${state}. "Ü" 9007199254740993 \u202e`;
    const call = await read(state, { tool_result: sentence });
    assert.deepEqual([call.state, call.toolResult, toolResult(call)], [state, sentence, sentence]);
    for (const tool_result of [undefined, null, 7]) await assert.rejects(read(state, { tool_result }), (error) => error instanceof TransportError && /"tool_result"/.test(error.message));
  }
});

test("a problem says what happened and never the key", async () => {
  const error = await refused(refusal(403, "not_granted"));
  assert.ok(error instanceof GatewayProblem);
  assert.equal(error.message, "403 not_granted: detail of not_granted");
  assert.doesNotMatch(JSON.stringify(error) + error.stack, /tg_approver/);
});
