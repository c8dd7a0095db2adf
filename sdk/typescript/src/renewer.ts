import { CLAIMS_MAX } from "./limits.js";
import { monotonicMs } from "./clock.js";
import { GatewayProblem } from "./errors.js";
import type { Gateway } from "./gateway.js";
import type { Job, Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import { type ClaimAnswer, readClaimAnswers, type Wire } from "./wire.js";

const REQUEST_MS_MAX = 5_000;

export interface RenewerOptions {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly jobs: () => Jobs;
  readonly timing: Timing;
  readonly logger: Logger;
}

/** Renews all leases in one request when the first of them is a third over. It goes on while the worker drains. */
export class Renewer {
  readonly #options: RenewerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;
  #isClosed = false;
  #failures = 0;

  constructor(options: RenewerOptions) {
    this.#options = options;
  }

  /** Sets the timer anew; to be called whenever a held claim changed. */
  arm(): void {
    clearTimeout(this.#timer);
    if (this.#isSending || this.#isClosed) return;
    const dueMs = Math.min(...this.#renewable().map((job) => job.renewAtMs ?? Number.POSITIVE_INFINITY));
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => void this.#renew(), Math.max(0, dueMs - monotonicMs()));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #renew(): Promise<void> {
    const { gateway, session, timing, logger } = this.#options;
    // What does not fit is due still, and goes in the next request.
    const batch = this.#renewable()
      .sort((one, other) => (one.renewAtMs ?? 0) - (other.renewAtMs ?? 0))
      .slice(0, CLAIMS_MAX);
    this.#isSending = true;
    const sentAtMs = monotonicMs();
    try {
      const body = JSON.stringify({ session: session.latest?.session ?? "", claims: batch.map(({ claim }) => claim) } satisfies Wire["ClaimsRequest"]);
      const reply = await gateway.post("renewals", body, { deadlineMs: Math.min(REQUEST_MS_MAX, timing.requestSeconds * 1_000) });
      const answers = readClaimAnswers(reply, "claims");
      this.#failures = 0;
      for (const job of batch) this.#apply(job, answers.get(job.claim), sentAtMs);
    } catch (error) {
      logger.warn("leases were not renewed, trying again", { count: batch.length, reason: String(error) });
      const pauseMs = this.#pauseMs(error);
      for (const job of batch) if (job.renewAtMs !== undefined) job.renewAtMs = monotonicMs() + pauseMs;
      this.#failures += 1;
    }
    this.#isSending = false;
    this.arm();
  }

  #apply(job: Job, answer: ClaimAnswer | undefined, sentAtMs: number): void {
    if (job.renewAtMs === undefined) return;
    const fallbackSeconds = job.wire.leaseSeconds;
    if (answer === undefined) return job.leaseFrom(monotonicMs(), fallbackSeconds);
    if (answer.status === "renewed") {
      job.leaseFrom(sentAtMs, answer.leaseSeconds ?? fallbackSeconds);
      if (answer.cancelRequested) job.cancel("cancel_requested");
      return;
    }
    this.#options.logger.warn("a claim is no longer held", { ...job.label, status: answer.status });
    job.cancel(answer.status === "deadline_exceeded" ? "deadline_exceeded" : "claim_lost");
  }

  // A lease is at stake, so the pause stays short unless the gateway itself asks for more.
  #pauseMs(error: unknown): number {
    const short = { ...this.#options.timing, backoffMsMax: Math.min(this.#options.timing.backoffMsMax, 2_000) };
    return backoffMs(short, this.#failures, error instanceof GatewayProblem ? error : undefined);
  }

  #renewable(): Job[] {
    return [...this.#options.jobs().all].filter((job) => job.renewAtMs !== undefined);
  }
}
