// scripts/bench approvals: what many open approvals cost: 5,000 (BENCH_SCALE=1) in one org and pool, parked by 8 callers.
// One JSON line per measurement: parking, the listing index catching up, list pages of 100, single reads, decisions, a
// change of policy (which looks at every parked call), and a day that goes by: all that is left runs out of time. The
// memory is the runtime's process: edge, objects and the runtime itself.
import { ageParked } from "../end_to_end/support/aging.mjs";
import { Gateway } from "./support/gateway.mjs";
import { countOf, cpuMs, forgetPeak, load, measured, memoryMb, print, round } from "./support/measure.mjs";
import { stopAll } from "./support/processes.mjs";

const CALLERS = 8;
const OPEN = countOf({ [CALLERS]: 5_000 }, CALLERS);
const DECIDED = Math.ceil(OPEN / 5);
const PAGE = 100;
/** As many of one agent and principal may be open. */
const OPEN_PER_PRINCIPAL = 50;
const POLICIES = 10;

const say = (measurement) => print({ bench: "approvals", open: OPEN, ...measurement });

/** Repeats a question until its answer will do; how long that took. */
async function took(question, isEnough) {
  const begun = performance.now();
  while (!isEnough(await question())) await new Promise((resolve) => setTimeout(resolve, 10));
  return round((performance.now() - begun) / 1000);
}

async function main() {
  const gateway = await Gateway.start();
  await gateway.putPool({ transport: "worker" });
  await gateway.announce();
  const desk = await gateway.open();
  const meters = { cpu_ms_per_call: { gateway: () => cpuMs(gateway.pid) }, rows_written_per_call: () => gateway.rowsWritten() };
  const run = async (what, count, call, callers = CALLERS) => {
    forgetPeak(gateway.pid);
    const measurement = await measured({ what, callers, count, call, meters, warmUp: 0 });
    say({ ...measurement, memory_mb: memoryMb(gateway.pid) });
  };
  const pending = (wanted) => took(() => desk.count("pending"), (count) => count === wanted);
  say({ what: "started", memory_mb: memoryMb(gateway.pid) });

  const parked = [];
  await run("park", OPEN, async (n) => (parked[n] = await desk.park(n, `u${Math.floor(n / OPEN_PER_PRINCIPAL)}`)));
  say({ what: "the index has all of them", seconds: await pending(OPEN) });
  let cursor;
  const list = async () => (cursor = (await desk.page("pending", cursor)).next_cursor);
  for (const callers of [1, CALLERS]) await run("list a page", Math.ceil(OPEN / PAGE) * 4, list, callers);
  await run("read one", DECIDED, (n) => desk.approval(parked[n].approval.id));
  await run("decide", DECIDED, (n) => desk.approve(parked[n].approval));
  const left = OPEN - DECIDED;
  say({ what: "the index has all decisions", seconds: await pending(left) });
  say({ what: "a new policy, with a look at every parked call", ...(await load(1, POLICIES, () => gateway.key({ role: "caller", name: "one more" }))) });

  await gateway.restart(ageParked);
  const [cpu, begun] = [cpuMs(gateway.pid), performance.now()];
  const seconds = await took(() => gateway.stats(), ({ waiting_approval }) => waiting_approval === 0);
  say({ what: "all that is left runs out of time", expired: left, seconds, per_second: round(left / seconds) });
  await pending(0);
  const cpu_ms_per_call = { gateway: round((cpuMs(gateway.pid) - cpu) / left) };
  say({ what: "and the index knows", seconds: round((performance.now() - begun) / 1000), cpu_ms_per_call, memory_mb: memoryMb(gateway.pid) });
}

await main().finally(stopAll);
