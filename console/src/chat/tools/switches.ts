/** Which tools of this browser are on, kept on this device for each agent of an org. */
import { Store } from "../../shared/store";
import { CLIENT_TOOLS } from "./registry";
import type { ClientTool } from "./types";

const nameOf = (org: string, agent: string): string => `toolgate.tools.${org}.${agent}`;
/** Rises when a switch was turned, also in another tab. */
export const turned = new Store(0);

export function isOn(tool: ClientTool, org: string, agent: string): boolean {
  return kept(org, agent)[tool.definition.name] ?? tool.defaultEnabled;
}

export function turn(tool: ClientTool, org: string, agent: string, on: boolean): void {
  localStorage.setItem(nameOf(org, agent), JSON.stringify({ ...kept(org, agent), [tool.definition.name]: on }));
  turned.set(turned.value + 1);
}

/** What the agent is told of. A tool that the gateway has too (`taken`) is the gateway's: two of one name are refused. */
export function toldTools(org: string, agent: string, taken: ReadonlySet<string>): readonly ClientTool[] {
  return CLIENT_TOOLS.filter((tool) => isOn(tool, org, agent) && !taken.has(tool.definition.name));
}

function kept(org: string, agent: string): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(nameOf(org, agent)) ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"));
  } catch {
    return {};
  }
}

addEventListener("storage", (event) => event.key?.startsWith("toolgate.tools.") && turned.set(turned.value + 1));
