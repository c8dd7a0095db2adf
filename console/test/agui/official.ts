// The official client as the second opinion: what it makes of the same bytes.
import { HttpAgent } from "@ag-ui/client";
import { eventsOf } from "../../src/agui/sse";
import { Stream } from "../../src/agui/conversation";
import type { Event, Message, Outcome } from "../../src/agui/types";

process.env["SUPPRESS_TRANSFORMATION_WARNINGS"] = "1";

export type Raw = Record<string, unknown>;
export interface Verdict {
  readonly fault: unknown;
  readonly messages: readonly unknown[];
  readonly state: unknown;
  readonly pending: readonly string[] | undefined;
  readonly interrupts: readonly unknown[];
  readonly runError: string | undefined;
}

/** The bytes of a stream, in chunks of a size that splits lines and characters. */
export function body(events: readonly Raw[], chunk = 7): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(events.map((event) => `: beat\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
    },
  });
}

export async function official(events: readonly Raw[], before: readonly Raw[] = [], chunk?: number): Promise<Verdict> {
  const agent = new HttpAgent({
    url: "http://gateway.invalid/agui",
    threadId: "thread",
    initialMessages: structuredClone(before) as never,
    fetch: () => Promise.resolve(new Response(body(events, chunk), { headers: { "content-type": "text/event-stream" } })),
  });
  let pending: readonly string[] | undefined;
  let runError: string | undefined;
  let fault: unknown;
  const silenced = [console.warn, console.error];
  console.warn = console.error = () => undefined;
  try {
    await agent.runAgent({}, {
      onRunStartedEvent: () => void ([pending, runError] = [undefined, undefined]),
      onRunFinishedEvent: (params) => void (pending = params.outcome === "success" ? params.pendingToolCallIds : undefined),
      onRunErrorEvent: ({ event }) => void (runError = event.message),
    });
  } catch (thrown) {
    fault = thrown;
  } finally {
    [console.warn, console.error] = silenced as [typeof console.warn, typeof console.error];
  }
  return { fault, messages: agent.messages, state: agent.state, pending, interrupts: agent.pendingInterrupts, runError };
}

export interface Ours {
  readonly fault: unknown;
  readonly messages: readonly Message[];
  readonly state: unknown;
  readonly outcome: Outcome | undefined;
  readonly warnings: readonly string[];
  /** What the page was told, in its order. */
  readonly events: readonly Event[];
}

export async function ours(events: readonly Raw[], before: readonly Raw[] = [], chunk?: number): Promise<Ours> {
  // What the official client begins with where nothing else is said.
  const stream = new Stream({ messages: before as unknown as Message[], state: {} });
  const told: Event[] = [];
  let fault: unknown;
  try {
    for await (const raw of eventsOf(body(events, chunk))) told.push(...stream.take(raw));
    stream.end();
  } catch (thrown) {
    fault = thrown;
  }
  return { fault, messages: stream.messages, state: stream.state, outcome: stream.outcome, warnings: stream.warnings, events: told };
}

/** As it would be sent: absent and undefined are one. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
