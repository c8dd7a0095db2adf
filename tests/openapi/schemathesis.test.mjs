// A stock OpenAPI tester against the whole API: it makes requests of the document's own forms and of broken ones, with
// keys of every role, and finds no server error, no status, content type or body that the document does not have.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ROOT_TOKEN, Gateway } from "../end_to_end/support/gateway.mjs";
import { Internet } from "../end_to_end/support/internet.mjs";
import { definition, PRINCIPAL } from "../end_to_end/support/org.mjs";
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
  gateway = await Gateway.start({ internet });
});
after(async () => {
  await gateway?.stop();
  await internet?.close();
});

const TOOLS = [definition("find", "read_only", { input: { id: "integer" } }), definition("note", "reversible_write"), definition("refund", "consequential")];

/** An org in which every operation has something to find: keys of each role, and real values for the tester to mix in. */
async function scene() {
  const { org } = await hooked(gateway, internet);
  const turning = new SignedEndpoint(internet, "turning.hooks.example.com", { tools: [] });
  assert.equal((await putPool(org, "turning", turning)).status, 201);
  const worker = new RawWorker(org.worker);
  const screen = { context_type: "order", scope: "entity", prefetch_tool: "find", prefetch_args: { id: "$context_id" } };
  const registered = await worker.register(TOOLS, { contexts: [screen] });
  assert.deepEqual([...registered.tools, ...registered.contexts].map(({ status }) => status), ["added", "added", "added", "added"]);
  await org.grant(["find", "note", "refund", "look", "edit"]);
  const agent = await org.key({ role: "agent", name: "agent", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  const run = (await org.caller.must(201, "POST", "/v1/runs", `{"agent":"bot","principal":${PRINCIPAL},"message":"find an order"}`)).body;
  const parked = [];
  for (let n = 0; n < 12; n += 1) parked.push(await org.accepted("refund", "{}", { key: `parked-${n}` }));
  for (let n = 0; n < 12; n += 1) await org.accepted("note", "{}", { key: `note-${n}` });
  const jobs = await worker.jobs({ max: 8, wait: 5 });
  await worker.accept(...jobs.slice(0, 4).map(({ claim }) => claim));
  const spare = [];
  for (let n = 0; n < 5; n += 1) spare.push((await org.key({ role: "approver", name: `spare ${n}` })).id);
  await org.admin.must(201, "PUT", "/v1/notifications/ops", { url: turning.url, events: ["approval.requested"] });
  return {
    keys: { root: ROOT_TOKEN, admin: org.admin.key, worker: org.worker.key, caller: org.caller.key, approver: org.approver.key, agent: agent.key, run: run.token },
    run: run.run,
    session: worker.session,
    claims: jobs.map(({ claim }) => claim),
    calls: [...parked.map(({ call }) => call), ...jobs.map(({ call }) => call)],
    approvals: parked.map(({ approval }) => approval.id),
    digests: Object.fromEntries(parked.map(({ approval }) => [approval.id, approval.digest])),
    spare_keys: spare,
    url: turning.url,
    principal: JSON.parse(PRINCIPAL),
    tools: TOOLS,
  };
}

test("schemathesis finds nothing that the document does not say", async () => {
  const scenery = join(gateway.folder, "scene.json");
  const seen = join(gateway.folder, "seen.json");
  await writeFile(scenery, JSON.stringify(await scene()));
  const program = join(process.env.TOOLGATE_PYTHON.replace(/[^/]*$/, ""), "schemathesis");
  const args = ["--config-file", own("schemathesis.toml"), "run", join(root, "protocol/openapi.json"), "--url", gateway.url];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: own("."), TOOLGATE_SCENE: scenery, TOOLGATE_SEEN: seen };
  const child = spawn(program, args, { cwd: gateway.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [status] = await once(child, "exit");
  console.log(await readFile(seen, "utf8"));
  assert.equal(status, 0, said);
  const answered = JSON.parse(await readFile(seen, "utf8"));
  // What it did is what it was there for: every operation was asked, and gave its good answer to the right key.
  const good = operations.filter(({ operationId }) => !Object.keys(answered[operationId] ?? {}).some((code) => code < "300"));
  assert.deepEqual(good.map(({ operationId }) => [operationId, answered[operationId]]), []);
});
