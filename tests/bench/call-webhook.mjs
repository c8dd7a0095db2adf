// scripts/bench call-webhook [load|slow]: calls of a webhook pool, whose endpoint is in a process of its own.
// One JSON line per measurement; what is per call includes what follows the answer.
//   load  reads at 1, 8 and 64 callers, writes and decided calls at 8: over TLS with every look-up, then "plain": an
//         endpoint of TOOLGATE_DEV_DESTINATIONS, without TLS and look-ups, which is what the yardsticks have. Beside them
//         the floor (an edge answer without any object) and the yardsticks, if YARDSTICKS names their folder.
//         BENCH_PASSES=3 runs all three times in rotated order, and the ratios are those of the medians.
//   slow  200 and more calls at once to an endpoint that takes two seconds: when all are answered, and the memory of the
//         runtime's process (edge, objects and the runtime itself: plain workerd has them in one).
import { newSecret } from "../end_to_end/support/signed_endpoint.mjs";
import { caller, Gateway } from "./support/gateway.mjs";
import { countOf, cpuMs, forgetPeak, LEVELS, load, measured, medians, memoryMb, ownCpuMs, print, ratio, round } from "./support/measure.mjs";
import { line, start, stopAll, temporaryFolder } from "./support/processes.mjs";
import { available, yardstick } from "./support/yardsticks.mjs";

const COUNTS = { 1: 200, 8: 800, 64: 2400 };
const WRITERS = 8;
const PASSES = Number(process.env.BENCH_PASSES ?? 1);
const YARDSTICKS = ["webhook", "webhook-do", "hook-direct"];
const SLOW_MS = 2_000;
/** What one pool has under way at most. */
const DELIVERIES = 200;
/** Until the module's code is compiled for speed, a call costs up to twice as much. */
const WARM_UP_CALLS = countOf({ 8: 600 }, 8);

const say = (measurement) => print({ bench: "call-webhook", ...measurement });

/** A gateway whose pool is at the played endpoint, over TLS or plain. */
async function opened({ plain }) {
  const secret = newSecret();
  const child = start(process.execPath, ["tests/bench/support/internet.mjs", temporaryFolder()], { BENCH_SECRET: secret });
  const at = JSON.parse(await line(child, "ca_file"));
  const options = plain ? ["--var", `TOOLGATE_DEV_DESTINATIONS=${at.plain}`] : ["--internet", at.tls, "--ca", at.ca_file];
  const url = plain ? `http://${at.plain}${at.path}` : `https://${at.host}${at.path}`;
  const gateway = await Gateway.start(options);
  const { endpoint } = await gateway.putPool({ transport: "webhook", url, secret });
  if (endpoint.state !== "active") throw new Error(`the endpoint is ${JSON.stringify(endpoint)}`);
  const ask = caller(`http://${at.plain}`);
  const counts = () => ask("GET", "/counts");
  const internet = { pid: child.pid, counts, pause: (milliseconds) => ask("PUT", "/pause", undefined, { milliseconds }) };
  return { gateway, internet, desk: await gateway.open(), meters: metersOf(gateway, internet), settled: () => quiet(counts) };
}

const metersOf = (gateway, internet) => ({
  cpu_ms_per_call: { gateway: () => cpuMs(gateway.pid), internet: () => cpuMs(internet.pid), caller: ownCpuMs },
  rows_written_per_call: () => gateway.rowsWritten(),
  outbound_per_call: {
    look_ups: async () => (await internet.counts()).resolver,
    messages: async () => (await internet.counts()).endpoint,
    tls_connections: async () => (await internet.counts()).connections,
  },
});

/** Resolves when nothing has gone out for a moment: what follows the answers is done. */
async function quiet(counts) {
  let [before, now] = [undefined, JSON.stringify(await counts())];
  while (before !== now) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    [before, now] = [now, JSON.stringify(await counts())];
  }
}

async function ours(plain) {
  const { gateway, desk, ...rest } = await opened({ plain });
  await load(WRITERS, WARM_UP_CALLS, desk.read);
  const all = [];
  const run = async (what, callers, call) =>
    all.push(await measured({ what: plain ? `${what}, plain` : what, callers, count: countOf(COUNTS, callers), call, ...rest }));
  for (const callers of LEVELS) {
    if (!plain) await run("floor", callers, () => gateway.client("GET", "/healthz"));
    await run("read_only", callers, desk.read);
  }
  await run("reversible_write", WRITERS, desk.write);
  await run("consequential", WRITERS, desk.parkAndDecide);
  await stopAll();
  return all;
}

async function loads() {
  const yardsticks = available(YARDSTICKS);
  const subjects = [() => ours(false), () => ours(true), ...yardsticks.map((name) => () => yardstick(name))];
  const seen = [];
  for (let pass = 1; pass <= PASSES; pass += 1) {
    for (let index = 0; index < subjects.length; index += 1) {
      const all = await subjects[(index + pass - 1) % subjects.length]();
      for (const each of all) say(PASSES > 1 ? { pass, ...each } : each);
      seen.push(...all);
    }
  }
  const kinds = Map.groupBy(seen, ({ what, callers }) => `${what} ${callers}`);
  const found = [...kinds.values()].map(medians);
  if (PASSES > 1) for (const each of found) say({ median_of: PASSES, ...each });
  compare(found, ["floor", ...yardsticks.map((name) => `yardstick ${name}`)]);
}

function compare(found, others) {
  for (const callers of LEVELS) {
    const named = (what) => found.find((each) => each.what === what && each.callers === callers);
    for (const of of ["read_only", "read_only, plain"].map(named)) {
      for (const to of others.map(named)) say(ratio(of, to));
    }
  }
}

/** So many calls at once while the endpoint takes its time. The peak counts from the start of the measurement. */
async function slowly({ gateway, internet, meters, settled }, what, callers, call) {
  await internet.pause(SLOW_MS);
  const before = memoryMb(gateway.pid).now;
  forgetPeak(gateway.pid);
  const measurement = await measured({ what, callers, count: callers, call, meters, settled, warmUp: 0 });
  const { now, peak } = memoryMb(gateway.pid);
  const { in_flight_max } = await internet.counts();
  await internet.pause(0);
  const memory_mb = { before, peak, after: now, growth_per_call: round((peak - before) / callers) };
  say({ ...measurement, endpoint_ms: SLOW_MS, in_flight_max, memory_mb });
}

async function slow() {
  const setting = await opened({ plain: false });
  const { desk, gateway } = setting;
  say({ what: "started", memory_mb: memoryMb(gateway.pid).now });
  await load(WRITERS, WARM_UP_CALLS, desk.read);
  await slowly(setting, "slow read_only", DELIVERIES, desk.read);
  await slowly(setting, "slow reversible_write", DELIVERIES, desk.write);
  const parked = [];
  await load(WRITERS, DELIVERIES, async (n) => (parked[n] = await desk.park(n)));
  // Decided calls are given to the edge by the object, through the internal route; so is what exceeds its 200.
  await slowly(setting, "slow consequential, from its decision", DELIVERIES, (n) => desk.decide(parked[n], n));
  await slowly(setting, "slow read_only", 3 * DELIVERIES, desk.read);
}

const modes = { load: loads, slow };
const mode = process.argv[2] ?? "load";
if (Object.hasOwn(modes, mode)) await modes[mode]().finally(stopAll);
else {
  process.stderr.write(`error: there is no mode ${mode}; there are: ${Object.keys(modes).join(", ")}\n`);
  process.exitCode = 2;
}
