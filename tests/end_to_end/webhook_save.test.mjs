// What is refused when a webhook pool is saved: texts, names, secrets. What is refused is called by nobody.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { Org } from "./support/org.mjs";
import { RESOLVERS } from "./support/resolvers.mjs";
import { newSecret, SignedEndpoint } from "./support/signed_endpoint.mjs";
import { playCase } from "./support/ssrf_cases.mjs";
import { each, until } from "./support/until.mjs";
import { endpointOf, newHost, putPool } from "./support/webhooks.mjs";

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const CASES = JSON.parse(readFileSync(new URL("../vectors/ssrf-cases.json", import.meta.url), "utf8"));
const ofKind = (kind) => CASES.filter((each) => each.kind === kind);
const save = (org, pool, url, more = {}) => org.admin.put(`/v1/pools/${pool}`, { transport: "webhook", url, secret: newSecret(), ...more });

function assertRefused(answer, why) {
  assert.deepEqual([answer.status, answer.headers["content-type"]], [422, "application/problem+json"], `${why}: ${answer.text}`);
  assert.equal(answer.code, "destination_refused", why);
}

test("odd spellings, IP literals, ports, userinfo and names that are not public are refused by their text alone", async () => {
  const org = await Org.make(gateway);
  const denied = ofKind("url").filter(({ verdict }) => verdict === "deny");
  assert.ok(denied.length > 80, "the cases are there");
  const [queries, requests] = [internet.queries().length, internet.requests().length];
  await each(denied, 8, async ({ input, why }) => assertRefused(await save(org, "refused", input), `${JSON.stringify(input)}: ${why}`));
  assert.deepEqual([internet.queries().length, internet.requests().length], [queries, requests], "nothing was asked or called");
  assert.equal((await org.admin.get("/v1/pools/refused")).status, 404, "nothing was saved");
  const own = gateway.url.replace("http:", "https:");
  for (const url of [`${own}/v1/calls`, "https://localhost/"]) assertRefused(await save(org, "refused", url), url);
});

test("a good URL is saved in its canonical text, and only that is called", async () => {
  const org = await Org.make(gateway);
  for (const [n, { input }] of ofKind("url").filter(({ verdict }) => verdict === "allow").entries()) {
    const { host, href, pathname, search } = new URL(input);
    internet.host(host, (_, respond) => respond(404));
    const answer = await save(org, `p${n}`, input);
    assert.deepEqual([answer.status, answer.body.endpoint.state, answer.body.endpoint.url], [201, "pending", href], answer.text);
    assert.equal(internet.requests(host).at(-1).path, `${pathname}${search}`);
  }
});

test("what the resolvers answer is judged whole: one bad address, name or message refuses, and no one is called", async () => {
  const org = await Org.make(gateway);
  const verdicts = { allow: 0, deny: 0 };
  // One after the other: many cases speak of one name.
  for (const [n, { input, verdict, why }] of ofKind("answers").entries()) {
    const isReachable = playCase(internet, input);
    if (isReachable === undefined) continue;
    const before = internet.requests().length;
    internet.host(input.name, (_, respond) => respond(404), { dns: null });
    const answer = await save(org, `p${n}`, `https://${input.name}/`);
    for (const resolver of RESOLVERS) internet.resolver(resolver, undefined);
    verdicts[verdict] += 1;
    if (verdict === "allow") assert.deepEqual([answer.status, internet.requests().length], [201, before + 1], `${why}: ${answer.text}`);
    else if (isReachable) assertRefused(answer, why);
    else assert.deepEqual([answer.status, answer.code], [503, "resolver_unavailable"], `${why}: ${answer.text}`);
    if (verdict === "deny") assert.deepEqual([internet.requests().length, (await org.admin.get(`/v1/pools/p${n}`)).status], [before, 404], why);
  }
  assert.ok(verdicts.allow >= 10 && verdicts.deny >= 20, JSON.stringify(verdicts));
});

test("both resolvers are asked for both families, in wire format, and asked anew each time", async () => {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost());
  for (const [status, pool] of [[201, "one"], [200, "one"]]) assert.equal((await putPool(org, pool, endpoint)).status, status);
  // Before the challenge, before the manifest, and after both, for each of the two.
  const rounds = 6;
  await until("the last look is over", () => internet.queries(endpoint.host).length >= rounds * 4);
  const asked = internet.queries(endpoint.host).map(({ resolver, type, id, method }) => `${resolver} ${type} ${id} ${method}`).sort();
  const once = RESOLVERS.flatMap((resolver) => [`${resolver} A 0 POST`, `${resolver} AAAA 0 POST`]);
  assert.deepEqual(asked, Array.from({ length: rounds }, () => once).flat().sort());
});

test("a redirect of any kind is a failed challenge: it is not followed, and the pool stays pending", async () => {
  const org = await Org.make(gateway);
  const target = new SignedEndpoint(internet, newHost());
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [target.url, "https://127.0.0.1/", "http://169.254.169.254/latest/meta-data/"]) {
      const endpoint = new SignedEndpoint(internet, newHost());
      endpoint.on["endpoint.challenge"] = (_, out) => out.unsigned(status, "", { location });
      const answer = await putPool(org, `r${status}`, endpoint);
      assert.deepEqual([answer.status < 300, answer.body.endpoint.state], [true, "pending"], answer.text);
      assert.deepEqual([endpoint.messages.length, endpoint.faults], [1, []]);
    }
  }
  assert.deepEqual([target.messages, target.faults, internet.requests("127.0.0.1"), internet.requests("169.254.169.254")], [[], [], [], []]);
});

test("a secret is long enough, well written and of one pool only; it is shown once and nowhere else", async () => {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost());
  const raw = (bytes) => Buffer.alloc(bytes, 7).toString("base64");
  const bad = ["", " ", "whsec_", "whsec_ ", `whsec_${raw(23)}`, `whsec_${raw(65)}`, `WHSEC_${raw(32)}`, `v1,whsec_${raw(32)}`, `whsk_${raw(32)}`, "whsec_not base64 at all, whatever"];
  for (const secret of bad) {
    const answer = await putPool(org, "bad", endpoint, { secret });
    assert.deepEqual([answer.status, answer.code], [422, "secret_refused"], JSON.stringify(secret));
    if (secret.length > 20) assert.ok(!answer.text.includes(secret), "the answer repeats the secret");
  }
  assert.deepEqual([endpoint.messages, endpoint.faults], [[], []], "nothing was signed with a bad secret");
  assert.equal((await putPool(org, "one", endpoint)).body.endpoint.state, "active");
  const other = new SignedEndpoint(internet, newHost());
  for (const secret of [endpoint.secret, endpoint.secret.slice("whsec_".length), `${endpoint.secret}\n`]) {
    const second = await putPool(org, "two", other, { secret });
    assert.deepEqual([second.status, second.code], [422, "secret_in_use"], second.text);
  }
  const given = await org.admin.put("/v1/pools/three", { transport: "webhook", url: other.url });
  assert.deepEqual([given.status, given.body.endpoint.state], [201, "pending"]);
  assert.match(given.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(other.messages.length + other.faults.length, 0, "the customer does not know the secret yet");
  const shown = JSON.stringify([await org.audit(), await endpointOf(org, "one"), await endpointOf(org, "three"), (await org.admin.get("/v1/pools/one")).body, gateway.log]);
  for (const secret of [endpoint.secret, given.body.secret]) assert.ok(!shown.includes(secret.slice(6, 30)), "a secret is shown again");
});

test("an endpoint is pending until it proves itself; the reason is the admin's, and says nothing of what a stranger answered", async () => {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost());
  const { secret } = (await org.admin.put("/v1/pools/hooks", { transport: "webhook", url: endpoint.url })).body;
  endpoint.on["endpoint.challenge"] = (_, out) => out.unsigned(200, '{"password":"swordfish"}');
  const misses = [
    () => undefined,
    () => endpoint.secrets.splice(0, 1, secret),
    () => (endpoint.on["endpoint.challenge"] = (_, out) => out.signed({ nonce: "another" })),
    () => (endpoint.on["endpoint.challenge"] = ({ nonce }, out) => out.signed({ nonce }, { id: "msg_0123456789abcdef0" })),
    () => (endpoint.on["endpoint.challenge"] = ({ nonce }, out) => out.signed({ nonce }, { secret: newSecret() })),
    () => (endpoint.on["endpoint.challenge"] = ({ nonce }, out) => out.signed({ nonce, more: 1 })),
    () => (endpoint.on["endpoint.challenge"] = (_, out) => out.raw.destroy()),
  ];
  for (const miss of misses) {
    miss();
    const { state, reason } = (await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body;
    assert.deepEqual([state, typeof reason], ["pending", "string"]);
    assert.ok(!JSON.stringify([reason, await org.audit()]).includes("swordfish"));
  }
  delete endpoint.on["endpoint.challenge"];
  const passed = (await org.admin.must(200, "POST", "/v1/pools/hooks/challenges")).body;
  assert.equal(passed.state, "active");
  assert.equal(endpoint.of("tools.manifest").length, 1, "a passed challenge syncs the manifest at once");
  for (const timeout_seconds of [0, 26, -1, 1.5, "5"]) {
    const answer = await putPool(org, "hooks", endpoint, { timeout_seconds });
    assert.equal(answer.status, 422, JSON.stringify(timeout_seconds));
  }
  assert.equal((await endpointOf(org)).state, "active");
});
