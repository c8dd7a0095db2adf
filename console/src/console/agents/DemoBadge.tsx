import { Badge } from "../../shared/ui/Badge";
import type { Agent } from "./access";

/** Says of an agent that no language model answers in its chat. */
export function DemoBadge({ agent }: { readonly agent: Pick<Agent, "chat_model"> }) {
  return agent.chat_model?.demo === true ? <Badge tone="warn">Demo model</Badge> : null;
}
