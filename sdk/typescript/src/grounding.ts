import { ConfigurationError } from "./errors.js";
import { checkPlainName, checkToolName } from "./names.js";

export interface DigestField {
  readonly path: string;
  readonly label: string;
}

/** A screen type that a turn may name, and how its facts are fetched. */
export interface ContextDefinition {
  readonly contextType: string;
  /** `entity` needs a context id, `screen` has none. */
  readonly scope: "entity" | "screen";
  readonly pinnedTools?: readonly string[];
  /** Must be `read_only`: it runs unasked on every grounded turn. */
  readonly prefetchTool?: string;
  /** `"$context_id"` stands for the id of the turn. */
  readonly prefetchArgs?: Readonly<Record<string, unknown>>;
  readonly digestFields?: readonly DigestField[];
}

/** Whether the tools exist and are `read_only` is the gateway's to say, per context, in the registration. */
export function checkContext(context: ContextDefinition): void {
  checkPlainName(context.contextType, "contextType");
  const at = `context "${context.contextType}"`;
  if (context.scope !== "entity" && context.scope !== "screen") throw new ConfigurationError(`${at}: scope must be "entity" or "screen"`);
  for (const name of context.pinnedTools ?? []) checkToolName(name, `${at}: pinnedTools`);
  if (context.prefetchTool !== undefined) checkToolName(context.prefetchTool, `${at}: prefetchTool`);
  for (const field of context.digestFields ?? []) {
    if (typeof field?.path !== "string" || typeof field.label !== "string") {
      throw new ConfigurationError(`${at}: each of digestFields needs a path and a label`);
    }
  }
}
