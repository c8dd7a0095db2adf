import { CallAborted } from "../errors.js";
import { abortCode, decodeInput, type Input, isWriteOf, runHandler } from "../handling.js";
import type { Logger } from "../logger.js";
import { errorOutcome, type OutcomeText, thrownOutcome } from "../outcome.js";
import { isStronger, type Tool } from "../tool.js";
import type { WireCall } from "../wire.js";
import { type CallMemory, RecentReads, STARTED } from "./memory.js";

export const WRITES_REMEMBERED = { entriesMax: 50_000, charactersMax: 32 * 1024 * 1024 };
export const READS_REMEMBERED = { entriesMax: 1_000, charactersMax: 8 * 1024 * 1024 };

export interface CallsOptions {
  readonly tools: readonly Tool[];
  /** Holds writes. What reads returned stays in this process: running one again changes nothing. */
  readonly memory: CallMemory;
  readonly rememberSeconds: number;
  readonly outcomeBytesMax: number;
  readonly logger: Logger;
}

/**
 * Runs calls, a write once: whoever asks again is given the outcome of the first time, or waits for it. A write is marked
 * before it starts, so that one whose outcome was lost (a crash, a failing memory) is not run again either.
 */
export class Calls {
  readonly #options: CallsOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #reads = new RecentReads(READS_REMEMBERED);
  readonly #running = new Map<string, Promise<OutcomeText | undefined>>();

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  /** Undefined when nothing true can be said: whether a write happened, or what an interrupted read would have found. */
  async outcome(call: WireCall, timestampSeconds: number): Promise<OutcomeText | undefined> {
    const tool = this.#tools.get(call.tool);
    if (tool === undefined) {
      this.#options.logger.error("a call for a tool that is not mounted here", { call: call.call, tool: call.tool });
      return errorOutcome(`this endpoint has no tool "${call.tool}"`, "unknown_tool");
    }
    // The gateway decided under a weaker class than this code declares: perhaps nobody was asked.
    if (isStronger(tool.sideEffect, call.sideEffect)) {
      this.#options.logger.error("the gateway knows an older definition; the call does not run", { call: call.call, tool: call.tool });
      return errorOutcome(`"${call.tool}" does more than the gateway knows of; it was not run`, "side_effect_changed");
    }
    let input: Input;
    try {
      input = decodeInput(tool, call);
    } catch (refusal) {
      return thrownOutcome(refusal);
    }
    // A retry of a read has a fresh timestamp and is to run; only the very same message is a repeat.
    const isWrite = isWriteOf(tool, call);
    const key = isWrite ? `write:${call.call}` : `read:${call.call}:${timestampSeconds}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const outcome = isWrite ? this.#write(key, tool, call, input) : this.#read(key, tool, call, input);
    this.#running.set(key, outcome);
    return outcome.finally(() => this.#running.delete(key));
  }

  async #read(key: string, tool: Tool, call: WireCall, input: Input): Promise<OutcomeText | undefined> {
    const stored = this.#reads.get(key);
    if (stored !== undefined) return stored;
    const outcome = await this.#run(tool, call, input);
    if (outcome !== undefined) this.#reads.put(key, outcome, this.#options.rememberSeconds);
    return outcome;
  }

  async #write(key: string, tool: Tool, call: WireCall, input: Input): Promise<OutcomeText | undefined> {
    const { memory, rememberSeconds, logger } = this.#options;
    const label = { call: call.call, tool: call.tool };
    let stored: string | undefined;
    try {
      stored = (await memory.get(key)) ?? undefined;
    } catch (fault) {
      // It may be a repeat of one that ran: whatever were signed now would be taken for its outcome.
      logger.error("the memory failed, so a write does not run, nor is said to have failed: it may have run before", { ...label, fault: faultName(fault) });
      return undefined;
    }
    if (stored === STARTED) {
      logger.warn("a write was sent again whose first outcome is not known; it does not run", label);
      return undefined;
    }
    if (stored !== undefined) return stored;
    try {
      await memory.put(key, STARTED, rememberSeconds);
    } catch (fault) {
      logger.error("the memory takes no more, so a write does not run", { ...label, fault: faultName(fault) });
      return errorOutcome("the endpoint cannot note that this write starts, so it did not run it", "memory_unavailable");
    }
    const outcome = await this.#run(tool, call, input);
    if (outcome === undefined) return undefined;
    try {
      await memory.put(key, outcome, rememberSeconds);
    } catch (fault) {
      logger.error("the memory failed after a write; a repeat of it will get no answer", { ...label, fault: faultName(fault) });
    }
    return outcome;
  }

  async #run(tool: Tool, call: WireCall, input: Input): Promise<OutcomeText | undefined> {
    const { logger, outcomeBytesMax: bytesMax } = this.#options;
    const label = { call: call.call, tool: call.tool };
    const abort = new AbortController();
    const outcome = await runHandler({
      ...input,
      tool,
      call,
      signal: abort.signal,
      onDeadline: () => {
        logger.warn("a handler runs beyond its deadline; its signal was aborted", label);
        abort.abort(new CallAborted("deadline_exceeded"));
      },
      rules: { bytesMax, onLostActivity: (reason) => logger.warn("an activity was left out", { ...label, reason }) },
    });
    if (outcome === undefined) logger.warn("an aborted call ends without a result", { ...label, reason: abortCode(abort.signal) });
    return outcome;
  }
}

// The message of somebody else's error may hold anything, a stored reply included.
function faultName(fault: unknown): string {
  return fault instanceof Error ? fault.name : typeof fault;
}
