import type { HeldKey } from "../shared/keys";
import { useStore } from "../shared/store";
import { Badge, type Tone } from "../shared/ui/Badge";
import { Button } from "../shared/ui/Button";
import { Seen } from "../shared/ui/Seen";
import { Switch } from "../shared/ui/Switch";
import type { Capabilities } from "./capabilities";
import { CLIENT_TOOLS } from "./tools/registry";
import { isOn, turn, turned } from "./tools/switches";

interface Props {
  readonly held: HeldKey;
  readonly capabilities: Capabilities | undefined;
  /** Names that the gateway has although the agent is not granted them. */
  readonly clashing: ReadonlySet<string>;
  readonly onClose: () => void;
}

const TONE = new Map<string, Tone>([["reversible_write", "warn"], ["consequential", "bad"]]);

/** What the agent can call: tools behind the gateway, always, and tools of this browser, as far as they are switched on. */
export function ToolsPanel({ held, capabilities, clashing, onClose }: Props) {
  useStore(turned);
  const [org, agent] = [held.org, held.agent ?? ""];
  const items = capabilities?.tools.items ?? [];
  const taken = new Set([...items.map(({ name }) => name), ...clashing]);
  return (
    <section class="card panel" aria-labelledby="tools-title">
      <div class="row spread">
        <h2 id="tools-title">Tools</h2>
        <Button small onClick={onClose}>
          Close
        </Button>
      </div>
      <div class="columns">
        <div class="stack">
          <h3>In this browser</h3>
          <p class="quiet small">A tool that is off is not told to the agent at all.</p>
          <ul class="list">
            {CLIENT_TOOLS.map((tool) => (
              <li key={tool.definition.name}>
                <Switch
                  label={tool.definition.name}
                  on={isOn(tool, org, agent) && !taken.has(tool.definition.name)}
                  disabled={taken.has(tool.definition.name) ? "The gateway has a tool of this name" : undefined}
                  onChange={(on) => turn(tool, org, agent, on)}
                />
                <p class="quiet small">{tool.definition.description}</p>
              </li>
            ))}
          </ul>
        </div>
        <section class="stack" aria-labelledby="granted-title">
          <h3 id="granted-title">Behind the gateway</h3>
          <p class="quiet small">Always on: they are granted to the agent, and no switch of this page changes that. In each turn it is offered those that fit.</p>
          {items.length === 0 && <p>None is granted to this agent.</p>}
          <ul class="list">
            {items.map((tool) => (
              <li key={tool.name}>
                <strong>
                  <Seen text={tool.name} />
                </strong>{" "}
                <Badge tone={TONE.get(tool.metadata.side_effect) ?? "neutral"}>{tool.metadata.side_effect}</Badge>
                <p class="quiet small">
                  <Seen text={tool.description} breaks />
                </p>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </section>
  );
}
