// A name that leads elsewhere after it was saved: nothing is sent to a forbidden address, a write is certain not to have
// run, and a name that is caught leading there after a call is not called any more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { definition } from "./support/org.mjs";
import { RESOLVERS } from "./support/resolvers.mjs";
import { each, until, within } from "./support/until.mjs";
import { begin, CLASSES, ended, endpointOf, hooked } from "./support/webhooks.mjs";

const PUBLIC = { A: [PUBLIC_ADDRESS] };
const PRIVATE = { A: ["10.0.0.5"] };
const ATTEMPTS = 10_000;
/** Hosts at a time, with one call each. */
const LANES = 20;

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const REPOINTED = {
  loopback: { A: ["127.0.0.1"] },
  "the metadata service": { A: ["169.254.169.254"] },
  "a private IPv6 address beside a public one": { A: [PUBLIC_ADDRESS], AAAA: ["fd00::1"] },
  "a mapped address": { A: [PUBLIC_ADDRESS], AAAA: ["::ffff:10.0.0.1"] },
  "a private address among public ones": { A: [PUBLIC_ADDRESS, "1.1.1.1", "192.168.1.1"] },
  "an internal name": { A: [PUBLIC_ADDRESS], cname: ["db.internal"] },
  nothing: {},
  "no such name": { rcode: "NXDOMAIN" },
  "a failure": { rcode: "SERVFAIL" },
  "half an answer": { A: [PUBLIC_ADDRESS], truncated: true },
  "the answer to another question": { A: [PUBLIC_ADDRESS], questions: [{ type: "A", name: "other.example.com" }] },
  noise: { raw: Buffer.from("this is no message") },
};

test("public when saved, forbidden when called: nothing is sent, and the call has failed at once with not_sent", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const parked = await org.accepted("pay", "{}", { key: "parked" });
  const sent = endpoint.messages.length;
  for (const [name, answer] of Object.entries(REPOINTED)) {
    for (const resolver of ["", ...RESOLVERS]) {
      for (const each of RESOLVERS) internet.dns(endpoint.host, resolver === "" || resolver === each ? answer : PUBLIC, { resolver: each });
      const tool = resolver === "" ? "edit" : "look";
      const { call } = await org.accepted(tool, "{}", { key: `${name} ${resolver}`, wait: 10 });
      const end = await ended(org, call);
      assert.deepEqual([end.state, end.error.code], ["failed", "not_sent"], `${name} ${resolver}`);
      assert.ok(Date.parse(end.ended_at) - Date.parse(end.created_at) < 3_000, `${name}: at once`);
      assert.doesNotMatch(end.error.message, /\d+\.\d+\.\d+\.\d+|::|internal/, "a caller is not told where the name leads");
    }
  }
  assert.equal((await endpointOf(org)).state, "active", "a refusal before sending never suspends");
  await org.approve(parked);
  assert.equal((await ended(org, parked.call)).error.code, "not_sent");
  assert.equal(endpoint.messages.length, sent, "nothing was sent");
  assert.ok((await org.audit()).some(({ event, detail }) => event === "delivery.refused" && JSON.stringify(detail).includes("169.254.169.254")), "the admin is told why");
  for (const resolver of RESOLVERS) internet.dns(endpoint.host, PUBLIC, { resolver });
  assert.equal((await ended(org, (await begin(org, "edit")).call)).state, "succeeded");
  assert.deepEqual(endpoint.faults, []);
});

/** Each is enough to refuse; `down` is not among them, as one resolver may be. */
const BAD = [{ A: ["127.0.0.1"], AAAA: ["::1"] }, { A: ["10.0.0.5"], AAAA: ["fd00::1"] }, { A: ["169.254.169.254"], AAAA: ["::ffff:10.0.0.1"] }, { A: [PUBLIC_ADDRESS], cname: ["db.internal"] }, { rcode: "SERVFAIL" }, { A: [PUBLIC_ADDRESS], truncated: true }];
const GOOD = { A: [PUBLIC_ADDRESS], AAAA: ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"] };

/** Numbers from 0 to 1, the same ones in each run. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A host whose every answer is good or bad by chance before a request, one call at a time; after it, all are good. */
async function flippingHost(seed) {
  const { org, endpoint } = await hooked(gateway, internet);
  await until("the looks of the beginning are over", () => internet.queries(endpoint.host).length === 12);
  const random = chance(seed);
  let attempt, looked;
  endpoint.on["tool.call"] = (message, out) => {
    attempt.arrived.push(attempt.answers.map(({ good }) => good));
    return out.signed({ result: message.call });
  };
  internet.dns(endpoint.host, ({ resolver, type }) => {
    if (attempt.arrived.length > 0) {
      attempt.after += 1;
      if (attempt.after === 4) looked();
      return GOOD;
    }
    const good = random() < 0.5;
    attempt.answers.push({ from: `${resolver} ${type}`, good });
    return good ? GOOD : BAD[Math.floor(random() * BAD.length)];
  });
  /** One call to its end: what was answered before it, and whether it arrived. */
  const run = async (n) => {
    const after = new Promise((resolve) => (looked = resolve));
    attempt = { answers: [], arrived: [], after: 0 };
    const view = await (n % 4 === 0 ? org.accepted("edit", "{}", { key: `${n}`, wait: 20 }) : org.accepted("look", "{}", { wait: 20 }));
    const end = view.ended_at === undefined ? await ended(org, view.call) : view;
    if (attempt.arrived.length > 0) await within("the name is looked at after the call", 10_000, after);
    return { ...attempt, end };
  };
  return { org, endpoint, run };
}

const FOUR = RESOLVERS.flatMap((resolver) => [`${resolver} A`, `${resolver} AAAA`]).sort();

test(`answers flip between good and bad, ${ATTEMPTS} attempts at ${LANES} hosts: a request follows four good ones for it, and no other`, async () => {
  const hosts = await each(Array.from({ length: LANES }, (_, n) => n), 4, (n) => flippingHost(n + 1));
  const sent = await each(hosts, LANES, async ({ org, endpoint, run }) => {
    let through = 0;
    for (let n = 0; n < ATTEMPTS / LANES; n += 1) {
      const { answers, arrived, end } = await run(n);
      const seen = JSON.stringify({ host: endpoint.host, n, answers, arrived, end });
      assert.deepEqual(answers.map(({ from }) => from).sort(), FOUR, seen);
      const allGood = answers.every(({ good }) => good);
      assert.deepEqual(arrived, allGood ? [[true, true, true, true]] : [], seen);
      assert.deepEqual([end.state, end.error?.code], allGood ? ["succeeded", undefined] : ["failed", "not_sent"], seen);
      through += arrived.length;
    }
    assert.equal(endpoint.of("tool.call").length, through);
    assert.deepEqual([endpoint.faults, (await endpointOf(org)).state], [[], "active"]);
    return through;
  });
  const share = sent.reduce((sum, each) => sum + each, 0) / ATTEMPTS;
  assert.ok(share > 0.04 && share < 0.09, `${share} of them went through`);
});

test("a name that flips behind the check suspends the endpoint: what waits fails, submissions are refused, a challenge lifts it", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const parked = await org.accepted("pay", "{}", { key: "parked" });
  endpoint.on["tool.call"] = (message, out) => {
    if (message.arguments.any === "wait") return out.unsigned(503, "", { "retry-after": "25" });
    internet.dns(endpoint.host, PRIVATE);
    return out.signed({ result: "the code's word" });
  };
  const waiting = await begin(org, "look", '"wait"');
  await until("a read waits for its second attempt", () => endpoint.attempts(waiting.call).length === 1);
  const { call } = await begin(org, "edit");
  assert.equal((await ended(org, call)).result, "the code's word", "a signed reply counts");
  const { state, reason } = await until("the endpoint is suspended", async () => {
    const endpoint = await endpointOf(org);
    return endpoint.state !== "active" && endpoint;
  });
  assert.equal(state, "suspended");
  assert.match(reason, /10\.0\.0\.5/);
  assert.equal((await ended(org, waiting.call)).error.code, "endpoint_suspended");
  for (const tool of Object.keys(CLASSES)) {
    const refused = await org.submit(tool, "{}", { key: `${tool} refused` });
    assert.deepEqual([refused.status, refused.code], [409, "endpoint_suspended"], refused.text);
  }
  await org.approve(parked);
  const end = await ended(org, parked.call);
  assert.deepEqual([end.state, end.error.code], ["failed", "endpoint_suspended"]);
  assert.equal((await org.admin.post("/v1/pools/hooks/manifest-syncs")).code, "endpoint_suspended");

  const sent = endpoint.messages.length;
  assert.equal((await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body.state, "suspended", "it still leads there");
  assert.equal(endpoint.messages.length, sent, "and is not called");
  internet.dns(endpoint.host, PUBLIC);
  assert.equal((await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body.state, "active");
  endpoint.on = {};
  assert.equal((await ended(org, (await begin(org, "pay")).call)).state, "succeeded");
  assert.deepEqual(endpoint.faults, []);
});

test("an answer that cannot be used after a call does not suspend", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  for (const answer of [{ rcode: "SERVFAIL" }, { down: true }]) {
    const asked = internet.queries(endpoint.host).length;
    internet.dns(endpoint.host, PUBLIC);
    endpoint.on["tool.call"] = (_, out) => {
      internet.dns(endpoint.host, answer);
      return out.signed({ result: 1 });
    };
    assert.equal((await ended(org, (await begin(org, "look")).call)).state, "succeeded");
    await until("the name was resolved again", () => internet.queries(endpoint.host).length >= asked + 8);
  }
  internet.dns(endpoint.host, PUBLIC);
  assert.equal((await ended(org, (await begin(org, "look")).call)).state, "succeeded");
  assert.equal((await endpointOf(org)).state, "active");
});

test("while no resolver answers, calls wait until their queue deadline and nothing is sent; one resolver is enough", async () => {
  const tools = Object.entries(CLASSES).map(([name, side_effect]) => definition(name, side_effect, name === "edit" ? { queue_deadline_seconds: 4 } : {}));
  const { org, endpoint } = await hooked(gateway, internet, { tools });
  internet.resolver("dns.google", { down: true });
  assert.equal((await ended(org, (await begin(org, "edit")).call)).state, "succeeded");
  const sent = endpoint.messages.length;
  // Too slow is as good as down.
  internet.resolver("cloudflare-dns.com", { ...PUBLIC, delayMs: 5_000 });
  const [late, waiting] = [await begin(org, "edit"), await begin(org, "look")];
  const approved = await begin(org, "pay");
  const end = await ended(org, late.call);
  assert.deepEqual([end.state, end.error.code], ["expired", "no_worker"], JSON.stringify(end));
  for (const { call } of [waiting, approved]) assert.ok(["queued", "running"].includes((await org.call(call)).state));
  assert.equal(endpoint.messages.length, sent, "nothing was sent");
  assert.equal((await endpointOf(org)).state, "active");
  for (const resolver of RESOLVERS) internet.resolver(resolver, undefined);
  for (const { call } of [waiting, approved]) assert.equal((await ended(org, call)).state, "succeeded");
  for (const { call } of [waiting, approved]) assert.equal(endpoint.attempts(call).length, 1);
  assert.deepEqual(endpoint.attempts(late.call), []);
});

test("a request that comes from a gateway goes no further", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  await ended(org, (await begin(org, "look")).call);
  const mark = endpoint.of("tool.call")[0].request.headers.find(([name]) => name.toLowerCase() === "toolgate-loop");
  const { status, code } = await org.submit("look", "{}", { headers: { [mark[0]]: mark[1] } });
  assert.deepEqual([status, code], [508, "loop_detected"]);
});
