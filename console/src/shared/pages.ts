// Lists that the gateway gives page by page.
import { get, query } from "./api";
import type { HeldKey } from "./keys";

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** There are more. */
  readonly more: boolean;
}

/** The first pages of a list, one after the other. */
export async function pagesOf<Entry>(
  base: string,
  name: string,
  filters: Readonly<Record<string, string | undefined>>,
  pages: number,
  call: { readonly key: HeldKey; readonly signal?: AbortSignal; readonly raw?: readonly string[] },
): Promise<Page<Entry>> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const body = await get<Record<string, readonly Entry[]> & { readonly next_cursor?: string }>(query(base, { ...filters, cursor }), call);
    entries.push(...(body[name] ?? []));
    cursor = body.next_cursor;
    if (cursor === undefined) break;
  }
  return { entries, more: cursor !== undefined };
}

/** Every entry of a list that an org has few of, such as its agents. */
export async function allOf<Entry>(base: string, name: string, call: { readonly key: HeldKey; readonly signal?: AbortSignal; readonly raw?: readonly string[] }): Promise<readonly Entry[]> {
  return (await pagesOf<Entry>(base, name, {}, Number.POSITIVE_INFINITY, call)).entries;
}
