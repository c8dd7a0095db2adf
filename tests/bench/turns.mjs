// scripts/bench turns: what a turn of a run costs with 1,096 tools granted. Of two budgets: one that every tool is too large
// for, where texts of real users differ from an empty text, which nothing is ranked for, by the ranking and what follows from
// scores alone, as seen from outside; and an ordinary one, with reasons and definitions. The difference is small beside a
// turn, so the two take turns in many rounds, and each round gives one. One JSON line per measurement.
// TOOLGATE_OFFER_DATA is a folder with tools.jsonl and dev.jsonl; scripts/bench makes it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Gateway } from "./support/gateway.mjs";
import { countOf, cpuMs, LEVELS, measured, print, round } from "./support/measure.mjs";
import { stopAll } from "./support/processes.mjs";

const POOL_TOOLS_MAX = 256;
const BUDGET_TOKENS = 2_000;
const NO_BUDGET_TOKENS = 1;
const ROUNDS = 15;
const ROUND_CALLS = 120;
const read = (name) => readFileSync(join(process.env.TOOLGATE_OFFER_DATA, name), "utf8").trim().split("\n").map(JSON.parse);

async function main() {
  const tools = read("tools.jsonl").map((tool) => ({ ...tool, side_effect: "read_only" }));
  const texts = read("dev.jsonl").map(({ text }) => text);
  const gateway = await Gateway.start();
  const pools = Math.ceil(tools.length / POOL_TOOLS_MAX);
  for (let pool = 0; pool < pools; pool += 1) {
    const name = `pool-${pool}`;
    await gateway.client("PUT", `/v1/pools/${name}`, gateway.admin, { transport: "worker" });
    const key = await gateway.key({ role: "worker", name, pools: [name] });
    const manifest = { tools: tools.slice(pool * POOL_TOOLS_MAX, (pool + 1) * POOL_TOOLS_MAX) };
    const { tools: registered } = await gateway.client("POST", `/v1/pools/${name}/workers`, key, { worker: name, manifest });
    const refused = registered.filter(({ status }) => status !== "added");
    if (refused.length > 0) throw new Error(`not registered: ${JSON.stringify(refused[0])}`);
  }
  await gateway.client("PUT", "/v1/capabilities/all", gateway.admin, { tools: tools.map(({ name }) => name) });
  await gateway.client("PUT", "/v1/agents/bot", gateway.admin, { capabilities: ["all"] });
  const caller = await gateway.key({ role: "caller", name: "bench" });
  const principal = { id: "u", tenant_id: "t", permissions: [] };
  const first = async (message, budget_tokens) => gateway.client("POST", "/v1/runs", caller, { agent: "bot", principal, message, budget_tokens });
  const said = (n) => texts[n % texts.length];
  const begun = performance.now();
  await first(texts[0], BUDGET_TOKENS);
  print({ bench: "turns", what: "the first turn after a change, with its index", tools: tools.length, ms: round(performance.now() - begun) });
  for (const callers of LEVELS) {
    const run = async (what, text, budget) => {
      const meters = { cpu_ms_per_call: { gateway: () => cpuMs(gateway.pid) } };
      const count = countOf({ 1: 300, 8: 600, 64: 600 }, callers);
      const measurement = await measured({ what, callers, count, call: (n) => first(text(n), budget), meters });
      print({ bench: "turns", tools: tools.length, ...measurement });
    };
    await run("nothing said, nothing offered", () => "", NO_BUDGET_TOKENS);
    await run("texts of users, nothing offered", said, NO_BUDGET_TOKENS);
    await run("texts of users, an ordinary offer", said, BUDGET_TOKENS);
  }
  const cpuOf = async (text) => {
    const before = cpuMs(gateway.pid);
    for (let n = 0; n < ROUND_CALLS; n += 1) await first(text(n), NO_BUDGET_TOKENS);
    return (cpuMs(gateway.pid) - before) / ROUND_CALLS;
  };
  const differences = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const without = await cpuOf(() => "");
    differences.push((await cpuOf((n) => said(turn * ROUND_CALLS + n))) - without);
  }
  differences.sort((one, other) => one - other);
  const [least, middle, most] = [differences[0], differences[Math.floor(ROUNDS / 2)], differences.at(-1)].map(round);
  const mean = round(differences.reduce((sum, each) => sum + each, 0) / ROUNDS);
  print({ bench: "turns", what: "the ranking alone", tools: tools.length, rounds: ROUNDS, calls: 2 * ROUNDS * ROUND_CALLS, cpu_ms_per_call: { least, median: middle, mean, most } });
}

await main().finally(stopAll);
