// Processes and folders of a benchmark: what was started ends with it, by pid, and what was written goes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const children = [];
const folders = [];
let stopping = Promise.resolve();

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]]) {
  process.once(signal, () => void stopAll().finally(() => process.exit(code)));
}

/** Ends what was started since the last time, and removes the folders. One at a time: a signal may come while it runs. */
export function stopAll() {
  stopping = stopping.then(stopNow);
  return stopping;
}

async function stopNow() {
  for (const child of children.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Where state goes. On a slow disk the disk is what is measured. */
export const stateFolder = process.env.BENCH_DIR ?? tmpdir();

/** A folder until `stopAll`. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(stateFolder, "toolgate-bench-"));
  folders.push(folder);
  return folder;
}

export function start(command, args, env) {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.setEncoding("utf8");
  children.push(child);
  return child;
}

/** The line of a child's output that holds this text. */
export function line(child, text) {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout.on("data", (chunk) => {
      seen += chunk;
      const found = seen.split("\n").slice(0, -1).find((candidate) => candidate.includes(text));
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code} before it said ${text}: ${seen}`)));
  });
}

/** All that a child says until it ends well. */
export function output(child) {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout.on("data", (chunk) => (seen += chunk));
    child.once("close", (code) => (code === 0 ? resolve(seen) : reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}: ${seen}`))));
  });
}
