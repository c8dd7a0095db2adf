import type { Acceptor, PendingWrite } from "./acceptor.js";
import type { Executor } from "./executor.js";
import { decodeInput, type Input } from "./handling.js";
import { Job, type Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Outbox } from "./outbox.js";
import { thrownOutcome } from "./outcome.js";
import type { Returns } from "./returns.js";
import type { Tool } from "./tool.js";
import type { WireJob } from "./wire.js";

export interface IntakeOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly jobs: Jobs;
  readonly acceptor: Acceptor;
  readonly executor: Executor;
  readonly outbox: Outbox;
  readonly returns: Returns;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** What happens to the jobs of a poll: a read starts, a write asks first, what cannot run here goes back. */
export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  take(wires: readonly WireJob[]): void {
    const { tools, jobs, acceptor, returns, logger, stopping } = this.#options;
    const unwanted: string[] = [];
    const writes: PendingWrite[] = [];
    for (const wire of wires) {
      if (jobs.has(wire.claim)) continue;
      const tool = tools.get(wire.tool);
      if (tool === undefined) logger.error("a job for a tool that this worker does not have", { call: wire.call, tool: wire.tool });
      if (tool === undefined || stopping.aborted) unwanted.push(wire.claim);
      else this.#begin(new Job(wire, tool), writes);
    }
    if (unwanted.length > 0) void returns.giveBack(unwanted);
    if (writes.length > 0) void acceptor.accept(writes);
  }

  #begin(job: Job, writes: PendingWrite[]): void {
    const { jobs, executor, outbox } = this.#options;
    jobs.add(job);
    let input: Input;
    try {
      input = decodeInput(job.tool, job.wire);
    } catch (refusal) {
      return outbox.add(job, thrownOutcome(refusal));
    }
    const start = () => executor.start(job, input);
    if (job.isWrite) {
      writes.push({ job, start });
      return;
    }
    job.leaseFrom(job.receivedAtMs, job.wire.leaseSeconds);
    start();
    jobs.changed();
  }
}
