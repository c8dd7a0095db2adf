import type { CallContext, Principal } from "./call-context.js";
import { monotonicMs } from "./clock.js";
import { CallAborted } from "./errors.js";
import type { Job, Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Outbox } from "./outbox.js";
import { type OutcomeText, returnedOutcome, thrownOutcome } from "./outcome.js";

export interface ExecutorOptions {
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly logger: Logger;
}

/** Runs handlers, each under its own deadline; one that hangs or throws touches no other. */
export class Executor {
  readonly #options: ExecutorOptions;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  start(job: Job, args: unknown, principal: Principal): void {
    const startedAtMs = monotonicMs();
    const deadlineMs = job.wire.deadlineSeconds * 1_000;
    const timer: unknown = setTimeout(() => this.#onDeadline(job), deadlineMs);
    // A handler that never ends must not keep a stopped process alive.
    if (hasUnref(timer)) timer.unref();
    const context: CallContext = {
      callId: job.wire.call,
      principal,
      attempt: job.wire.attempt,
      tool: job.tool.name,
      ...(job.wire.run === undefined ? {} : { run: job.wire.run }),
      signal: job.abort.signal,
      deadline: {
        seconds: job.wire.deadlineSeconds,
        remainingSeconds: () => Math.max(0, startedAtMs + deadlineMs - monotonicMs()) / 1_000,
      },
    };
    void this.#run(job, args, context).finally(() => clearTimeout(timer as ReturnType<typeof setTimeout>));
  }

  async #run(job: Job, args: unknown, context: CallContext): Promise<void> {
    const { jobs, outbox, logger } = this.#options;
    const outcome = await this.#outcome(job, args, context);
    if (outcome !== undefined) return outbox.add(job, outcome);
    logger.warn("an aborted call ends without a result", { ...job.label, reason: abortCode(job) });
    jobs.remove(job);
  }

  /** Undefined when there is nothing true to report. */
  async #outcome(job: Job, args: unknown, context: CallContext): Promise<OutcomeText | undefined> {
    try {
      const returned = await job.tool.handler(args, context);
      if (isRetriedElsewhere(job)) return undefined;
      return returnedOutcome(returned, (reason) => this.#options.logger.warn("an activity was left out", { ...job.label, reason }));
    } catch (thrown) {
      if (isRetriedElsewhere(job) || saysNothing(job, thrown)) return undefined;
      return thrownOutcome(thrown);
    }
  }

  #onDeadline(job: Job): void {
    job.cancel("deadline_exceeded");
    job.isOverdue = true;
    this.#options.logger.warn("a handler runs beyond its deadline; its signal was aborted", job.label);
    this.#options.jobs.changed();
  }
}

function abortCode(job: Job): string | undefined {
  const reason: unknown = job.abort.signal.reason;
  return reason instanceof CallAborted ? reason.code : undefined;
}

// A read without its claim is the business of the attempt that has it; a write's result is the only evidence there is.
function isRetriedElsewhere(job: Job): boolean {
  return job.isForfeit && !job.isWrite;
}

// An operation that we interrupted may have happened or not: calling that "failed" would invite a second try.
// After a requested cancellation the handler's error is its answer to the request.
function saysNothing(job: Job, thrown: unknown): boolean {
  const code = abortCode(job);
  if (code === undefined || code === "cancel_requested") return false;
  const reason: unknown = job.abort.signal.reason;
  return thrown === reason || (thrown instanceof Error && (thrown.name === "AbortError" || thrown.cause === reason));
}

// Browsers have numbers for timers.
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
