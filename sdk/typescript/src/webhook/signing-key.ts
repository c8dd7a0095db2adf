import { toBase64 } from "./base64.js";

/** Signs by Standard Webhooks 1.0, `v1`: HMAC-SHA256 over `id.timestamp.body`. WebCrypto, so it runs where Node is not. */
export class SigningKey {
  readonly #bytes: Uint8Array;
  // The key itself and never its promise: where requests are isolated, one must not wait for another's.
  #imported: CryptoKey | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** `v1,` and base64: 47 characters. `id` and `timestamp` are used as they are written. */
  async sign(id: string, timestamp: string, body: Uint8Array): Promise<string> {
    this.#imported ??= await crypto.subtle.importKey("raw", this.#bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const head = new TextEncoder().encode(`${id}.${timestamp}.`);
    const text = new Uint8Array(head.length + body.length);
    text.set(head);
    text.set(body, head.length);
    return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", this.#imported, text)))}`;
  }
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** How long it takes depends on the length of `expected` only. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}
