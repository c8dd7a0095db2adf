import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type HeldKey, heldKeys } from "../../shared/keys";
import { useStore } from "../../shared/store";
import { Button } from "../../shared/ui/Button";
import { Fault } from "../../shared/ui/Fault";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Time } from "../../shared/ui/Time";
import { toast } from "../../shared/ui/Toast";
import type { Approval } from "../documents";
import { More } from "../More";
import { useTitle } from "../title";
import { ApprovalStateBadge, Principal } from "../words";
import { ApprovalTabs } from "./ApprovalTabs";
import { Bulk } from "./Bulk";
import { Decide, type Question } from "./Decide";
import { elsewhereWords, type Outcome } from "./decisions";
import { Detail } from "./Detail";
import { useInbox } from "./inbox";
import { KeysHelp, useShortcuts } from "./shortcuts";

type Open = { readonly kind: "one"; readonly question: Question; readonly id: string } | { readonly kind: "bulk"; readonly decision: "approve" | "reject" } | { readonly kind: "help" };

/** What waits for a decision, one of it in full, and the ways to decide. */
export function Inbox({ approver }: { readonly approver: HeldKey }) {
  const inbox = useInbox(approver);
  const [chosen, setChosen] = useState<string>();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  const list = useRef<HTMLUListElement>(null);
  const card = useRef<HTMLDivElement>(null);
  /** The row that is to have the focus. */
  const wanted = useRef<string | undefined>(undefined);
  const mine = useRef(new Set<string>());

  const waiting = inbox.rows.filter((row) => row.state === "pending");
  const selected = inbox.rows.find((row) => row.id === chosen) ?? waiting[0] ?? inbox.rows[0];
  const bulk = waiting.filter((row) => marked.has(row.id));
  useTitle(waiting.length === 0 ? "Approvals" : `(${waiting.length}${inbox.more ? "+" : ""}) Approvals`);
  useElsewhere(inbox.rows, mine.current);

  useEffect(() => {
    // What follows an earlier drawing may come after the key: the wish is for the drawing in which its row is chosen.
    if (wanted.current === undefined || wanted.current !== selected?.id) return;
    wanted.current = undefined;
    const row = list.current?.querySelector<HTMLElement>("[aria-current=true]");
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  });
  const choose = (row: Approval | undefined): void => {
    if (row === undefined) return;
    wanted.current = row.id;
    setChosen(row.id);
  };
  // On a narrow screen the card is below the list.
  const look = (row: Approval): void => {
    setChosen(row.id);
    if (matchMedia("(max-width: 56rem)").matches) card.current?.scrollIntoView();
  };
  const move = (by: 1 | -1): void => {
    const at = inbox.rows.findIndex((row) => row.id === selected?.id);
    choose(inbox.rows[at + by] ?? (at < 0 ? inbox.rows[0] : undefined));
  };
  const mark = (row: Approval): void =>
    setMarked((before) => {
      const next = new Set(before);
      if (!next.delete(row.id)) next.add(row.id);
      return next;
    });
  const ask = (question: Question): void => {
    if (selected?.state !== "pending" || whyNot(question, selected) !== undefined) return;
    setOpen({ kind: "one", question, id: selected.id });
  };
  const note = (outcome: Outcome): void => {
    if (outcome.approval === undefined) return;
    mine.current.add(outcome.approval.id);
    inbox.put(outcome.approval);
  };
  const settled = (outcome: Outcome): void => {
    note(outcome);
    setOpen(undefined);
    toast(outcome.words, outcome.kind === "done" ? "info" : "bad");
    const at = inbox.rows.findIndex((row) => row.id === selected?.id);
    const others = [...inbox.rows.slice(at + 1), ...inbox.rows.slice(0, at)];
    const next = others.find((row) => row.state === "pending");
    if (outcome.kind === "done") choose(next ?? selected);
    inbox.reload();
  };
  const close = (): void => {
    setOpen(undefined);
    wanted.current = selected?.id;
  };
  useShortcuts(open === undefined, {
    j: () => move(1),
    k: () => move(-1),
    a: () => ask("approve"),
    r: () => ask("reject"),
    e: () => ask("edit"),
    x: () => selected?.state === "pending" && mark(selected),
    "?": () => setOpen({ kind: "help" }),
  });

  const asked = open?.kind === "one" ? inbox.rows.find((row) => row.id === open.id) : undefined;
  return (
    <section class="stack">
      <div class="row spread">
        <h1>Approvals</h1>
        <div class="row">
          <ApprovalTabs current="inbox" />
          <Button small onClick={() => setOpen({ kind: "help" })}>
            Shortcuts (?)
          </Button>
        </div>
      </div>
      {inbox.fault !== undefined && <Fault fault={inbox.fault} again={inbox.reload} />}
      <p role="status" class="quiet">
        {!inbox.loaded ? "Looking…" : waiting.length === 0 ? "Nothing waits for a decision." : `${waiting.length}${inbox.more ? " or more" : ""} waiting for a decision.`}
      </p>
      {inbox.rows.length > 0 && (
        <div class="split">
          <div class="stack">
            <Bar
              marked={bulk.length}
              waiting={waiting.length}
              decided={inbox.rows.length - waiting.length}
              onAll={() => setMarked(bulk.length === waiting.length ? new Set() : new Set(waiting.map((row) => row.id)))}
              onDecide={(decision) => setOpen({ kind: "bulk", decision })}
              onClear={inbox.clear}
            />
            <ul class="queue" ref={list} aria-label="Waiting">
              {inbox.rows.map((row) => (
                <Row key={row.id} row={row} current={row.id === selected?.id} marked={marked.has(row.id)} onChoose={() => look(row)} onMark={() => mark(row)} />
              ))}
            </ul>
            <More more={inbox.more} busy={false} onMore={inbox.loadMore} />
          </div>
          {selected !== undefined && (
            <div ref={card}>
              <Detail approval={selected} level={2}>
                <Actions approval={selected} elsewhere={!mine.current.has(selected.id)} onAsk={ask} />
              </Detail>
            </div>
          )}
        </div>
      )}
      {open?.kind === "one" && asked !== undefined && (
        <Decide key={`${open.id}${open.question}`} question={open.question} approval={asked} approver={approver} onClose={close} onOutcome={settled} />
      )}
      {open?.kind === "bulk" && <Bulk kind={open.decision} approvals={bulk} approver={approver} onClose={close} onOutcome={note} />}
      {open?.kind === "help" && <KeysHelp onClose={close} />}
    </section>
  );
}

/** Says of each that left without a decision made here who decided. */
function useElsewhere(rows: readonly Approval[], mine: ReadonlySet<string>): void {
  const seen = useRef(new Map<string, string>());
  useEffect(() => {
    for (const row of rows) {
      const before = seen.current.get(row.id);
      if (before === "pending" && row.state !== "pending" && !mine.has(row.id)) toast(`${row.tool}: ${elsewhereWords(undefined, row)}`);
      seen.current.set(row.id, row.state);
    }
  }, [rows]);
}

interface RowProps {
  readonly row: Approval;
  readonly current: boolean;
  readonly marked: boolean;
  readonly onChoose: () => void;
  readonly onMark: () => void;
}

function Row({ row, current, marked, onChoose, onMark }: RowProps) {
  const waits = row.state === "pending";
  return (
    <li class={`${current ? "current" : ""}${waits ? "" : " over"}`}>
      <input type="checkbox" aria-label={`Select ${row.tool} for bulk decisions`} disabled={!waits} checked={marked && waits} onChange={onMark} />
      <button type="button" aria-current={current || undefined} onClick={onChoose}>
        <span class="row spread">
          <strong>
            <Seen text={row.tool} />
          </strong>
          {waits ? <Time at={row.expires_at} mode="left" /> : <ApprovalStateBadge state={row.state} />}
        </span>
        <span class="quiet small">
          <Seen text={row.agent} /> for <Principal text={row.principal} /> · asked <Time at={row.created_at} mode="ago" />
        </span>
        <code class="cut">
          <Seen text={row.arguments_text.slice(0, 160)} />
        </code>
      </button>
    </li>
  );
}

interface BarProps {
  readonly marked: number;
  readonly waiting: number;
  readonly decided: number;
  readonly onAll: () => void;
  readonly onDecide: (decision: "approve" | "reject") => void;
  readonly onClear: () => void;
}

function Bar({ marked, waiting, decided, onAll, onDecide, onClear }: BarProps) {
  return (
    <div class="row" role="group" aria-label="Several at once">
      <Button small disabled={waiting === 0 ? "nothing waits" : undefined} onClick={onAll}>
        {marked > 0 && marked === waiting ? "Select none" : "Select all"}
      </Button>
      {marked > 0 && (
        <>
          <Button small onClick={() => onDecide("approve")}>{`Approve ${marked}…`}</Button>
          <Button small onClick={() => onDecide("reject")}>{`Reject ${marked}…`}</Button>
        </>
      )}
      {decided > 0 && <Button small onClick={onClear}>{`Clear ${decided} decided`}</Button>}
    </div>
  );
}

/** Why a decision cannot be made in this way. */
export function whyNot(question: Question, approval: Approval): string | undefined {
  if (approval.state !== "pending") return `it is ${approval.state} already`;
  if (question === "edit" && approval.required > 1) return "nothing can be edited where more than one approval is required: the others would not have seen it";
  return undefined;
}

interface ActionsProps {
  readonly approval: Approval;
  /** It was waiting when it was first seen here, and was not decided here: who did? */
  readonly elsewhere: boolean;
  readonly onAsk: (question: Question) => void;
}

export function Actions({ approval, elsewhere, onAsk }: ActionsProps) {
  const keys = useStore(heldKeys);
  const own = useMemo(() => keys.find((key) => key.role === "approver"), [keys]);
  const before = approval.decisions.some((decision) => decision.key === own?.id);
  if (approval.state !== "pending") return elsewhere ? <Note kind="warn">{elsewhereWords(undefined, approval)}</Note> : null;
  const yes = before ? "you have approved it; another approver must say yes too" : undefined;
  return (
    <div class="row actions" role="group" aria-label="Decide">
      <Button kind="primary" disabled={yes} onClick={() => onAsk("approve")}>
        Approve…
      </Button>
      <Button onClick={() => onAsk("reject")}>Reject…</Button>
      <Button disabled={whyNot("edit", approval)} onClick={() => onAsk("edit")}>
        Edit and approve…
      </Button>
      <span class="quiet small">{yes ?? whyNot("edit", approval) ?? "Leaving it alone decides nothing."}</span>
    </div>
  );
}
