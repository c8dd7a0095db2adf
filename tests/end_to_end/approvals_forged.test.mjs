// Approvals that are none: made up, another org's, altered, used up, out of time; and links that are opened by anybody.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ageParked } from "./support/aging.mjs";
import { Door } from "./support/client.mjs";
import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until } from "./support/until.mjs";

const TOOLS = [definition("pay", "consequential", { input: { id: "integer", note: "string?", more: "json?" } })];

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

async function shop() {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["pay"]);
  return { org, worker };
}

const approve = (digest, more = {}) => ({ decision: "approve", digest, ...more });

/** Does the next job, which must be of this call. */
async function work(worker, { call }) {
  const job = await worker.job();
  assert.equal(job.call, call);
  assert.deepEqual(await worker.accept(job.claim), ["accepted"]);
  assert.equal(await worker.result(job.claim, "true"), "recorded");
}

const refusals = async (org) => (await org.audit()).filter(({ event }) => event === "approval.refused");

test("a decision on what was made up, altered, taken from elsewhere or used up is refused, changes nothing, and is in the audit", async () => {
  const [{ org, worker }, other] = [await shop(), await shop()];
  const [used, open] = [await org.accepted("pay", { id: 1 }, { key: "a" }), await org.accepted("pay", { id: 2 }, { key: "b" })];
  const foreign = await other.org.accepted("pay", { id: 2 }, { key: "c" });
  await org.approve(used);
  await work(worker, used);
  const { id, digest } = open.approval;
  const altered = id.slice(0, -3) + (id.endsWith("AAA") ? "BBB" : "AAA");
  const attempts = [
    ["apr_made-up", approve(digest), 404, "not_found"],
    [`apr_${"x".repeat(400)}`, approve(digest), 404, "not_found"],
    [altered, approve(digest), 404, "not_found"],
    [open.call, approve(digest), 404, "not_found"],
    [foreign.approval.id, approve(foreign.approval.digest), 404, "not_found"],
    [foreign.approval.id, { decision: "reject", reason: "r" }, 404, "not_found"],
    [id, approve(used.approval.digest), 409, "digest_mismatch"],
    [id, approve(foreign.approval.digest), 409, "digest_mismatch"],
    [id, approve(digest, { arguments: { id: "2" } }), 422, "invalid_arguments"],
    [used.approval.id, approve(used.approval.digest), 409, "already_decided"],
    [used.approval.id, approve(digest), 409, "already_decided"],
    [used.approval.id, { decision: "reject", reason: "r" }, 409, "already_decided"],
  ];
  for (const [at, body, status, code] of attempts) {
    const answer = await org.decide(at, body);
    assert.deepEqual([answer.status, answer.code], [status, code], at);
  }
  const found = await until("the audit has all of them", async () => {
    const entries = await refusals(org);
    return entries.length >= attempts.length && entries;
  });
  const told = ({ subject, detail, by }) => `${subject} ${detail.code} ${by.split(" ")[0]}`;
  assert.deepEqual(found.map(told).toSorted(), attempts.map(([at, , , code]) => `${at.slice(0, 100)} ${code} Ann`).toSorted());
  assert.deepEqual([(await org.call(open.call)).state, (await other.org.call(foreign.call)).state], ["waiting_approval", "waiting_approval"]);
  assert.deepEqual([await worker.jobs(), await other.worker.jobs(), await refusals(other.org)], [[], [], []]);
});

test("after its time an approval decides nothing: nobody's answer was no consent, and the next call needs its own", async () => {
  const { org, worker } = await shop();
  const late = await org.accepted("pay", { id: 1 }, { key: "a" });
  await gateway.kill();
  assert.ok(ageParked(gateway.storage) >= 1);
  await gateway.start();
  const decision = await org.decide(late.approval.id, approve(late.approval.digest));
  assert.deepEqual([decision.status, decision.code], [409, "approval_expired"]);
  const ended = await org.call(late.call);
  assert.deepEqual([ended.state, ended.error.code], ["expired", "approval_expired"]);
  assert.equal((await org.approver.must(200, "GET", `/v1/approvals/${late.approval.id}`)).body.state, "expired");
  assert.deepEqual(await worker.jobs(), []);
  const again = await org.accepted("pay", { id: 1 }, { key: "b" });
  assert.equal(again.state, "waiting_approval");
  assert.equal((await org.decide(again.approval.id, approve(late.approval.digest))).code, "digest_mismatch");
  await org.approve(again);
  await work(worker, again);
  assert.deepEqual(await worker.jobs(), []);
});

test("what is shown is what arrives: nothing is coerced, trimmed or filled in after the card was made", async () => {
  const { org, worker } = await shop();
  for (const text of ['"0100"', '" 1"', "1.0", "01"]) {
    const refused = await org.submit("pay", `{"id":${text}}`, { key: "bad" });
    assert.ok([400, 422].includes(refused.status), `${text}: ${refused.status}`);
  }
  assert.deepEqual(await org.approver.all("/v1/approvals", "approvals"), []);
  // A model's own text, with blanks around everything, members in no order, an absent and a null optional field.
  const given = JSON.stringify('{ "note" : "  0100 \\t", "more": {"b": [1.0, 1e2], "a": null}, "id": 100 }');
  const parked = await org.accepted("pay", given, { key: "k" });
  const canonical = '{"id":100,"more":{"a":null,"b":[1.0,1e2]},"note":"  0100 \\t"}';
  const card = await org.approver.get(`/v1/approvals/${parked.approval.id}`);
  assert.ok(card.text.includes(`"arguments":${canonical}`), card.text);
  assert.equal(card.body.arguments_text, canonical);
  await org.approve(parked);
  const job = await worker.poll({ wait: 10 });
  assert.ok(job.text.includes(`"arguments":${canonical}`), job.text);
});

test("a link that is opened by previews, scanners and people, with and without a key, decides nothing", async () => {
  const { org, worker } = await shop();
  const parked = await org.accepted("pay", { id: 1 }, { key: "k" });
  const { pathname } = new URL(parked.approval.url);
  const doors = [new Door(gateway), org.caller, org.worker, org.admin, org.approver];
  const paths = [pathname, `${pathname}/decision`, `${pathname}?decision=approve&digest=${parked.approval.digest}`, `${pathname}/decision?decision=approve&digest=${parked.approval.digest}`];
  const headers = { "user-agent": "Slackbot-LinkExpanding 1.0", purpose: "prefetch" };
  for (const door of doors) {
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const { status } = await door.send(method, path, undefined, { headers });
        const shows = door === org.approver && method === "GET" && !path.includes("/decision");
        assert.ok(shows ? status === 200 : [401, 403, 405].includes(status), `${method} ${path}: ${status}`);
      }
    }
  }
  // A browser that follows the link, without a key or with one, comes to a page or to the approval as JSON.
  const html = { ...headers, accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };
  for (const query of ["", `?decision=approve&digest=${parked.approval.digest}`]) {
    const opened = await fetch(`${gateway.url}${pathname}${query}`, { headers: html, redirect: "manual" });
    assert.deepEqual([opened.status, opened.headers.get("location")], [303, `${gateway.url}/console/approvals/${parked.approval.id}`]);
  }
  const page = await fetch(`${gateway.url}${pathname}`, { headers: html });
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  const text = await page.text();
  for (const known of [parked.approval.id, parked.approval.digest, parked.call, "pay"]) assert.ok(!text.includes(known), `the page itself shows ${known}`);
  const keyed = await org.approver.send("GET", pathname, undefined, { headers: html });
  assert.deepEqual([keyed.status, keyed.body.id], [200, parked.approval.id]);
  const shown = (await org.approver.must(200, "GET", pathname)).body;
  assert.deepEqual([shown.state, shown.decisions, (await org.call(parked.call)).state], ["pending", [], "waiting_approval"]);
  assert.deepEqual(await worker.jobs(), []);
  await org.approve(parked);
  await work(worker, parked);
});
