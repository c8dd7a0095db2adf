/** What `GET /v1/agents/{agent}/agui` says, as far as the page shows it. */
export interface Capabilities {
  readonly identity: { readonly name: string; readonly description?: string };
  readonly tools: { readonly items: readonly ServerTool[] };
  readonly custom: { readonly model: { readonly label: string; readonly demo: boolean } };
}

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly metadata: { readonly side_effect: string; readonly pool: string; readonly managed_by: string };
}
