import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigurationError, runWorker, tool } from "../dist/index.js";
import { orgOfKey } from "../dist/key.js";
import { manifestText } from "../dist/manifest.js";
import { keyOf } from "./support/keys.js";

const base = { name: "get_order", description: "Reads an order.", sideEffect: "read_only", input: { id: "integer" }, handler: () => null };
const refuses = (make, message) => assert.throws(make, (error) => error instanceof ConfigurationError && message.test(error.message));

describe("a definition that breaks a rule is refused by name", () => {
  const cases = [
    [{ name: "GetOrder" }, /GetOrder/],
    [{ name: "a".repeat(49) }, /must match/],
    [{ name: "toolgate_x" }, /reserved/],
    [{ name: undefined }, /tool name/],
    [{ description: " " }, /get_order.*description/],
    [{ description: "é".repeat(2001) }, /2001 characters; the limit is 2000/],
    [{ sideEffect: "write" }, /sideEffect must be one of read_only, reversible_write, consequential/],
    [{ input: { id: "int" } }, /input field "id": "int" is not a field type/],
    [{ input: { id: "integer?[]" } }, /"id"/],
    [{ input: { id: "integer[][]" } }, /"id"/],
    [{ input: { id: "Integer" } }, /"id"/],
    [{ input: { id: "toString" } }, /"id"/],
    [{ input: { id: { type: "integer" } } }, /"id": a value of type object/],
    [{ input: { "1st": "integer" } }, /input field "1st"/],
    [{ input: [] }, /field map/],
    [{ input: undefined }, /field map/],
    [{ input: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`f${n}`, "string"])) }, /65 fields; the limit is 64/],
    [{ permissions: "refunds:write" }, /permissions must be a list/],
    [{ permissions: [""] }, /permissions\[0\]/],
    [{ routing: { keywords: Array(33).fill("k") } }, /routing\.keywords has 33 entries/],
    [{ routing: { patterns: Array(9).fill("p") } }, /routing\.patterns has 9 entries/],
    [{ routing: { patterns: ["p".repeat(201)] } }, /routing\.patterns\[0\] has 201 characters/],
    [{ queueDeadlineSeconds: 0 }, /queueDeadlineSeconds/],
    [{ queueDeadlineSeconds: 3601 }, /from 1 to 3600/],
    [{ executionDeadlineSeconds: 901 }, /from 1 to 900/],
    [{ executionDeadlineSeconds: 1.5 }, /executionDeadlineSeconds/],
    [{ integers: "string" }, /integers/],
    [{ handler: undefined }, /handler/],
  ];
  for (const [change, message] of cases) test(JSON.stringify(change).slice(0, 80), () => refuses(() => tool({ ...base, ...change }), message));
});

describe("the manifest", () => {
  test("is in the wire's casing, and leaves out what is not set", () => {
    const full = tool({
      ...base, name: "refund", sideEffect: "consequential", input: { order_id: "integer", tags: "string[]?" }, permissions: ["refunds:write"],
      routing: { keywords: ["refund"], patterns: ["\\bORD-\\d+\\b"] }, queueDeadlineSeconds: 30, executionDeadlineSeconds: 10,
    });
    const context = {
      contextType: "order_detail", scope: "entity", pinnedTools: ["refund"], prefetchTool: "get_order",
      prefetchArgs: { order_id: "$context_id", withItems: true }, digestFields: [{ path: "status", label: "Status" }],
    };
    assert.deepEqual(JSON.parse(manifestText([tool(base), full], [context])), {
      tools: [
        { name: "get_order", description: "Reads an order.", side_effect: "read_only", input: { id: "integer" } },
        {
          name: "refund", description: "Reads an order.", side_effect: "consequential", input: { order_id: "integer", tags: "string[]?" },
          permissions: ["refunds:write"], routing: { keywords: ["refund"], patterns: ["\\bORD-\\d+\\b"] },
          queue_deadline_seconds: 30, execution_deadline_seconds: 10,
        },
      ],
      contexts: [{
        context_type: "order_detail", scope: "entity", pinned_tools: ["refund"], prefetch_tool: "get_order",
        prefetch_args: { order_id: "$context_id", withItems: true }, digest_fields: [{ path: "status", label: "Status" }],
      }],
    });
    assert.deepEqual(JSON.parse(manifestText([tool(base)])), { tools: [{ name: "get_order", description: "Reads an order.", side_effect: "read_only", input: { id: "integer" } }] });
  });

  test("refuses what cannot be registered", () => {
    const one = tool(base);
    refuses(() => manifestText([one, tool(base)]), /tool "get_order" is defined twice/);
    refuses(() => manifestText([base]), /tools\[0\] was not made by tool\(\)/);
    refuses(() => manifestText(Array.from({ length: 257 }, (_, n) => tool({ ...base, name: `t${n}` }))), /257 tools; the limit is 256/);
    refuses(() => manifestText(Array.from({ length: 256 }, (_, n) => tool({ ...base, name: `t${n}`, description: "😀".repeat(2_000) }))), /bytes; the limit is 524288/);
    const context = { contextType: "order", scope: "entity" };
    refuses(() => manifestText([one], [context, context]), /context "order" is defined twice/);
    refuses(() => manifestText([one], [{ ...context, scope: "page" }]), /scope/);
    refuses(() => manifestText([one], [{ ...context, contextType: "Order" }]), /contextType/);
    refuses(() => manifestText([one], [{ ...context, digestFields: [{ path: "x" }] }]), /digestFields/);
  });
});

describe("options that cannot work throw at once, without the key", () => {
  const key = keyOf("demo");
  const options = { baseUrl: "http://127.0.0.1:1", apiKey: key, pool: "shop", tools: [tool(base)] };
  const cases = [
    [{ baseUrl: undefined }, /baseUrl/], [{ baseUrl: "gate.test" }, /baseUrl/], [{ baseUrl: "ftp://gate.test" }, /baseUrl/],
    [{ apiKey: undefined }, /apiKey is missing/], [{ apiKey: "" }, /apiKey is missing/], [{ apiKey: `${key}\n` }, /line break/],
    [{ pool: "Shop" }, /pool/], [{ pool: "a/b" }, /pool/], [{ tools: undefined }, /tools/], [{ tools: [tool(base), tool(base)] }, /twice/],
    [{ concurrency: 0 }, /concurrency/], [{ pollWaitSeconds: 26 }, /pollWaitSeconds/], [{ drainTimeoutSeconds: -1 }, /drainTimeoutSeconds/], [{ workerId: "a b" }, /workerId/],
  ];
  for (const [change, message] of cases) {
    test(JSON.stringify(change).replace(key, "KEY").slice(0, 80), () => {
      assert.throws(() => runWorker({ ...options, ...change }), (error) => error instanceof ConfigurationError && message.test(error.message) && !error.message.includes(key));
    });
  }
});

test("the org is read from the key, and nothing else is a key", () => {
  assert.equal(orgOfKey(keyOf("demo")), "demo");
  for (const text of ["", "tg_worker", "tg_worker.e30.mac", "tg_worker.!!.mac", "xx_worker.eyJvIjoiZGVtbyJ9.mac", "tg_worker.bnVsbA.mac"]) {
    refuses(() => orgOfKey(text), /not a Toolgate key/);
  }
});
