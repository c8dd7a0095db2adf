import { ConfigurationError } from "./errors.js";

/** The org that a key belongs to. Only the gateway can tell whether the key is genuine. */
export function orgOfKey(apiKey: string): string {
  const parts = apiKey.split(".");
  const org = parts.length === 3 && apiKey.startsWith("tg_") ? readOrg(parts[1] ?? "") : undefined;
  // The key itself must not appear in an error.
  if (org === undefined) throw new ConfigurationError("apiKey is not a Toolgate key (tg_<role>.<payload>.<mac>)");
  return org;
}

function readOrg(payload: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const members: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const org = typeof members === "object" && members !== null && "o" in members ? members.o : undefined;
    return typeof org === "string" ? org : undefined;
  } catch {
    return undefined;
  }
}
