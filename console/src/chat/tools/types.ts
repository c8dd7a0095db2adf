/** What a handler is told besides its arguments. */
export interface ToolContext {
  readonly threadId: string;
  readonly toolCallId: string;
  /** Aborts when nobody waits for the answer any more: a stop, a new message, another browser that was faster. */
  readonly signal: AbortSignal;
}

/** A tool that runs in this browser. */
export interface ClientTool {
  /** What the model reads; `parameters` is a JSON Schema of the arguments. */
  readonly definition: { readonly name: string; readonly description: string; readonly parameters: Readonly<Record<string, unknown>> };
  /** Whether it is advertised until the user says otherwise. Ship anything consequential with `false`. */
  readonly defaultEnabled: boolean;
  /** How long the handler may take, in ms; `null` where it waits for a person. One minute where nothing is said. */
  readonly timeoutMs?: number | null;
  /** Gives any JSON value. Give `{ error }` instead of throwing; what is thrown becomes one. */
  readonly handler: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<unknown>;
}
