import { monotonicMs, pause } from "./clock.js";
import { GatewayProblem } from "./errors.js";
import type { Gateway } from "./gateway.js";
import type { Intake } from "./intake.js";
import type { Jobs } from "./jobs.js";
import type { Logger } from "./logger.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import { readJobs, type Registration, type Wire } from "./wire.js";

export interface PollerOptions {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly intake: Intake;
  readonly jobs: Jobs;
  /** How many handlers could start now. */
  readonly freeSlots: () => number;
  readonly timing: Timing;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  /** Cuts the outstanding poll off, when the gateway has already forgotten it. */
  readonly cut: AbortSignal;
}

/** One long poll at a time, for as many jobs as can start at once, so that no claim waits in this process. */
export class Poller {
  readonly #options: PollerOptions;
  #waitSeconds: number;
  #failures = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#waitSeconds = options.timing.pollWaitSeconds;
  }

  /** Returns when the worker stops; rejects with a terminal fault. */
  async run(): Promise<void> {
    const { session, jobs, freeSlots, stopping } = this.#options;
    for (;;) {
      const registration = await session.current();
      await jobs.until(() => stopping.aborted || freeSlots() > 0);
      if (stopping.aborted) return;
      await this.#poll(registration);
    }
  }

  async #poll(registration: Registration): Promise<void> {
    const { gateway, intake, timing, logger, freeSlots, cut } = this.#options;
    const waitSeconds = Math.min(this.#waitSeconds, Math.max(1, Math.floor(registration.pollSeconds)));
    const body = JSON.stringify({ session: registration.session, max: freeSlots(), wait_seconds: waitSeconds } satisfies Wire["PollRequest"]);
    const sentAtMs = monotonicMs();
    try {
      const deadlineMs = (waitSeconds + timing.pollMarginSeconds) * 1_000;
      const reply = await gateway.post("claims", body, { deadlineMs, signal: cut });
      this.#failures = 0;
      if (reply !== undefined) intake.take(readJobs(reply, (reason) => logger.error("a job could not be read", { reason })));
    } catch (error) {
      await this.#afterFault(registration.session, error, monotonicMs() - sentAtMs);
    }
  }

  async #afterFault(session: string, error: unknown, tookMs: number): Promise<void> {
    const { timing, logger, stopping } = this.#options;
    const superseded = this.#options.session.supersession(session, error);
    if (superseded !== undefined) throw superseded;
    if (stopping.aborted) return;
    logger.warn("a poll failed", { reason: String(error) });
    const isRefused = error instanceof GatewayProblem && !error.isTemporary && error.status >= 400;
    // Whatever the refusal is, the registration says whether it is final.
    if (isRefused) this.#options.session.invalidate(session);
    const isForgotten = isRefused && error.code === "unknown_session" && this.#failures === 0;
    if (!isForgotten && !this.#wasCutByProxy(error, tookMs)) await pause(backoffMs(timing, this.#failures, error), stopping);
    this.#failures += 1;
  }

  // A proxy on the way ends idle requests sooner than we wait: wait less, and there is no fault.
  #wasCutByProxy(error: unknown, tookMs: number): boolean {
    if (!(error instanceof GatewayProblem) || error.status !== 504 || tookMs < 1_000) return false;
    this.#waitSeconds = Math.max(1, Math.floor(Math.min(this.#waitSeconds, tookMs / 1_000) / 2));
    this.#options.logger.warn("a proxy ends polls early; polling with a shorter wait", { waitSeconds: this.#waitSeconds });
    return true;
  }
}
