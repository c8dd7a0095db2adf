import { ConfigurationError } from "./errors.js";

/** The org that a key belongs to. Only the gateway can tell whether the key is genuine. */
export function orgOfKey(apiKey: string): string {
  const org = payloadMember(apiKey, "o");
  // The key itself must not appear in an error.
  if (org === undefined) throw new ConfigurationError("apiKey is not a Toolgate key (tg_<role>.<payload>.<mac>)");
  return org;
}

/** The id under which the gateway records what is done with this key; undefined when the key does not say it. */
export function keyIdOf(apiKey: string): string | undefined {
  return payloadMember(apiKey, "k");
}

function payloadMember(apiKey: string, name: string): string | undefined {
  const parts = apiKey.split(".");
  if (parts.length !== 3 || !apiKey.startsWith("tg_")) return undefined;
  try {
    const bytes = Uint8Array.from(atob((parts[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const members: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const member = typeof members === "object" && members !== null ? (members as Record<string, unknown>)[name] : undefined;
    return typeof member === "string" ? member : undefined;
  } catch {
    return undefined;
  }
}
