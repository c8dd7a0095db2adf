import { monotonicMs, pause, settledWithin } from "./clock.js";
import { GatewayProblem, type SessionSuperseded, TransportError } from "./errors.js";
import type { Gateway } from "./gateway.js";
import type { Job, Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Outbox } from "./outbox.js";
import { errorOutcome } from "./outcome.js";
import type { Returns } from "./returns.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import { readClaimAnswers, type Wire } from "./wire.js";

export interface AcceptorOptions {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly returns: Returns;
  readonly timing: Timing;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly onSuperseded: (error: SessionSuperseded) => void;
}

/** A write and how to run it once it is accepted. */
export interface PendingWrite {
  readonly job: Job;
  readonly start: () => void;
}

/**
 * Asks for each write before its handler starts. The answer to the poll may have come late or twice over a bad line, so
 * only `accepted`, received within the accept window (the lease the job came with), lets a handler run. Accepting is
 * idempotent per claim and may be repeated in the window; after it the claim goes back, never started.
 */
export class Acceptor {
  readonly #options: AcceptorOptions;

  constructor(options: AcceptorOptions) {
    this.#options = options;
  }

  async accept(writes: readonly PendingWrite[]): Promise<void> {
    const windowMs = Math.min(...writes.map(({ job }) => job.wire.leaseSeconds)) * 1_000;
    const untilMs = Math.min(...writes.map(({ job }) => job.receivedAtMs)) + windowMs;
    let waiting = writes;
    for (let attempt = 0; waiting.length > 0 && monotonicMs() < untilMs; attempt += 1) {
      try {
        waiting = await this.#ask(waiting, untilMs, windowMs / 3);
      } catch (error) {
        if (!(await this.#mayAskAgain(error, attempt, untilMs))) break;
      }
    }
    if (waiting.length > 0) await this.#giveBack(waiting.map(({ job }) => job));
  }

  /** Starts what was accepted; answers with what was not answered in time. */
  async #ask(writes: readonly PendingWrite[], untilMs: number, patienceMs: number): Promise<readonly PendingWrite[]> {
    const { gateway, session, jobs, logger } = this.#options;
    const sentAtMs = monotonicMs();
    const body = JSON.stringify({ session: session.latest?.session ?? "", claims: writes.map(({ job }) => job.claim) } satisfies Wire["ClaimsRequest"]);
    const reply = await gateway.post("accepts", body, { deadlineMs: Math.min(untilMs - sentAtMs, patienceMs) });
    // The process may have stood still since: what the answer allowed may be over.
    if (monotonicMs() >= untilMs) return writes;
    const answers = readClaimAnswers(reply, "claims");
    for (const { job, start } of writes) {
      const answer = answers.get(job.claim);
      if (answer?.status === "accepted") {
        job.leaseFrom(sentAtMs, answer.leaseSeconds ?? session.latest?.leaseSeconds ?? job.wire.leaseSeconds);
        start();
      } else if (answer !== undefined) {
        logger.warn("a write was not accepted and does not start", { ...job.label, status: answer.status });
        jobs.remove(job);
      }
    }
    jobs.changed();
    const unanswered = writes.filter(({ job }) => !answers.has(job.claim));
    if (unanswered.length > 0 && unanswered.length === writes.length) throw new TransportError("accepts: the answer leaves the claims out");
    return unanswered;
  }

  async #mayAskAgain(error: unknown, attempt: number, untilMs: number): Promise<boolean> {
    const { session, timing, logger, stopping, onSuperseded } = this.#options;
    logger.warn("accept was not answered", { reason: String(error) });
    const current = session.latest?.session ?? "";
    const superseded = session.supersession(current, error);
    if (superseded !== undefined) {
      onSuperseded(superseded);
      return false;
    }
    if (error instanceof GatewayProblem && !error.isTemporary) {
      if (error.code !== "unknown_session" || stopping.aborted) return false;
      session.invalidate(current);
      return settledWithin(session.current(), untilMs - monotonicMs());
    }
    await pause(Math.min(backoffMs(timing, attempt, error), Math.max(0, untilMs - monotonicMs())));
    return true;
  }

  async #giveBack(jobs: readonly Job[]): Promise<void> {
    const { outbox, returns, logger } = this.#options;
    for (const job of jobs) job.hasEnded = true;
    this.#options.jobs.changed();
    const answers = await returns.giveBack(jobs.map(({ claim }) => claim));
    for (const job of jobs) {
      const status = answers.get(job.claim)?.status;
      logger.warn("a write did not start: its accept was not answered in time", { ...job.label, status: status ?? "unanswered" });
      // The gateway counts it as started. Only this process knows that it never was, and says so.
      if (status === "already_accepted") outbox.add(job, errorOutcome("the handler was not started: the worker did not learn in time that it may", "not_started"));
      else this.#options.jobs.remove(job);
    }
  }
}
