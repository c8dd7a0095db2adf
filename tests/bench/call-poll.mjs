// scripts/bench call-poll: a call by REST to a worker that polls, and back; and how many rows each class costs.
// One JSON line per measurement. The floor is an edge answer without any object, in the same run: compare ratios.
import { caller, cpuMs, gateway, line, load, round, start, stopAll } from "./support.mjs";

const LEVELS = (process.env.BENCH_LEVELS ?? "1,8,64").split(",").map(Number);
const COUNTS = { 1: 400, 8: 2000, 64: 6000 };
const principal = { id: "u", tenant_id: "t", permissions: [] };
const args = (n) => ({ city: "Berlin", unit: "C", n });
const scale = Number(process.env.BENCH_SCALE ?? 1);

const print = (measurement) => console.log(JSON.stringify(measurement));

async function measured(name, callers, gate, worker, call) {
  const count = Math.max(callers * 2, Math.round(COUNTS[callers] * scale));
  await load(callers, Math.ceil(count / 5), call);
  const before = { gateway: cpuMs(gate.pid), worker: cpuMs(worker.pid), rows: await rows(gate) };
  const result = await load(callers, count, call);
  const spent = (now, then) => round((now - then) / count);
  print({
    bench: "call-poll", what: name, callers, ...result,
    cpu_ms_per_call: { gateway: spent(cpuMs(gate.pid), before.gateway), worker: spent(cpuMs(worker.pid), before.worker) },
    rows_written_per_call: round(((await rows(gate)) - before.rows) / count),
  });
  return result;
}

const rows = async (gate) => (await gate.client("GET", "/v1/pools/bench/stats", gate.admin)).rows_written;

async function main() {
  const gate = await gateway();
  try {
    const workerKey = await gate.key({ role: "worker", name: "bench", pools: ["bench"] });
    const worker = start(process.execPath, ["tests/bench/worker.mjs"], { TOOLGATE_URL: gate.url, TOOLGATE_WORKER_KEY: workerKey });
    await line(worker, "ready");
    await gate.client("PUT", "/v1/capabilities/all", gate.admin, { tools: ["look", "mark", "send"], allow_reversible_writes: true });
    await gate.client("PUT", "/v1/agents/bot", gate.admin, { capabilities: ["all"] });
    const callerKey = await gate.key({ role: "caller", name: "bench" });
    const approverKey = await gate.key({ role: "approver", name: "bench" });
    const client = caller(gate.url);
    let key = 0;
    const submit = (tool, n) =>
      client("POST", "/v1/calls", callerKey, { tool, arguments: args(n), agent: "bot", principal }, {
        prefer: "wait=25", ...(tool === "look" ? {} : { "idempotency-key": `bench ${key++}` }),
      });
    const ends = async (tool, n) => {
      const answer = await submit(tool, n);
      if (answer.state !== "succeeded" || answer.result.n !== n) throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
    };
    const approved = async (n) => {
      const parked = await submit("send", n);
      const decision = { decision: "approve", digest: parked.approval.digest };
      await client("POST", `/v1/approvals/${parked.approval.id}/decision`, approverKey, decision);
      const answer = await client("GET", `/v1/calls/${parked.call}`, callerKey, undefined, { prefer: "wait=25" });
      if (answer.state !== "succeeded") throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
    };
    for (const callers of LEVELS) {
      const floor = await measured("floor", callers, gate, worker, () => client("GET", "/healthz"));
      const read = await measured("read_only", callers, gate, worker, (n) => ends("look", n));
      print({ bench: "call-poll", what: "ratio to the floor", callers, calls_per_second: round(read.calls_per_second / floor.calls_per_second), p50: round(read.p50_ms / floor.p50_ms) });
    }
    await measured("reversible_write", 8, gate, worker, (n) => ends("mark", n));
    await measured("consequential", 8, gate, worker, approved);
  } finally {
    await stopAll(gate.state);
  }
}

await main();
