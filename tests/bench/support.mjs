// Shared by the benchmarks: the built gateway on disk in a temporary folder, a bounded load loop, CPU from /proc.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ROOT_TOKEN = "a root token for benchmarks only";

const children = [];

/** Ends what was started, by pid, and removes the state. */
export async function stopAll(state) {
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  if (state) rmSync(state, { recursive: true, force: true });
}

export function start(command, args, env) {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

/** The line of a child's output that holds this text. */
export function line(child, text) {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout.on("data", (chunk) => {
      seen += chunk;
      const found = seen.split("\n").find((candidate) => candidate.includes(text));
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code} before it said ${text}: ${seen}`)));
  });
}

/** The gateway with an org, a pool and keys. */
export async function gateway() {
  const state = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), "toolgate-bench-"));
  const env = { TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: "a master key for benchmarks only, 32 bytes" };
  const served = start(join(ROOT, "scripts/serve"), ["--port", "0", "--state", state], env);
  const url = (await line(served, "listening on")).replace(/.*listening on /, "").trim();
  const pid = Number(readFileSync(join(state, "pid"), "utf8"));
  const client = caller(url);
  const made = await client("POST", "/v1/orgs", ROOT_TOKEN, { id: "bench" });
  const admin = made.admin_key;
  await client("PUT", "/v1/pools/bench", admin, { transport: "worker" });
  const key = async (body) => (await client("POST", "/v1/keys", admin, body)).key;
  return { state, url, pid, admin, client, key };
}

/** A keep-alive JSON client; an answer outside 2xx is an error. */
export function caller(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });
  const { hostname, port } = new URL(url);
  return (method, path, key, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const sent = { ...headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
      if (text !== undefined) Object.assign(sent, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
      const request = http.request({ agent, hostname, port, method, path, headers: sent }, (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (answer += chunk));
        response.on("end", () => {
          if (response.statusCode >= 300) return reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
          resolve(answer ? JSON.parse(answer) : undefined);
        });
      });
      request.on("error", reject);
      request.end(text);
    });
}

/** CPU time of a process and its threads, in milliseconds. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
export const round = (number) => Math.round(number * 1000) / 1000;

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
  return { calls: count, calls_per_second: round(count / seconds), p50_ms: round(at(latencies, 0.5)), p99_ms: round(at(latencies, 0.99)) };
}
