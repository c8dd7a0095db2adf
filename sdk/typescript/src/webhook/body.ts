/** The gateway sends less: arguments of 256 KiB and a principal of 8 KiB. */
export const REQUEST_BYTES_MAX = 512 * 1024;

/** The bytes of a request, or why there are none to verify. */
export type BodyRead =
  | { readonly bytes: Uint8Array }
  | { readonly fault: "too_large" }
  | { readonly fault: "broken" }
  /** Something read the body before; `fix` says what to change, in the words of the framework. */
  | { readonly fault: "already_read"; readonly fix: string };

export const TOO_LARGE: BodyRead = { fault: "too_large" };
export const BROKEN: BodyRead = { fault: "broken" };

export function wholeBody(bytes: Uint8Array): BodyRead {
  return bytes.length > REQUEST_BYTES_MAX ? TOO_LARGE : { bytes };
}

/** Gathers the chunks of a stream; `add` answers whether there is room for more. */
export class BodyCollector {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  add(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    if (this.#length <= REQUEST_BYTES_MAX) this.#chunks.push(chunk);
    return this.#length <= REQUEST_BYTES_MAX;
  }

  get read(): BodyRead {
    if (this.#length > REQUEST_BYTES_MAX) return TOO_LARGE;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return { bytes };
  }
}

export function announcesTooMuch(contentLength: string | undefined): boolean {
  return contentLength !== undefined && Number(contentLength) > REQUEST_BYTES_MAX;
}
