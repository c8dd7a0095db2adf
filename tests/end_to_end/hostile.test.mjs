// Input that nobody sends by mistake: the gateway refuses it in its own words, and goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org, PRINCIPAL } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { within } from "./support/until.mjs";

const TOOLS = [definition("get", "read_only", { input: { any: "json?" } }), definition("set", "reversible_write", { input: { any: "json?" } })];
const WAITERS_MAX = 1_000;

let gateway, org, worker;
before(async () => {
  gateway = await Gateway.start();
  org = await Org.make(gateway);
  worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["get", "set"]);
});
after(() => gateway.stop());

const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);

test("JSON nested too deep is refused wherever it stands, and at no depth does anything break", async () => {
  for (const depth of [60, 65, 1_000, 100_000]) {
    const allowed = depth === 60 ? [202] : [400, 422];
    const argument = await org.submit("get", `{"any":${nested(depth)}}`);
    assert.ok(allowed.includes(argument.status), `arguments ${depth}: ${argument.status}`);
    const text = await org.submit("get", JSON.stringify(`{"any":${nested(depth)}}`));
    assert.ok(allowed.includes(text.status), `arguments as text ${depth}: ${text.status}`);
    const principal = await org.submit("get", "{}", { principal: `{"id":"u","tenant_id":"t","x":${nested(depth)}}` });
    assert.ok([...allowed, 413].includes(principal.status), `principal ${depth}: ${principal.status}`);
    const manifest = await worker.post("workers", `{"worker":"deep","manifest":{"tools":[${nested(depth)}]}}`);
    assert.ok([200, 400, 422].includes(manifest.status), `manifest ${depth}: ${manifest.status}`);
  }
  for (const job of await worker.jobs()) await worker.result(job.claim, "1");
});

test("a result of any depth either settles its call as it is, or is refused and can be replaced", async () => {
  for (const depth of [60, 1_000, 100_000]) {
    const { call } = await org.accepted("get");
    const job = await worker.job();
    const sent = await worker.post("results", `{"session":"${worker.session}","results":[{"claim":"${job.claim}","result":${nested(depth)}}]}`);
    if (sent.status !== 200) {
      assert.ok([400, 422].includes(sent.status), `${depth}: ${sent.status} ${sent.text}`);
      assert.equal(await worker.result(job.claim, "1"), "recorded");
    }
    const shown = await org.caller.get(`/v1/calls/${call}`);
    assert.equal(shown.status, 200);
    assert.ok(shown.text.includes(`"result":${sent.status === 200 ? nested(depth) : "1"}`), `${depth}`);
  }
});

test("bytes that are no UTF-8, a byte order mark and broken JSON are invalid_json", async () => {
  const good = Buffer.from(`{"tool":"get","agent":"bot","principal":${PRINCIPAL}}`);
  for (const body of [Buffer.from([0xff, 0xfe]), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]), Buffer.concat([good.subarray(0, 9), Buffer.from([0xc3]), good.subarray(9)])]) {
    const answer = await org.caller.post("/v1/calls", body);
    assert.deepEqual([answer.status, answer.code], [400, "invalid_json"]);
  }
});

test("idempotency keys have 1 to 255 printable ASCII characters", async () => {
  for (const key of ["k".repeat(255), "!~ x", "a,b"]) assert.equal((await org.submit("set", "{}", { key })).status, 202, key);
  for (const key of ["k".repeat(256), "a\tb", "é"]) {
    const answer = await org.submit("set", "{}", { key: Buffer.from(key, "utf8").toString("latin1") });
    assert.deepEqual([answer.status, answer.code], [422, "invalid_request"], key);
  }
  await worker.jobs();
});

test("numbers beyond reason in polls and waits are refused or capped", async () => {
  for (const [max, wait, status] of [[-1, 0, 422], [1.5, 0, 422], [4_294_967_296, 0, 422], ["1", 0, 422], [0, 20, 204], [1, -1, 422]]) {
    const answer = await worker.post("claims", { session: worker.session, max, wait_seconds: wait });
    assert.equal(answer.status, status, `${max} ${wait}: ${answer.text}`);
  }
  const many = Array.from({ length: 257 }, () => "c");
  for (const what of ["accepts", "renewals", "returns"]) {
    assert.equal((await worker.post(what, { session: worker.session, claims: many })).status, 422, what);
  }
  for (const prefer of ["wait=-1", "wait=x", "wait=99999999999999999999999", "wait"]) {
    const answer = await org.caller.get("/v1/calls?pool=main&limit=1", { headers: { prefer } });
    assert.equal(answer.status, 200, prefer);
  }
});

test("forged and garbled claims are lost, one by one, and hurt nobody else in the request", async () => {
  const { call } = await org.accepted("set", "{}", { key: "forged" });
  const job = await worker.job();
  const forged = [`${job.claim.slice(0, -2)}AA`, job.claim.replace("_1_", "_2_"), "", "cl_", "x".repeat(10_000), "🙂"];
  assert.deepEqual(await worker.accept(...forged, job.claim), [...forged.map(() => "claim_lost"), "accepted"]);
  for (const claim of forged) assert.equal(await worker.result(claim, "1"), "claim_lost");
  assert.equal((await org.call(call)).state, "running");
  const both = await worker.post("results", `{"session":"s","results":[{"claim":"${job.claim}","result":1,"error":{"message":"m"}}]}`);
  assert.equal(both.status, 422);
  assert.equal(await worker.result(job.claim, "1"), "recorded");
});

test("the held requests of a pool are bounded: beyond 1,000 the next is told busy, and calls are still accepted and served", async () => {
  const busy = await Org.make(gateway);
  const crowd = new RawWorker(busy.worker);
  await crowd.register(TOOLS);
  await busy.grant(["get"]);
  // One more than there is room for: whichever comes last is the only one that is answered at once.
  const polls = Array.from({ length: WAITERS_MAX + 1 }, () => crowd.poll({ wait: 20 }));
  const refused = await within("a poll too many is refused", 15_000, Promise.race(polls));
  assert.equal(refused.status, 503);
  assert.deepEqual([refused.code, refused.headers["retry-after"]], ["busy", "1"]);
  const { call } = await busy.accepted("get");
  const jobs = polls.map((poll) => poll.then((answer) => (answer.status === 200 ? answer : Promise.reject(answer))));
  const served = await within("one of the polls is handed the call", 15_000, Promise.any(jobs));
  assert.equal(served.body.jobs[0].call, call);
  await crowd.post("goodbyes", { session: crowd.session });
  const statuses = (await Promise.all(polls)).map(({ status }) => status);
  const count = (wanted) => statuses.filter((status) => status === wanted).length;
  assert.deepEqual([count(503), count(200), count(204)], [1, 1, WAITERS_MAX - 1]);
});
