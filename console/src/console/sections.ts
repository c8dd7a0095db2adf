import type { Role } from "../shared/keys";

export interface Section {
  readonly href: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** Other beginnings of paths that belong to it. */
  readonly also?: readonly string[];
}

/** The navigation. */
export const SECTIONS: readonly Section[] = [
  { href: "/console/approvals", name: "Approvals", roles: ["approver"], also: ["/console/history"] },
  { href: "/console/calls", name: "Calls", roles: ["admin", "caller"] },
  { href: "/console/try", name: "Try a call", roles: ["caller", "agent"] },
  { href: "/console/offers", name: "Try an offer", roles: ["caller"] },
  { href: "/console/tools", name: "Catalogue", roles: ["admin"] },
  { href: "/console/agents", name: "Agents", roles: ["admin"], also: ["/console/capabilities", "/console/new-agent", "/console/new-capability"] },
  { href: "/console/pools", name: "Pools", roles: ["admin"], also: ["/console/new-pool"] },
  { href: "/console/keys", name: "Keys", roles: ["admin"] },
  { href: "/console/notifications", name: "Notifications", roles: ["admin"] },
  { href: "/console/audit", name: "Audit", roles: ["admin"] },
];

export function isIn(section: Section, path: string): boolean {
  return [section.href, ...(section.also ?? [])].some((begin) => path === begin || path.startsWith(`${begin}/`));
}
