import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import workerd from "workerd";

/**
 * Bundles a Worker of test/fixtures and starts it on plain workerd with this configuration, which embeds "edge.js".
 * `log()` is all it wrote; `stop()` ends it.
 */
export async function startWorkerd(fixture, config, env) {
  const directory = mkdtempSync(join(tmpdir(), "toolgate-edge-"));
  const entry = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url));
  // "neutral" knows no module of Node: an import of one would fail here.
  await build({ entryPoints: [entry], bundle: true, format: "esm", platform: "neutral", outfile: join(directory, "edge.js"), logLevel: "silent" });
  writeFileSync(join(directory, "config.capnp"), config);
  const runtime = spawn(workerd.default ?? workerd, ["serve", join(directory, "config.capnp"), "--control-fd", "3"], {
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const watchers = [];
  let log = "";
  runtime.stderr.on("data", (chunk) => {
    log += chunk;
    for (const wake of watchers.splice(0)) wake();
  });
  let lines = "";
  let port;
  for await (const chunk of runtime.stdio[3]) {
    lines += chunk;
    port = /"event":"listen".*"port":(\d+)/.exec(lines)?.[1];
    if (port !== undefined) break;
  }
  assert.ok(port, `workerd listens: ${log}`);
  return {
    port,
    log: () => log,
    /** Resolves as soon as the runtime's standard error holds this. */
    async logged(pattern) {
      while (!pattern.test(log)) await new Promise((resolve) => watchers.push(resolve));
    },
    async stop() {
      const exit = once(runtime, "exit");
      runtime.kill("SIGKILL");
      await exit;
      rmSync(directory, { recursive: true });
    },
  };
}
