import { CallRefused } from "../errors.js";
import { NumberText, type Parsed, setMember } from "./value.js";

/** What becomes of an integer that a number would round. */
export type UnsafeIntegers = "refuse" | "bigint";

/** Plain JavaScript data of a parsed value; `path` names what was refused. */
export function plainValue(value: Parsed, unsafe: UnsafeIntegers, path: string): unknown {
  if (value instanceof NumberText) return plainNumber(value, unsafe, path);
  if (Array.isArray(value)) return value.map((entry, index) => plainValue(entry, unsafe, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return value;
  const plain: { [name: string]: unknown } = {};
  for (const [name, member] of Object.entries(value)) setMember(plain, name, plainValue(member, unsafe, `${path}.${name}`));
  return plain;
}

/**
 * Plain data of a value whose type nobody declared, for a reader who must not fail on it: integers that a number would
 * round are bigint, and a number beyond what one can hold is its text.
 */
export function carriedValue(value: Parsed): unknown {
  if (value instanceof NumberText) return carriedNumber(value);
  if (Array.isArray(value)) return value.map(carriedValue);
  if (typeof value !== "object" || value === null) return value;
  const plain: { [name: string]: unknown } = {};
  for (const [name, member] of Object.entries(value)) setMember(plain, name, carriedValue(member));
  return plain;
}

function carriedNumber(value: NumberText): number | bigint | string {
  if (value.isInteger) return value.toSafeInteger() ?? BigInt(value.text);
  const number = Number(value.text);
  return Number.isFinite(number) ? number : value.text;
}

function plainNumber(value: NumberText, unsafe: UnsafeIntegers, path: string): number | bigint {
  if (!value.isInteger) return finiteNumber(value, path);
  const safe = value.toSafeInteger();
  if (safe !== undefined) return safe;
  if (unsafe === "bigint") return BigInt(value.text);
  throw integerOutOfRange(path, value);
}

export function finiteNumber(value: NumberText, path: string): number {
  const number = Number(value.text);
  if (Number.isFinite(number)) return number;
  throw new CallRefused("number_out_of_range", `${path}: ${shortened(value)} is beyond what a number can hold`);
}

export function integerOutOfRange(path: string, value: NumberText): CallRefused {
  return new CallRefused(
    "integer_out_of_range",
    `${path}: ${shortened(value)} is beyond 2^53-1 and a number would round it; define the tool with integers:"bigint" to receive it`,
  );
}

function shortened({ text }: NumberText): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
