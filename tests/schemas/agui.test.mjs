// The JSON Schema of AG-UI 1.0 that every chat test checks by is the published one.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { digest, normal, SCHEMAS, wrong } from "./agui.mjs";

/**
 * SHA-256 of the published definitions in normal form. Compared by hand in November 2026, with agui_published.mjs: the structure of the
 * published 1.1 without `encryptedValueType`, which is all that 1.1 adds to 1.0.
 */
const PUBLISHED = {
  Event: "1add5613b62048861f45b516cdae504392a81c86fb56d9900279889fa605bb2a",
  Message: "b7ece74d38e0adc57febe0f71d519a32c0d68e68af628af66224c7b71cf4973a",
  RunAgentInput: "084a72ac0601b8714cc2aab3a26d36566304f549cc6d13bd5c19b3b16ba7612d",
  AgentCapabilities: "1a399fcfb304cd49b93a9c0d80bfd53515e5bb5bff9b6d6b1b48e32d198b0ac4",
};

const run = { threadId: "t", runId: "r" };
const input = (more) => ({ ...run, messages: [], ...more });
const interrupt = { id: "i", reason: "tool_call" };

describe("the schema of AG-UI", () => {
  it("is the published one, made from the official package", () => {
    assert.deepEqual(Object.fromEntries(Object.entries(SCHEMAS).map(([kind, schema]) => [kind, digest(schema)])), PUBLISHED);
    assert.equal(SCHEMAS.Event.oneOf.length, 31);
  });

  for (const [kind, value] of [
    ["Event", { type: "RUN_STARTED", ...run, protocolVersion: "1.0", timestamp: 0, metadata: { any: null } }],
    ["Event", { type: "RUN_FINISHED", ...run, outcome: { type: "interrupt", interrupts: [{ ...interrupt, responseSchema: { type: "object" } }] }, usage: [{ inputTokens: 1 }] }],
    ["Event", { type: "CUSTOM", name: "n", value: null }],
    ["Event", { type: "STATE_DELTA", delta: [{ op: "remove", path: "/a~1b", left: "over" }] }],
    ["Event", { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: [{ type: "text", text: "t", metadata: 1 }] }],
    ["Message", { id: "m", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{" } }] }],
    ["RunAgentInput", input({ state: {}, tools: [{ name: "f", description: "d", parameters: true }], forwardedProps: { a: 1 }, resume: [{ interruptId: "i", status: "cancelled" }] })],
  ]) {
    it(`takes ${JSON.stringify(value)}`, () => assert.equal(wrong(kind, value), undefined));
  }

  for (const [kind, value, word] of [
    ["Event", { type: "NEW_EVENT" }, "oneOf"],
    ["Event", { type: "RUN_STARTED", ...run, title: "t" }, "title"],
    ["Event", { type: "RUN_STARTED", ...run, parentRunId: null }, "/parentRunId"],
    ["Event", { type: "RUN_STARTED", ...run, subagentRunId: "s" }, "subagentRunId"],
    ["Event", { type: "RUN_STARTED", ...run, metadata: [] }, "/metadata"],
    ["Event", { type: "RUN_STARTED", ...run, timestamp: 1.5 }, "/timestamp"],
    ["Event", { type: "RUN_STARTED", threadId: "t" }, "runId"],
    ["Event", { type: "RUN_FINISHED", ...run, result: null }, "/result"],
    ["Event", { type: "RUN_FINISHED", ...run, outcome: { type: "interrupt", interrupts: [] } }, "/outcome/interrupts"],
    ["Event", { type: "RUN_FINISHED", ...run, outcome: { type: "interrupt", interrupts: [{ ...interrupt, tool: "f" }] } }, "tool"],
    ["Event", { type: "RUN_FINISHED", ...run, outcome: { type: "success", interrupts: [interrupt] } }, "interrupts"],
    ["Event", { type: "TEXT_MESSAGE_START", messageId: "m", role: "tool" }, "/role"],
    ["Event", { type: "STATE_DELTA", delta: [{ op: "add", path: "a", value: 1 }] }, "/delta/0"],
    ["Event", { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m", role: "user", content: "c", tool: 1 }] }, "/messages/0"],
    ["Message", { id: "m", role: "tool", toolCallId: "c", content: "t", name: "n" }, "name"],
    ["RunAgentInput", input({ state: null }), "/state"],
    ["RunAgentInput", input({ tools: [{ name: "f" }] }), "/tools/0"],
    ["RunAgentInput", input({ resume: [{ interruptId: "i", status: "approved" }] }), "/resume/0/status"],
    ["AgentCapabilities", { tools: { supported: "yes" } }, "/tools/supported"],
  ]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      const found = wrong(kind, value);
      assert.ok(found?.includes(word), found);
    });
  }

  it("is compared in a form that loses nothing silently", () => {
    const file = { $defs: { A: { type: "object", properties: { a: { type: "string" } }, required: ["a"] }, B: { type: "string", enum: ["y", "x"] } } };
    const closed = { allOf: [{ $ref: "#/$defs/A" }], properties: { b: { $ref: "#/$defs/B", const: "x", description: "words" } }, required: ["b"], unevaluatedProperties: false };
    assert.deepEqual(normal(closed, file), { type: "object", properties: { a: { type: "string" }, b: { const: "x" } }, required: ["a", "b"], additionalProperties: false });
    for (const schema of [
      { if: {} },
      { additionalProperties: { type: "string" } },
      { $ref: "#/$defs/C" },
      { $ref: "#/$defs/B", const: "z" },
      { $ref: "#/$defs/B", enum: ["x"] },
      { allOf: [{ additionalProperties: false }], properties: { a: {} } },
    ]) {
      assert.throws(() => normal(schema, file), Error, JSON.stringify(schema));
    }
  });
});
