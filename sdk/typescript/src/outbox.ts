import { pause } from "./clock.js";
import { GatewayProblem } from "./errors.js";
import type { Gateway } from "./gateway.js";
import type { Job, Jobs } from "./jobs.js";
import { exactJsonText } from "./json/write.js";
import type { Logger } from "./logger.js";
import { errorOutcome, type OutcomeText, shortenedOutcome } from "./outcome.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import { type ClaimAnswer, readClaimAnswers } from "./wire.js";

const BATCH_ENTRIES_MAX = 100;
const BATCH_CHARACTERS_MAX = 512 * 1024;
/** Several, so that one swallowed answer does not hold up every other result. */
const REQUESTS_MAX = 4;

interface Entry {
  readonly job: Job;
  outcome: OutcomeText;
  /** The gateway refused a batch with this one in it: it travels alone from then on. */
  isAlone: boolean;
  /** Its own outcome was refused; what is sent now says so. */
  isReplaced: boolean;
}

export interface OutboxOptions {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly jobs: Jobs;
  readonly timing: Timing;
  readonly logger: Logger;
  /** Aborted when the drain time is over. */
  readonly givingUp: AbortSignal;
  /** The gateway refused the key for good, so that nothing can be delivered. */
  readonly isKeyRefused: () => boolean;
}

/**
 * Results on their way. Each is sent until it is answered: the gateway recognises a repeat by its claim, so a lost
 * answer costs a repetition and never an outcome. A job stays held, and renewed, until then.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #queue: Entry[] = [];
  #requests = 0;
  #size = 0;
  #isPumpDue = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Results without an answer. */
  get size(): number {
    return this.#size;
  }

  add(job: Job, outcome: OutcomeText): void {
    job.hasEnded = true;
    this.#size += 1;
    this.#enqueue({ job, outcome, isAlone: false, isReplaced: false });
    this.#options.jobs.changed();
  }

  #enqueue(entry: Entry): void {
    this.#queue.push(entry);
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    // Handlers that end in the same turn share a request.
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#requests < REQUESTS_MAX) {
      this.#requests += 1;
      void this.#send(this.#takeBatch()).finally(() => {
        this.#requests -= 1;
        this.#pump();
      });
    }
  }

  #takeBatch(): Entry[] {
    let count = 0;
    let characters = 0;
    for (const { outcome, isAlone } of this.#queue) {
      characters += outcome.length;
      if (count > 0 && (isAlone || count >= BATCH_ENTRIES_MAX || characters > BATCH_CHARACTERS_MAX)) break;
      count += 1;
      if (isAlone) break;
    }
    return this.#queue.splice(0, count);
  }

  async #send(batch: Entry[]): Promise<void> {
    const { gateway, session, timing, logger, givingUp, isKeyRefused } = this.#options;
    let waiting = batch;
    for (let attempt = 0; !givingUp.aborted; attempt += 1) {
      let fault: unknown;
      try {
        const body = bodyOf(session.latest?.session ?? "", waiting);
        const reply = await gateway.post("results", body, { deadlineMs: timing.requestSeconds * 1_000, signal: givingUp });
        const answers = readClaimAnswers(reply, "results");
        waiting = waiting.filter((entry) => !this.#settle(entry, answers.get(entry.job.claim)));
        if (waiting.length === 0) return;
        fault = "the answer leaves claims out";
      } catch (error) {
        if (isRefusal(error)) return this.#afterRefusal(waiting, error);
        if (isKeyRefused() && isUnauthorised(error)) break;
        fault = error;
      }
      logger.warn("results are not answered, sending them again", { count: waiting.length, reason: String(fault) });
      await pause(backoffMs(timing, attempt, fault), givingUp);
    }
    for (const entry of waiting) this.#drop(entry, "a result could not be delivered");
  }

  #settle({ job }: Entry, answer: ClaimAnswer | undefined): boolean {
    if (answer === undefined) return false;
    const details = { ...job.label, status: answer.status };
    if (answer.status === "recorded" || answer.status === "repeated") this.#options.logger.debug("result answered", details);
    else this.#options.logger.warn("the result came too late for its claim", details);
    this.#remove(job);
    return true;
  }

  // One result that the gateway cannot take must not keep the others from arriving.
  #afterRefusal(batch: readonly Entry[], problem: GatewayProblem): void {
    for (const entry of batch) {
      if (batch.length > 1) {
        this.#enqueue({ ...entry, isAlone: true });
      } else if (entry.isReplaced) {
        this.#drop(entry, `the gateway refused a result: ${problem.message}`);
      } else {
        this.#options.logger.error("the gateway refused a result", { ...entry.job.label, reason: problem.message });
        this.#enqueue({ ...entry, outcome: replacement(entry.outcome, problem), isAlone: true, isReplaced: true });
      }
    }
  }

  #drop({ job }: Entry, reason: string): void {
    this.#options.logger.error(reason, job.label);
    this.#remove(job);
  }

  #remove(job: Job): void {
    this.#size -= 1;
    this.#options.jobs.remove(job);
  }
}

function bodyOf(session: string, entries: readonly Entry[]): string {
  const results = entries.map(({ job, outcome }) => `{"claim":${exactJsonText(job.claim)},${outcome}}`);
  return `{"session":${exactJsonText(session)},"results":[${results.join(",")}]}`;
}

function replacement(outcome: OutcomeText, problem: GatewayProblem): OutcomeText {
  const shortened = problem.status === 413 ? shortenedOutcome(outcome) : outcome;
  if (shortened !== outcome) return shortened;
  return errorOutcome(`the handler finished, but the gateway refused its result: ${problem.message}`, "result_refused");
}

function isUnauthorised(error: unknown): boolean {
  return error instanceof GatewayProblem && (error.status === 401 || error.status === 403);
}

/** Refused because of what was sent; other refusals may pass when the gateway, its route or the session is back. */
function isRefusal(error: unknown): error is GatewayProblem {
  return error instanceof GatewayProblem && !error.isTemporary && [400, 413, 422].includes(error.status);
}
