// Processes that the tests start. Only these are ever ended, each by its own id.
import { once } from "node:events";

const started = new Set();

process.on("exit", () => endAll());

/** Ends what a failed test has left behind. */
export function endAll() {
  for (const child of started) end(child.pid);
}

/** Remembers a child until it has ended; `child.ended` tells how: `{ code, signal }`. */
export function own(child) {
  started.add(child);
  child.ended = once(child, "close").then(([code, signal]) => {
    started.delete(child);
    return { code, signal };
  });
  return child;
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
