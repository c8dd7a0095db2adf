// What the same work costs in minimal JavaScript on the same runtime, without keys, policy, limits or history: programs
// from outside this repository. YARDSTICKS is their folder; BENCH_MODULES the one whose node_modules has the runtime and
// the HTTP client they use: this repository, unless it is set.
import { existsSync } from "node:fs";
import { join } from "node:path";

import { LEVELS } from "./measure.mjs";
import { output, ROOT, start, stateFolder } from "./processes.mjs";

const PROGRAM = "workerd.mjs";
const MODULES = process.env.BENCH_MODULES ?? ROOT;
const NEEDED = ["workerd", "undici"];

/** Why they cannot run; nothing when they can. */
function absence() {
  const folder = process.env.YARDSTICKS;
  if (folder === undefined) return "YARDSTICKS names no folder";
  if (!existsSync(join(folder, PROGRAM))) return `there is no ${PROGRAM} in YARDSTICKS`;
  const missing = NEEDED.filter((name) => !existsSync(join(MODULES, "node_modules", name)));
  return missing.length > 0 ? `BENCH_MODULES lacks ${missing.join(" and ")}` : undefined;
}

/** The names among these that can be run: all or none, and standard error says why none. */
export function available(names) {
  const why = absence();
  if (why !== undefined) process.stderr.write(`no yardsticks beside this benchmark: ${why}\n`);
  return why === undefined ? names : [];
}

/** Runs a yardstick at the same levels, its state where ours is; its measurements in our words. */
export async function yardstick(name) {
  const env = { BENCH_MODULES: MODULES, BENCH_LEVELS: LEVELS.join(","), TMPDIR: stateFolder };
  const said = await output(start(process.execPath, [join(process.env.YARDSTICKS, PROGRAM), name], env));
  return said.trim().split("\n").map((text) => {
    const { concurrency, calls, calls_per_s, p50_ms, p99_ms, cpu_ms_per_call: cpu, load1 } = JSON.parse(text);
    const cpu_ms_per_call = { gateway: cpu.server, internet: cpu.worker, caller: cpu.caller };
    return { what: `yardstick ${name}`, callers: concurrency, calls, calls_per_second: calls_per_s, p50_ms, p99_ms, cpu_ms_per_call, load1 };
  });
}
