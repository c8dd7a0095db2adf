// The process behind worker_process.mjs: the real SDK, with tools that write down what they do.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { runWorker, tool } from "@toolgate/sdk";

const { url, key, pool, concurrency, workerId, folder, tools, pollWaitSeconds } = JSON.parse(process.env.WORKER_SPEC);
const note = (line) => appendFileSync(join(folder, "journal"), `${line} ${process.pid}\n`);

/** Ends when the test has made the file. */
async function gate(name) {
  while (!existsSync(join(folder, name))) await pause(10);
}

const modes = {
  ok: () => undefined,
  throw: () => {
    throw Object.assign(new Error("the handler has thrown"), { code: "by_design" });
  },
  hang: () => new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1)),
  // A handler that takes its time, so that there is something in flight.
  slow: (ms) => pause(Number(ms)),
  gate: (name) => gate(name),
  gate_throw: (name) => gate(name).then(() => modes.throw()),
};

/** Waits for the abort of the call, and writes down that it came. */
function heed({ signal, callId, attempt }) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      note(`aborted ${callId} ${attempt}`);
      reject(signal.reason);
    });
  });
}

async function handler({ mode = "ok", note: word = "", ...args }, ctx) {
  note(`start ${ctx.callId} ${ctx.attempt}`);
  if (mode === "echo") return { ...args, type: typeof args.n, principal: ctx.principal };
  if (mode === "heed") return heed(ctx);
  if (mode === "large") return "x".repeat(Number(word));
  await modes[mode](word);
  note(`end ${ctx.callId} ${ctx.attempt}`);
  return { call: ctx.callId, pid: process.pid };
}

const input = { n: "integer?", mode: "string?", note: "string?", any: "json?" };
const worker = runWorker({
  baseUrl: url,
  apiKey: key,
  pool,
  concurrency,
  workerId,
  pollWaitSeconds,
  tools: tools.map(({ name, ...more }) => tool({ name, description: `The tool ${name}.`, input, handler, ...more })),
});
worker.ready.then(() => process.send?.("ready"), () => undefined);
worker.done.catch(() => undefined).finally(() => process.disconnect?.());
