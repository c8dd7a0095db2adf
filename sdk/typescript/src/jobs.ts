import { monotonicMs } from "./clock.js";
import { type AbortCode, CallAborted } from "./errors.js";
import { isWriteOf } from "./handling.js";
import type { Tool } from "./tool.js";
import type { WireJob } from "./wire.js";

/** One claim that this worker holds, from the poll that brought it until its result was answered. */
export class Job {
  readonly abort = new AbortController();
  readonly receivedAtMs = monotonicMs();
  readonly isWrite: boolean;
  /** When the next renewal is due; undefined while there is nothing to renew. */
  renewAtMs: number | undefined;
  /** The claim is gone or the deadline has passed: the outcome is no longer awaited by anybody, only recorded. */
  isForfeit = false;
  /** Its handler outlived the deadline and no longer keeps others from running. */
  isOverdue = false;
  hasEnded = false;

  constructor(
    readonly wire: WireJob,
    readonly tool: Tool,
  ) {
    this.isWrite = isWriteOf(tool, wire);
  }

  get claim(): string {
    return this.wire.claim;
  }

  /** For log lines: what names the job, and none of its data. */
  get label(): { call: string; tool: string } {
    return { call: this.wire.call, tool: this.wire.tool };
  }

  leaseFrom(atMs: number, leaseSeconds: number): void {
    this.renewAtMs = atMs + (leaseSeconds * 1_000) / 3;
  }

  cancel(code: AbortCode): void {
    if (code === "claim_lost" || code === "deadline_exceeded") {
      this.isForfeit = true;
      this.renewAtMs = undefined;
    }
    if (!this.hasEnded && !this.abort.signal.aborted) this.abort.abort(new CallAborted(code));
  }
}

/** All held claims. Whoever changes one calls `changed`, and every waiter looks again. */
export class Jobs {
  readonly #held = new Map<string, Job>();
  #waiters: (() => void)[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get all(): Iterable<Job> {
    return this.#held.values();
  }

  /** Handlers that count against the concurrency. */
  get busy(): number {
    return this.#count((job) => !job.hasEnded && !job.isOverdue);
  }

  /** Handlers that have not ended. */
  get unfinished(): number {
    return this.#count((job) => !job.hasEnded);
  }

  has(claim: string): boolean {
    return this.#held.has(claim);
  }

  add(job: Job): void {
    this.#held.set(job.claim, job);
    this.changed();
  }

  remove(job: Job): void {
    job.hasEnded = true;
    this.#held.delete(job.claim);
    this.changed();
  }

  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
    this.#onChange();
  }

  /** Resolves when `condition` holds. It is looked at after every change, so whoever alters what it reads calls `changed`. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #count(matches: (job: Job) => boolean): number {
    let count = 0;
    for (const job of this.#held.values()) if (matches(job)) count += 1;
    return count;
  }
}
