import assert from "node:assert/strict";
import { test } from "node:test";
import { isProblem } from "../dist/caller/index.js";
import { approvalsPage, approvalText, gone, over, refusal, reply, silence } from "./support/caller.js";

const NOBODY = { decision: "approve", by: "Ann", key: "key-1", at: "t" };

/** A gateway with approvals that a test changes: `state` and `decisions` by id. Looks at the list are counted. */
class Approvals {
  looks = 0;
  all = new Map();
  /** What becomes of the next requests, instead of an answer. */
  faults = [];
  onLook = () => {};

  set(id, more = {}) {
    this.all.set(id, { state: "pending", ...this.all.get(id), ...more });
  }

  answer = ({ path, query, signal }) => {
    const fault = this.faults.shift();
    if (fault) return fault({ signal });
    const id = /approvals\/(.+)$/.exec(path)?.[1];
    if (id !== undefined) return (this.all.has(id) ? reply(200, approvalText(id, this.all.get(id))) : refusal(404, "not_found"))();
    assert.equal(query.state, "pending");
    this.looks += 1;
    const pending = [...this.all].filter(([, { state, isListed = state === "pending" }]) => isListed);
    const page = approvalsPage(pending.map(([each, more]) => approvalText(each, more)));
    this.onLook(this.looks);
    return reply(200, page)();
  };
}

/** A watch over a gateway that a test changes; it is aborted when the test is over. */
function watch(t, options, timing) {
  const gate = new Approvals();
  const abort = new AbortController();
  const { client, requests } = over(gate.answer, { attempts: 1 }, timing);
  const changes = client.approvals.watch({ intervalMs: 10, signal: abort.signal, ...options });
  t.after(() => abort.abort());
  const next = async () => {
    const { value, done } = await changes.next();
    return done ? "ended" : `${value.id} ${value.state} ${value.decisions.length}`;
  };
  return { gate, abort, changes, next, requests };
}

test("what is pending comes first, then what is new, changes or ends, each once", async (t) => {
  const { gate, next } = watch(t);
  gate.set("apr_1");
  gate.set("apr_2");
  assert.deepEqual([await next(), await next()], ["apr_1 pending 0", "apr_2 pending 0"]);
  const changed = next();
  gate.set("apr_2", { decisions: [NOBODY], required: 2 });
  assert.equal(await changed, "apr_2 pending 1");
  gate.set("apr_1", { state: "rejected" });
  gate.set("apr_3");
  assert.deepEqual([await next(), await next()], ["apr_3 pending 0", "apr_1 rejected 0"]);
  gate.set("apr_2", { state: "approved", decisions: [NOBODY, NOBODY] });
  assert.equal(await next(), "apr_2 approved 2");
  gate.all.delete("apr_3"); // its record is gone
  gate.set("apr_4");
  assert.equal(await next(), "apr_4 pending 0");
  gate.set("apr_5");
  assert.equal(await next(), "apr_5 pending 0");
});

test("a list that lags behind the pool neither repeats nor loses anything", async (t) => {
  const { gate, next } = watch(t);
  gate.set("apr_1");
  assert.equal(await next(), "apr_1 pending 0");
  gate.set("apr_1", { isListed: false }); // it still waits
  gate.onLook = (looks) => looks === 4 && gate.set("apr_2");
  assert.equal(await next(), "apr_2 pending 0");
  gate.set("apr_1", { state: "expired" });
  assert.equal(await next(), "apr_1 expired 0");
});

test("the pause grows while nothing changes, to a bound, and is short again after a change", async (t) => {
  const pausesOf = async (watchMsMax, looks) => {
    const { gate, next, requests } = watch(t, { intervalMs: 10 }, { watchMsMax });
    gate.onLook = (look) => [looks, looks + 1].includes(look) && gate.set(`apr_${look}`);
    for (const id of [looks, looks + 1]) assert.equal(await next(), `apr_${id} pending 0`);
    return requests.slice(1).map(({ at }, n) => at - requests[n].at);
  };
  const bounded = await pausesOf(30, 14);
  bounded.slice(0, 14).forEach((pause, n) => assert.ok(pause >= Math.min(10 * 1.5 ** (n + 1), 30) - 1, `pause ${n}: ${pause}`));
  assert.ok(bounded[12] < 500, `${bounded[12]} would be ${10 * 1.5 ** 13} without a bound`);
  const growing = await pausesOf(100_000, 10);
  assert.equal(growing.length, 11);
  assert.ok(growing[9] >= 10 * 1.5 ** 10 - 1);
  assert.ok(growing[10] < 500, `${growing[10]} after a change`);
});

test("a look never follows sooner than the one before it took", async (t) => {
  const { gate, next, requests } = watch(t);
  gate.faults.push(() => new Promise((resolve) => setTimeout(() => resolve(reply(200, approvalsPage([]))()), 100)));
  gate.set("apr_1");
  assert.equal(await next(), "apr_1 pending 0");
  assert.ok(requests[1].at - requests[0].at >= 195, `${requests[1].at - requests[0].at}`);
});

test("a watch survives what passes by itself, and tells of it", async (t) => {
  const faults = [];
  const { gate, next } = watch(t, { onFault: (fault) => { faults.push(fault.code); throw new Error("a listener that fails"); } });
  gate.faults.push(gone, refusal(503, "busy"), reply(200, "{}"), refusal(500, "internal"));
  gate.set("apr_1");
  assert.equal(await next(), "apr_1 pending 0");
  assert.deepEqual(faults, ["transport", "busy", "transport", "internal"]);
  gate.onLook = (looks) => looks === 2 && gate.faults.push(gone); // the look at what became of it is lost
  gate.set("apr_1", { state: "cancelled" });
  assert.equal(await next(), "apr_1 cancelled 0");
  assert.equal(faults.length, 5);
});

test("a watch ends with a refusal that does not pass", async (t) => {
  const { gate, changes, next } = watch(t);
  gate.faults.push(refusal(403, "role_not_allowed", { roles: ["approver"] }));
  await assert.rejects(next(), (error) => isProblem(error, "role_not_allowed") && error.members.roles[0] === "approver");
  assert.equal((await changes.next()).done, true);
});

test("an abort ends a watch quietly: before it begins, in a look, in a pause", async (t) => {
  const begun = watch(t);
  begun.abort.abort();
  assert.equal(await begun.next(), "ended");
  assert.equal(begun.requests.length, 0);

  const looking = watch(t);
  looking.gate.faults.push((request) => (setImmediate(() => looking.abort.abort()), silence(request)));
  assert.equal(await looking.next(), "ended");

  const pausing = watch(t, { intervalMs: 1_000_000 });
  pausing.gate.onLook = () => setImmediate(() => setImmediate(() => pausing.abort.abort()));
  assert.equal(await pausing.next(), "ended");
  assert.equal(pausing.gate.looks, 1);

  const left = watch(t);
  left.gate.set("apr_1");
  for await (const { id } of left.changes) {
    assert.equal(id, "apr_1");
    break;
  }
  assert.equal(left.gate.looks, 1);
  assert.throws(() => watch(t, { intervalMs: 0 }), /intervalMs/);
});
