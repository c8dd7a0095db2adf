import { useCallback, useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import type { Page } from "../../shared/pages";
import { type Approval, listApprovals, readApproval } from "../documents";
import { merged } from "./merge";

const EVERY_MS = 3_000;

export interface Inbox {
  /** In the order in which they came; those that are decided meanwhile stay until they are cleared. */
  readonly rows: readonly Approval[];
  readonly more: boolean;
  readonly fault: unknown;
  readonly loaded: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
  /** An answer of the gateway about one of them counts at once. */
  readonly put: (approval: Approval) => void;
  /** Takes what is decided off the list. */
  readonly clear: () => void;
}

/** What waits for a decision, kept up to date. A row that leaves the list of the gateway is asked for: who decided? */
export function useInbox(key: HeldKey): Inbox {
  const [pages, setPages] = useState(1);
  const rows = useRef<readonly Approval[]>([]);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const set = useCallback((next: readonly Approval[]) => {
    rows.current = next;
    draw(undefined);
  }, []);
  const { value, fault, reload } = useLoad<Page<Approval>>((signal) => listApprovals(key, "pending", "oldest", pages, signal), [key.id, pages], EVERY_MS);

  useEffect(() => {
    if (value === undefined) return;
    const { rows: next, vanished } = merged(rows.current, value.entries, value.more);
    set(next);
    for (const each of vanished) {
      void readApproval(key, each.id)
        .then((read) => set(rows.current.map((row) => (row.id === read.id && row.state === "pending" ? read : row))))
        // Asked again with the next look at the list.
        .catch(() => undefined);
    }
  }, [value]);

  return {
    rows: rows.current,
    more: value?.more ?? false,
    fault,
    loaded: value !== undefined,
    loadMore: () => setPages((before) => before + 1),
    reload,
    put: (approval) => set(rows.current.map((row) => (row.id === approval.id ? approval : row))),
    clear: () => set(rows.current.filter((row) => row.state === "pending")),
  };
}
