import { fromBase64, toBase64 } from "./base64.js";

/**
 * Whether `Content-Digest` (RFC 9530) has the SHA-256 of the body; undefined where it has none that can be read. It proves
 * nothing about the sender, and tells an altered body from a wrong secret.
 */
export async function digestMatches(header: string | undefined, body: Uint8Array): Promise<boolean | undefined> {
  // A dictionary (RFC 8941, 3.2): of a key that is there twice the last counts. Base64 holds neither commas nor semicolons.
  const members = (header ?? "").split(",").map((member) => /^\s*sha-256=:([^;]*):\s*(?:;|$)/.exec(member)?.[1]);
  const stated = members.reverse().find((value) => value !== undefined);
  if (stated === undefined || fromBase64(stated)?.length !== 32) return undefined;
  return stated === (await sha256Base64(body));
}

export async function sha256Hex(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sha256Base64(bytes: Uint8Array): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
