// A stock OpenAPI tester against the whole API: it makes requests of the document's own forms and of broken ones, with
// keys of every role, and finds no server error, no status, content type or body that the document does not have.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { seconds, Team } from "../end_to_end/support/access.mjs";
import { ROOT_TOKEN, Gateway } from "../end_to_end/support/gateway.mjs";
import { Internet } from "../end_to_end/support/internet.mjs";
import { serve } from "../end_to_end/support/mcp.mjs";
import { definition, Org, PRINCIPAL } from "../end_to_end/support/org.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { SignedEndpoint } from "../end_to_end/support/signed_endpoint.mjs";
import { hooked, putPool } from "../end_to_end/support/webhooks.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = (name) => fileURLToPath(new URL(name, import.meta.url));
const document = JSON.parse(await readFile(join(root, "protocol/openapi.json"), "utf8"));
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

let gateway, internet;
before(async () => {
  internet = await Internet.start();
  gateway = await Gateway.start({ internet, vars: { ...Team.vars, TOOLGATE_AUTHORIZATION_SERVERS: "https://login.example.com" } });
});
after(async () => {
  await gateway?.stop();
  await internet?.close();
});

const TOOLS = [definition("find", "read_only", { input: { id: "integer" } }), definition("note", "reversible_write"), definition("refund", "consequential")];
const RESULT = () => ({ result: { done: true } });

/** An org in which every operation has something to find: keys of each role, and real values for the tester to mix in. */
async function scene() {
  const { org, endpoint } = await hooked(gateway, internet);
  const { admin } = org;
  const turning = new SignedEndpoint(internet, "turning.hooks.example.com", { tools: [] });
  assert.equal((await putPool(org, "turning", turning)).status, 201);
  const worker = new RawWorker(org.worker);
  await worker.register([...TOOLS, definition("changed", "reversible_write")]);
  // A definition that meets a fence.
  await worker.register([...TOOLS, definition("changed", "read_only")]);
  const { refused } = (await admin.must(200, "GET", "/v1/tools/changed")).body;
  // A screen, which is asked for at once.
  endpoint.contexts = [{ context_type: "order", scope: "entity", prefetch_tool: "look", prefetch_args: { any: "$context_id" } }];
  await admin.must(200, "POST", "/v1/pools/hooks/manifest-syncs");
  await org.grant(["find", "note", "refund", "look", "edit"]);
  const agent = await org.key({ role: "agent", name: "agent", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  const run = (await org.caller.must(201, "POST", "/v1/runs", `{"agent":"bot","principal":${PRINCIPAL},"message":"find an order"}`)).body;
  const parked = await calls(org, "refund", 12);
  await calls(org, "note", 8);
  const jobs = await worker.jobs({ max: 8, wait: 5 });
  // Writes of which nobody knows what became.
  endpoint.on["tool.call"] = (message, out) => out.raw.destroy();
  const lost = await Promise.all((await calls(org, "edit", 4)).map(({ call }) => org.callIn(call, "unknown")));
  delete endpoint.on["tool.call"];
  const spare = [];
  for (let n = 0; n < 5; n += 1) spare.push((await org.key({ role: "approver", name: `spare ${n}` })).id);
  await admin.must(201, "PUT", "/v1/notifications/ops", { url: turning.url, events: ["approval.requested"] });
  // Somebody who signed in, for the gateway's own page.
  await Org.make(gateway, Team.vars.TOOLGATE_ACCESS_ORG);
  const boss = new Team(internet).token({ claims: { email: Team.vars.TOOLGATE_ACCESS_ADMINS, exp: seconds() + 3_600 } });
  const seen = {
    sign_in: { origin: gateway.url, "x-toolgate-console": "1", "cf-access-jwt-assertion": boss },
    keys: { root: ROOT_TOKEN, admin: admin.key, worker: org.worker.key, caller: org.caller.key, approver: org.approver.key, agent: agent.key, run: run.token },
    run: run.run,
    session: worker.session,
    claims: jobs.map(({ claim }) => claim),
    calls: [...parked, ...jobs].map(({ call }) => call),
    unknown: lost.map(({ call }) => call),
    // What is decided cannot be taken back any more.
    cancelled: parked.slice(6).map(({ call }) => call),
    approvals: parked.slice(0, 6).map(({ approval }) => approval.id),
    digests: Object.fromEntries(parked.map(({ approval }) => [approval.id, approval.digest])),
    refused: refused.version,
    spare_keys: spare,
    url: turning.url,
    principal: JSON.parse(PRINCIPAL),
    tools: TOOLS,
  };
  return { seen, served: serve(worker, { find: RESULT, note: RESULT, refund: RESULT }) };
}

/** So many calls of a tool. */
async function calls(org, tool, count) {
  const accepted = [];
  for (let n = 0; n < count; n += 1) accepted.push(await org.accepted(tool, "{}", { key: `${tool}-${n}` }));
  return accepted;
}

test("schemathesis finds nothing that the document does not say", async () => {
  const scenery = join(gateway.folder, "scene.json");
  const seen = join(gateway.folder, "seen.json");
  const { seen: shown, served } = await scene();
  await writeFile(scenery, JSON.stringify(shown));
  const program = join(process.env.TOOLGATE_PYTHON.replace(/[^/]*$/, ""), "schemathesis");
  const args = ["--config-file", own("schemathesis.toml"), "run", join(root, "protocol/openapi.json"), "--url", gateway.url];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: own("."), TOOLGATE_SCENE: scenery, TOOLGATE_SEEN: seen };
  const child = spawn(program, args, { cwd: gateway.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [status] = await once(child, "exit");
  await served.stop();
  assert.equal(status, 0, said);
  const answered = JSON.parse(await readFile(seen, "utf8"));
  // What it did is what it was there for: every operation was asked, and gave its good answer to the right key.
  const good = operations.filter(({ operationId }) => !Object.keys(answered[operationId] ?? {}).some((code) => code < "300"));
  assert.deepEqual(good.map(({ operationId }) => [operationId, answered[operationId]]), []);
});

test("the document is served as it is committed, to anybody", async () => {
  const answer = await fetch(`${gateway.url}/openapi.json`);
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "application/json"]);
  assert.equal(await answer.text(), await readFile(join(root, "protocol/openapi.json"), "utf8"));
});
