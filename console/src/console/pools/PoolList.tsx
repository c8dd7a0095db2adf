import { path, get, type Schemas } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { allOf } from "../../shared/pages";
import { Link } from "../../shared/router";
import { Badge } from "../../shared/ui/Badge";
import { Fault } from "../../shared/ui/Fault";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { lengthOf } from "../../shared/ui/Time";
import { useTitle } from "../title";
import { EndpointBadge, percent } from "./parts";

type Pool = Schemas["PoolView"];
type Stats = Schemas["PoolStats"];

async function read(admin: HeldKey, signal: AbortSignal): Promise<readonly (readonly [Pool, Stats | undefined])[]> {
  const pools = await allOf<Pool>("/v1/pools", "pools", { key: admin, signal });
  // A pool that does not answer must not hide the others.
  const stats = await Promise.all(pools.map(({ pool }) => get<Stats>(path`/v1/pools/${pool}/stats`, { key: admin, signal }).catch(() => undefined)));
  return pools.map((pool, at) => [pool, stats[at]] as const);
}

export function PoolList({ admin }: { readonly admin: HeldKey }) {
  const { value, fault, reload } = useLoad((signal) => read(admin, signal), [admin.id], 5_000);
  useTitle("Pools");
  return (
    <section class="stack">
      <div class="row spread">
        <h1>Pools and workers</h1>
        <Link class="button" href="/console/new-pool">
          New pool
        </Link>
      </div>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value?.length === 0 && <p class="quiet">None yet.</p>}
      {value !== undefined && value.length > 0 && (
        <Table label="Pools" head={["Pool", "Reached by", "Queued", "Oldest", "Running", "Waiting for approval", "Failures", "State"]}>
          {value.map(([pool, stats]) => (
            <tr key={pool.pool}>
              <td>
                <Link href={path`/console/pools/${pool.pool}`}>
                  <Seen text={pool.pool} />
                </Link>
              </td>
              <td>{pool.transport}</td>
              {stats === undefined ? (
                <td colSpan={6} class="quiet">
                  does not answer now
                </td>
              ) : (
                <Numbers pool={pool} stats={stats} />
              )}
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Numbers({ pool, stats }: { readonly pool: Pool; readonly stats: Stats }) {
  const sums = stats.endpoint === null ? stats.workers : [stats.endpoint];
  const failed = sums.reduce((sum, each) => sum + each.failed, 0);
  const all = sums.reduce((sum, each) => sum + each.failed + each.succeeded, 0);
  return (
    <>
      <td>{stats.depth}</td>
      <td>{stats.oldest_queued_seconds === null ? <span class="quiet">none</span> : lengthOf(stats.oldest_queued_seconds * 1_000)}</td>
      <td>{stats.running}</td>
      <td>{stats.waiting_approval}</td>
      <td>{all === 0 ? <span class="quiet">no call yet</span> : `${percent(failed / all)} of ${all}`}</td>
      <td>
        <span class="row">
          {pool.endpoint !== undefined && <EndpointBadge state={pool.endpoint.state} />}
          {pool.transport === "worker" && <Badge tone={stats.workers.length > 0 ? "good" : "warn"}>{workersWords(stats.workers.length)}</Badge>}
          {stats.alerts.length > 0 && <Badge tone="bad">{stats.alerts.join(", ")}</Badge>}
        </span>
      </td>
    </>
  );
}

function workersWords(count: number): string {
  return count === 0 ? "no worker" : count === 1 ? "1 worker" : `${count} workers`;
}
