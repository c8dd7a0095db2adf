// scripts/bench call-poll: a call by REST to a worker that polls, and back; and how many rows each class costs.
// One JSON line per measurement. The floor is an edge answer without any object, in the same run: compare ratios.
import { Gateway } from "./support/gateway.mjs";
import { countOf, cpuMs, LEVELS, measured, print, ratio } from "./support/measure.mjs";
import { line, start, stopAll } from "./support/processes.mjs";
import { POOL } from "./support/tools.mjs";

const COUNTS = { 1: 400, 8: 2000, 64: 6000 };
const WRITERS = 8;

async function main() {
  const gateway = await Gateway.start();
  await gateway.putPool({ transport: "worker" });
  const workerKey = await gateway.key({ role: "worker", name: "bench", pools: [POOL] });
  const worker = start(process.execPath, ["tests/bench/support/worker.mjs"], { TOOLGATE_URL: gateway.url, TOOLGATE_WORKER_KEY: workerKey });
  await line(worker, "ready");
  const desk = await gateway.open();
  const meters = {
    cpu_ms_per_call: { gateway: () => cpuMs(gateway.pid), worker: () => cpuMs(worker.pid) },
    rows_written_per_call: () => gateway.rowsWritten(),
  };
  const say = (measurement) => print({ bench: "call-poll", ...measurement });
  const run = async (what, callers, call) => {
    const measurement = await measured({ what, callers, count: countOf(COUNTS, callers), call, meters });
    say(measurement);
    return measurement;
  };
  for (const callers of LEVELS) {
    const floor = await run("floor", callers, () => gateway.client("GET", "/healthz"));
    say(ratio(await run("read_only", callers, desk.read), floor));
  }
  await run("reversible_write", WRITERS, desk.write);
  await run("consequential", WRITERS, desk.parkAndDecide);
}

await main().finally(stopAll);
