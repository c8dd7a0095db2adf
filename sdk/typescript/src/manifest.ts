import { ConfigurationError } from "./errors.js";
import { checkContext, type ContextDefinition } from "./grounding.js";
import { exactJsonText } from "./json/write.js";
import { MANIFEST_BYTES_MAX, TOOLS_MAX } from "./limits.js";
import { isTool, type Tool } from "./tool.js";

/** The wire form of tools and contexts, as JSON text. What is not set is left out, so that equal code has an equal hash. */
export function manifestText(tools: readonly Tool[], contexts: readonly ContextDefinition[] = []): string {
  if (tools.length > TOOLS_MAX) throw new ConfigurationError(`the manifest has ${tools.length} tools; the limit is ${TOOLS_MAX}`);
  tools.forEach((candidate, index) => {
    if (!isTool(candidate)) throw new ConfigurationError(`tools[${index}] was not made by tool()`);
  });
  contexts.forEach(checkContext);
  checkUnique(tools.map((each) => each.name), "tool");
  checkUnique(contexts.map((each) => each.contextType), "context");
  const text = exactJsonText({
    tools: tools.map(wireTool),
    contexts: contexts.length === 0 ? undefined : contexts.map(wireContext),
  });
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MANIFEST_BYTES_MAX) throw new ConfigurationError(`the manifest has ${bytes} bytes; the limit is ${MANIFEST_BYTES_MAX}`);
  return text;
}

function wireTool(each: Tool): object {
  return {
    name: each.name,
    description: each.description,
    side_effect: each.sideEffect,
    input: each.input,
    permissions: each.permissions,
    routing: each.routing && { keywords: each.routing.keywords, patterns: each.routing.patterns },
    queue_deadline_seconds: each.queueDeadlineSeconds,
    execution_deadline_seconds: each.executionDeadlineSeconds,
  };
}

function wireContext(each: ContextDefinition): object {
  return {
    context_type: each.contextType,
    scope: each.scope,
    pinned_tools: each.pinnedTools,
    prefetch_tool: each.prefetchTool,
    prefetch_args: each.prefetchArgs,
    digest_fields: each.digestFields?.map(({ path, label }) => ({ path, label })),
  };
}

function checkUnique(names: readonly string[], kind: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new ConfigurationError(`${kind} "${name}" is defined twice`);
    seen.add(name);
  }
}
