import { TransportError } from "../errors.js";
import type { Document } from "./document.js";
import type { Ask, RestDoor } from "./rest-door.js";

/** Every entry of a list. A page is asked for when the one before it is used up. */
export async function* paged<Entry>(door: RestDoor, ask: Ask, name: string, read: (entry: Document) => Entry): AsyncGenerator<Entry, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await door.ask({ ...ask, query: { ...ask.query, cursor } }, (answer) => ({
      entries: answer.list(name).map(read),
      next: answer.optionalText("next_cursor"),
    }));
    yield* page.entries;
    cursor = page.next;
    if (cursor !== undefined && seen.has(cursor)) throw new TransportError(`${ask.what}: the pages go round in a circle`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}
