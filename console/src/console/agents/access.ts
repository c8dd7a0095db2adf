import { path, request, type Schemas } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { allOf } from "../../shared/pages";
import { allTools, type Tool } from "../documents";

export type Capability = Schemas["CapabilityView"];
/** Where a model is, as an agent's document says it; `api_key` is never read back. */
export interface ModelEndpoint {
  readonly url: string;
  readonly name: string;
  readonly api_key_set?: boolean;
}
export type Agent = Omit<Schemas["AgentView"], "model"> & { readonly model?: string | ModelEndpoint; readonly dataset?: string };

export interface Access {
  readonly agents: readonly Agent[];
  readonly capabilities: readonly Capability[];
  readonly tools: readonly Tool[];
}

/** Everything that decides which agent may call which tool. */
export async function readAccess(admin: HeldKey, signal: AbortSignal): Promise<Access> {
  const call = { key: admin, signal };
  const [agents, capabilities, tools] = await Promise.all([
    allOf<Agent>("/v1/agents", "agents", call),
    allOf<Capability>("/v1/capabilities", "capabilities", call),
    allTools(admin, signal),
  ]);
  return { agents, capabilities, tools };
}

/** What a saved grant says of pools that do not know it yet. */
export interface Saved {
  readonly lagging?: readonly string[];
}

export async function saveAgent(admin: HeldKey, name: string, body: Readonly<Record<string, unknown>>): Promise<Agent & Saved> {
  return (await request<Agent & Saved>("PUT", path`/v1/agents/${name}`, body, { key: admin })).body;
}

export async function saveCapability(admin: HeldKey, name: string, body: Readonly<Record<string, unknown>>): Promise<Saved> {
  return (await request<Saved>("PUT", path`/v1/capabilities/${name}`, body, { key: admin })).body;
}

export function savedWords(what: string, saved: Saved): string {
  const lagging = saved.lagging ?? [];
  return lagging.length === 0 ? `${what} is saved.` : `${what} is saved. Not told yet, and tried until it is: ${lagging.join(", ")}.`;
}

/** The tools that an agent holds, and by which capabilities. */
export function grantsOf(agent: Agent, capabilities: readonly Capability[]): ReadonlyMap<string, readonly string[]> {
  const grants = new Map<string, string[]>();
  for (const capability of capabilities) {
    if (!agent.capabilities.includes(capability.name)) continue;
    for (const tool of capability.tools) grants.set(tool, [...(grants.get(tool) ?? []), capability.name]);
  }
  return grants;
}

/** Where the model of the agent's chat comes from; that it is the demo model is said by a badge of its own. */
export function modelWords({ model, chat_model: has }: Pick<Agent, "model" | "chat_model">): string {
  if (model === undefined || model === null) {
    if (has?.demo === true) return "no model is set";
    return has === undefined || has.label === "" ? "none that can be used" : `${has.label}, the environment's`;
  }
  if (typeof model === "string") return model === "demo" ? "as the agent says" : `${model}, at the environment's endpoint`;
  return `${model.name} at ${model.url}${model.api_key_set ? ", with a key" : ", without a key"}`;
}
