// The example Worker of a customer (examples/edge-shop) on plain workerd, over HTTP on a port of this machine.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { own } from "./processes.mjs";
import { within } from "./until.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const START_MS = 20_000;

/** What the runtime must never say. */
const FAULTS = /panicked|unreachable|uncaught|RuntimeError|memory access out of bounds/i;

/** The runtime's own program, not npm's wrapper around it: signals must reach the real process. */
function workerd() {
  const scope = join(root, "node_modules/@cloudflare");
  const found = readdirSync(scope).find((name) => name.startsWith("workerd-"));
  if (found === undefined) throw new Error("npm has no workerd for this machine");
  return join(scope, found, "bin/workerd");
}

/**
 * Builds the example where needed and starts it. `secret` is what stands in TOOLGATE_WEBHOOK_SECRET: one `whsec_…`, or
 * two with a comma between; `paymentMs` is how long a refund takes. Resolves to `{ port, stop, log, runs }`: `log()` is all it wrote, `runs()` resolves to the
 * calls whose handler it started, `{ tool, call, attempt }` each, oldest first.
 */
export async function startEdgeShop({ secret, paymentMs = 0 }) {
  execFileSync(join(root, "scripts/build-example"), ["edge-shop"], { stdio: ["ignore", "ignore", "inherit"] });
  const args = ["serve", join(root, "examples/edge-shop/config.capnp"), "--socket-addr", "http=127.0.0.1:0", "--control-fd=3"];
  const env = { ...process.env, TOOLGATE_WEBHOOK_SECRET: secret, EDGE_SHOP_PAYMENT_MS: String(paymentMs) };
  const child = own(spawn(workerd(), args, { env, stdio: ["ignore", "pipe", "pipe", "pipe"] }));
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
  const listening = new Promise((resolve, reject) => {
    createInterface({ input: child.stdio[3] }).on("line", (line) => {
      const said = JSON.parse(line);
      if (said.event === "listen" && said.socket === "http") resolve(said.port);
    });
    void child.ended.then(() => reject(new Error(`the example ended before it listened:\n${log}`)));
  });
  const port = await within("the example listens", START_MS, listening);
  return {
    port,
    log: () => log,
    runs: async () => (await fetch(`http://127.0.0.1:${port}/runs`)).json(),
    /** Ends it, and fails if it ever said something that it must not. */
    stop: async () => {
      child.kill("SIGKILL");
      await within("the example ends", START_MS, child.ended);
      const faults = log.split("\n").filter((line) => FAULTS.test(line));
      if (faults.length > 0) throw new Error(`the example wrote:\n${faults.slice(0, 20).join("\n")}`);
    },
  };
}
