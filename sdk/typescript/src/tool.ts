import type { CallContext } from "./call-context.js";
import { ConfigurationError } from "./errors.js";
import { type FieldMap, parseFieldType } from "./fields.js";
import type { ArgumentsOf, IntegerMode } from "./inference.js";
import * as limits from "./limits.js";
import { checkFieldName, checkToolName } from "./names.js";

export type SideEffect = "read_only" | "reversible_write" | "consequential";

const SIDE_EFFECTS: readonly string[] = ["read_only", "reversible_write", "consequential"] satisfies SideEffect[];

/** Whether one class does more to the world than another; any class is stronger than one that this version does not know. */
export function isStronger(one: SideEffect, other: string): boolean {
  return SIDE_EFFECTS.indexOf(one) > SIDE_EFFECTS.indexOf(other);
}

export interface Routing {
  readonly keywords?: readonly string[];
  /** Regular expressions of the gateway's linear-time engine, as text. */
  readonly patterns?: readonly string[];
}

export interface ToolContract {
  readonly name: string;
  readonly description: string;
  /** What the tool does to the world; it decides which control the gateway applies. */
  readonly sideEffect: SideEffect;
  readonly permissions?: readonly string[];
  readonly routing?: Routing;
  readonly queueDeadlineSeconds?: number;
  readonly executionDeadlineSeconds?: number;
}

export interface ToolOptions<Map extends FieldMap, Mode extends IntegerMode, Result> extends ToolContract {
  readonly input: Map;
  /** `"number"` (default) fails a call whose integer a number cannot hold; `"bigint"` holds them all. */
  readonly integers?: Mode;
  readonly handler: (args: ArgumentsOf<Map, Mode>, ctx: CallContext) => Result | Promise<Result>;
}

/** A checked definition, ready for `runWorker`. The defaults let tools of different inputs share a list. */
export interface Tool<Args = any, Result = unknown> extends ToolContract {
  readonly input: FieldMap;
  readonly integers: IntegerMode;
  handler(args: Args, ctx: CallContext): Result | Promise<Result>;
}

// Registered globally, so that two copies of this package in one process know each other's tools.
const BRAND = Symbol.for("toolgate.tool");

/** Defines a tool. Throws a `ConfigurationError` that names the field when the definition breaks a rule. */
export function tool<Map extends FieldMap, Result, Mode extends IntegerMode = "number">(
  options: ToolOptions<Map, Mode, Result>,
): Tool<ArgumentsOf<Map, Mode>, Result> {
  checkToolName(options.name);
  const at = `tool "${options.name}"`;
  checkContract(options, at);
  checkInput(options.input, at);
  const integers: IntegerMode = options.integers ?? "number";
  if (integers !== "number" && integers !== "bigint") throw new ConfigurationError(`${at}: integers must be "number" or "bigint"`);
  if (typeof options.handler !== "function") throw new ConfigurationError(`${at}: handler must be a function`);
  return Object.freeze({ ...options, input: Object.freeze({ ...options.input }), integers, [BRAND]: true });
}

export function isTool(value: unknown): value is Tool {
  return typeof value === "object" && value !== null && BRAND in value;
}

function checkContract(contract: ToolContract, at: string): void {
  checkText(contract.description, limits.DESCRIPTION_CHARACTERS_MAX, `${at}: description`);
  if (!SIDE_EFFECTS.includes(contract.sideEffect)) {
    throw new ConfigurationError(`${at}: sideEffect must be one of ${SIDE_EFFECTS.join(", ")}`);
  }
  checkTexts(contract.permissions, Number.POSITIVE_INFINITY, `${at}: permissions`);
  checkTexts(contract.routing?.keywords, limits.KEYWORDS_MAX, `${at}: routing.keywords`);
  checkTexts(contract.routing?.patterns, limits.PATTERNS_MAX, `${at}: routing.patterns`, limits.PATTERN_CHARACTERS_MAX);
  checkSeconds(contract.queueDeadlineSeconds, limits.QUEUE_DEADLINE_SECONDS_MAX, `${at}: queueDeadlineSeconds`);
  checkSeconds(contract.executionDeadlineSeconds, limits.EXECUTION_DEADLINE_SECONDS_MAX, `${at}: executionDeadlineSeconds`);
}

function checkInput(input: unknown, at: string): void {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new ConfigurationError(`${at}: input must be a field map such as { order_id: "integer" }`);
  }
  const fields = Object.entries(input);
  if (fields.length > limits.FIELDS_MAX) {
    throw new ConfigurationError(`${at}: input has ${fields.length} fields; the limit is ${limits.FIELDS_MAX}`);
  }
  for (const [name, type] of fields) {
    checkFieldName(name, `${at}: input field`);
    parseFieldType(type, `${at}: input field "${name}"`);
  }
}

function checkText(value: unknown, charactersMax: number, where: string): void {
  if (typeof value !== "string" || value.trim() === "") throw new ConfigurationError(`${where} must be a text that is not blank`);
  const characters = Array.from(value).length;
  if (characters > charactersMax) throw new ConfigurationError(`${where} has ${characters} characters; the limit is ${charactersMax}`);
}

function checkTexts(value: unknown, countMax: number, where: string, charactersMax = Number.POSITIVE_INFINITY): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw new ConfigurationError(`${where} must be a list of texts`);
  if (value.length > countMax) throw new ConfigurationError(`${where} has ${value.length} entries; the limit is ${countMax}`);
  value.forEach((entry, index) => checkText(entry, charactersMax, `${where}[${index}]`));
}

function checkSeconds(value: unknown, secondsMax: number, where: string): void {
  if (value === undefined) return;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > secondsMax) {
    throw new ConfigurationError(`${where} must be a whole number of seconds from 1 to ${secondsMax}`);
  }
}
