import type { Approval } from "../documents";

interface Merged {
  readonly rows: readonly Approval[];
  /** Pending here, and not in the gateway's list any more. */
  readonly vanished: readonly Approval[];
}

/** Brings the rows on the screen up to what the gateway lists: none moves, new ones come last. */
export function merged(before: readonly Approval[], listed: readonly Approval[], more: boolean): Merged {
  const news = new Map(listed.map((approval) => [approval.id, approval]));
  const known = new Set(before.map((row) => row.id));
  // The list goes by age; behind its last entry there may be more that was not loaded.
  const last = listed.at(-1)?.created_at ?? "";
  const isBeyond = (row: Approval): boolean => more && row.created_at >= last;
  const rows = before.map((row) => (row.state === "pending" ? (news.get(row.id) ?? row) : row));
  return {
    rows: [...rows, ...listed.filter((approval) => !known.has(approval.id))],
    vanished: rows.filter((row) => row.state === "pending" && !news.has(row.id) && !isBeyond(row)),
  };
}
