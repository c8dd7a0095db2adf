import { CallRefused } from "./errors.js";
import { type BaseType, type Field, parseFieldType } from "./fields.js";
import type { IntegerMode } from "./inference.js";
import { finiteNumber, integerOutOfRange, plainValue } from "./json/plain.js";
import { isParsedObject, NumberText, type Parsed, setMember } from "./json/value.js";
import type { Tool } from "./tool.js";

/**
 * The handler's arguments from the parsed ones. The gateway has validated them against the same contract; they are
 * checked again because the handler's inferred types promise it. Throws `CallRefused`, naming the field.
 */
export function decodeArguments(tool: Tool, parsed: Parsed): Record<string, unknown> {
  if (!isParsedObject(parsed)) throw mismatch("arguments", "an object");
  const args: Record<string, unknown> = {};
  for (const name of Object.keys(parsed)) {
    if (!Object.hasOwn(tool.input, name)) throw new CallRefused("invalid_arguments", `${name}: not a field of ${tool.name}`);
  }
  for (const [name, type] of Object.entries(tool.input)) {
    const field = parseFieldType(type, name);
    const value = Object.hasOwn(parsed, name) ? parsed[name] : undefined;
    if (isAbsent(value, field)) {
      if (!field.isOptional) throw new CallRefused("invalid_arguments", `${name}: missing`);
      continue;
    }
    setMember(args, name, decodeField(value, field, tool.integers, name));
  }
  return args;
}

// Models write null for "not given". The inferred type of an optional field has no null, except for json, where null is a value.
function isAbsent(value: Parsed | undefined, field: Field): value is undefined {
  return value === undefined || (value === null && field.isOptional && (field.base !== "json" || field.isList));
}

function decodeField(value: Parsed, field: Field, mode: IntegerMode, path: string): unknown {
  if (!field.isList) return decodeScalar(value, field.base, mode, path);
  if (!Array.isArray(value)) throw mismatch(path, "a list");
  return value.map((entry, index) => decodeScalar(entry, field.base, mode, `${path}[${index}]`));
}

function decodeScalar(value: Parsed, base: BaseType, mode: IntegerMode, path: string): unknown {
  switch (base) {
    case "json":
      return plainValue(value, mode === "bigint" ? "bigint" : "refuse", path);
    case "integer":
      if (!(value instanceof NumberText) || !value.isInteger) throw mismatch(path, "an integer");
      return mode === "bigint" ? BigInt(value.text) : safeInteger(value, path);
    case "number":
      if (!(value instanceof NumberText)) throw mismatch(path, "a number");
      return finiteNumber(value, path);
    case "boolean":
      if (typeof value !== "boolean") throw mismatch(path, "a boolean");
      return value;
    default:
      if (typeof value !== "string") throw mismatch(path, `a text (${base})`);
      return value;
  }
}

function safeInteger(value: NumberText, path: string): number {
  const safe = value.toSafeInteger();
  if (safe === undefined) throw integerOutOfRange(path, value);
  return safe;
}

function mismatch(path: string, expected: string): CallRefused {
  return new CallRefused("invalid_arguments", `${path}: ${expected} was expected`);
}
