import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Content, Message } from "../agui/types";
import { Badge } from "../shared/ui/Badge";
import { Seen } from "../shared/ui/Seen";
import { rendererOf } from "./activities/registry";
import { CallView } from "./CallView";
import { GroundingView } from "./GroundingView";
import type { Talk } from "./loop";
import { Markdown } from "./markdown/Markdown";
import { OfferView } from "./OfferView";

/** How near the end counts as "at the end", in px. */
const NEAR = 120;

/** What was said, in order. It keeps to the end while the reader is there. */
export function Transcript({ talk }: { readonly talk: Talk }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [talk]);
  const results = useMemo(() => new Map(talk.messages.flatMap((message) => (message.toolCallId === undefined ? [] : [[message.toolCallId, message] as const]))), [talk.messages]);
  const waiting = new Set(talk.interrupts.map(({ toolCallId }) => toolCallId));
  return (
    <div
      ref={box}
      class="transcript"
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      aria-busy={talk.status === "running"}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => (atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR)}
    >
      {talk.messages.length === 0 && talk.status === "idle" && <p class="quiet welcome">Say what you need. The agent finds the tools for it.</p>}
      {talk.grounding !== undefined && <GroundingView grounding={talk.grounding} />}
      {talk.messages.map((message, at) => (
        <MessageView key={`${message.id}-${at}`} message={message} talk={talk} results={results} waiting={waiting} last={at === talk.messages.length - 1} />
      ))}
      {talk.status === "running" && (
        <p class="working" aria-hidden="true">
          <span />
          <span />
          <span />
        </p>
      )}
    </div>
  );
}

interface Props {
  readonly message: Message;
  readonly talk: Talk;
  readonly results: ReadonlyMap<string, Message>;
  readonly waiting: ReadonlySet<string | undefined>;
  readonly last: boolean;
}

function MessageView({ message, talk, results, waiting, last }: Props) {
  switch (message.role) {
    case "user":
      return (
        <article class="message user" aria-label="You">
          <Seen text={textOf(message.content as Content)} breaks />
        </article>
      );
    case "reasoning":
      return (
        <details class="reasoning" open={last && talk.status === "running"}>
          <summary>Reasoning</summary>
          <Seen text={textOf(message.content as Content)} breaks />
        </details>
      );
    case "assistant":
      return <Assistant message={message} talk={talk} results={results} waiting={waiting} />;
    case "activity": {
      const Renderer = rendererOf(message.activityType ?? "");
      return <Renderer type={message.activityType ?? ""} content={message.content} />;
    }
    default:
      // Results are shown with their calls; what is for the model alone is not shown.
      return null;
  }
}

function Assistant({ message, talk, results, waiting }: Omit<Props, "last">) {
  const text = textOf(message.content as Content | undefined);
  const offer = talk.offers.get(message.id);
  const meta = message.metadata ?? {};
  return (
    <article class="message assistant" aria-label="Assistant">
      {meta["demo"] === true && <Badge tone="warn">Demo model</Badge>}
      {text !== "" && <Markdown text={text} />}
      {message.toolCalls?.map((call) => (
        <CallView key={call.id} call={call} result={results.get(call.id)} info={talk.calls.get(call.id)} waits={waiting.has(call.id)} asked={talk.status === "asking"} running={talk.status === "running"} />
      ))}
      {offer !== undefined && <OfferView offer={offer} />}
    </article>
  );
}

/** The words of a message; parts that are none are named. */
export function textOf(content: Content | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
