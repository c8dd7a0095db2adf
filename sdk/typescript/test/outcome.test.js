import assert from "node:assert/strict";
import { test } from "node:test";
import { withActivity } from "../dist/index.js";
import { returnedOutcome, thrownOutcome } from "../dist/outcome.js";

const returned = (value, onLostActivity = () => assert.fail("no activity is lost here"), bytesMax) =>
  JSON.parse(`{${returnedOutcome(value, { onLostActivity, bytesMax })}}`);
const thrown = (value) => JSON.parse(`{${thrownOutcome(value)}}`);

test("a result is the returned value, undefined is null, a bigint its digits", () => {
  assert.deepEqual(returned({ a: 1 }), { result: { a: 1 } });
  assert.deepEqual(returned(undefined), { result: null });
  assert.equal(returnedOutcome({ id: 9007199254740993n }, { onLostActivity: () => {} }), '"result":{"id":9007199254740993}');
});

test("an activity travels beside the result, and is left out if it cannot be written", () => {
  assert.deepEqual(returned(withActivity([1], { type: "chart", content: { a: 1 } })), { result: [1], activity: { type: "chart", content: { a: 1 } } });
  const lost = [];
  assert.deepEqual(returned(withActivity([1], { type: "chart", content: { a: Number.NaN } }), (reason) => lost.push(reason)), { result: [1] });
  assert.match(lost[0], /NaN/);
});

test("a result that cannot be written is an error that says where", () => {
  const cycle = {};
  cycle.self = cycle;
  const { error } = returned(cycle);
  assert.equal(error.code, "result_not_serializable");
  assert.match(error.message, /\$\.self/);
  assert.equal(returned({ get a() { throw new Error("no"); } }).error.code, "result_not_serializable");
});

test("a thrown value gives its message and a plain code, never a stack", () => {
  assert.deepEqual(thrown(Object.assign(new Error("No such order"), { code: "order_unknown" })), { error: { message: "No such order", code: "order_unknown" } });
  for (const code of ["ECONNREFUSED", "", "a b", 7, "x".repeat(65), undefined]) {
    assert.deepEqual(thrown(Object.assign(new Error("m"), { code })), { error: { message: "m" } });
  }
  assert.deepEqual(thrown("text"), { error: { message: "text" } });
  assert.deepEqual(thrown(new RangeError("")), { error: { message: "RangeError" } });
  for (const value of [undefined, null, 3, {}, ""]) assert.deepEqual(thrown(value), { error: { message: "the handler failed without a message" } });
  assert.equal(thrown(new Error("x".repeat(5_000))).error.message.length, 2_000);
  assert.equal(thrownOutcome(new Error("m")).includes("at "), false);
});
