// The list of conversations as it is put together from pages that are asked for at different times.
import type { ThreadView } from "./loop";

export interface Head {
  readonly thread: string;
  readonly title: string;
  readonly updated_at: string;
  readonly messages: number;
  readonly state: ThreadView["state"];
}

export interface HeadPage {
  readonly threads: readonly Head[];
  readonly next_cursor?: string;
}

/** What is listed, newest first, and where the next page begins; no cursor: it is all of them. */
export interface Heads {
  readonly heads: readonly Head[];
  readonly cursor: string | undefined;
}

export const NONE: Heads = { heads: [], cursor: undefined };

const time = (head: Head): number => Date.parse(head.updated_at);

/** The list after its first page was asked for again: the page as it is now, and behind it whatever was paged to and is older. */
export function withFirst({ heads, cursor }: Heads, page: HeadPage): Heads {
  const fresh: Heads = { heads: page.threads, cursor: page.next_cursor };
  const [last, top] = [page.threads.at(-1), heads[0]];
  if (last === undefined || top === undefined || page.next_cursor === undefined) return fresh;
  // More than a page is new: what lies between the page and the list is not known, so that it is paged to anew.
  if (time(last) > time(top)) return fresh;
  const listed = new Set(page.threads.map(({ thread }) => thread));
  // One that would stand within the page and does not is deleted.
  return { heads: [...page.threads, ...heads.filter((head) => !listed.has(head.thread) && time(head) <= time(last))], cursor };
}

/** The list with the page behind it, which was asked for with the cursor `from`. */
export function withNext(before: Heads, from: string, page: HeadPage): Heads {
  if (before.cursor !== from) return before;
  const listed = new Set(before.heads.map(({ thread }) => thread));
  return { heads: [...before.heads, ...page.threads.filter(({ thread }) => !listed.has(thread))], cursor: page.next_cursor };
}

export function renamed({ heads, cursor }: Heads, thread: string, title: string): Heads {
  return { heads: heads.map((head) => (head.thread === thread ? { ...head, title } : head)), cursor };
}

export function without({ heads, cursor }: Heads, thread: string): Heads {
  return { heads: heads.filter((head) => head.thread !== thread), cursor };
}
