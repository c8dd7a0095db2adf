// The built gateway on the real runtime, with its state on disk.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { endAll, own } from "./processes.mjs";
import { within } from "./until.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const START_MS = 60_000;

export const ROOT_TOKEN = "root-token-of-the-end-to-end-tests";
const MASTER_KEY = "a-master-key-of-the-end-to-end-tests-0123456789";

/** What the runtime must never say, whatever is done to it. */
const FAULTS = /panicked|unreachable|uncaught|RuntimeError|a step was undone|cannot start|does not parse|memory access out of bounds/i;

export class Gateway {
  /** All that the runtime and its script have written, over all restarts. */
  log = "";
  #child;
  #port = 0;
  #state;
  #options = [];

  /** A gateway on a free port with a state folder of its own; `internet` (see internet.mjs) is where its requests go. */
  static async start({ internet, vars = {} } = {}) {
    const gateway = new Gateway();
    for (const [name, value] of Object.entries(vars)) gateway.#options.push("--var", `${name}=${value}`);
    if (internet !== undefined) gateway.#options.push("--internet", internet.address, "--ca", internet.caFile);
    gateway.#state = await mkdtemp(join(tmpdir(), "toolgate-e2e-"));
    await gateway.start();
    return gateway;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A folder for files of the test; removed with the state. */
  get folder() {
    return this.#state;
  }

  /** What the runtime keeps on disk. */
  get storage() {
    return join(this.#state, "gateway");
  }

  /** Starts it again on the same state and port. */
  async start() {
    const args = ["--port", String(this.#port), "--state", this.storage, ...this.#options];
    const env = { ...process.env, TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: MASTER_KEY };
    this.#child = own(spawn(join(root, "scripts/serve"), args, { env, stdio: ["ignore", "pipe", "pipe"] }));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.log += text));
    const ready = new Promise((resolve, reject) => {
      let said = "";
      this.#child.stdout.setEncoding("utf8").on("data", (text) => {
        this.log += text;
        said += text;
        const found = said.match(/listening on http:\/\/127\.0\.0\.1:(\d+)\n/);
        if (found) resolve(Number(found[1]));
      });
      void this.#child.ended.then(() => reject(new Error(`the gateway ended before it listened:\n${this.log}`)));
    });
    this.#port = await within("the gateway listens", START_MS, ready);
  }

  /** The runtime itself dies at this instant; resolves when nothing of it runs any more. */
  async kill() {
    const pid = Number(await readFile(join(this.storage, "pid"), "utf8"));
    process.kill(pid, "SIGKILL");
    await within("the killed gateway ends", 10_000, this.#child.ended);
  }

  async killAndRestart() {
    await this.kill();
    await this.start();
  }

  /** Ends it, and fails if it ever said something that it must not. `expects`: what a test has made it say. */
  async stop({ expects } = {}) {
    this.#child.kill("SIGTERM");
    await within("the gateway ends", 20_000, this.#child.ended).finally(endAll);
    await rm(this.#state, { recursive: true, force: true });
    const faults = this.log.split("\n").filter((line) => FAULTS.test(line) && expects?.test(line) !== true);
    if (faults.length > 0) throw new Error(`the gateway wrote:\n${faults.slice(0, 20).join("\n")}`);
  }
}
