import { monotonicMs } from "../clock.js";

/**
 * Where writes are remembered, so that a message which arrives twice runs once: a store that all instances of the
 * endpoint share (Redis, a database, KV). Values are short JSON texts of up to 1 MiB. An error keeps a write from running.
 */
export interface CallMemory {
  /** What was put under this key; undefined or null when nothing was, or its time is over. */
  get(key: string): Promise<string | null | undefined>;
  /** Replaces what was there. It may be forgotten after `seconds`, and not before. */
  put(key: string, value: string, seconds: number): Promise<unknown>;
}

export interface ProcessMemoryLimits {
  readonly entriesMax: number;
  readonly charactersMax: number;
}

interface Entry {
  readonly value: string;
  readonly untilMs: number;
}

/** Remembers within this process. Beyond its limits the oldest entries go first, whatever their time. */
export class ProcessMemory implements CallMemory {
  readonly #limits: ProcessMemoryLimits;
  readonly #nowMs: () => number;
  // In the order of the last put.
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(limits: ProcessMemoryLimits, nowMs = monotonicMs) {
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
