import { useState } from "preact/hooks";
import { path } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { Time } from "../../shared/ui/Time";
import { type Approval, type ApprovalState, listApprovals } from "../documents";
import { More } from "../More";
import { useTitle } from "../title";
import { ApprovalStateBadge, Principal } from "../words";
import { ApprovalTabs } from "./ApprovalTabs";

const STATES: readonly ApprovalState[] = ["approved", "rejected", "expired", "cancelled", "invalidated"];

export function History({ approver }: { readonly approver: HeldKey }) {
  const [state, setState] = useState<ApprovalState>("approved");
  const [pages, setPages] = useState(1);
  const { value, fault, loading, reload } = useLoad((signal) => listApprovals(approver, state, "newest", pages, signal), [approver.id, state, pages]);
  useTitle("Decided approvals");
  const rows = value?.entries ?? [];
  return (
    <section class="stack">
      <div class="row spread">
        <h1>Decided approvals</h1>
        <ApprovalTabs current="history" />
      </div>
      <Field label="State">
        {(ids) => (
          <select {...ids} class="short" value={state} onChange={(event) => setState(event.currentTarget.value as ApprovalState)}>
            {STATES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && rows.length === 0 && <p class="quiet">None.</p>}
      {rows.length > 0 && (
        <Table label="Decided approvals" head={["Tool", "Agent, for", "Asked", "Decision", "State"]}>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </Table>
      )}
      <More more={value?.more} busy={loading} onMore={() => setPages(pages + 1)} />
    </section>
  );
}

function Row({ row }: { readonly row: Approval }) {
  const last = row.decisions.at(-1);
  return (
    <tr>
      <td>
        <Link href={path`/console/approvals/${row.id}`}>
          <Seen text={row.tool} />
        </Link>
      </td>
      <td>
        <Seen text={row.agent} />, <Principal text={row.principal} />
      </td>
      <td>
        <Time at={row.created_at} />
      </td>
      <td>
        {last === undefined ? (
          <span class="quiet">nobody</span>
        ) : (
          <>
            <Seen text={last.by} />, <Time at={last.at} />
            {last.reason !== undefined && (
              <div class="quiet">
                “<Seen text={last.reason} />”
              </div>
            )}
            {row.edited_arguments !== undefined && <div class="quiet">with edited arguments</div>}
          </>
        )}
      </td>
      <td>
        <ApprovalStateBadge state={row.state} />
      </td>
    </tr>
  );
}
