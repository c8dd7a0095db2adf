import { ConfigurationError } from "./errors.js";
import type { Fetch } from "./exchange.js";
import type { ContextDefinition } from "./grounding.js";
import type { Logger } from "./logger.js";
import { checkPlainName } from "./names.js";
import type { Tool } from "./tool.js";

export interface WorkerOptions {
  /** Where the gateway is, e.g. `https://gate.example.com`. */
  readonly baseUrl: string;
  /** A worker key. Never logged. */
  readonly apiKey: string;
  /** When given, the worker refuses to start with a key of another org. */
  readonly orgId?: string;
  readonly pool: string;
  readonly tools: readonly Tool[];
  readonly contexts?: readonly ContextDefinition[];
  /** How many handlers may run at once. Default 16. */
  readonly concurrency?: number;
  /** Name of this replica; a newer process with the same name supersedes it. Default: a random one. */
  readonly workerId?: string;
  /** Default: warnings, errors and the main events to standard error. */
  readonly logger?: Logger;
  /** Stop on SIGTERM and SIGINT, where there are signals. Default true. */
  readonly handleSignals?: boolean;
  readonly fetch?: Fetch;
  /** How long `stop()` waits for handlers and results. Default 900, the longest execution deadline. */
  readonly drainTimeoutSeconds?: number;
  /** How long one idle poll may be held; less than any proxy on the way allows. Default 20, at most 25. */
  readonly pollWaitSeconds?: number;
}

export const CONCURRENCY = 16;
export const DRAIN_TIMEOUT_SECONDS = 900;
const POLL_WAIT_SECONDS_MAX = 25;
const CONCURRENCY_MAX = 1_000;

/** Faults that no retry can heal throw at once, where the mistake was made. */
export function checkOptions(options: WorkerOptions): void {
  checkConnection(options);
  checkPlainName(options.pool, "pool");
  if (!Array.isArray(options.tools)) throw new ConfigurationError("tools must be a list");
  checkWhole(options.concurrency, 1, CONCURRENCY_MAX, "concurrency");
  checkWhole(options.pollWaitSeconds, 1, POLL_WAIT_SECONDS_MAX, "pollWaitSeconds");
  const drain = options.drainTimeoutSeconds;
  if (drain !== undefined && !(drain >= 0 && drain <= 86_400)) throw new ConfigurationError("drainTimeoutSeconds must be from 0 to 86400");
  if (options.workerId !== undefined && !/^[A-Za-z0-9._:-]{1,100}$/.test(options.workerId)) {
    throw new ConfigurationError("workerId must be 1 to 100 of A-Z a-z 0-9 . _ : -");
  }
}

/** What every client of the gateway needs. */
export function checkConnection({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }): void {
  checkUrl(baseUrl);
  if (typeof apiKey !== "string" || apiKey === "") throw new ConfigurationError("apiKey is missing");
  // A line break at the end would make fetch throw an error that prints the whole header.
  if (!/^[A-Za-z0-9._~+/=-]+$/.test(apiKey)) throw new ConfigurationError("apiKey contains characters that no key has (a line break?)");
}

function checkUrl(baseUrl: unknown): void {
  let protocol = "";
  try {
    protocol = new URL(String(baseUrl)).protocol;
  } catch {
    // The check below says it.
  }
  if (protocol !== "https:" && protocol !== "http:") throw new ConfigurationError("baseUrl must be an http(s) URL");
}

export function checkWhole(value: number | undefined, min: number, max: number, where: string): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new ConfigurationError(`${where} must be a whole number from ${min} to ${max}`);
  }
}
