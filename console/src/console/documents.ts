// The documents of the API as the console reads them: what customers' own JSON is stays text.
import { get, path, request, type Schemas } from "../shared/api";
import type { JsonText } from "../shared/json";
import type { HeldKey } from "../shared/keys";
import { allOf, type Page, pagesOf } from "../shared/pages";

type With<Base, Own> = Omit<Base, keyof Own> & Own;

export interface ChangeText {
  readonly field: string;
  readonly from?: JsonText;
  readonly to?: JsonText;
}
export type Approval = With<
  Schemas["ApprovalView"],
  { readonly arguments: JsonText; readonly edited_arguments?: JsonText; readonly principal: JsonText; readonly changes?: readonly ChangeText[] }
>;
export type ApprovalState = Approval["state"];
export type CallView = With<
  Schemas["CallView"],
  { readonly result?: JsonText; readonly edited_arguments?: JsonText; readonly activity?: { readonly type: string; readonly content: JsonText } }
>;
export type CallState = CallView["state"];
export type Tool = With<
  Schemas["ToolView"],
  {
    readonly refused: With<Schemas["RefusedView"], { readonly changes: readonly ChangeText[] }> | null;
    readonly versions?: readonly With<Schemas["VersionView"], { readonly changes: readonly ChangeText[] }>[];
  }
>;
export type Offer = With<Schemas["Offer"], { readonly tools: readonly With<Schemas["OfferedTool"], { readonly definition: JsonText }>[] }>;
export type RunAnswer = With<Schemas["RunAnswer"], { readonly offer: Offer }>;
export type CallEvents = With<Schemas["CallEvents"], { readonly arguments: JsonText }>;
export type Audit = With<Schemas["AuditView"], { readonly detail: JsonText }>;

const APPROVAL = ["arguments", "edited_arguments", "principal", "changes.*.from", "changes.*.to"];
const CALL = ["result", "edited_arguments", "activity.content"];
const TOOL = ["versions.*.changes.*.from", "versions.*.changes.*.to", "refused.changes.*.from", "refused.changes.*.to"];
const inList = (name: string, paths: readonly string[]): string[] => paths.map((each) => `${name}.*.${each}`);

export function listApprovals(key: HeldKey, state: ApprovalState, order: "oldest" | "newest", pages: number, signal?: AbortSignal): Promise<Page<Approval>> {
  return pagesOf("/v1/approvals", "approvals", { state, order: order === "newest" ? order : undefined }, pages, { key, ...(signal && { signal }), raw: inList("approvals", APPROVAL) });
}

export function readApproval(key: HeldKey, id: string, signal?: AbortSignal): Promise<Approval> {
  return get(path`/v1/approvals/${id}`, { key, signal, raw: APPROVAL });
}

export async function decide(key: HeldKey, id: string, body: string): Promise<Approval> {
  return (await request<Approval>("POST", path`/v1/approvals/${id}/decision`, body, { key, raw: APPROVAL })).body;
}

export function readCall(key: HeldKey, id: string, signal?: AbortSignal, wait?: number): Promise<CallView> {
  return get(path`/v1/calls/${id}`, { key, signal, raw: CALL, ...(wait === undefined ? {} : { headers: { prefer: `wait=${wait}` } }) });
}

export function readEvents(key: HeldKey, id: string, signal?: AbortSignal): Promise<CallEvents> {
  return get(path`/v1/calls/${id}/events`, { key, signal, raw: ["arguments"] });
}

export function readRun(key: HeldKey, id: string, signal?: AbortSignal): Promise<Schemas["RunView"]> {
  return get(path`/v1/runs/${id}`, { key, signal });
}

export function listCalls(key: HeldKey, filters: Readonly<Record<string, string | undefined>>, pages: number, signal?: AbortSignal): Promise<Page<CallView>> {
  return pagesOf("/v1/calls", "calls", filters, pages, { key, ...(signal && { signal }), raw: inList("calls", CALL) });
}

export async function submitCall(key: HeldKey, body: string, idempotencyKey: string, wait: number, signal: AbortSignal): Promise<CallView> {
  const headers = { "idempotency-key": idempotencyKey, prefer: `wait=${wait}` };
  return (await request<CallView>("POST", "/v1/calls", body, { key, headers, raw: CALL, signal })).body;
}

export async function changeCall(key: HeldKey, id: string, what: "cancel" | "resolution", body: string): Promise<CallView> {
  const address = what === "cancel" ? path`/v1/calls/${id}/cancel` : path`/v1/calls/${id}/resolution`;
  return (await request<CallView>("POST", address, body, { key, raw: CALL })).body;
}

export function listTools(key: HeldKey, pages: number, signal?: AbortSignal): Promise<Page<Tool>> {
  return pagesOf("/v1/tools", "tools", {}, pages, { key, ...(signal && { signal }), raw: inList("tools", TOOL) });
}

export function allTools(key: HeldKey, signal?: AbortSignal): Promise<readonly Tool[]> {
  return allOf("/v1/tools", "tools", { key, ...(signal && { signal }), raw: inList("tools", TOOL) });
}

export function readTool(key: HeldKey, name: string, signal?: AbortSignal): Promise<Tool> {
  return get(path`/v1/tools/${name}`, { key, signal, raw: TOOL });
}

export async function startRun(key: HeldKey, body: string): Promise<RunAnswer> {
  return (await request<RunAnswer>("POST", "/v1/runs", body, { key, raw: ["offer.tools.*.definition"] })).body;
}

export function listAudit(key: HeldKey, pages: number, signal?: AbortSignal): Promise<Page<Audit>> {
  return pagesOf("/v1/audit", "audit", {}, pages, { key, ...(signal && { signal }), raw: ["audit.*.detail"] });
}
