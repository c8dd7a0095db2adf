import { monotonicMs, pause } from "./clock.js";
import type { Gateway } from "./gateway.js";
import type { Logger } from "./logger.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import { type ClaimAnswer, readClaimAnswers, type Wire } from "./wire.js";

export interface ReturnsOptions {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly timing: Timing;
  readonly logger: Logger;
  readonly givingUp: AbortSignal;
  readonly onChange: () => void;
}

/** Hands claims back whose handlers have not started, so that another worker has them before the lease lapses. */
export class Returns {
  readonly #options: ReturnsOptions;
  #open = 0;

  constructor(options: ReturnsOptions) {
    this.#options = options;
  }

  /** Returns that are still under way. */
  get size(): number {
    return this.#open;
  }

  /** What was answered per claim; nothing for a claim when it was not possible to ask in time. */
  async giveBack(claims: readonly string[]): Promise<Map<string, ClaimAnswer>> {
    this.#open += 1;
    try {
      return await this.#send(claims);
    } finally {
      this.#open -= 1;
      this.#options.onChange();
    }
  }

  async #send(claims: readonly string[]): Promise<Map<string, ClaimAnswer>> {
    const { gateway, session, timing, logger, givingUp } = this.#options;
    const untilMs = monotonicMs() + timing.returnSeconds * 1_000;
    const body = JSON.stringify({ session: session.latest?.session ?? "", claims } satisfies Wire["ClaimsRequest"]);
    for (let attempt = 0; monotonicMs() < untilMs && !givingUp.aborted; attempt += 1) {
      try {
        const reply = await gateway.post("returns", body, { deadlineMs: timing.requestSeconds * 1_000, signal: givingUp });
        const answers = readClaimAnswers(reply, "claims");
        logger.info("returned what had not started", { claims: claims.length });
        return answers;
      } catch (error) {
        logger.warn("claims could not be returned yet", { count: claims.length, reason: String(error) });
        await pause(backoffMs(timing, attempt, error), givingUp);
      }
    }
    return new Map();
  }
}
