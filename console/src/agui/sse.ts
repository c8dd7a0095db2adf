/**
 * Reads Server-Sent Events as AG-UI uses them: only `data:` lines count, an empty line ends an event, everything else is a comment. Lines end
 * with LF, CRLF or CR, and characters may be split between chunks. What is kept of an unfinished event is bounded.
 */
import { ProtocolError } from "./types";

/** The official client has the same bound on what it keeps: ten million characters. */
export const EVENT_CHARS_MAX = 10 * 1024 * 1024;

/** Takes text in pieces and gives the data of each event that became complete. */
export class Lines {
  #line = "";
  #data: string[] = [];
  #size = 0;
  #afterReturn = false;

  feed(text: string): string[] {
    const done: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) {
        this.#afterReturn = false;
        continue;
      }
      // The LF of a CRLF ends nothing, also when the two came in different pieces.
      if (!(code === 10 && this.#afterReturn)) this.#end(this.#line + text.slice(from, at), done);
      this.#line = "";
      this.#afterReturn = code === 13;
      from = at + 1;
    }
    this.#line += text.slice(from);
    if (this.#size + this.#line.length > EVENT_CHARS_MAX) throw new ProtocolError("too_large", "An event of the stream is larger than this page takes.");
    return done;
  }

  /** The stream ended: an event without its empty line counts too, as it does for the official client. */
  end(): string[] {
    const done: string[] = [];
    if (this.#line !== "") this.#end(this.#line, done);
    this.#line = "";
    this.#end("", done);
    return done;
  }

  #end(line: string, done: string[]): void {
    if (line === "") {
      if (this.#data.length > 0) done.push(this.#data.join("\n"));
      this.#data = [];
      this.#size = 0;
    } else if (line.startsWith("data:")) {
      const data = line.slice(line.charAt(5) === " " ? 6 : 5);
      this.#data.push(data);
      this.#size += data.length;
    }
  }
}

/** The events of a body, parsed. Throws a `ProtocolError` where the data of one is not a JSON object with a type. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const lines = new Lines();
  const decoder = new TextDecoder("utf-8");
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const texts = done ? [...lines.feed(decoder.decode()), ...lines.end()] : lines.feed(decoder.decode(value, { stream: true }));
      for (const text of texts) yield parsed(text);
      if (done) return;
    }
  } finally {
    // Whoever stops early wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError("not_json", "An event of the stream is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ProtocolError("not_an_event", "An event of the stream is not an object.");
  const event = value as Record<string, unknown>;
  if (typeof event.type !== "string" || event.type === "") throw new ProtocolError("not_an_event", "An event of the stream has no type.");
  return event;
}
