// Measurements: a bounded load loop, what it cost per call, and how measurements compare. Times are wall time; CPU time
// is steadier on a busy machine, and `load1` says how busy it was.
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";

export const LEVELS = (process.env.BENCH_LEVELS ?? "1,8,64").split(",").map(Number);
const SCALE = Number(process.env.BENCH_SCALE ?? 1);
const WARM_UP = 1 / 5;

/** How many calls a measurement has, of a table by callers. */
export const countOf = (counts, callers) => Math.max(callers * 2, Math.round((counts[callers] ?? callers * 60) * SCALE));

export const print = (measurement) => console.log(JSON.stringify(measurement));
export const round = (number) => Math.round(number * 1000) / 1000;

/** CPU time of a process and its threads, in milliseconds. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Resident memory of a process in MB: now, and its peak since `forgetPeak`. */
export function memoryMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [now, peak] = ["VmRSS", "VmHWM"].map((name) => round(Number(status.match(`${name}:\\s+(\\d+) kB`)[1]) / 1024));
  return { now, peak };
}

export const forgetPeak = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, "5");

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];

/** `count` calls by so many callers at a time; latencies in milliseconds. */
export async function load(callers, count, call) {
  const latencies = [];
  let next = 0;
  const begun = performance.now();
  const one = async () => {
    while (next < count) {
      const index = next++;
      const sent = performance.now();
      await call(index);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  const [p50_ms, p99_ms] = [0.5, 0.99].map((share) => round(at(latencies, share)));
  return { calls: count, seconds: round(seconds), calls_per_second: round(count / seconds), p50_ms, p99_ms };
}

/** `{ name: meter }` or `{ name: { name: meter } }`, a meter being a function that gives a growing number. */
async function readings(meters) {
  const read = {};
  for (const [name, meter] of Object.entries(meters)) read[name] = await (typeof meter === "function" ? meter() : readings(meter));
  return read;
}

const perCall = (now, then, count) => {
  const spent = ([name, value]) => [name, typeof value === "number" ? round((value - then[name]) / count) : perCall(value, then[name], count)];
  return Object.fromEntries(Object.entries(now).map(spent));
};

/**
 * One measurement, after a warm-up unless `warmUp` is 0: times, and what each meter says per call. `settled` resolves
 * when the work behind the answers is done too, so that it counts.
 */
export async function measured({ what, callers, count, call, meters, settled = async () => {}, warmUp = Math.ceil(count * WARM_UP) }) {
  if (warmUp > 0) await load(callers, warmUp, call);
  await settled();
  const before = await readings(meters);
  const result = await load(callers, count, call);
  await settled();
  const spent = perCall(await readings(meters), before, count);
  return { what, callers, ...result, ...spent, load1: round(loadavg()[0]) };
}

const middle = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : round((sorted[half - 1] + sorted[half]) / 2);
};

/** Measurements of the same thing as one, number by number. */
export function medians(same) {
  const [first] = same;
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const values = same.map((each) => each[name]);
      return [name, typeof value === "number" ? middle(values) : typeof value === "object" ? medians(values) : value];
    }),
  );
}

/** How one measurement compares to another with as many callers. */
export function ratio(of, to) {
  const share = (pick) => (pick(of) > 0 && pick(to) > 0 ? round(pick(of) / pick(to)) : undefined);
  return {
    what: `ratio of ${of.what} to ${to.what}`, callers: of.callers,
    calls_per_second: share((each) => each.calls_per_second), p50: share((each) => each.p50_ms), cpu: share((each) => each.cpu_ms_per_call.gateway),
  };
}
