import { useState } from "preact/hooks";
import { get, path, query, type Schemas } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Badge } from "../../shared/ui/Badge";
import { Fault } from "../../shared/ui/Fault";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { lengthOf } from "../../shared/ui/Time";
import { useTitle } from "../title";
import { Endpoint } from "./Endpoint";
import { percent } from "./parts";
import { PoolForm } from "./PoolForm";

type Pool = Schemas["PoolView"];
type Stats = Schemas["PoolStats"];

const ALERTS: Readonly<Record<string, string>> = {
  calls_wait_while_workers_poll: "Calls wait although workers poll: none of them announces what the calls need. An older build may be running.",
};

/** One pool: how much waits and runs in it, and who runs it. */
export function PoolPage({ admin, name }: { readonly admin: HeldKey; readonly name: string }) {
  const pool = useLoad((signal) => get<Pool>(path`/v1/pools/${name}`, { key: admin, signal }), [admin.id, name], 10_000);
  const stats = useLoad((signal) => get<Stats>(path`/v1/pools/${name}/stats`, { key: admin, signal }), [admin.id, name], 3_000);
  const [editing, setEditing] = useState(false);
  useTitle(name);
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/pools">Pools and workers</Link>
      </p>
      <div class="row spread">
        <h1>
          <Seen text={name} />
        </h1>
        <Link class="button" href={query("/console/calls", { pool: name })}>
          Calls
        </Link>
      </div>
      {pool.fault !== undefined && <Fault fault={pool.fault} again={pool.reload} />}
      {pool.fault === undefined && stats.fault !== undefined && <Fault fault={stats.fault} again={stats.reload} />}
      {stats.value?.alerts.map((alert) => (
        <Note key={alert} kind="warn" alert>
          {ALERTS[alert] ?? alert}
        </Note>
      ))}
      {stats.value !== undefined && <Numbers stats={stats.value} />}
      {pool.value !== undefined && pool.value.policy.stored < pool.value.policy.version && (
        <Note kind="warn">{`The pool has version ${pool.value.policy.stored} of the policy; ${pool.value.policy.version} is on its way.`}</Note>
      )}
      {pool.value?.endpoint !== undefined && <Endpoint admin={admin} pool={name} endpoint={pool.value.endpoint} onDone={pool.reload} />}
      {pool.value?.transport === "worker" && stats.value !== undefined && <Workers workers={stats.value.workers} />}
      {pool.value !== undefined && (
        <details onToggle={(event) => setEditing(event.currentTarget.open)}>
          <summary>Change how it is reached</summary>
          {editing && <PoolForm admin={admin} pool={pool.value} onSaved={pool.reload} />}
        </details>
      )}
    </section>
  );
}

function Numbers({ stats }: { readonly stats: Stats }) {
  const numbers: readonly (readonly [string, string])[] = [
    ["Queued", String(stats.depth)],
    ["Oldest queued", stats.oldest_queued_seconds === null ? "none" : lengthOf(stats.oldest_queued_seconds * 1_000)],
    ["Running", String(stats.running)],
    ["Waiting for approval", String(stats.waiting_approval)],
    ...(stats.endpoint === null ? [] : ([["Endpoint failures", percent(stats.endpoint.failure_rate)]] as const)),
  ];
  return (
    <dl class="stats">
      {numbers.map(([label, value]) => (
        <div key={label} class="stat">
          <dt class="quiet small">{label}</dt>
          <dd>
            <strong>{value}</strong>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Workers({ workers }: { readonly workers: Stats["workers"] }) {
  return (
    <>
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <Note kind="warn">No worker was seen lately. Calls wait until their queue deadline, then they expire.</Note>
      ) : (
        <Table label="Workers" head={["Worker", "Seen", "State", "Succeeded", "Failed", "Failure rate"]}>
          {workers.map((worker) => (
            <tr key={worker.session}>
              <td>
                <code>
                  <Seen text={worker.worker} />
                </code>
              </td>
              <td>{`${lengthOf(worker.last_seen_seconds * 1_000)} ago`}</td>
              <td>
                <Badge tone={worker.polling ? "good" : "neutral"}>{worker.polling ? "polling" : "busy or away"}</Badge>
              </td>
              <td>{worker.succeeded}</td>
              <td>{worker.failed}</td>
              <td>{percent(worker.failure_rate)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
