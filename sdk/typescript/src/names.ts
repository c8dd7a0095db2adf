import { ConfigurationError } from "./errors.js";

const TOOL = /^[a-z][a-z0-9_]{0,47}$/;
const FIELD = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const PLAIN = /^[a-z][a-z0-9_-]{0,31}$/;
const RESERVED_PREFIX = "toolgate_";

export function checkToolName(name: unknown, where = "tool name"): asserts name is string {
  check(name, TOOL, where);
  if (name.startsWith(RESERVED_PREFIX)) {
    throw new ConfigurationError(`${where} "${name}": names that begin with ${RESERVED_PREFIX} are reserved`);
  }
}

export function checkFieldName(name: unknown, where: string): asserts name is string {
  check(name, FIELD, where);
}

/** Pools, orgs and context types share one rule. */
export function checkPlainName(name: unknown, where: string): asserts name is string {
  check(name, PLAIN, where);
}

function check(name: unknown, rule: RegExp, where: string): asserts name is string {
  if (typeof name !== "string" || !rule.test(name)) {
    throw new ConfigurationError(`${where} ${typeof name === "string" ? JSON.stringify(name) : `of type ${typeof name}`} must match ${rule.source}`);
  }
}
