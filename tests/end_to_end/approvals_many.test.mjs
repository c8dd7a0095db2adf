// 5,000 open approvals in one org: they are listed without gap or repeat, decided by id and by the page, and run out of
// time, and whoever must hear of it gets digests. How fast is a matter of `scripts/bench approvals`.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ageParked } from "./support/aging.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { notify, Receiver } from "./support/receiver.mjs";
import { each, until } from "./support/until.mjs";

const OPEN = 5_000;
/** One agent and principal may have so many open in a pool. */
const OPEN_PER_PRINCIPAL = 50;
/** Of two pools, so that the index mixes them: tool and pool of the nth call. */
const POOLS = [["main", "pay", 4_000], ["side", "send", 1_000]];
const PAGE = 100;
const AT_A_TIME = 16;
const LONG_MS = 120_000;

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(async () => {
  await gateway.stop();
  await internet.close();
});

/** An org with two pools and workers by hand, and a receiver of notifications. */
async function scene() {
  const org = await Org.make(gateway);
  await org.pool("side");
  const { door } = await org.key({ role: "worker", name: "both", pools: ["main", "side"] });
  const workers = POOLS.map(([pool]) => new RawWorker(door, { pool }));
  for (const [index, [, tool]] of POOLS.entries()) await workers[index].register([definition(tool, "consequential", { input: { n: "integer" } })]);
  for (const agent of ["bot", "bit"]) await org.grant(["pay", "send"], { agent });
  const receiver = new Receiver(internet);
  await notify(org, receiver);
  return { org, workers, receiver };
}

/** Parks the nth call of a pool: two agents and as many principals as it takes. */
function park(org, tool, n) {
  const principal = `{"id":"u${Math.floor(n / (2 * OPEN_PER_PRINCIPAL))}","tenant_id":"t1","permissions":[]}`;
  return org.accepted(tool, { n }, { key: `k${n}`, agent: n % 2 === 0 ? "bot" : "bit", principal });
}

/** Every page of the index in a state. */
async function pages(org, state) {
  const found = [];
  let cursor = "";
  do {
    const { approvals, next_cursor } = (await org.approver.must(200, "GET", `/v1/approvals?state=${state}&limit=${PAGE}${cursor}`)).body;
    found.push(approvals);
    cursor = next_cursor === undefined ? undefined : `&cursor=${encodeURIComponent(next_cursor)}`;
  } while (cursor !== undefined);
  return found;
}

/** The ids of the index in a state, once there are so many. */
const listed = (org, state, count) =>
  until(`${count} are ${state}`, async () => {
    const found = (await pages(org, state)).flat();
    return found.length === count && found;
  }, LONG_MS);

const waiting = async (org) => (await Promise.all(POOLS.map(async ([pool]) => (await org.admin.must(200, "GET", `/v1/pools/${pool}/stats`)).body.waiting_approval))).reduce((sum, one) => sum + one);

const told = (org) => until("everybody was told", async () => (await org.admin.must(200, "GET", "/v1/notifications/ops")).body.waiting.length === 0, LONG_MS);

/** How many approvals messages of a type were about, and how many messages that were: at least once, so by id. */
function digests(receiver, type) {
  const once = new Map(receiver.messages.filter((message) => message.type === type).map((message) => [message.id, message.data.count]));
  return { messages: once.size, approvals: [...once.values()].reduce((sum, count) => sum + count, 0) };
}

test("5,000 open approvals: listed, decided and run out of time, each exactly once", async () => {
  const begun = performance.now();
  const { org, workers, receiver } = await scene();
  const jobs = POOLS.flatMap(([, tool, count]) => Array.from({ length: count }, (_, n) => [tool, n]));
  assert.equal(jobs.length, OPEN);
  const calls = await each(jobs, AT_A_TIME, ([tool, n]) => park(org, tool, n));
  const byId = new Map(calls.map((call) => [call.approval.id, call]));
  assert.equal(byId.size, OPEN);

  // By an id from a 202 at once, whatever the index knows by now: some of each pool are approved, some rejected.
  const sample = [0, 1, 1_999, 3_998, 3_999, 4_000, 4_999].map((at) => calls[at]);
  const approved = new Set();
  for (const [at, call] of sample.entries()) {
    if (at % 2 === 0) {
      assert.equal((await org.approve(call)).state, "approved");
      approved.add(call.call);
    } else assert.equal((await org.decide(call.approval.id, { decision: "reject", reason: "no" })).body.state, "rejected");
  }

  // All the rest is listed, in order, without gap or repeat, and says the same as the pools.
  const decided = new Set(sample.map(({ approval }) => approval.id));
  await listed(org, "pending", OPEN - sample.length);
  const found = await pages(org, "pending");
  assert.ok(found.slice(0, -1).every((page) => page.length === PAGE), "pages are full");
  const ids = found.flat().map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)].toSorted(), "in order, each once");
  assert.deepEqual(ids, [...byId.keys()].filter((id) => !decided.has(id)).toSorted(), "none is missing");
  for (const { id, call, digest, state } of found.flat()) assert.deepEqual([byId.get(id).call, byId.get(id).approval.digest, state], [call, digest, "pending"]);
  assert.equal(await waiting(org), OPEN - sample.length);

  // A whole page, by what it shows.
  const page = found[Math.floor(found.length / 2)];
  const answers = await each(page, AT_A_TIME, ({ id, digest }) => org.decide(id, { decision: "approve", digest }));
  assert.ok(answers.every(({ status, body }) => status === 200 && body.state === "approved"));
  for (const { id, call } of page) {
    decided.add(id);
    approved.add(call);
  }
  const rest = OPEN - decided.size;
  const yes = await listed(org, "approved", approved.size);
  assert.deepEqual(new Set(yes.map(({ call }) => call)), approved);
  assert.deepEqual([(await pages(org, "pending")).flat().length, await waiting(org)], [rest, rest]);

  // Exactly what was approved is handed out, once.
  const handed = [];
  for (const worker of workers) for (let some = await worker.jobs({ max: 64 }); some.length > 0; some = await worker.jobs({ max: 64 })) {
    handed.push(...some.map(({ call }) => call));
    assert.ok((await worker.accept(...some.map(({ claim }) => claim))).every((status) => status === "accepted"));
    for (const { claim } of some) assert.equal(await worker.result(claim, "true"), "recorded");
  }
  assert.deepEqual(handed.toSorted(), [...approved].toSorted());
  await told(org);

  // A day goes by.
  await gateway.kill();
  assert.equal(ageParked(gateway.storage), rest);
  await gateway.start();
  assert.ok((await waiting(org)) <= rest, "the pools are awake");
  const expired = await listed(org, "expired", rest);
  assert.deepEqual(new Set(expired.map(({ id }) => id)), new Set([...byId.keys()].filter((id) => !decided.has(id))));
  assert.deepEqual([(await pages(org, "pending")).flat(), await waiting(org)], [[], 0]);
  for (const at of [2, 2_500, 4_998]) {
    const call = calls[at];
    const state = decided.has(call.approval.id) ? "succeeded" : "expired";
    assert.equal((await org.call(call.call)).state, state);
    const late = await org.decide(call.approval.id, { decision: "approve", digest: call.approval.digest });
    assert.equal(late.code, state === "expired" ? "approval_expired" : "already_decided");
  }
  for (const worker of workers) assert.deepEqual(await worker.jobs(), []);
  const again = await park(org, "pay", 0);
  assert.equal(again.state, "succeeded", "its key still names the first one");

  // Each event was told, in digests: one at most for each quiet time between them.
  await told(org);
  const most = Math.ceil((performance.now() - begun) / 5_000);
  for (const [type, count] of [["approval.requested", OPEN], ["approval.decided", decided.size], ["approval.expired", rest]]) {
    const { messages, approvals } = digests(receiver, type);
    assert.equal(approvals, count, type);
    assert.ok(messages <= most, `${messages} messages of ${type}`);
  }
  assert.deepEqual(receiver.faults, []);
});
