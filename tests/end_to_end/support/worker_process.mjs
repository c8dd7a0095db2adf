// A child process with the real SDK. Its handlers append `start <call> <attempt> <pid>` and `end …` to one journal.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { own } from "./processes.mjs";
import { within } from "./until.mjs";

const main = fileURLToPath(new URL("worker_main.mjs", import.meta.url));

/** One tool of each class. `mode` and `note` of a call say what its handler does: see worker_main.mjs. */
export const TOOLS = [
  { name: "look", sideEffect: "read_only" },
  { name: "edit", sideEffect: "reversible_write" },
  { name: "pay", sideEffect: "consequential" },
];
export const NAMES = TOOLS.map(({ name }) => name);

/** Workers that share a journal and gates. */
export class Crew {
  constructor(org, { url = org.gateway.url, tools = TOOLS } = {}) {
    this.org = org;
    this.url = url;
    this.tools = tools;
    this.folder = mkdtempSync(join(org.gateway.folder, "crew-"));
    writeFileSync(join(this.folder, "journal"), "");
  }

  /** A worker process that has registered. */
  async start({ concurrency = 16, url = this.url, tools = this.tools, key = this.org.worker.key, pool = "main", workerId, pollWaitSeconds } = {}) {
    const spec = { url, key, pool, concurrency, workerId, folder: this.folder, tools, pollWaitSeconds };
    const env = { ...process.env, WORKER_SPEC: JSON.stringify(spec) };
    const child = own(fork(main, [], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] }));
    child.log = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (child.log += text));
    const ended = child.ended.then(({ code, signal }) => Promise.reject(new Error(`a worker ended (${code ?? signal}) before it registered:\n${child.log}`)));
    ended.catch(() => undefined);
    await within("a worker registers", 20_000, Promise.race([once(child, "message"), ended]));
    return child;
  }

  /** Lets handlers go on that wait for this gate. */
  open(gate) {
    writeFileSync(join(this.folder, gate), "");
  }

  /** What happened so far: `{ what, call, attempt, pid }`, in order. */
  get journal() {
    const lines = readFileSync(join(this.folder, "journal"), "utf8").split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const [what, call, attempt, pid] = line.split(" ");
      return { what, call, attempt: Number(attempt), pid: Number(pid) };
    });
  }

  /** Starts of handlers by call id. */
  get starts() {
    const counts = new Map();
    for (const { what, call } of this.journal) if (what === "start") counts.set(call, (counts.get(call) ?? 0) + 1);
    return counts;
  }
}

/** Ends a worker process at this instant. */
export async function killWorker(child) {
  child.kill("SIGKILL");
  await within("a killed worker ends", 10_000, child.ended);
}

/** Ends a worker process by a drain; how it ended. */
export async function stopWorker(child, withinMs = 30_000) {
  child.kill("SIGTERM");
  return within("a stopped worker ends", withinMs, child.ended);
}
