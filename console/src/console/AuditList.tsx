import { useState } from "preact/hooks";
import type { HeldKey } from "../shared/keys";
import { useLoad } from "../shared/load";
import { Fault } from "../shared/ui/Fault";
import { JsonView } from "../shared/ui/JsonView";
import { Seen } from "../shared/ui/Seen";
import { Table } from "../shared/ui/Table";
import { Time } from "../shared/ui/Time";
import { listAudit } from "./documents";
import { More } from "./More";
import { useTitle } from "./title";

/** What was done to the org, newest first. */
export function AuditList({ admin }: { readonly admin: HeldKey }) {
  const [pages, setPages] = useState(1);
  const { value, fault, loading, reload } = useLoad((signal) => listAudit(admin, pages, signal), [admin.id, pages]);
  useTitle("Audit");
  return (
    <section class="stack">
      <h1>Audit</h1>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && (
        <Table label="Audit" head={["When", "Event", "Subject", "By", "Detail"]}>
          {value.entries.map((entry, at) => (
            <tr key={at}>
              <td>
                <Time at={entry.at} />
              </td>
              <td>
                <code>
                  <Seen text={entry.event} />
                </code>
              </td>
              <td>
                <Seen text={entry.subject} />
              </td>
              <td>
                <Seen text={entry.by} />
              </td>
              <td>
                <details>
                  <summary class="small">detail</summary>
                  <JsonView text={entry.detail} label={`Detail of ${entry.event}`} />
                </details>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More more={value?.more} busy={loading} onMore={() => setPages(pages + 1)} />
    </section>
  );
}
