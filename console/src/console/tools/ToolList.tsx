import { useState } from "preact/hooks";
import { path } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Badge } from "../../shared/ui/Badge";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { allTools, type Tool } from "../documents";
import { useTitle } from "../title";
import { EffectBadge } from "../words";

/** The catalogue: every tool that was ever announced or made by hand. */
export function ToolList({ admin }: { readonly admin: HeldKey }) {
  const { value, fault, reload } = useLoad((signal) => allTools(admin, signal), [admin.id], 15_000);
  const [search, setSearch] = useState("");
  useTitle("Catalogue");
  const word = search.trim().toLowerCase();
  const tools = (value ?? []).filter((tool) => `${tool.name} ${tool.pool ?? ""} ${tool.definition.description}`.toLowerCase().includes(word));
  const refused = tools.filter((tool) => tool.refused !== null);
  return (
    <section class="stack">
      <h1>Catalogue</h1>
      <Field label="Search" hint={value === undefined ? "…" : `${tools.length} of ${value.length} tools`}>
        {(ids) => <input {...ids} class="short" type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />}
      </Field>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {refused.length > 0 && (
        <p>
          Refused definitions wait for an admin:{" "}
          {refused.map((tool, at) => (
            <span key={tool.name}>
              {at > 0 && ", "}
              <Link href={path`/console/tools/${tool.name}`}>
                <Seen text={tool.name} />
              </Link>
            </span>
          ))}
        </p>
      )}
      {value?.length === 0 && <p class="quiet">No tool yet. A worker announces its tools when it registers; an endpoint when it is asked for its manifest.</p>}
      {tools.length > 0 && (
        <Table label="Tools" head={["Tool", "Class", "Pool", "Managed by", "State"]}>
          {tools.map((tool) => (
            <tr key={tool.name}>
              <td>
                <Link href={path`/console/tools/${tool.name}`}>
                  <Seen text={tool.name} />
                </Link>
                <div class="quiet small clamp">
                  <Seen text={tool.definition.description} />
                </div>
              </td>
              <td>
                <EffectBadge effect={tool.definition.side_effect} />
              </td>
              <td>{tool.pool === null ? <span class="quiet">released</span> : <Seen text={tool.pool} />}</td>
              <td>{tool.managed_by}</td>
              <td>
                <ToolState tool={tool} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function ToolState({ tool }: { readonly tool: Tool }) {
  return (
    <span class="row">
      {tool.released ? <Badge>released</Badge> : <Badge tone={tool.enabled ? "good" : "neutral"}>{tool.enabled ? "enabled" : "disabled"}</Badge>}
      {tool.refused !== null && <Badge tone="bad">definition refused</Badge>}
    </span>
  );
}
