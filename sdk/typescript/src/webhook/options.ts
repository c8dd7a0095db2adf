import { ConfigurationError } from "../errors.js";
import type { ContextDefinition } from "../grounding.js";
import type { Logger } from "../logger.js";
import type { Tool } from "../tool.js";
import type { CallMemory } from "./memory.js";
import type { SecretOption } from "./secret.js";

export interface WebhookOptions {
  readonly tools: readonly Tool[];
  readonly contexts?: readonly ContextDefinition[];
  /** The pool's signing secret, `whsec_…`; a list of the old and the new one while it is rotated. Never logged. */
  readonly secret: SecretOption;
  /** Where writes are remembered. Default: in this process, at most 50,000 of them, and 32 Mi characters of outcomes. */
  readonly memory?: CallMemory;
  /** How far a message's timestamp may be from this clock, both ways. Default 300. */
  readonly toleranceSeconds?: number;
  /** Default: warnings, errors and the main events to standard error. */
  readonly logger?: Logger;
}

export interface MountOptions extends WebhookOptions {
  /** Default `/toolgate`. */
  readonly path?: string;
}

const PATH = "/toolgate";
const TOLERANCE_SECONDS_MAX = 3_600;

export function checkWebhookOptions({ tools, toleranceSeconds: tolerance, memory }: WebhookOptions): void {
  if (!Array.isArray(tools)) throw new ConfigurationError("tools must be a list");
  if (tolerance !== undefined && !(Number.isInteger(tolerance) && tolerance >= 1 && tolerance <= TOLERANCE_SECONDS_MAX)) {
    throw new ConfigurationError(`toleranceSeconds must be a whole number from 1 to ${TOLERANCE_SECONDS_MAX}`);
  }
  if (memory !== undefined && (typeof memory?.get !== "function" || typeof memory.put !== "function")) {
    throw new ConfigurationError("memory must have the methods get and put");
  }
}

/** Characters that no router gives a meaning to. */
export function checkedPath(path: unknown = PATH): string {
  if (typeof path !== "string" || !/^\/[A-Za-z0-9/_.~-]*$/.test(path)) {
    throw new ConfigurationError(`path must begin with / and consist of A-Z a-z 0-9 / _ . ~ -; the default is ${PATH}`);
  }
  return path;
}
