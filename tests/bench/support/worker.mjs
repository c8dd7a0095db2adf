// The benchmark's worker: the real SDK in a process of its own, handlers that return at once.
import { runWorker, tool } from "@toolgate/sdk";

import { DESCRIPTION, INPUT, POOL, TOOLS } from "./tools.mjs";

const tools = Object.entries(TOOLS).map(([sideEffect, name]) =>
  tool({ name, description: DESCRIPTION, sideEffect, input: INPUT, handler: (given) => given }),
);

const worker = runWorker({ baseUrl: process.env.TOOLGATE_URL, apiKey: process.env.TOOLGATE_WORKER_KEY, pool: POOL, concurrency: 64, tools });
await worker.ready;
console.log("ready");
