import { useState } from "preact/hooks";
import { path, query, type Schemas } from "../../shared/api";
import { type HeldKey, heldKeys, keyOf } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { allOf } from "../../shared/pages";
import { Link, navigate } from "../../shared/router";
import { useStore } from "../../shared/store";
import { Button } from "../../shared/ui/Button";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { Time } from "../../shared/ui/Time";
import { listCalls } from "../documents";
import { More } from "../More";
import { useTitle } from "../title";
import { CALL_STATES, CallStateBadge } from "../words";

/** The calls of a pool. The filters stand in the address, so that a list can be sent to somebody. */
export function CallList({ reader, asked }: { readonly reader: HeldKey; readonly asked: URLSearchParams }) {
  const admin = keyOf(useStore(heldKeys), "admin");
  const pools = useLoad(admin && ((signal) => allOf<Schemas["PoolView"]>("/v1/pools", "pools", { key: admin, signal })), [admin?.id]);
  const only = pools.value?.length === 1 ? pools.value[0]?.pool : undefined;
  const filters = { pool: asked.get("pool") ?? only ?? "", state: asked.get("state") ?? "", tool: asked.get("tool") ?? "", agent: asked.get("agent") ?? "" };
  const [pages, setPages] = useState(1);
  const { value, fault, loading, reload } = useLoad(
    filters.pool === "" ? undefined : (signal) => listCalls(reader, filters, pages, signal),
    [reader.id, pages, ...Object.values(filters)],
    5_000,
  );
  useTitle("Calls");
  return (
    <section class="stack">
      <h1>Calls</h1>
      <Filters key={JSON.stringify(filters)} filters={filters} pools={pools.value?.map((each) => each.pool)} />
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {filters.pool === "" && <p class="quiet">Calls are kept by pool: name one.</p>}
      {value?.entries.length === 0 && <p class="quiet">No call fits. Calls are deleted 7 days after their end.</p>}
      {value !== undefined && value.entries.length > 0 && (
        <Table label="Calls" head={["Asked", "Tool", "Agent", "State", "Ended", "Why"]}>
          {value.entries.map((call) => (
            <tr key={call.call}>
              <td>
                <Link href={path`/console/calls/${call.call}`}>
                  <Time at={call.created_at} />
                </Link>
              </td>
              <td>
                <Seen text={call.tool} />
              </td>
              <td>
                <Seen text={call.agent} />
              </td>
              <td>
                <CallStateBadge state={call.state} />
              </td>
              <td>{call.ended_at !== undefined && <Time at={call.ended_at} />}</td>
              <td>{call.error !== undefined && <code><Seen text={call.error.code} /></code>}</td>
            </tr>
          ))}
        </Table>
      )}
      <More more={value?.more} busy={loading} onMore={() => setPages(pages + 1)} />
    </section>
  );
}

interface FiltersProps {
  readonly filters: { readonly pool: string; readonly state: string; readonly tool: string; readonly agent: string };
  readonly pools: readonly string[] | undefined;
}

function Filters({ filters, pools }: FiltersProps) {
  const [values, setValues] = useState(filters);
  const set = (name: keyof typeof filters) => (event: { readonly currentTarget: { readonly value: string } }) => setValues({ ...values, [name]: event.currentTarget.value });
  return (
    <form
      class="card"
      role="search"
      aria-label="Calls"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(query("/console/calls", values));
      }}
    >
      <div class="filters">
        <Field label="Pool">
          {(ids) =>
            pools === undefined ? (
              <input {...ids} autocomplete="off" value={values.pool} onInput={set("pool")} />
            ) : (
              <select {...ids} value={values.pool} onChange={set("pool")}>
                <option value="">Choose…</option>
                {pools.map((pool) => (
                  <option key={pool}>{pool}</option>
                ))}
              </select>
            )
          }
        </Field>
        <Field label="State">
          {(ids) => (
            <select {...ids} value={values.state} onChange={set("state")}>
              <option value="">Any</option>
              {CALL_STATES.map((state) => (
                <option key={state} value={state}>
                  {state.replaceAll("_", " ")}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Tool">{(ids) => <input {...ids} autocomplete="off" value={values.tool} onInput={set("tool")} />}</Field>
        <Field label="Agent">{(ids) => <input {...ids} autocomplete="off" value={values.agent} onInput={set("agent")} />}</Field>
      </div>
      <div class="row">
        <Button type="submit">Show</Button>
      </div>
    </form>
  );
}
