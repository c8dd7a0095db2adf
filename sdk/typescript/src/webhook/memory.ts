import { monotonicMs } from "../clock.js";

/**
 * Where writes are remembered, so that a message which arrives twice runs once: a store that all instances of the
 * endpoint share (Redis, a database, KV). Values are short JSON texts of up to 1 MiB. An error keeps a write from running:
 * one of `put` fails the call as `memory_unavailable`, one of `get` leaves it without an answer, for it may have run before.
 */
export interface CallMemory {
  /** What was put under this key; undefined or null when nothing was, or its time is over. */
  get(key: string): Promise<string | null | undefined>;
  /** Replaces what was there. It may be forgotten after `seconds`, and not before. */
  put(key: string, value: string, seconds: number): Promise<unknown>;
}

/** What stands under the key of a write from before its handler starts until its outcome is stored, or once that is dropped. */
export const STARTED = "started";

export interface MemoryLimits {
  readonly entriesMax: number;
  /** Of outcomes; that a write was started costs none. */
  readonly charactersMax: number;
}

interface Entry {
  readonly value: string;
  readonly untilMs: number;
}

/**
 * Remembers writes within this process. That one was started is never forgotten before its time: where there is no room for
 * one more, `put` fails, so that it does not run. Outcomes go early when their room is needed, the oldest first.
 */
export class ProcessMemory implements CallMemory {
  readonly #limits: MemoryLimits;
  readonly #nowMs: () => number;
  // In the order of the last put.
  readonly #entries = new Map<string, Entry>();
  /** The keys whose outcome is here, in the same order. */
  readonly #outcomes = new Set<string>();
  #characters = 0;

  constructor(limits: MemoryLimits, nowMs = monotonicMs) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#nowMs() < entry.untilMs ? entry.value : undefined;
  }

  async put(key: string, value: string, seconds: number): Promise<void> {
    this.#forgetOld();
    const { entriesMax, charactersMax } = this.#limits;
    if (!this.#entries.has(key) && this.#entries.size >= entriesMax) throw new RangeError(`${entriesMax} writes are remembered already`);
    this.#drop(key);
    const untilMs = this.#nowMs() + seconds * 1_000;
    const isKept = value !== STARTED && value.length <= charactersMax;
    this.#entries.set(key, { value: isKept ? value : STARTED, untilMs });
    if (!isKept) return;
    this.#outcomes.add(key);
    this.#characters += value.length;
    for (const oldest of this.#outcomes) {
      if (this.#characters <= charactersMax) break;
      this.#dropOutcome(oldest);
    }
  }

  #forgetOld(): void {
    for (const [oldest, { untilMs }] of this.#entries) {
      if (this.#nowMs() < untilMs) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#dropOutcome(key);
    this.#entries.delete(key);
  }

  /** It stays known that the write was started. */
  #dropOutcome(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#outcomes.delete(key)) return;
    this.#characters -= entry.value.length;
    this.#entries.set(key, { value: STARTED, untilMs: entry.untilMs });
  }
}

/** Remembers what reads returned, within this process. Beyond its limits the oldest go first: a read may run again. */
export class RecentReads {
  readonly #limits: MemoryLimits;
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(limits: MemoryLimits, nowMs = monotonicMs) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#nowMs() < entry.untilMs ? entry.value : undefined;
  }

  put(key: string, value: string, seconds: number): void {
    this.#drop(key);
    this.#entries.set(key, { value, untilMs: this.#nowMs() + seconds * 1_000 });
    this.#characters += key.length + value.length;
    for (const [oldest, entry] of this.#entries) {
      const isOver = this.#entries.size > this.#limits.entriesMax || this.#characters > this.#limits.charactersMax;
      if (!isOver && this.#nowMs() < entry.untilMs) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#characters -= key.length + entry.value.length;
  }
}
