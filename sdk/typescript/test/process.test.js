import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { keyOf } from "./support/keys.js";
import { deferred, job, Network, problem } from "./support/network.js";

function run(t, fixture, environment = {}) {
  const path = fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url));
  const child = spawn(process.execPath, [path], { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  return { child, exit: once(child, "close"), output: () => output, errors: () => errors };
}

for (const signal of ["SIGTERM", "SIGINT"]) {
  test(`${signal} drains the worker, and the process ends by itself`, async (t) => {
    const network = await Network.start();
  t.after(() => network.close());
    const { child, exit, output, errors } = run(t, "worker.js", { TOOLGATE_URL: network.url, TOOLGATE_KEY: keyOf("demo") });
    network.push(job("until_goodbye"));
    await network.until(() => network.sent("claims").length === 2);
    child.kill(signal);
    await network.until(() => network.isGone);
    await network.until(() => network.results.length === 1);
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(network.results.map(({ result }) => result), ["drained"]);
    assert.equal(output(), "", "standard output belongs to the program");
    assert.match(errors(), /has stopped/);
  });
}

test("a second signal ends the process at once", async (t) => {
  const network = await Network.start();
  t.after(() => network.close());
  const { child, exit, errors } = run(t, "worker.js", { TOOLGATE_URL: network.url, TOOLGATE_KEY: keyOf("demo") });
  network.push(job("hang"));
  await network.until(() => network.sent("claims").length === 2);
  child.kill("SIGTERM");
  await network.until(() => network.isGone);
  child.kill("SIGTERM");
  assert.deepEqual(await exit, [null, "SIGTERM"]);
  assert.equal(errors().includes(keyOf("demo")), false);
});

test("a failure that nobody awaits is logged and marks the exit status", async (t) => {
  const network = await Network.start();
  t.after(() => network.close());
  network.on("workers", problem(401, "unauthenticated"));
  const { exit, errors } = run(t, "worker.js", { TOOLGATE_URL: network.url, TOOLGATE_KEY: keyOf("demo") });
  assert.deepEqual(await exit, [1, null]);
  assert.match(errors(), /toolgate error: the worker has failed.*key_refused/);
  assert.equal(errors().includes(keyOf("demo")), false);
});

test("a process that exits without stop() says that calls are abandoned", async (t) => {
  const network = await Network.start();
  t.after(() => network.close());
  network.push(job("exit"));
  const { exit, errors } = run(t, "worker.js", { TOOLGATE_URL: network.url, TOOLGATE_KEY: keyOf("demo") });
  assert.deepEqual(await exit, [3, null]);
  assert.match(errors(), /exits without stop\(\).*"calls":1/);
});

test("where there is no process, the package loads and a worker runs", async (t) => {
  const network = await Network.start();
  t.after(() => network.close());
  const started = deferred();
  network.on("goodbyes", (exchange) => (network.behave(exchange), started.resolve()));
  const { exit, output, errors } = run(t, "no-process.js", { TOOLGATE_URL: network.url, TOOLGATE_KEY: keyOf("demo") });
  await started.promise;
  assert.deepEqual(await exit, [0, null], errors());
  assert.match(output(), /registered session-1/);
});
