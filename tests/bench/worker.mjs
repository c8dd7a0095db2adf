// The benchmark's worker: the real SDK in a process of its own, handlers that return at once.
import { runWorker, tool } from "@toolgate/sdk";

const input = { city: "string", unit: "string", n: "integer" };
const make = (name, sideEffect) =>
  tool({ name, description: "Returns what it is given.", sideEffect, input, handler: (given) => given });

const worker = runWorker({
  baseUrl: process.env.TOOLGATE_URL,
  apiKey: process.env.TOOLGATE_WORKER_KEY,
  pool: "bench",
  concurrency: 64,
  tools: [make("look", "read_only"), make("mark", "reversible_write"), make("send", "consequential")],
});
await worker.ready;
console.log("ready");
