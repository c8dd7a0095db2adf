import { abortCode, type Input, runHandler } from "./handling.js";
import type { Job, Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Outbox } from "./outbox.js";

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

  start(job: Job, input: Input): void {
    void this.#run(job, input);
  }

  async #run(job: Job, input: Input): Promise<void> {
    const { jobs, outbox, logger } = this.#options;
    const outcome = await runHandler({
      ...input,
      tool: job.tool,
      call: job.wire,
      signal: job.abort.signal,
      onDeadline: () => this.#onDeadline(job),
      rules: { onLostActivity: (reason) => logger.warn("an activity was left out", { ...job.label, reason }) },
    });
    if (outcome !== undefined && !isRetriedElsewhere(job)) return outbox.add(job, outcome);
    logger.warn("an aborted call ends without a result", { ...job.label, reason: abortCode(job.abort.signal) });
    jobs.remove(job);
  }

  #onDeadline(job: Job): void {
    job.cancel("deadline_exceeded");
    job.isOverdue = true;
    this.#options.logger.warn("a handler runs beyond its deadline; its signal was aborted", job.label);
    this.#options.jobs.changed();
  }
}

// A read without its claim is the business of the attempt that has it; a write's result is the only evidence there is.
function isRetriedElsewhere(job: Job): boolean {
  return job.isForfeit && !job.isWrite;
}
