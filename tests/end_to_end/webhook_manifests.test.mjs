// What an endpoint's manifest does to the catalogue, how its secret is rotated, and how a pool goes from one transport to
// the other and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { RESOLVERS } from "./support/resolvers.mjs";
import { newSecret, SignedEndpoint } from "./support/signed_endpoint.mjs";
import { until } from "./support/until.mjs";
import { begin, CLASSES, ended, endpointOf, hooked, newHost, putPool, TOOLS } from "./support/webhooks.mjs";

let internet, gateway;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet });
});
after(() => gateway.stop().finally(() => internet.close()));

const statuses = ({ tools }) => Object.fromEntries(tools.map(({ name, status, code }) => [name, code ?? status]));
const sync = async (org) => (await org.admin.must(200, "POST", "/v1/pools/hooks/manifest-syncs")).body;
const succeeds = async (org, tool) => assert.equal((await ended(org, (await begin(org, tool)).call)).state, "succeeded");

test("a sync adds, updates, refuses what a fence keeps out, and grants nothing", async () => {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: [definition("a", "read_only"), definition("b", "consequential", { permissions: ["p"] })] });
  assert.deepEqual(statuses((await putPool(org, "hooks", endpoint)).body.registration), { a: "added", b: "added" });
  endpoint.tools = [definition("a", "read_only", { description: "New words." }), definition("b", "read_only"), definition("c", "read_only"), definition("Bad", "read_only")];
  const result = await sync(org);
  assert.deepEqual(statuses(result), { a: "updated", b: "side_effect_weakened", c: "added", Bad: "invalid_definition" });
  assert.deepEqual(result.disabled, []);
  assert.deepEqual(statuses(await sync(org)), { a: "unchanged", b: "side_effect_weakened", c: "unchanged", Bad: "invalid_definition" });
  const shown = (await org.admin.must(200, "GET", "/v1/tools/b")).body;
  assert.equal(shown.managed_by, "webhook");
  assert.ok(JSON.stringify(shown).includes('"side_effect":"consequential"'), "the accepted definition stays");
  await org.grant(["a"]);
  assert.equal((await org.submit("c")).code, "not_granted");
  await succeeds(org, "a");
});

test("a tool that is missing is disabled when a second sync agrees, and comes back enabled", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const all = endpoint.tools;
  endpoint.tools = all.filter(({ name }) => name !== "edit");
  assert.deepEqual((await sync(org)).disabled, [], "one reply takes nothing away");
  await succeeds(org, "edit");
  endpoint.tools = all;
  assert.deepEqual((await sync(org)).disabled, []);
  endpoint.tools = all.filter(({ name }) => name !== "edit");
  assert.deepEqual([(await sync(org)).disabled, (await sync(org)).disabled], [[], ["edit"]]);
  assert.equal((await org.submit("edit", "{}", { key: "k" })).code, "tool_disabled");
  endpoint.tools = all;
  assert.equal(statuses(await sync(org)).edit, "unchanged");
  await succeeds(org, "edit");
});

test("a manifest that is no signed reply changes nothing and is not shown", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const manifest = JSON.stringify({ tools: [definition("stolen", "read_only")], contexts: [] });
  const replies = [
    (_, out) => out.unsigned(200, manifest),
    (_, out) => out.signed(manifest, { secret: newSecret() }),
    (_, out) => out.signed(manifest, { id: "re_00000000000000000000000000000000" }),
    (_, out) => out.signed(`${manifest.slice(0, -1)},"more":1}`),
    (_, out) => out.signed('{"contexts":[]}'),
    (_, out) => out.raw.destroy(),
  ];
  for (const reply of replies) {
    endpoint.on["tools.manifest"] = reply;
    const answer = await org.admin.post("/v1/pools/hooks/manifest-syncs");
    assert.deepEqual([answer.status, answer.code], [502, "manifest_unavailable"], answer.text);
    assert.ok(!answer.text.includes("stolen"));
  }
  assert.deepEqual((await org.admin.all("/v1/tools", "tools")).map(({ name }) => name).sort(), Object.keys(CLASSES).sort());
  await succeeds(org, "pay");
});

test("while a secret is rotated both sign, and replies count by either; a further rotation takes nothing away", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const old = endpoint.secret;
  const rotate = async () => (await org.admin.must(200, "POST", "/v1/pools/hooks/secret-rotations")).body;
  const { secret: second, old_secret_until } = await rotate();
  assert.match(second, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const hours = (Date.parse(old_secret_until) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, `the old one is valid for ${hours} h`);
  // The customer has not heard of it yet, then knows both, then only the new one.
  for (const secrets of [[old], [old, second], [second, old], [second]]) {
    endpoint.secrets = secrets;
    await succeeds(org, "edit");
    const { signatures, signedBy } = endpoint.of("tool.call").at(-1);
    assert.deepEqual([signatures.length, signedBy], [2, secrets]);
  }
  const { secret: third } = await rotate();
  endpoint.secrets = [third, second, old];
  await succeeds(org, "look");
  assert.deepEqual(endpoint.of("tool.call").at(-1).signedBy, [third, second, old]);
  // A secret that is set ends all others at once: who has only those is not called any more.
  const fresh = newSecret();
  const put = await org.admin.must(200, "PUT", "/v1/pools/hooks", { transport: "webhook", url: endpoint.url, secret: fresh });
  assert.deepEqual([put.body.endpoint.state, endpoint.faults.length], ["pending", 1]);
  const shown = JSON.stringify([await org.audit(), await endpointOf(org), gateway.log]);
  for (const secret of [second, third]) assert.ok(!shown.includes(secret.slice(6)), "a secret is shown again");
});

test("another URL is another endpoint: it has to prove itself, what was approved for the first does not go there, what waits does", async () => {
  const { org, endpoint } = await hooked(gateway, internet);
  const { revision } = await endpointOf(org);
  const [parked, approved] = [await org.accepted("pay", "{}", { key: "parked" }), await org.accepted("pay", "{}", { key: "approved" })];
  endpoint.on["tool.call"] = (_, out) => out.unsigned(503, "", { "retry-after": "5" });
  const waiting = await begin(org, "look");
  await until("a read waits for its second attempt", async () => (await org.call(waiting.call)).state === "queued" && endpoint.attempts(waiting.call).length === 1);
  internet.resolver("dns.google", { down: true });
  internet.resolver("cloudflare-dns.com", { down: true });
  await org.approve(approved);
  await until("an approved write waits for a resolver", async () => (await org.events(approved.call)).events.some(({ event }) => event === "postpone"));
  for (const resolver of RESOLVERS) internet.resolver(resolver, undefined);

  const moved = new SignedEndpoint(internet, newHost(), { secret: endpoint.secret, tools: TOOLS });
  const { secret, ...put } = (await org.admin.must(200, "PUT", "/v1/pools/hooks", { transport: "webhook", url: moved.url })).body;
  assert.deepEqual([secret, put.endpoint.state, put.endpoint.revision], [undefined, "active", revision + 1], "the secret stays");
  for (const { call } of [parked, approved]) assert.equal((await ended(org, call)).error.code, "endpoint_changed");
  assert.equal((await ended(org, waiting.call)).state, "succeeded");
  assert.deepEqual([endpoint.attempts(waiting.call).length, moved.attempts(waiting.call).map(({ attempt }) => attempt)], [1, [2]]);
  assert.deepEqual([...endpoint.faults, ...moved.faults], []);
});

test("from workers to an endpoint and back: grants, history and what waits stay; who is not in charge gets nothing", async () => {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(TOOLS);
  await org.grant(TOOLS.map(({ name }) => name));
  const [running, queued] = [await org.accepted("look", "{}", { key: "running" }), await org.accepted("edit", "{}", { key: "queued" })];
  const parked = await org.accepted("pay", "{}", { key: "parked" });
  const job = (await worker.jobs({ max: 1 }))[0];
  assert.equal(job.call, running.call);

  const endpoint = new SignedEndpoint(internet, newHost(), { tools: TOOLS, handler: () => ({ by: "endpoint" }) });
  const put = await putPool(org, "main", endpoint);
  assert.deepEqual([put.status, put.body.endpoint.state, statuses(put.body.registration)], [200, "active", { look: "unchanged", edit: "unchanged", pay: "unchanged" }]);
  assert.deepEqual((await ended(org, queued.call)).result, { by: "endpoint" }, "what waited goes to the endpoint");
  assert.equal(await worker.result(job.claim, '{"by":"worker"}'), "recorded", "what runs may finish");
  assert.equal((await worker.poll()).status, 409);
  assert.equal((await worker.post("workers", { worker: "new", manifest: { tools: TOOLS } })).code, "transport_in_use");
  const decided = await org.decide(parked.approval.id, { decision: "approve", digest: parked.approval.digest });
  assert.equal(decided.code, "approval_withdrawn", "it was shown with another destination");
  assert.equal((await org.call(parked.call)).error.code, "endpoint_changed");

  const delivered = endpoint.of("tool.call").length;
  await org.admin.must(200, "PUT", "/v1/pools/main", { transport: "worker" });
  const waits = await begin(org, "edit");
  const back = new RawWorker(org.worker);
  assert.deepEqual(statuses(await back.register(TOOLS)), { look: "unchanged", edit: "unchanged", pay: "unchanged" });
  const again = await back.job();
  assert.equal(again.call, waits.call);
  await back.accept(again.claim);
  await back.result(again.claim, '{"by":"worker"}');
  assert.deepEqual((await ended(org, waits.call)).result, { by: "worker" });
  assert.equal(endpoint.of("tool.call").length, delivered, "the endpoint is called no more");
  assert.deepEqual((await ended(org, running.call)).result, { by: "worker" });
  const history = (await org.admin.all("/v1/calls?pool=main", "calls")).map(({ call }) => call);
  assert.deepEqual(new Set(history), new Set([running, queued, parked, waits].map(({ call }) => call)));
  assert.equal((await org.submit("edit", "{}", { key: "queued" })).body.result.by, "endpoint", "an old key gives the old outcome");
  assert.deepEqual(endpoint.faults, []);
});
