import type { ComponentChildren } from "preact";
import type { HeldKey, Role } from "../shared/keys";
import { AgentList } from "./agents/AgentList";
import { AgentPage } from "./agents/AgentPage";
import { CapabilityPage } from "./agents/CapabilityPage";
import { ApprovalPage } from "./approvals/ApprovalPage";
import { History } from "./approvals/History";
import { Inbox } from "./approvals/Inbox";
import { AuditList } from "./AuditList";
import { CallList } from "./calls/CallList";
import { CallPage } from "./calls/CallPage";
import { TryCall } from "./calls/TryCall";
import { TryOffer } from "./calls/TryOffer";
import { Keys } from "./Keys";
import { Need } from "./Need";
import { Notifications } from "./Notifications";
import { NewPool } from "./pools/PoolForm";
import { PoolList } from "./pools/PoolList";
import { PoolPage } from "./pools/PoolPage";
import { ToolList } from "./tools/ToolList";
import { ToolPage } from "./tools/ToolPage";

interface Place {
  readonly key: HeldKey;
  /** The parameter of the path, where it has one. */
  readonly name: string;
  readonly query: URLSearchParams;
}
interface Page {
  readonly path: string;
  /** What it says where no key is held that may see it. */
  readonly title: string;
  /** The keys that may see it, the fittest first. */
  readonly roles: readonly Role[];
  readonly draw: (place: Place) => ComponentChildren;
}

/** Every page of the console. A new one is a line here, and one in `sections.ts` where it belongs into the navigation. */
export const PAGES: readonly Page[] = [
  { path: "/console/approvals", title: "Approvals", roles: ["approver"], draw: ({ key }) => <Inbox approver={key} /> },
  { path: "/console/history", title: "Decided approvals", roles: ["approver"], draw: ({ key }) => <History approver={key} /> },
  { path: "/console/approvals/:name", title: "Approval", roles: ["approver"], draw: ({ key, name }) => <ApprovalPage approver={key} id={name} /> },
  { path: "/console/calls", title: "Calls", roles: ["admin", "caller"], draw: ({ key, query }) => <CallList reader={key} asked={query} /> },
  { path: "/console/calls/:name", title: "Call", roles: ["admin", "caller", "approver", "agent"], draw: ({ key, name }) => <CallPage reader={key} id={name} /> },
  { path: "/console/try", title: "Try a call", roles: ["caller", "agent"], draw: ({ key }) => <TryCall first={key} /> },
  { path: "/console/offers", title: "Try an offer", roles: ["caller"], draw: ({ key }) => <TryOffer first={key} /> },
  { path: "/console/tools", title: "Catalogue", roles: ["admin"], draw: ({ key }) => <ToolList admin={key} /> },
  { path: "/console/tools/:name", title: "Tool", roles: ["admin"], draw: ({ key, name }) => <ToolPage admin={key} name={name} /> },
  { path: "/console/agents", title: "Agents and capabilities", roles: ["admin"], draw: ({ key }) => <AgentList admin={key} /> },
  { path: "/console/agents/:name", title: "Agent", roles: ["admin"], draw: ({ key, name }) => <AgentPage admin={key} name={name} /> },
  { path: "/console/new-agent", title: "New agent", roles: ["admin"], draw: ({ key }) => <AgentPage admin={key} name={undefined} /> },
  { path: "/console/capabilities/:name", title: "Capability", roles: ["admin"], draw: ({ key, name }) => <CapabilityPage admin={key} name={name} /> },
  { path: "/console/new-capability", title: "New capability", roles: ["admin"], draw: ({ key }) => <CapabilityPage admin={key} name={undefined} /> },
  { path: "/console/pools", title: "Pools and workers", roles: ["admin"], draw: ({ key }) => <PoolList admin={key} /> },
  { path: "/console/pools/:name", title: "Pool", roles: ["admin"], draw: ({ key, name }) => <PoolPage admin={key} name={name} /> },
  { path: "/console/new-pool", title: "New pool", roles: ["admin"], draw: ({ key }) => <NewPool admin={key} /> },
  { path: "/console/keys", title: "Keys", roles: ["admin"], draw: ({ key }) => <Keys admin={key} /> },
  { path: "/console/notifications", title: "Notifications", roles: ["admin"], draw: ({ key }) => <Notifications admin={key} /> },
  { path: "/console/audit", title: "Audit", roles: ["admin"], draw: ({ key }) => <AuditList admin={key} /> },
];

/** A page, or the form for a key that may see it. Another key is another page: nothing of the one before stays. */
export function PageView({ page, name, query }: { readonly page: Page; readonly name: string; readonly query: URLSearchParams }) {
  return (
    <Need title={page.title} roles={page.roles}>
      {(key) => <div key={key.id}>{page.draw({ key, name, query })}</div>}
    </Need>
  );
}
