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
import { useTitle } from "../title";
import { ApprovalStateBadge, Principal } from "../words";
import { ApprovalTabs } from "./ApprovalTabs";

const STATES: readonly ApprovalState[] = ["approved", "rejected", "expired", "cancelled", "invalidated"];
/** The gateway lists by age, oldest first; the newest are behind the last page. */
const PAGES_MAX = 30;

export function History({ approver }: { readonly approver: HeldKey }) {
  const [state, setState] = useState<ApprovalState>("approved");
  const { value, fault, reload } = useLoad((signal) => listApprovals(approver, state, PAGES_MAX, signal), [approver.id, state]);
  useTitle("Decided approvals");
  const rows = value === undefined ? [] : [...value.entries].reverse();
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
      {value?.more === true && <p class="quiet">There are more than can be shown here; the oldest {rows.length} are listed.</p>}
      {value !== undefined && rows.length === 0 && <p class="quiet">None.</p>}
      {rows.length > 0 && (
        <Table label="Decided approvals" head={["Tool", "Agent, for", "Asked", "Decision", "State"]}>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </Table>
      )}
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
