// Who must approve is told: signed messages that the stock library verifies, few of them, and an approval that does not
// care what becomes of them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ageParked } from "./support/aging.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { notify, Receiver } from "./support/receiver.mjs";
import { newSecret } from "./support/signed_endpoint.mjs";
import { each, until, within } from "./support/until.mjs";
import { putPool } from "./support/webhooks.mjs";

const TOOLS = [definition("pay", "consequential", { input: { iban: "string", n: "integer?" } })];
const IBAN = "DE02120300000000202051";

let internet, gateway, killed;
before(async () => {
  internet = await Internet.start();
  [gateway, killed] = await Promise.all([Gateway.start({ internet }), Gateway.start({ internet })]);
});
// To stop one ends what all have started, so they stop when all tests are over.
after(async () => {
  for (const each of [gateway, killed]) await each.stop();
  await internet.close();
});

/** A fresh org that parks calls of `pay`, and a receiver that hears of it. */
async function watched(options = {}) {
  const org = await Org.make(options.gateway ?? gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(["pay"]);
  const receiver = new Receiver(internet);
  await notify(org, receiver, options);
  return { org, worker, receiver };
}

let keys = 0;
const park = (org, n = 0, options = {}) => org.accepted("pay", { iban: IBAN, n }, { key: `k${(keys += 1)}`, ...options });
const reject = (org, call, reason) => org.decide(call.approval.id, { decision: "reject", reason });
const shown = async (org, name = "ops") => (await org.admin.must(200, "GET", `/v1/notifications/${name}`)).body;
const told = (org) => until("nothing waits any more", async () => (await shown(org)).waiting.length === 0);
const audited = async (org) => (await org.audit()).filter(({ event }) => event.startsWith("notification."));

// Each waits some seconds for something else, so they wait together.
describe("notifications", { concurrency: true }, () => {
  test("a parked call and its decisions are told to who wants to hear of them, without its arguments", async () => {
    const { org, receiver } = await watched();
    const deaf = new Receiver(internet);
    await notify(org, deaf, { name: "deaf", events: ["approval.expired"] });
    const calls = [await park(org, 1), await park(org, 2), await park(org, 3)];
    const [requested] = await receiver.of("approval.requested");
    const ids = calls.map(({ approval }) => approval.id);
    assert.deepEqual(requested.data.approvals.map(({ id }) => id), ids);
    assert.equal(requested.data.count, 3);
    const { call, approval } = calls[0];
    const principal = { id: "u1", tenant_id: "t1" };
    const { created_at, ...summary } = requested.data.approvals[0];
    const { digest, expires_at, url, id } = approval;
    assert.deepEqual(summary, { id, call, agent: "bot", tool: "pay", principal, state: "pending", digest, expires_at, url });
    assert.match(created_at, /^\d{4}-.*Z$/);
    assert.ok(Math.abs(Date.parse(requested.timestamp) - requested.at) < 5_000, requested.timestamp);

    await org.approve(calls[0]);
    await reject(org, calls[1], "Not <b>today</b>.");
    await org.caller.must(200, "POST", `/v1/calls/${calls[2].call}/cancel`);
    const [decided] = await receiver.of("approval.decided");
    const ends = decided.data.approvals.map(({ id, state, decided_by, reason }) => [id, state, decided_by, reason]);
    const wanted = [[ids[0], "approved", "Ann", undefined], [ids[1], "rejected", "Ann", "Not <b>today</b>."], [ids[2], "cancelled", undefined, undefined]];
    assert.deepEqual(ends, wanted);
    await told(org);
    assert.equal(receiver.messages.length, 2);
    assert.notEqual(requested.id, decided.id);
    for (const { request } of receiver.messages) assert.ok(!request.body.includes(IBAN) && !request.body.includes("refunds:write"));
    assert.deepEqual([receiver.faults, deaf.messages, deaf.faults], [[], [], []]);
  });

  test("a link shows the approval to who has a key and decides nothing, however often it is opened", async () => {
    const { org, worker, receiver } = await watched();
    const call = await park(org);
    const [{ data }] = await receiver.of("approval.requested");
    const { pathname, origin } = new URL(data.approvals[0].url);
    assert.equal(origin, gateway.url);
    for (let n = 0; n < 5; n += 1) {
      const seen = await org.approver.must(200, "GET", pathname);
      assert.deepEqual([seen.body.state, seen.body.arguments, seen.body.digest], ["pending", { iban: IBAN, n: 0 }, call.approval.digest]);
    }
    // A preview has no key; and no other method is offered there.
    for (const headers of [{}, { "user-agent": "Slackbot-LinkExpanding 1.0" }]) assert.equal((await fetch(`${origin}${pathname}`, { headers })).status, 401);
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) assert.equal((await org.approver.send(method, pathname, {})).status, 405, method);
    assert.deepEqual([await worker.jobs(), (await org.call(call.call)).state], [[], "waiting_approval"]);
    await org.approve(call);
    assert.equal((await worker.job()).call, call.call);
  });

  test("200 parked calls are one digest", async () => {
    const { org, receiver } = await watched();
    // Many principals: one alone may not park so many.
    const principal = (n) => `{"id":"u${n % 10}","tenant_id":"t1","permissions":[]}`;
    const calls = await each(Array.from({ length: 200 }), 25, (_, n) => park(org, n, { principal: principal(n) }));
    const [digest] = await receiver.of("approval.requested");
    assert.deepEqual([digest.data.count, digest.data.approvals.length], [200, 100]);
    const ids = new Set(calls.map(({ approval }) => approval.id));
    assert.ok(digest.data.approvals.every(({ id }) => ids.delete(id)), "each is one of them, once");
    await told(org);
    assert.deepEqual([receiver.messages.length, receiver.faults], [1, []]);
  });

  for (const [what, answer] of Object.entries({
    "answers 500": 500,
    "hangs up": (_, respond) => respond.destroy(),
    "redirects": (_, respond) => respond(302, { location: "https://other.receivers.example.com/" }),
  })) {
    test(`a receiver that ${what} is sent the same message again, signed anew`, async () => {
      const { org, receiver } = await watched();
      internet.host("other.receivers.example.com", (_, respond) => respond(200));
      receiver.answer = (message, respond, n) => (n > 0 ? respond(204) : typeof answer === "number" ? respond(answer) : answer(message, respond));
      const call = await park(org);
      const [first] = await receiver.of("approval.requested");
      const [waiting] = await until("it waits for its next attempt", async () => {
        const { waiting } = await shown(org);
        return waiting[0]?.next_attempt_at !== undefined && waiting;
      });
      assert.deepEqual([waiting.event, waiting.count, waiting.attempts], ["approval.requested", 1, 1]);
      assert.match(waiting.reason, /^The receiver did not take it \((notice_not_accepted|endpoint_unreachable|endpoint_redirected)\)\.$/);
      assert.equal((await org.call(call.call)).state, "waiting_approval");
      const [, second] = await receiver.of("approval.requested", 2);
      assert.equal(second.id, first.id);
      assert.ok(second.signedAt > first.signedAt && second.request.body.equals(first.request.body));
      await told(org);
      assert.deepEqual([receiver.messages.length, receiver.faults], [2, []]);
      assert.deepEqual(internet.requests("other.receivers.example.com"), []);
    });
  }

  test("an answer without an end counts by its status, and nothing of it is read", async () => {
    const { org, receiver } = await watched();
    const gone = Promise.withResolvers();
    receiver.answer = async ({ request }, respond) => {
      request.gone.addEventListener("abort", gone.resolve);
      respond.head(200, { "content-type": "application/json" });
      while (!request.gone.aborted) await respond.write(Buffer.alloc(65_536, "x"));
    };
    await park(org);
    await within("the gateway hangs up", 25_000, gone.promise);
    await told(org);
    assert.equal(receiver.messages.length, 1);
  });

  test("a name that leads to a private address is sent nothing, the approval goes on, and a write tries again", async () => {
    const { org, worker, receiver } = await watched();
    internet.dns(receiver.host, { A: [PUBLIC_ADDRESS, "10.0.0.5"] });
    const call = await park(org);
    const [waiting] = await until("it was not sent", async () => {
      const { waiting } = await shown(org);
      return waiting[0]?.reason !== undefined && waiting;
    }, 20_000);
    assert.match(waiting.reason, /^Nothing was sent: .*10\.0\.0\.5/);
    await org.approve(call);
    const job = await worker.job();
    assert.deepEqual([job.call, await worker.accept(job.claim)], [call.call, ["accepted"]]);
    await worker.result(job.claim, "true");
    assert.equal((await org.call(call.call)).state, "succeeded");
    assert.deepEqual([receiver.messages, internet.requests(receiver.host)], [[], []]);
    const refused = await org.admin.put("/v1/notifications/ops", { url: receiver.url, events: ["approval.requested"] });
    assert.deepEqual([refused.status, refused.code], [422, "destination_refused"]);
    internet.dns(receiver.host, { A: [PUBLIC_ADDRESS] });
    await notify(org, receiver, { status: 200 });
    await receiver.of("approval.requested");
    await receiver.of("approval.decided");
    assert.deepEqual(receiver.faults, []);
  });

  test("a name that is caught leading to a private address after an answer is not believed", async () => {
    const { org, receiver } = await watched();
    receiver.answer = (_, respond, n) => {
      internet.dns(receiver.host, { A: [n === 0 ? "10.0.0.5" : PUBLIC_ADDRESS] });
      return respond(204);
    };
    await park(org);
    const [waiting] = await until("it did not count", async () => {
      const { waiting } = await shown(org);
      return waiting[0]?.reason !== undefined && waiting;
    }, 20_000);
    assert.match(waiting.reason, /^It was answered, which does not count: .*10\.0\.0\.5/);
    assert.equal(receiver.messages.length, 1);
  });

  test("410 ends a notification until the next write", async () => {
    const { org, receiver } = await watched();
    receiver.answer = 410;
    const call = await park(org);
    await receiver.of("approval.requested");
    await until("it is disabled", async () => (await shown(org)).state === "disabled");
    const [entry] = await audited(org);
    assert.deepEqual([entry.event, entry.subject, entry.detail.answered], ["notification.disabled", "ops", 410]);
    await org.approve(call);
    await until("the registry knows", async () => (await org.approver.all("/v1/approvals?state=approved", "approvals")).length === 1);
    receiver.answer = 204;
    await notify(org, receiver, { status: 200 });
    await reject(org, await park(org), "no");
    const [decided] = await receiver.of("approval.decided");
    assert.deepEqual([decided.data.count, decided.data.approvals[0].state], [1, "rejected"], "what came while it was disabled is not told");
    assert.equal((await shown(org)).state, "active");
  });

  test("a secret is shown once, serves one thing, and stands in no answer, audit entry or log", async () => {
    const { org, receiver } = await watched();
    const events = ["approval.requested"];
    const put = (name, more) => org.admin.put(`/v1/notifications/${name}`, { url: receiver.url, events, ...more });
    const made = await put("made");
    assert.equal(made.status, 201);
    assert.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const own = new Receiver(internet, { secret: made.body.secret });
    for (const answer of [await put("made"), await put("made", { url: own.url }), await org.admin.get("/v1/notifications/made")]) {
      assert.deepEqual([answer.status, "secret" in answer.body], [200, false]);
    }
    await park(org);
    await own.of("approval.requested");
    assert.deepEqual(own.faults, [], "the secret that was kept signs");
    for (const secret of [receiver.secret, made.body.secret]) {
      const taken = await put("third", { secret });
      assert.deepEqual([taken.status, taken.code], [422, "secret_in_use"]);
      assert.equal((await putPool(org, "hooks", { url: receiver.url, secret })).code, "secret_in_use");
    }
    const pool = { url: receiver.url, secret: newSecret() };
    await putPool(org, "hooks", pool);
    assert.equal((await put("third", { secret: pool.secret })).code, "secret_in_use");
    assert.equal((await put("third", { secret: "whsec_short" })).code, "secret_refused");
    const texts = await each(["/v1/notifications", "/v1/notifications/ops", "/v1/audit", "/v1/pools/hooks"], 4, async (path) => (await org.admin.must(200, "GET", path)).text);
    for (const secret of [receiver.secret, made.body.secret, pool.secret]) assert.ok(![...texts, gateway.log].some((text) => text.includes(secret)));
    assert.ok(!texts[2].includes("of-the-receiver"), "a URL may itself be a secret");
  });

  test("what is refused at a write saves nothing; others see nothing", async () => {
    const { org, receiver } = await watched();
    const url = receiver.url;
    internet.host("inside.receivers.example.com", () => undefined, { dns: { A: ["127.0.0.1"] } });
    internet.dns("silent.receivers.example.com", { down: true });
    for (const [body, status, code] of [
      [{ url }, 422, "invalid_request"],
      [{ url, events: [] }, 422, "invalid_request"],
      [{ url, events: ["approval.expired", "approval.expired"] }, 422, "invalid_request"],
      [{ url, events: ["approval.*"] }, 422, "invalid_request"],
      [{ url, events: ["approval.expired"], more: 1 }, 422, "invalid_request"],
      [{ url: "http://receivers.example.com/", events: ["approval.expired"] }, 422, "destination_refused"],
      [{ url: "https://10.0.0.5/", events: ["approval.expired"] }, 422, "destination_refused"],
      [{ url: "https://inside.receivers.example.com/", events: ["approval.expired"] }, 422, "destination_refused"],
      [{ url: "https://silent.receivers.example.com/", events: ["approval.expired"] }, 503, "resolver_unavailable"],
    ]) {
      const answer = await org.admin.put("/v1/notifications/new", body);
      assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(body));
    }
    assert.equal((await org.admin.put("/v1/notifications/Bad%20Name", { url, events: ["approval.expired"] })).code, "invalid_request");
    assert.deepEqual((await org.admin.all("/v1/notifications", "notifications")).map(({ name }) => name), ["ops"]);
    const other = await Org.make(gateway);
    for (const [door, status] of [[other.admin, 404], [org.approver, 403], [org.caller, 403], [org.worker, 403]]) {
      for (const method of ["GET", "DELETE"]) assert.equal((await door.send(method, "/v1/notifications/ops")).status, status, method);
    }
    assert.equal((await org.approver.put("/v1/notifications/ops", { url, events: ["approval.expired"] })).status, 403);
    assert.equal((await org.admin.post("/internal/notices", {})).status, 404);
    assert.equal((await org.admin.post("/internal/notices", {}, { headers: { "toolgate-internal-signature": `${Date.now()}.${"A".repeat(43)}` } })).status, 404);
    await org.admin.must(200, "DELETE", "/v1/notifications/ops");
    assert.equal((await org.admin.get("/v1/notifications/ops")).status, 404);
    assert.deepEqual(internet.requests(receiver.host), []);
  });

  test("killed between an event and its message, and down for a day: all of it is told", async () => {
    const { org, receiver } = await watched({ gateway: killed });
    const approved = await park(org, 1);
    await org.approve(approved);
    const late = await park(org, 2);
    await until("the registry knows", async () => (await org.approver.all("/v1/approvals", "approvals")).length === 2);
    await killed.kill();
    assert.deepEqual(receiver.messages, [], "nothing was sent before");
    assert.equal(ageParked(killed.storage), 1);
    await killed.start();
    assert.equal((await org.call(late.call)).state, "expired");
    const [requested] = await receiver.of("approval.requested");
    const [decided] = await receiver.of("approval.decided");
    const [expired] = await receiver.of("approval.expired");
    assert.deepEqual([requested.data.count, decided.data.approvals[0].state], [2, "approved"]);
    const [{ id, state, decided_by }] = expired.data.approvals;
    assert.deepEqual([id, state, decided_by], [late.approval.id, "expired", undefined]);
    assert.deepEqual(receiver.faults, []);
  });
});
