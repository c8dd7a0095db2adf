import { TransportError } from "../errors.js";
import type { Wire } from "../wire.js";
import type { Document, EntryOf } from "./document.js";
import type { Ask, RestDoor } from "./rest-door.js";

interface Pages {
  readonly approvals: Wire["ApprovalPage"];
  readonly calls: Wire["CallPage"];
}

type PageOf<Name extends keyof Pages> = Pages[Name] & Readonly<Record<Name, readonly unknown[]>>;

/** Every entry of a list. A page is asked for when the one before it is used up. */
export async function* paged<Name extends keyof Pages, Entry>(
  door: RestDoor,
  ask: Ask,
  name: Name,
  read: (entry: Document<EntryOf<NonNullable<PageOf<Name>[Name]>>>) => Entry,
): AsyncGenerator<Entry, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await door.ask({ ...ask, query: { ...ask.query, cursor } }, (answer: Document<PageOf<Name>>) => ({
      entries: answer.list(name).map(read),
      next: answer.optionalText("next_cursor"),
    }));
    yield* page.entries;
    cursor = page.next;
    if (cursor !== undefined && seen.has(cursor)) throw new TransportError(`${ask.what}: the pages go round in a circle`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}
