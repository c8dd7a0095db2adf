import { consoleLogger, guardedLogger } from "./logger.js";
import type { WorkerOptions } from "./options.js";
import { markExitFailed, onProcessExit, onStopSignal } from "./process.js";
import { DEFAULT_TIMING, type Timing } from "./timing.js";
import type { Registration } from "./wire.js";
import { Worker } from "./worker.js";

export interface RunningWorker {
  /** The first registration. Rejects if there is none: terminal fault, or stopped before. */
  readonly ready: Promise<Registration>;
  /** Resolves after a stop; rejects with a typed error when the worker failed for good, after it drained. */
  readonly done: Promise<void>;
  /** Goodbye, drain, return, flush; then it resolves. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Serves a pool from this process until it is stopped. A mistake in the options throws; a fault that shows later
 * (a refused key, a superseded worker) is logged, ends the worker and rejects `done`.
 */
export function runWorker(options: WorkerOptions): RunningWorker {
  return startWorker(options, { ...DEFAULT_TIMING, pollWaitSeconds: options.pollWaitSeconds ?? DEFAULT_TIMING.pollWaitSeconds });
}

export function startWorker(options: WorkerOptions, timing: Timing): RunningWorker {
  const worker = new Worker(options, timing);
  const logger = guardedLogger(options.logger ?? consoleLogger);
  const handlesSignals = options.handleSignals ?? true;
  const forgetSignals = handlesSignals ? onStopSignal(() => void worker.stop()) : () => {};
  const forgetExit = onProcessExit(() => {
    const calls = worker.jobs.unfinished;
    if (calls > 0) logger.error("the process exits without stop(); running calls are abandoned", { calls });
  });
  let isObserved = false;
  const done = worker.ended().then(() => {
    forgetSignals();
    forgetExit();
    if (worker.failure === undefined) return;
    if (!isObserved) markExitFailed();
    throw worker.failure;
  });
  // The failure is logged and marks the exit status. A rejection that nobody awaits would end a process that does other work too.
  done.catch(() => undefined);
  worker.ready.catch(() => undefined);
  return {
    ready: worker.ready,
    get done() {
      isObserved = true;
      return done;
    },
    stop: () => worker.stop(),
  };
}
