// Sizes around each limit: one byte less, exactly, one more, ten times.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { within } from "./support/until.mjs";
import { Crew, killWorker, NAMES } from "./support/worker_process.mjs";

const KIB = 1024;
const ARGUMENTS = 256 * KIB;
const RESULT = KIB * KIB;
const input = { s: "string?" };
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

/** JSON text of exactly so many bytes. */
const argumentsOf = (bytes) => `{"s":"${"x".repeat(bytes - 8)}"}`;
const resultOf = (bytes) => `"${"y".repeat(bytes - 2)}"`;

for (const bytes of [ARGUMENTS - 1, ARGUMENTS]) {
  test(`arguments of ${bytes} bytes are carried whole, through the approval too`, async () => {
    const text = argumentsOf(bytes);
    await org.accepted("get", text);
    const read = await worker.poll({ wait: 10 });
    assert.ok(read.text.includes(text));
    await worker.result(read.body.jobs[0].claim, "1");
    const parked = await org.accepted("pay", text, { key: `${bytes}` });
    assert.ok((await org.approver.get(`/v1/approvals/${parked.approval.id}`)).text.includes(text));
    await org.approve(parked);
    assert.ok((await worker.poll({ wait: 10 })).text.includes(text));
  });
}

for (const bytes of [ARGUMENTS + 1, ARGUMENTS + 63 * KIB, 10 * ARGUMENTS]) {
  test(`arguments of ${bytes} bytes are refused at once, with the limit and the size`, async () => {
    const answer = await org.submit("get", argumentsOf(bytes));
    assert.deepEqual([answer.status, answer.code], [413, "payload_too_large"]);
    assert.ok(answer.body.bytes >= bytes && answer.body.limit_bytes >= ARGUMENTS && answer.body.bytes > answer.body.limit_bytes, answer.text);
    assert.match(answer.body.detail, new RegExp(`${answer.body.limit_bytes}`));
  });
}

for (const bytes of [RESULT - 1, RESULT]) {
  test(`a result of ${bytes} bytes is kept whole`, async () => {
    const { call } = await org.accepted("get");
    const job = await worker.job();
    assert.equal(await worker.result(job.claim, resultOf(bytes)), "recorded");
    const shown = await org.caller.get(`/v1/calls/${call}`);
    assert.ok(shown.text.includes(`"result":${resultOf(bytes)}`));
  });
}

for (const bytes of [RESULT + 1, 10 * RESULT]) {
  test(`a result of ${bytes} bytes does not fail the call: a preview is kept`, async () => {
    for (const tool of ["get", "set"]) {
      const { call } = await org.accepted(tool, "{}", { key: `${tool} ${bytes}` });
      const job = await worker.job();
      await worker.accept(job.claim);
      assert.equal(await worker.result(job.claim, resultOf(bytes)), "recorded");
      const { state, result } = await org.call(call);
      assert.deepEqual([state, result.truncated, result.bytes], ["succeeded", true, bytes]);
      assert.ok(result.preview.startsWith('"yyyy') && result.preview.length <= 2_048);
      assert.equal(await worker.result(job.claim, resultOf(bytes)), "repeated");
    }
  });
}

test("a preview never cuts a character in half", async () => {
  const { call } = await org.accepted("get");
  await worker.result((await worker.job()).claim, `"${"🙂".repeat(RESULT / 4)}"`);
  const { preview } = (await org.call(call)).result;
  assert.match(preview, /^"(🙂)+$/u);
});

test("a principal over 8 KiB is refused with the limit and the size", async () => {
  const principal = (bytes) => `{"id":"u","tenant_id":"t","x":"${"z".repeat(bytes - 33)}"}`;
  assert.equal((await org.submit("get", "{}", { principal: principal(8 * KIB) })).status, 202);
  const answer = await org.submit("get", "{}", { principal: principal(8 * KIB + 1) });
  assert.deepEqual([answer.status, answer.code, answer.body.limit_bytes], [413, "payload_too_large", 8 * KIB]);
  await worker.job();
});

test("a body far over every limit is answered with 413, not with a broken line", async () => {
  const body = `{"worker":"w","manifest":{"tools":["${"x".repeat(10 * 576 * KIB)}"]}}`;
  const answers = [];
  for (let n = 0; n < 20; n += 1) answers.push(await worker.post("workers", body).then(({ status }) => status, ({ code }) => code));
  assert.deepEqual(answers, Array.from({ length: 20 }, () => 413));
});

test("SDK: results of any size end their call as succeeded, and the worker goes on", async () => {
  const shop = await Org.make(gateway);
  const crew = new Crew(shop);
  const child = await crew.start();
  await shop.grant(NAMES);
  for (const bytes of [RESULT - 2, 2 * RESULT, 11 * RESULT, 14 * RESULT]) {
    const { call } = await shop.accepted("look", { mode: "large", note: `${bytes}` });
    const { result } = await within(`a result of ${bytes} bytes is settled`, 40_000, shop.callIn(call, "succeeded", 40_000));
    if (bytes < RESULT) assert.equal(result.length, bytes);
    else assert.equal(result.truncated, true, JSON.stringify(result).slice(0, 200));
  }
  assert.equal((await shop.accepted("look", {}, { wait: 20 })).state, "succeeded");
  await killWorker(child);
});
