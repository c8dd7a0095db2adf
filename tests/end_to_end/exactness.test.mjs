// The bytes that were given are the bytes that arrive: no number is rounded, no text is changed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";
import { Crew, NAMES, stopWorker, TOOLS as SDK_TOOLS } from "./support/worker_process.mjs";

const INTEGERS = ["9007199254740993", "2512292042121000001", "-9223372036854775808", "18446744073709551615", "0", "-1"];
const input = { big: "integer?", list: "integer[]?", any: "json?", text: "string?", real: "number?" };
const TOOLS = [definition("get", "read_only", { input }), definition("set", "reversible_write", { input }), definition("pay", "consequential", { input })];

let gateway, org, worker;
before(async () => {
  gateway = await Gateway.start();
  org = await Org.make(gateway);
  worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["get", "set", "pay"]);
});
after(() => gateway.stop());

/** The text of a poll's answer, with its one job. */
async function poll() {
  const answer = await worker.poll({ max: 1, wait: 10 });
  return { text: answer.text, job: answer.body.jobs[0] };
}

const holds = (text, part) => assert.ok(text.includes(part), `${part} is not in ${text}`);

for (const digits of INTEGERS) {
  test(`${digits} arrives digit by digit: at the worker, in the approval, in the lists, in the result`, async () => {
    const canonical = `"arguments":{"any":{"deep":[${digits}]},"big":${digits},"list":[${digits},${digits}]}`;
    const given = `{"list":[${digits}, ${digits}], "big": ${digits}, "any":{"deep":[${digits}]}}`;
    const result = `{"id": ${digits},"list":[${digits}]}`;
    await org.accepted("get", given);
    const read = await poll();
    holds(read.text, canonical);
    assert.equal(await worker.result(read.job.claim, result), "recorded");
    holds((await org.caller.get(`/v1/calls/${read.job.call}`)).text, `"result":${result}`);

    const parked = await org.accepted("pay", given, { key: digits });
    const view = await org.approver.get(`/v1/approvals/${parked.approval.id}`);
    holds(view.text, canonical);
    await until("the index shows the exact digits", async () => (await org.approver.get("/v1/approvals?state=pending")).text.includes(canonical));
    await org.approve(parked);
    const paid = await poll();
    holds(paid.text, canonical);
    await worker.accept(paid.job.claim);
    await worker.result(paid.job.claim, digits);
    const repeat = await org.submit("pay", given, { key: digits });
    holds(repeat.text, `"result":${digits}`);
    const asText = await org.submit("pay", JSON.stringify(given), { key: digits });
    assert.equal(asText.body.call, parked.call, "arguments as JSON text are the same arguments");
  });
}

test("the digits survive a restart of the gateway", async () => {
  const digits = INTEGERS.slice(0, 4).join(",");
  const queued = await org.accepted("get", `{"list":[${digits}]}`);
  const parked = await org.accepted("pay", `{"list":[${digits}]}`, { key: "restart" });
  await gateway.killAndRestart();
  holds((await org.approver.get(`/v1/approvals/${parked.approval.id}`)).text, `{"list":[${digits}]}`);
  const { text, job } = await poll();
  assert.equal(job.call, queued.call);
  holds(text, `{"list":[${digits}]}`);
  await worker.result(job.claim, `[${digits}]`);
  await gateway.killAndRestart();
  holds((await org.caller.get(`/v1/calls/${job.call}`)).text, `"result":[${digits}]`);
});

test("what is no exact integer is refused, and the field is named", async () => {
  for (const value of ["1.0", '"1"', "1e2", "1e400", "18446744073709551616", "-9223372036854775809", "true", "null", "[1]", '"9007199254740993"']) {
    const answer = await org.submit("get", `{"big":${value}}`);
    assert.deepEqual([answer.status, answer.code], [422, "invalid_arguments"], value);
    assert.match(answer.body.detail, /^big: /);
  }
  for (const value of ["1e400", "-1e400", '"1"', "NaN", "Infinity"]) {
    const answer = await org.submit("get", `{"real":${value}}`);
    assert.ok(answer.status === 422 || answer.status === 400, `${value}: ${answer.status}`);
    if (answer.status === 422) assert.match(answer.body.detail, /^real: /);
  }
  const answer = await org.submit("get", '{"list":[1,2.5,3]}');
  assert.match(answer.body.detail, /^list\[1\]: /);
});

test("the text of a number is kept as it was written", async () => {
  for (const value of ["1.50", "1e2", "-0.0", "0.1000000000000000055511151231257827", "1E+3", "123456789012345678901234567890.5"]) {
    await org.accepted("get", `{"any":${value},"real":${value}}`);
    const { text, job } = await poll();
    holds(text, `"arguments":{"any":${value},"real":${value}}`);
    await worker.result(job.claim, `[${value}]`);
    holds((await org.caller.get(`/v1/calls/${job.call}`)).text, `"result":[${value}]`);
  }
});

test("texts arrive unchanged: emoji, accents, line separators, markup, controls", async () => {
  const cases = [
    // As given, and in the canonical form that everybody then sees.
    ['"🙂👩‍👩‍👧"', '"🙂👩‍👩‍👧"'],
    ['"\\ud83d\\ude42"', '"🙂"'],
    ['"e\\u0301 שלום ﷽"', '"e\u0301 שלום ﷽"'],
    ['"a\u2028b\\u2029c"', '"a\u2028b\u2029c"'],
    ['"&<>\\/ \\u0026\\u003c"', '"&<>/ &<"'],
    ['"\\u0000\\u001f\\n\\t\\"\\\\"', '"\\u0000\\u001f\\n\\t\\"\\\\"'],
    ['"\\ufeff"', '"\ufeff"'],
  ];
  for (const [given, canonical] of cases) {
    const parked = await org.accepted("pay", `{"text":${given}}`, { key: given.replace(/[^ -~]/g, "?") + cases.findIndex(([one]) => one === given) });
    holds((await org.approver.get(`/v1/approvals/${parked.approval.id}`)).text, `"arguments":{"text":${canonical}}`);
    await org.approve(parked);
    const { text, job } = await poll();
    holds(text, `"arguments":{"text":${canonical}}`);
    await worker.accept(job.claim);
    await worker.result(job.claim, `{"t":${given}}`);
    holds((await org.caller.get(`/v1/calls/${job.call}`)).text, `"result":{"t":${given}}`);
  }
});

for (const field of ["any", "text"]) {
  test(`a lone surrogate stays escaped, in the field "${field}"`, async () => {
    const text = '"\\ud800 \\udfff x"';
    const parked = await org.accepted("pay", `{"${field}":${text}}`, { key: `lone ${field}` });
    holds((await org.approver.get(`/v1/approvals/${parked.approval.id}`)).text, `"arguments":{"${field}":${text}}`);
    await org.approve(parked);
    const job = await poll();
    holds(job.text, `"arguments":{"${field}":${text}}`);
    await worker.accept(job.job.claim);
    await worker.result(job.job.claim, text);
    holds((await org.caller.get(`/v1/calls/${parked.call}`)).text, `"result":${text}`);
  });
}

test("a principal is carried verbatim, further members and large numbers included", async () => {
  await org.accepted("get", "{}", { principal: '{"tenant_id":"t","id":"u","account":9007199254740993,"name":"Zoë 🙂","permissions":[]}' });
  const { text, job } = await poll();
  holds(text, '"principal":{"account":9007199254740993,"id":"u","name":"Zoë 🙂","permissions":[],"tenant_id":"t"}');
  await worker.result(job.claim, "1");
});

test("SDK: integers beyond 2^53 fail the call and name the field; as bigint they arrive and return exactly", async () => {
  const shop = await Org.make(gateway);
  const crew = new Crew(shop);
  const tools = [...SDK_TOOLS, { name: "exact", sideEffect: "read_only", integers: "bigint" }, { name: "exact_write", sideEffect: "reversible_write", integers: "bigint" }];
  const child = await crew.start({ tools });
  await shop.grant([...NAMES, "exact", "exact_write"]);
  for (const digits of INTEGERS.slice(0, 4)) {
    for (const [tool, key] of [["look"], ["edit", digits]]) {
      const { state, error, call } = await shop.accepted(tool, `{"n":${digits},"mode":"echo"}`, { key, wait: 20 });
      assert.deepEqual([state, error.code], ["failed", "integer_out_of_range"]);
      assert.match(error.message, /\bn\b/);
      assert.equal(crew.starts.get(call), undefined, "the handler never ran");
    }
    for (const [tool, key] of [["exact"], ["exact_write", digits]]) {
      const answer = await shop.submit(tool, `{"n":${digits},"any":{"x":[${digits},1.5]},"mode":"echo"}`, { key, wait: 20 });
      assert.equal(answer.body.state, "succeeded", answer.text);
      holds(answer.text, `"n":${digits}`);
      holds(answer.text, `"x":[${digits},1.5]`);
      assert.equal(answer.body.result.type, "bigint");
    }
  }
  const small = await shop.accepted("look", '{"n":9007199254740991,"mode":"echo"}', { wait: 20 });
  assert.deepEqual([small.result.n, small.result.type], [9007199254740991, "number"]);
  const strange = '"🙂 \u2028 \\ud800 &<>/"';
  const echoed = await shop.submit("look", `{"any":${strange},"mode":"echo"}`, { wait: 20 });
  assert.equal(echoed.body.result.any, JSON.parse(strange));
  assert.equal((await stopWorker(child)).code, 0);
});
