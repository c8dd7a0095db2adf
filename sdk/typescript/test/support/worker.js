import { tool } from "../../dist/index.js";
import { startWorker } from "../../dist/run-worker.js";
import { DEFAULT_TIMING } from "../../dist/timing.js";
import { keyOf } from "./keys.js";
import { Network } from "./network.js";

const TIMING = { ...DEFAULT_TIMING, backoffMs: 4, backoffMsMax: 20, requestSeconds: 5 };

/** Keeps what is logged, and where a test can look for it. */
export class MemoryLogger {
  lines = [];
  #onLine;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  debug = (message, details) => this.#add("debug", message, details);
  info = (message, details) => this.#add("info", message, details);
  warn = (message, details) => this.#add("warn", message, details);
  error = (message, details) => this.#add("error", message, details);

  has(level, pattern) {
    return this.lines.some((line) => line.level === level && pattern.test(line.text));
  }

  #add(level, message, details) {
    this.lines.push({ level, text: `${message} ${JSON.stringify(details ?? {})}` });
    this.#onLine();
  }
}

/** A worker and the wire it hangs on. It is stopped when the test is over. */
export async function connect(t, handlers, { timing, ...options } = {}) {
  const network = await Network.start();
  const logger = new MemoryLogger(() => network.changed());
  const tools = Object.entries(handlers).map(([name, given]) => {
    const { handler, ...rest } = typeof given === "function" ? { handler: given } : given;
    return tool({ name, description: name, sideEffect: name.startsWith("write") ? "reversible_write" : "read_only", input: {}, handler, ...rest });
  });
  const worker = startWorker(
    { baseUrl: network.url, apiKey: keyOf("demo"), pool: "shop", tools, logger, handleSignals: false, drainTimeoutSeconds: 5, ...options },
    { ...TIMING, ...timing },
  );
  t.after(async () => {
    network.cut();
    await worker.stop();
    network.close();
  });
  return { network, worker, logger };
}

export const WRITE = { side_effect: "reversible_write", lease_seconds: 5 };
