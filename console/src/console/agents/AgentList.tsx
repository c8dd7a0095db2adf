import { path } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Badge } from "../../shared/ui/Badge";
import { Fault } from "../../shared/ui/Fault";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { lengthOf } from "../../shared/ui/Time";
import { useTitle } from "../title";
import { type Access, grantsOf, modelWords, readAccess } from "./access";
import { DemoBadge } from "./DemoBadge";

export function AgentList({ admin }: { readonly admin: HeldKey }) {
  const { value, fault, reload } = useLoad((signal) => readAccess(admin, signal), [admin.id]);
  useTitle("Agents");
  return (
    <section class="stack">
      <h1>Agents and capabilities</h1>
      <p>An agent may call what its capabilities grant, and nothing else. Registration of tools grants nothing.</p>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && (
        <>
          <Agents access={value} />
          <Capabilities access={value} />
        </>
      )}
    </section>
  );
}

function Agents({ access }: { readonly access: Access }) {
  return (
    <>
      <div class="row spread">
        <h2>Agents</h2>
        <Link class="button" href="/console/new-agent">
          New agent
        </Link>
      </div>
      {access.agents.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <Table label="Agents" head={["Agent", "Capabilities", "Tools", "Model", "Budget"]}>
          {access.agents.map((agent) => (
            <tr key={agent.name}>
              <td>
                <Link href={path`/console/agents/${agent.name}`}>
                  <Seen text={agent.name} />
                </Link>
              </td>
              <td>{agent.capabilities.length === 0 ? <span class="quiet">none</span> : <Seen text={agent.capabilities.join(", ")} />}</td>
              <td>{grantsOf(agent, access.capabilities).size}</td>
              <td>
                <span class="row">
                  <DemoBadge agent={agent} />
                  <Seen text={modelWords(agent)} />
                </span>
              </td>
              <td>{agent.offer_budget_tokens ?? <span class="quiet">4,000</span>}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function Capabilities({ access }: { readonly access: Access }) {
  return (
    <>
      <div class="row spread">
        <h2>Capabilities</h2>
        <Link class="button" href="/console/new-capability">
          New capability
        </Link>
      </div>
      {access.capabilities.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <Table label="Capabilities" head={["Capability", "Tools", "Held by", "Rules"]}>
          {access.capabilities.map((capability) => (
            <tr key={capability.name}>
              <td>
                <Link href={path`/console/capabilities/${capability.name}`}>
                  <Seen text={capability.name} />
                </Link>
              </td>
              <td>
                <Seen text={capability.tools.join(", ")} />
              </td>
              <td>
                <Seen
                  text={access.agents
                    .filter((agent) => agent.capabilities.includes(capability.name))
                    .map((agent) => agent.name)
                    .join(", ")}
                />
              </td>
              <td>
                <span class="row">
                  {capability.allow_reversible_writes && <Badge tone="info">reversible writes</Badge>}
                  {capability.approvals_required > 1 && <Badge tone="warn">{capability.approvals_required} approvals</Badge>}
                  {capability.approval_seconds !== undefined && <Badge tone="info">{lengthOf(capability.approval_seconds * 1_000)} to decide</Badge>}
                  {!capability.requester_may_approve && <Badge tone="warn">who asked may not approve</Badge>}
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
