// Sign-in by Cloudflare Access: tokens of a team that the test plays, with real RSA signatures, and what is refused.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";

import { part, seconds, Team } from "./support/access.mjs";
import { Door } from "./support/client.mjs";
import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";

let internet, gateway, org, team;
// Stopping one gateway ends them all: at the end.
const others = [];
before(async () => {
  internet = await Internet.start();
  team = new Team(internet);
  gateway = await Gateway.start({ internet, vars: Team.vars });
  org = await Org.make(gateway, "signed");
});
after(async () => {
  for (const each of [...others, gateway]) await each?.stop();
  await internet?.close();
});

async function another(options) {
  const started = await Gateway.start(options);
  others.push(started);
  return started;
}

const token = (options) => team.token(options);

function signIn(jwt, { role = "approver", headers = {}, on = gateway } = {}) {
  const own = { origin: on.url, "x-toolgate-console": "1", ...(jwt === undefined ? {} : { "cf-access-jwt-assertion": jwt }), ...headers };
  return new Door(on).send("POST", "/v1/sessions", { role }, { headers: own });
}

test("who signed in gets an approver's key that ends with the sign-in, and is named by it", async () => {
  const answer = await signIn(token());
  assert.equal(answer.status, 201, answer.text);
  const door = new Door(gateway, answer.body.key);
  const { role, name, principal_id: principal, expires_at: end } = (await door.must(200, "GET", "/v1/session")).body;
  assert.deepEqual([role, name, principal], ["approver", "ann@acme.test", "ann@acme.test"]);
  const left = Date.parse(end) - Date.now();
  assert.ok(left > 500_000 && left <= 600_000, `${left} ms`);
  assert.equal((await door.must(200, "GET", "/v1/approvals")).body.approvals.length, 0);
  assert.ok((await org.audit()).some(({ event, detail }) => event === "key.signed_in" && detail.name === "ann@acme.test"));
});

test("an admin's key is for whom the operator named; other roles are for nobody", async () => {
  assert.deepEqual([(await signIn(token(), { role: "admin" })).code, (await signIn(token(), { role: "caller" })).code], ["role_not_allowed", "role_not_allowed"]);
  const boss = await signIn(token({ claims: { email: "boss@acme.test", exp: seconds() + 40 * 86_400 } }), { role: "admin" });
  const { role, expires_at: end } = (await new Door(gateway, boss.body.key).must(200, "GET", "/v1/session")).body;
  assert.equal(role, "admin");
  assert.ok(Date.parse(end) - Date.now() <= 86_400_000, "a long sign-in is cut to a day");
});

test("who signed in does not approve what they asked for, however they are written, and has one voice with all their keys", async () => {
  const { key } = (await signIn(token())).body;
  const { key: second } = (await signIn(token({ claims: { email: "ANN@acme.test" } }))).body;
  const { door: made } = await org.key({ role: "approver", name: "Ann of the office", principal_id: "Ann@Acme.test" });
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  const own = { headers: { origin: gateway.url, "x-toolgate-console": "1" } };
  const decide = async (door, { approval: { id, digest } }) => (await door.send("POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest }, own)).body;
  await org.grant(["pay"], { more: { requester_may_approve: false } });
  const asked = await org.accepted("pay", {}, { key: "own", principal: '{"id":"Ann@ACME.test","tenant_id":"t","permissions":[]}' });
  for (const door of [new Door(gateway, key), made]) assert.equal((await decide(door, asked)).code, "requester_may_not_approve");
  await org.grant(["pay"], { more: { approvals_required: 2 } });
  const shared = await org.accepted("pay", {}, { key: "two" });
  assert.equal((await decide(new Door(gateway, key), shared)).state, "pending");
  for (const door of [new Door(gateway, second), made]) assert.equal((await decide(door, shared)).code, "already_decided");
  assert.equal((await decide(org.approver, shared)).state, "approved");

  // Where nobody says that principals are addresses, who signed in may be whoever asked.
  const plain = await another({ internet, vars: { ...Team.vars, TOOLGATE_ACCESS_PRINCIPALS: "" } });
  await Org.make(plain, "signed");
  const { key: nobody } = (await signIn(token(), { on: plain })).body;
  assert.equal((await new Door(plain, nobody).must(200, "GET", "/v1/session")).body.principal_id, undefined);
});

test("whatever may change something needs the own page too, with a key of a sign-in; a key that was made does not", async () => {
  const own = { origin: gateway.url, "x-toolgate-console": "1" };
  const boss = new Door(gateway, (await signIn(token({ claims: { email: "boss@acme.test" } }), { role: "admin" })).body.key);
  const ann = new Door(gateway, (await signIn(token())).body.key);
  const worker = new RawWorker(org.worker);
  await worker.register([definition("pay", "consequential")]);
  await org.grant(["pay"]);
  const { approval: { id, digest } } = await org.accepted("pay", {}, { key: "page" });
  const writes = [
    [boss, "PUT", "/v1/capabilities/desk", { tools: ["pay"] }],
    [boss, "POST", "/v1/keys", { role: "caller", name: "made" }],
    [boss, "DELETE", "/v1/keys/key_none"],
    [ann, "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest }],
  ];
  for (const headers of [{}, { ...own, origin: undefined }, { ...own, origin: "https://evil.example" }, { ...own, origin: "null" }, { origin: own.origin }]) {
    for (const [door, method, path, body] of writes) {
      const { status, code } = await door.send(method, path, body, { headers });
      assert.deepEqual([status, code], [403, "origin_not_allowed"], `${method} ${path} ${JSON.stringify(headers)}`);
    }
  }
  assert.equal((await ann.must(200, "GET", `/v1/approvals/${id}`)).body.state, "pending", "reading needs neither");
  const answers = [];
  for (const [door, method, path, body] of writes) answers.push((await door.send(method, path, body, { headers: own })).status);
  assert.deepEqual(answers, [200, 201, 404, 200]);
  // What a signed-in admin makes, and what any admin made, is used from anywhere.
  const made = (await boss.must(201, "POST", "/v1/keys", { role: "admin", name: "script" }, { headers: own })).body.key;
  for (const door of [new Door(gateway, made), org.admin]) await door.must(200, "PUT", "/v1/capabilities/desk", { tools: ["pay"] });
});

test("a person has five keys of a role at most: the oldest is none any more", async () => {
  const email = "many@acme.test";
  const made = [];
  for (let n = 0; n < 6; n += 1) made.push((await signIn(token({ claims: { email } }))).body.key);
  const live = await Promise.all(made.map(async (key) => (await new Door(gateway, key).get("/v1/session")).status));
  assert.deepEqual(live, [401, 200, 200, 200, 200, 200]);
});

test("only the gateway's own page may ask, and says so", async () => {
  for (const headers of [{ origin: undefined }, { origin: "https://evil.example" }, { origin: "null" }, { "x-toolgate-console": undefined }]) {
    const { status, code } = await signIn(token(), { headers });
    assert.deepEqual([status, code], [403, "origin_not_allowed"], JSON.stringify(headers));
  }
});

test("what is not this team's word to this application, signed and in time, is refused", async () => {
  const [head, body, signature] = token().split(".");
  const hmac = (key) => createHmac("sha256", key).update(`${part({ alg: "HS256", kid: "one" })}.${body}`).digest("base64url");
  const pem = team.pairs.one.publicKey.export({ type: "spki", format: "pem" });
  const tokens = [
    undefined, "", "a.b.c", `${head}.${body}`, `${head}.${body}.`, `${head}.${body}.${signature.slice(4)}`,
    `${head}.${part({ ...JSON.parse(Buffer.from(body, "base64url")), email: "boss@acme.test" })}.${signature}`,
    `${part({ alg: "none", kid: "one" })}.${body}.`, `${part({ alg: "HS256", kid: "one" })}.${body}.${hmac(pem)}`,
    token({ key: "stranger", kid: "one" }), token({ key: "stranger" }), token({ header: { kid: undefined } }),
    token({ claims: { iss: "https://evil.cloudflareaccess.com" } }), token({ claims: { aud: ["other"] } }), token({ claims: { aud: undefined } }),
    token({ claims: { exp: seconds() - 1 } }), token({ claims: { nbf: seconds() + 600 } }), token({ claims: { email: undefined } }),
  ];
  for (const jwt of tokens) {
    const answer = await signIn(jwt);
    assert.deepEqual([answer.status, answer.code], [401, "access_refused"], `${jwt}: ${answer.text}`);
  }
});

test("a key that the team publishes anew is found, and made-up names do not make the gateway ask again and again", async () => {
  const before = team.asked;
  for (let n = 0; n < 20; n += 1) assert.equal((await signIn(token({ kid: `made-up-${n}` }))).code, "access_refused");
  assert.equal(team.asked, before, "the set is fresh: nothing is asked");
  const rotated = await another({ internet, vars: Team.vars });
  await Org.make(rotated, "signed");
  team.publish("two");
  assert.equal((await signIn(token({ key: "two" }), { on: rotated })).status, 201);
  assert.equal((await signIn(token({ key: "one" }), { on: rotated })).code, "access_refused");
  team.publish("one");
});

test("keys that cannot be read, and no Access at all", async () => {
  for (const text of ["[]", "", "{\"keys\":1}", "x".repeat(100_000)]) {
    team.answer(text);
    const fresh = await another({ internet, vars: Team.vars });
    const answer = await signIn(token(), { on: fresh });
    assert.deepEqual([answer.status, answer.code], [503, "access_unavailable"]);
  }
  const without = await another();
  assert.equal((await signIn(token(), { on: without })).code, "not_found");
  const site = async (on) => (await new Door(on).must(200, "GET", "/v1/site")).body.access;
  assert.deepEqual([await site(without), await site(gateway)], [false, true]);
});

test("no token and no key of a sign-in stands in the log", async () => {
  const jwt = token();
  const { key } = (await signIn(jwt)).body;
  for (const secret of [jwt.split(".")[2], key]) assert.ok(!gateway.log.includes(secret));
});
