// What a manifest may do to the catalogue, and what it may not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { definition, Org } from "./support/org.mjs";
import { RawWorker } from "./support/raw_worker.mjs";
import { until, within } from "./support/until.mjs";
import { Crew, NAMES } from "./support/worker_process.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const worker = (org, options) => new RawWorker(options?.door ?? org.worker, options);
const statuses = ({ tools }) => Object.fromEntries(tools.map(({ name, status, code }) => [name, code ?? status]));
const tool = async (org, name) => (await org.admin.must(200, "GET", `/v1/tools/${name}`)).body;

test("a manifest adds, updates and leaves tools as they are; versions and their history are kept", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  assert.deepEqual(statuses(await one.register([definition("a", "read_only"), definition("b", "read_only")])), { a: "added", b: "added" });
  const updated = await one.register([definition("a", "read_only", { description: "New words." }), definition("b", "read_only")]);
  assert.deepEqual(statuses(updated), { a: "updated", b: "unchanged" });
  const { tool: _, versions, ...shown } = await tool(org, "a");
  assert.ok(JSON.stringify([versions, shown]).includes("New words."));
  assert.equal(versions.length, 2);
});

test("a registration grants nothing: a new tool is refused to every agent until an admin grants it", async () => {
  const org = await Org.make(gateway);
  await worker(org).register([definition("a", "read_only")]);
  await org.grant(["a"]);
  await worker(org).register([definition("a", "read_only"), definition("b", "read_only")]);
  assert.equal((await org.submit("b")).code, "not_granted");
  await org.grant(["a", "b"]);
  assert.equal((await org.submit("b")).status, 202);
});

test("weakening a side effect and dropping a permission are refused, and the accepted definition stays; strengthening is taken", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  const strong = definition("pay", "consequential", { permissions: ["p", "q"] });
  await one.register([strong, definition("set", "reversible_write"), definition("get", "read_only")]);
  for (const [weaker, code] of [
    [{ ...strong, side_effect: "reversible_write" }, "side_effect_weakened"],
    [{ ...strong, side_effect: "read_only" }, "side_effect_weakened"],
    [{ ...strong, permissions: ["p"] }, "permission_dropped"],
    [{ ...strong, permissions: [] }, "permission_dropped"],
    [definition("set", "read_only"), "side_effect_weakened"],
  ]) {
    const answer = await one.register([weaker, definition("get", "read_only")]);
    assert.equal(statuses(answer)[weaker.name], code);
    assert.match(answer.tools[0].detail, /^(side_effect|permissions): /);
    assert.equal(statuses(answer).get, "unchanged", "a refused tool blocks no other");
  }
  await one.register([strong, definition("set", "reversible_write")]);
  const shown = JSON.stringify(await tool(org, "pay"));
  assert.ok(shown.includes('"permissions":["p","q"]') && shown.includes('"consequential"'));
  await org.grant(["pay", "set"]);
  assert.equal((await org.submit("pay", "{}", { key: "k", principal: '{"id":"u","tenant_id":"t","permissions":["p"]}' })).code, "permission_missing");
  const stronger = await one.register([{ ...strong, permissions: ["p", "q", "r"] }, definition("set", "consequential")]);
  assert.deepEqual(statuses(stronger), { pay: "updated", set: "updated" });
  assert.equal((await org.accepted("set", "{}", { key: "s" })).state, "waiting_approval");
});

test("a worker that announces less than was accepted is handed no call of that tool", async () => {
  const org = await Org.make(gateway);
  const [honest, weak] = [worker(org), worker(org)];
  await honest.register([definition("pay", "consequential")]);
  await weak.register([definition("pay", "read_only")]);
  await org.grant(["pay"]);
  const parked = await org.accepted("pay", "{}", { key: "k" });
  await org.approve(parked);
  assert.deepEqual(await weak.jobs({ wait: 1 }), []);
  assert.deepEqual((await honest.jobs()).map(({ call }) => call), [parked.call]);
});

test("a name belongs to one pool: another pool that announces it is refused", async () => {
  const org = await Org.make(gateway);
  await org.pool("other");
  await worker(org).register([definition("get", "read_only")]);
  const thief = worker(org, { pool: "other", door: (await org.key({ role: "worker", name: "o", pools: ["other"] })).door });
  assert.deepEqual(statuses(await thief.register([definition("get", "read_only"), definition("own", "read_only")])), { get: "name_taken", own: "added" });
  await org.grant(["get"]);
  await org.accepted("get");
  assert.deepEqual(await thief.jobs(), []);
});

test("one bad tool does not block the others, and its fault is named", async () => {
  const org = await Org.make(gateway);
  const bad = [
    definition("typo", "read_only", { input: { id: "integr" } }),
    definition("Loud", "read_only"),
    definition("t".repeat(49), "read_only"),
    definition("toolgate_own", "read_only"),
    definition("many", "read_only", { input: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`f${n}`, "string"])) }),
    definition("wordy", "read_only", { description: "x".repeat(2_001) }),
    definition("extra", "read_only", { cost: 1 }),
    definition("weird", "sometimes"),
    definition("long", "read_only", { execution_deadline_seconds: 901 }),
    definition("good", "read_only", { description: "The same name again." }),
    { description: "no name", side_effect: "read_only", input: {} },
  ];
  const answer = await worker(org).register([definition("good", "read_only"), ...bad]);
  assert.equal(answer.tools[0].status, "added");
  for (const [n, refused] of answer.tools.slice(1).entries()) {
    assert.deepEqual([refused.status, refused.code], ["refused", "invalid_definition"], JSON.stringify([bad[n].name, refused]));
    assert.ok(refused.detail.length > 0);
  }
  assert.match(answer.tools[1].detail, /id/);
  assert.deepEqual((await org.admin.all("/v1/tools", "tools")).map(({ name }) => name), ["good"]);
});

test("too many tools and too large a manifest are refused loudly, and what stood before stands", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  const tools = (count, words) => Array.from({ length: count }, (_, n) => definition(`t${n}`, "read_only", { description: words }));
  const put = (list) => one.post("workers", { worker: one.name, manifest: { tools: list } });
  await one.register(tools(2, "first"));
  const many = await put(tools(257, "x"));
  assert.deepEqual([many.status, many.code], [422, "invalid_request"]);
  assert.match(many.body.detail, /257 tools.*256/);
  for (const words of [2_000, 4_000]) {
    const large = await put(tools(256, "x".repeat(words)));
    if (words === 2_000) assert.equal(large.status, 413, large.text.slice(0, 200));
    assert.deepEqual([large.status, large.code, large.body.bytes > large.body.limit_bytes], [413, "payload_too_large", true]);
  }
  assert.equal((await org.admin.all("/v1/tools", "tools")).length, 2);
  const full = await put(tools(256, "x".repeat(1_000)));
  assert.equal(full.status, 200);
  assert.ok(full.body.tools.every(({ status }) => status === "added" || status === "updated"));
  assert.equal((await org.admin.all("/v1/tools?limit=100", "tools")).length, 256);
});

test("rolling deploy: the newer manifest governs while both run; the older one comes back only when nobody has the newer", async () => {
  const org = await Org.make(gateway);
  const [v1, v2] = [[definition("get", "read_only"), definition("old", "read_only")], [definition("get", "read_only", { input: { id: "integer" } }), definition("fresh", "read_only")]];
  const [old, young, late] = [worker(org), worker(org), worker(org)];
  await old.register(v1);
  await org.grant(["get", "old"]);
  const before = await org.accepted("get");
  assert.deepEqual((await young.register(v2)).disabled, [], "what a live old worker announces stays enabled");
  await org.grant(["get", "old", "fresh"]);
  // New calls meet the new contract, and each goes to a worker that announced it.
  assert.equal((await org.submit("get", "{}")).code, "invalid_arguments");
  const [get, oldCall] = [await org.accepted("get", '{"id":1}'), await org.accepted("old")];
  assert.deepEqual((await old.jobs()).map(({ call }) => call), [oldCall.call]);
  assert.deepEqual((await young.jobs()).map(({ call }) => call), [get.call]);
  assert.equal((await org.call(before.call)).error.code, "definition_changed");
  await late.register(v1);
  assert.equal((await org.submit("get", "{}")).code, "invalid_arguments", "a late old worker does not bring the old contract back");
  await young.post("goodbyes", { session: young.session });
  await until("the old contract is back", async () => (await org.submit("get", "{}")).status === 202);
  assert.equal((await org.submit("fresh")).code, "tool_disabled");
});

test("a tool that no live worker announces is disabled, keeps its calls until their deadline, and comes back enabled", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  const [keep, drop] = [definition("keep", "read_only"), definition("drop", "consequential")];
  await one.register([keep, drop]);
  await org.grant(["keep", "drop"]);
  await one.post("goodbyes", { session: one.session });
  const without = await one.register([keep]);
  assert.deepEqual(without.disabled, ["drop"]);
  assert.equal((await org.submit("drop", "{}", { key: "k" })).code, "tool_disabled");
  // It comes back against its last accepted definition: weaker is still refused.
  assert.deepEqual(statuses(await one.register([keep, { ...drop, side_effect: "read_only" }])), { keep: "unchanged", drop: "side_effect_weakened" });
  const back = await one.register([keep, drop]);
  assert.deepEqual([back.disabled, statuses(back).drop], [[], "unchanged"]);
  assert.equal((await org.accepted("drop", "{}", { key: "k2" })).state, "waiting_approval");
});

test("a worker that registers again under its own id without a tool is told that the tool is disabled", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  await one.register([definition("keep", "read_only"), definition("drop", "read_only")]);
  await org.grant(["drop"]);
  const answer = await one.register([definition("keep", "read_only")]);
  await until("it is disabled", async () => (await org.submit("drop")).code === "tool_disabled");
  assert.deepEqual(answer.disabled, ["drop"]);
});

test("a pool without a live worker disables nothing: its calls wait", async () => {
  const org = await Org.make(gateway);
  const one = worker(org);
  await one.register([definition("get", "read_only")]);
  await org.grant(["get"]);
  await one.post("goodbyes", { session: one.session });
  const { call } = await org.accepted("get");
  await one.register([definition("get", "read_only")]);
  assert.deepEqual((await one.jobs()).map((job) => job.call), [call]);
});

test("50 workers that come back with the same manifest change nothing, and the registry hears of the manifest once", async () => {
  const org = await Org.make(gateway);
  const tools = [definition("get", "read_only"), definition("set", "reversible_write")];
  await worker(org).register(tools);
  const before = await org.audit();
  const answers = await Promise.all(Array.from({ length: 50 }, () => worker(org).register(tools)));
  for (const answer of answers) assert.deepEqual(statuses(answer), { get: "unchanged", set: "unchanged" });
  assert.equal(new Set(answers.map(({ session }) => session)).size, 50);
  assert.deepEqual(await org.audit(), before);
  assert.equal(before.filter(({ event }) => event === "manifest.seen").length, 1);
});

test("the same worker id twice: the older one is told that it was superseded, at once, and keeps what it has claimed", async () => {
  const org = await Org.make(gateway);
  const tools = [definition("set", "reversible_write")];
  const [older, newer] = [worker(org, { name: "twin" }), worker(org, { name: "twin" })];
  await older.register(tools);
  await org.grant(["set"]);
  const { call } = await org.accepted("set", "{}", { key: "k" });
  const job = await older.job();
  await older.accept(job.claim);
  const idle = older.poll({ wait: 20 });
  await until("it polls", async () => (await org.admin.get("/v1/pools/main/stats")).body.workers.some(({ polling }) => polling));
  await newer.register(tools);
  for (const answer of [await within("the idle poll ends", 3_000, idle), await older.poll(), await older.post("accepts", { session: older.session, claims: [] })]) {
    assert.deepEqual([answer.status, answer.code, answer.body.superseded], [409, "unknown_session", true]);
  }
  assert.deepEqual((await older.renew(job.claim)).map(({ status }) => status), ["renewed"]);
  assert.equal(await older.result(job.claim, "1"), "recorded");
  assert.equal((await org.call(call)).state, "succeeded");
  assert.deepEqual(await newer.jobs(), []);
});

test("an SDK process whose worker id is taken by another one ends, and the other goes on", async () => {
  const org = await Org.make(gateway);
  const crew = new Crew(org);
  const older = await crew.start({ workerId: "twin" });
  await org.grant(NAMES);
  const newer = await crew.start({ workerId: "twin" });
  const { signal } = await within("the older one ends", 20_000, older.ended);
  assert.equal(signal, null);
  assert.match(older.log, /superseded/);
  assert.equal((await org.accepted("look", {}, { wait: 10 })).result.pid, newer.pid);
});

test("a session that never was, or is of another pool, is unknown", async () => {
  const org = await Org.make(gateway);
  await org.pool("other");
  const { door } = await org.key({ role: "worker", name: "both", pools: ["main", "other"] });
  const [here, there] = [worker(org, { door }), worker(org, { door, pool: "other" })];
  await here.register([definition("get", "read_only")]);
  await there.register([definition("own", "read_only")]);
  for (const session of ["ses_nothing", "", there.session]) {
    const answer = await here.poll({ session });
    assert.deepEqual([answer.status, answer.code], [409, "unknown_session"], session);
  }
});
