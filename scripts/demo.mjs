// The demo org of scripts/dev, made through the public API alone. Two steps, because a tool can be granted only once a
// worker has announced it: `prepare` makes org, pool and worker key; `grant` waits for the tools, then makes capability,
// agent, caller and approver key. A second run finds what the first one made: the keys stand in DEMO_ENV (mode 600).
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const url = required("TOOLGATE_URL");
const file = required("DEMO_ENV");
const toolsAnnouncedMs = 30_000;

function required(name) {
  const value = process.env[name];
  if (!value) fail(`${name} is not set`);
  return value;
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}

function load() {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

function keep(values) {
  const all = { ...load(), ...values };
  const text = Object.entries(all).map(([name, value]) => `${name}=${value}\n`).join("");
  writeFileSync(file, text, { mode: 0o600 });
}

async function send(method, path, key, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  let content = {};
  try {
    content = JSON.parse(text);
  } catch {
    content = { detail: text.slice(0, 300) };
  }
  return { ok: answer.ok, status: answer.status, content };
}

async function must(method, path, key, body) {
  const { ok, status, content } = await send(method, path, key, body);
  if (!ok) fail(`${method} ${path}: ${status} ${content.code ?? ""} ${content.detail ?? content.title ?? ""}`.trim());
  return content;
}

function secret(value, from) {
  if (typeof value !== "string" || !/^[A-Za-z0-9._-]+$/.test(value)) fail(`${from} answered without a key`);
  return value;
}

async function keyOnce(name, body) {
  const admin = load().TOOLGATE_ADMIN_KEY;
  if (!load()[name]) keep({ [name]: secret((await must("POST", "/v1/keys", admin, body)).key, "POST /v1/keys") });
}

async function prepare() {
  if (!load().TOOLGATE_ADMIN_KEY) {
    const made = await send("POST", "/v1/orgs", required("TOOLGATE_ROOT_TOKEN"), { id: "demo" });
    if (made.status === 409) fail(`the org "demo" exists, but ${file} with its keys is gone: remove its folder to start anew`);
    if (!made.ok) fail(`POST /v1/orgs: ${made.status} ${made.content.code ?? ""} ${made.content.detail ?? ""}`);
    keep({ TOOLGATE_ADMIN_KEY: secret(made.content.admin_key, "POST /v1/orgs") });
  }
  keep({ TOOLGATE_URL: url });
  await must("PUT", "/v1/pools/shop", load().TOOLGATE_ADMIN_KEY, { transport: "worker" });
  await must("PUT", "/v1/pools/shipped", load().TOOLGATE_ADMIN_KEY, { transport: "builtin" });
  await keyOnce("TOOLGATE_WORKER_KEY", { role: "worker", name: "demo shop", pools: ["shop"] });
}

// Two agents over the two data sets that ship, with the tools that ship.
async function explorers(admin) {
  const tools = ["get_database_schema", "execute_query", "create_chart", "create_map"];
  await must("PUT", "/v1/capabilities/explore", admin, { tools });
  const how =
    "Look at the schema before the first query. Aggregate and sort in SQL, and never make up numbers. Show a chart where numbers are compared or change " +
    "over time, and a map where places matter; then say in two or three sentences what is to be seen.";
  const agents = {
    permits: ["city_permits", "You answer questions about the building permits of the city of Port Alder."],
    grants: ["research_grants", "You answer questions about research grants: who gave how much to whom, and for what."],
  };
  for (const [name, [dataset, what]] of Object.entries(agents)) {
    await must("PUT", `/v1/agents/${name}`, admin, { capabilities: ["explore"], dataset, instructions: `${what} ${how}` });
    const principal = { id: "ada", tenant_id: "acme", permissions: [] };
    await keyOnce(`TOOLGATE_${name.toUpperCase()}_KEY`, { role: "agent", name: `demo ${name}`, agent: name, principal });
  }
}

async function grant() {
  const admin = load().TOOLGATE_ADMIN_KEY;
  const support = { tools: ["get_order_status", "update_shipping_note", "refund_order"], allow_reversible_writes: true };
  const deadline = Date.now() + toolsAnnouncedMs;
  for (;;) {
    const put = await send("PUT", "/v1/capabilities/support", admin, support);
    if (put.ok) break;
    const early = put.content.code === "unknown_tool" && Date.now() < deadline;
    if (!early) fail(`PUT /v1/capabilities/support: ${put.status} ${put.content.code ?? ""} ${put.content.detail ?? ""}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await must("PUT", "/v1/agents/assistant", admin, { capabilities: ["support"] });
  const principal = { id: "ada", tenant_id: "acme", permissions: ["refunds:write"] };
  await keyOnce("TOOLGATE_ASSISTANT_KEY", { role: "agent", name: "demo assistant", agent: "assistant", principal });
  await explorers(admin);
  await keyOnce("TOOLGATE_CALLER_KEY", { role: "caller", name: "demo product" });
  await keyOnce("TOOLGATE_APPROVER_KEY", { role: "approver", name: "Demo Approver" });
}

const steps = { prepare, grant };
const step = steps[process.argv[2]] ?? (() => fail("usage: node scripts/demo.mjs prepare|grant"));
await step();
