import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HeldKey } from "../shared/keys";
import { Link } from "../shared/router";
import { useStore } from "../shared/store";
import { Badge } from "../shared/ui/Badge";
import { Button } from "../shared/ui/Button";
import { Note } from "../shared/ui/Note";
import { Seen } from "../shared/ui/Seen";
import { AskCard } from "./cards/AskCard";
import { GatewayCard } from "./cards/GatewayCard";
import type { Capabilities } from "./capabilities";
import { Composer } from "./Composer";
import { Spoken } from "./Spoken";
import { ToolsPanel } from "./ToolsPanel";
import { asks } from "./tools/asks";
import { Transcript } from "./Transcript";
import { type Screen, useConversation } from "./useConversation";

interface Props {
  readonly held: HeldKey;
  readonly thread: string;
  readonly fresh: boolean;
  readonly capabilities: Capabilities | undefined;
  readonly screen: Screen | undefined;
  readonly onBegun: () => void;
  readonly onChange: () => void;
}

/** One conversation: what was said, what waits for somebody, and where to say something. */
export function Conversing({ held, thread, fresh, capabilities, screen, onBegun, onChange }: Props) {
  const taken = useMemo(() => new Set(capabilities?.tools.items.map(({ name }) => name)), [capabilities]);
  const { it, talk } = useConversation(held, thread, fresh, taken, screen);
  const questions = useStore(asks).filter((ask) => ask.threadId === thread);
  const [panel, setPanel] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = talk.status === "running" || talk.status === "elsewhere";
  useEffect(onChange, [talk.status, talk.messages.length]);
  const say = async (text: string): Promise<boolean> => {
    onBegun();
    return it.say(text);
  };
  const back = (): void => field.current?.focus();
  if (talk.absent) {
    return (
      <Note kind="warn">
        <p>This conversation is not there, or it is of another agent or person.</p>
        <Link href="/chat">Begin a new one</Link>
      </Note>
    );
  }
  const model = capabilities?.custom.model;
  return (
    <div class="conversing">
      <div class="row spread">
        <h1>
          <Seen text={held.agent ?? ""} />
        </h1>
        <span class="row">
          {model?.demo === true && <Badge tone="warn">Demo model: no language model answers here</Badge>}
          {model !== undefined && !model.demo && <Badge>{model.label}</Badge>}
          <Button small pressed={panel} onClick={() => setPanel(!panel)}>
            Tools
          </Button>
        </span>
      </div>
      {panel && <ToolsPanel held={held} capabilities={capabilities} clashing={talk.clashing} onClose={() => setPanel(false)} />}
      <Spoken talk={talk} questions={questions} />
      <Transcript talk={talk}>
        {questions.map((question) => (
          <AskCard key={question.toolCallId} question={question} onDone={back} />
        ))}
        {talk.interrupts.map((interrupt) => (
          <GatewayCard key={interrupt.id} interrupt={interrupt} messages={talk.messages} onDone={back} />
        ))}
        {talk.error !== undefined && (
          <Note kind="bad" alert>
            <p>
              The run failed. <Seen text={talk.error.message} breaks />
              {talk.error.code !== undefined && <code class="quiet"> {talk.error.code}</code>}
            </p>
          </Note>
        )}
        {talk.stopped && talk.status === "idle" && <p class="quiet small">Stopped. What the gateway had begun may still come to its end.</p>}
        {talk.status === "elsewhere" && <p class="quiet small">A run of this conversation is under way somewhere else. Its answer appears here.</p>}
      </Transcript>
      <Composer field={field} busy={busy} waiting={talk.status === "asking" || talk.status === "deciding"} onSay={say} onStop={() => void it.stop()} />
    </div>
  );
}
