/**
 * A conversation in one browser: runs, the calls that this browser answers, the decisions that it waits for. The gateway's thread is the truth;
 * whatever ends in the middle is taken up from there. Nothing here touches a page or the network: both are handed in.
 */
import { Stream } from "../agui/conversation";
import { reduce } from "../agui/reduce";
import { type Event, type Interrupt, type Message, type Outcome, ProtocolError } from "../agui/types";
import { answerAll, type Answered, type ClientCall, failure } from "./answers";
import type { ClientTool } from "./tools/types";

/** Client rounds since the user's last message. The gateway counts too. */
export const ROUNDS_MAX = 5;
/** How often a thread is looked at while somebody else may change it. */
export const LOOK_MS = 3_000;

export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly protocolVersion: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ClientTool["definition"][];
  readonly context: readonly [];
  readonly resume?: readonly { readonly interruptId: string; readonly status: "resolved" | "cancelled" }[];
  readonly forwardedProps?: unknown;
}

/** What `GET /v1/threads/{thread}` says, as far as it matters here. */
export interface ThreadView {
  readonly title: string;
  readonly state: "idle" | "running" | "waiting_client" | "waiting_approval";
  readonly messages: readonly Message[];
  readonly pending: { readonly client_calls: readonly ClientCall[]; readonly interrupts: readonly Interrupt[] };
  readonly rounds: number;
  /** What the gateway said of its calls, and of the last offer with the message that it was made for; a thread of older days has none. */
  readonly calls?: readonly { readonly toolCallId: string; readonly state?: string }[];
  readonly offer?: unknown;
  readonly offer_message?: string;
}

/** The way to the gateway. Everything rejects when its signal aborts. */
export interface Door {
  run(input: RunInput, signal: AbortSignal): AsyncIterable<Record<string, unknown>>;
  /** Nothing where there is no such thread. */
  thread(id: string, signal: AbortSignal): Promise<ThreadView | undefined>;
  /** Settles once the call does not wait for a decision any more. */
  decided(call: string, signal: AbortSignal): Promise<void>;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  newId(): string;
  now(): number;
}

/** `asking`: handlers of this browser are at work. `deciding`: a person must decide at the gateway. `elsewhere`: a run of another browser. */
export type Status = "idle" | "running" | "asking" | "deciding" | "elsewhere";

export interface Talk {
  readonly status: Status;
  readonly messages: readonly Message[];
  readonly interrupts: readonly Interrupt[];
  /** What the gateway said of its calls, by the id that the model gave them. */
  readonly calls: ReadonlyMap<string, unknown>;
  /** The offer of a turn, by the message that began it. */
  readonly offers: ReadonlyMap<string, unknown>;
  readonly grounding: unknown;
  /** Tools of this browser whose names the gateway has, as it said; they are not told to the agent. */
  readonly clashing: ReadonlySet<string>;
  readonly error: { readonly message: string; readonly code?: string } | undefined;
  readonly stopped: boolean;
  /** No such thread, or not any more. */
  readonly absent: boolean;
}

export const EMPTY: Talk = {
  status: "idle", messages: [], interrupts: [], calls: new Map(), offers: new Map(), grounding: undefined, clashing: new Set(), error: undefined, stopped: false, absent: false,
};

interface Setting {
  readonly threadId: string;
  readonly door: Door;
  /** Those that are switched on now. */
  readonly tools: () => readonly ClientTool[];
  readonly changed: (talk: Talk) => void;
  /** The screen in view, by type, and by id if it has one. */
  readonly screen?: { readonly context_type: string; readonly context_id?: string } | undefined;
}

interface Next {
  readonly messages: readonly Message[];
  readonly resume?: RunInput["resume"];
  /** No client tool is advertised any more: the rounds are used up. */
  readonly last?: boolean;
}

export class Conversation {
  #talk: Talk = EMPTY;
  #state: unknown;
  #rounds = 0;
  #work: AbortController | undefined;
  /** Of the turn that is about to begin. */
  #offer: unknown;
  /** Calls that wait for a decision, also while the conversation goes on without them. */
  #parked = new Set<string>();
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  get talk(): Talk {
    return this.#talk;
  }

  /** Whether a message can be said now. While a decision is waited for, it can: the call stays where it is. */
  get open(): boolean {
    return this.#talk.status !== "running" && this.#talk.status !== "elsewhere";
  }

  /** Reads the thread and goes on with what waits there. */
  async load(): Promise<void> {
    await this.#alone(async (signal) => this.#adopt(await this.#setting.door.thread(this.#setting.threadId, signal), signal));
  }

  /** Says something; whether the gateway took it. */
  async say(text: string): Promise<boolean> {
    if (!this.open) return false;
    const message: Message = { id: this.#setting.door.newId(), role: "user", content: text };
    let taken = true;
    await this.#alone(async (signal) => {
      this.#rounds = 0;
      this.#set({ messages: [...this.#talk.messages, message], error: undefined, stopped: false, absent: false });
      try {
        await this.#go({ messages: [message] }, signal);
      } catch (thrown) {
        // Refused before anything was said: the message is the user's again.
        if (this.#talk.messages.at(-1) === message) {
          taken = false;
          this.#set({ messages: this.#talk.messages.slice(0, -1) });
        }
        throw thrown;
      }
    });
    return taken;
  }

  /** Ends what this browser does. The thread keeps what the gateway had so far. */
  async stop(): Promise<void> {
    if (this.#talk.status === "idle") return;
    this.#work?.abort();
    this.#set({ status: "idle", stopped: true });
    await this.#alone(async (signal) => {
      this.#set({ status: "idle" });
      // What runs at the gateway is over soon. What waits for this browser is settled by the user's next message.
      for (;;) {
        const view = await this.#setting.door.thread(this.#setting.threadId, signal);
        if (view?.state !== "running") return view === undefined ? undefined : this.#take(view);
        await this.#setting.door.pause(LOOK_MS, signal);
      }
    });
  }

  /** The page goes elsewhere. */
  leave(): void {
    this.#work?.abort();
  }

  #set(change: Partial<Talk>): void {
    this.#talk = { ...this.#talk, ...change };
    this.#setting.changed(this.#talk);
  }

  /** One thing at a time: what was under way ends. */
  async #alone(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#work?.abort();
    const work = new AbortController();
    this.#work = work;
    try {
      await task(work.signal);
    } catch (thrown) {
      if (work.signal.aborted) return;
      this.#set({ error: faultOf(thrown) });
    }
    if (this.#work === work) this.#set({ status: "idle" });
  }

  #park(interrupts: readonly Interrupt[]): void {
    for (const { toolCallId } of interrupts) if (toolCallId !== undefined) this.#parked.add(toolCallId);
  }

  #take(view: ThreadView): void {
    this.#rounds = view.rounds;
    this.#parked.clear();
    this.#park(view.pending.interrupts);
    const { calls = [], offer, offer_message: message } = view;
    this.#set({
      messages: view.messages, interrupts: view.pending.interrupts, absent: false,
      calls: new Map([...this.#talk.calls, ...calls.map((call): [string, unknown] => [call.toolCallId, call])]),
      ...(offer !== undefined && message !== undefined && { offers: new Map(this.#talk.offers).set(message, offer) }),
    });
  }

  /** The thread as it stands at the gateway, and whatever it waits for. */
  async #adopt(view: ThreadView | undefined, signal: AbortSignal): Promise<void> {
    let current = view;
    while (current?.state === "running") {
      this.#take(current);
      this.#set({ status: "elsewhere" });
      await this.#setting.door.pause(LOOK_MS, signal);
      current = await this.#setting.door.thread(this.#setting.threadId, signal);
    }
    if (current === undefined) return this.#set({ absent: true, interrupts: [] });
    this.#take(current);
    const next = await this.#next(current.pending.client_calls, current.pending.interrupts, signal);
    if (next !== undefined) await this.#go(next, signal);
  }

  async #go(first: Next, signal: AbortSignal): Promise<void> {
    let next: Next | undefined = first;
    while (next !== undefined) {
      const sent: Next = next;
      try {
        const { outcome, unanswered } = await this.#run(sent, signal);
        next = await this.#after(outcome, unanswered, sent, signal);
      } catch (thrown) {
        // The gateway has tools of these names, granted to the agent or not: nothing began, and it goes on without them.
        const clashing = clashesOf(thrown).filter((name) => !this.#talk.clashing.has(name));
        if (clashing.length > 0) {
          this.#set({ clashing: new Set([...this.#talk.clashing, ...clashing]) });
          continue;
        }
        // Another browser was faster: what it does is looked at, and what is left is done.
        const saidByUser = sent.messages.some(({ role }) => role === "user");
        if (codeOf(thrown) !== "thread_busy" || saidByUser) throw thrown;
        return this.#adopt(await this.#setting.door.thread(this.#setting.threadId, signal), signal);
      }
    }
  }

  /** One run to its end. A stream that breaks a rule, or stops, is a failed run. */
  async #run(next: Next, signal: AbortSignal): Promise<{ outcome: Outcome; unanswered: readonly string[] }> {
    const { door, threadId, tools, screen } = this.#setting;
    this.#set({ status: "running", interrupts: [] });
    const stream = new Stream({ messages: this.#talk.messages, state: this.#state });
    const input: RunInput = {
      threadId, runId: door.newId(), protocolVersion: "1.0", messages: next.messages, context: [],
      tools: next.last ? [] : tools().map(({ definition }) => definition).filter(({ name }) => !this.#talk.clashing.has(name)),
      ...(next.resume !== undefined && { resume: next.resume }),
      ...(screen !== undefined && { forwardedProps: { toolgate: { context: screen } } }),
    };
    try {
      for await (const raw of door.run(input, signal)) {
        for (const event of stream.take(raw)) this.#hear(event);
        this.#set({ messages: stream.messages });
      }
      stream.end();
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError) || signal.aborted) throw thrown;
      return { outcome: { type: "failed", message: thrown.message, code: thrown.rule }, unanswered: [] };
    } finally {
      this.#state = stream.state;
    }
    return { outcome: stream.outcome ?? { type: "failed", message: "The run ended without a word." }, unanswered: stream.unanswered };
  }

  #hear(event: Event): void {
    if (event.type === "TOOL_CALL_RESULT") this.#parked.delete(event["toolCallId"] as string);
    if (event.type === "CUSTOM") {
      const value = event["value"];
      if (event["name"] === "toolgate.offer") this.#offer = value;
      if (event["name"] === "toolgate.grounding") this.#set({ grounding: value });
      if (event["name"] === "toolgate.call" && isObject(value)) this.#set({ calls: new Map(this.#talk.calls).set(String(value["toolCallId"]), value) });
    }
    const began = event.type === "TOOL_CALL_START" ? (event["parentMessageId"] ?? event["toolCallId"]) : event.type === "TEXT_MESSAGE_START" ? event["messageId"] : undefined;
    if (began !== undefined && this.#offer !== undefined) {
      this.#set({ offers: new Map(this.#talk.offers).set(began as string, this.#offer) });
      this.#offer = undefined;
    }
  }

  async #after(outcome: Outcome, unanswered: readonly string[], sent: Next, signal: AbortSignal): Promise<Next | undefined> {
    if (outcome.type === "failed") {
      this.#set({ error: outcome.code === undefined ? { message: outcome.message } : { message: outcome.message, code: outcome.code } });
      return undefined;
    }
    if (outcome.type === "cancelled") return undefined;
    const interrupts = outcome.type === "interrupt" ? outcome.interrupts : [];
    const parked = new Set(interrupts.map(({ toolCallId }) => toolCallId));
    const ids = outcome.type === "success" ? outcome.pendingToolCallIds : unanswered.filter((id) => !parked.has(id) && !this.#talk.calls.has(id));
    this.#park(interrupts);
    this.#set({ interrupts });
    const repeated = sent.resume !== undefined && interrupts.some(({ id }) => sent.resume?.some(({ interruptId }) => interruptId === id));
    // The decision is there and the gateway has not seen it yet.
    if (repeated) await this.#setting.door.pause(LOOK_MS, signal);
    const calls = this.#talk.messages.flatMap(({ toolCalls }) => toolCalls ?? []).filter(({ id }) => ids.includes(id));
    // The run did not speak of what is parked since before it: the thread does.
    if (calls.length === 0 && interrupts.length === 0 && this.#parked.size > 0) {
      await this.#adopt(await this.#setting.door.thread(this.#setting.threadId, signal), signal);
      return undefined;
    }
    if (sent.last && calls.length > 0) throw new Error("The assistant goes on asking this browser, although its rounds are used up.");
    return this.#next(calls.map((call) => ({ toolCallId: call.id, name: call.function.name, arguments: call.function.arguments })), interrupts, signal);
  }

  /** Answers what waits for this browser, else waits for a decision; gives what the next run says. */
  async #next(calls: readonly ClientCall[], interrupts: readonly Interrupt[], signal: AbortSignal): Promise<Next | undefined> {
    if (calls.length > 0) {
      if (this.#rounds >= ROUNDS_MAX) return { messages: this.#answer(calls.map((call) => ({ call, content: failure("round limit reached") }))), last: true };
      this.#rounds += 1;
      this.#set({ status: "asking" });
      const { threadId, tools } = this.#setting;
      const answers = await this.#unlessElsewhere((inner) => answerAll(calls, tools(), threadId, inner), calls.map(({ toolCallId }) => toolCallId), [], signal);
      return answers === undefined ? undefined : { messages: this.#answer(answers) };
    }
    const decidable = interrupts.filter((interrupt) => typeof interrupt.metadata?.["call"] === "string");
    if (decidable.length === 0) return undefined;
    this.#set({ status: "deciding", interrupts });
    const wait = (inner: AbortSignal): Promise<Interrupt> =>
      Promise.race(decidable.map(async (interrupt) => {
        await this.#setting.door.decided(String(interrupt.metadata?.["call"]), inner);
        return interrupt;
      }));
    const decided = await this.#unlessElsewhere(wait, [], interrupts.map(({ id }) => id), signal);
    if (decided === undefined) return undefined;
    // What ran out of time is not resolved, and the protocol wants that said.
    const over = decided.expiresAt !== undefined && Date.parse(decided.expiresAt) <= this.#setting.door.now();
    return { messages: [], resume: [{ interruptId: decided.id, status: over ? "cancelled" : "resolved" }] };
  }

  /** Does the work while looking at the thread: where another browser took what it is about, that is adopted and nothing is given. */
  async #unlessElsewhere<T>(work: (signal: AbortSignal) => Promise<T>, calls: readonly string[], interrupts: readonly string[], signal: AbortSignal): Promise<T | undefined> {
    const inner = new AbortController();
    const both = AbortSignal.any([signal, inner.signal]);
    const look = async (): Promise<ThreadView | undefined> => {
      for (;;) {
        await this.#setting.door.pause(LOOK_MS, both);
        // A look that fails says nothing; the next one may.
        const view = await this.#setting.door.thread(this.#setting.threadId, both).catch(() => "unknown" as const);
        both.throwIfAborted();
        if (view === "unknown") continue;
        if (view === undefined || view.state === "running") return view;
        const still = view.pending;
        if (!calls.every((id) => still.client_calls.some(({ toolCallId }) => toolCallId === id)) || !interrupts.every((id) => still.interrupts.some((one) => one.id === id))) return view;
      }
    };
    const done = work(both).then((value) => ({ value }));
    const taken = look().then((view) => ({ view }));
    try {
      const first = await Promise.race([done, taken]);
      inner.abort();
      if ("value" in first) return first.value;
      await this.#adopt(first.view, signal);
      return undefined;
    } finally {
      inner.abort();
      await Promise.allSettled([done, taken]);
    }
  }

  /** Puts answers into the conversation, each behind its call; gives the messages to send. */
  #answer(answers: readonly Answered[]): Message[] {
    const messages = answers.map(({ call, content }): Message => ({ id: `result-${call.toolCallId}`, role: "tool", toolCallId: call.toolCallId, content }));
    for (const { id, toolCallId, content } of messages) {
      const { messages: now } = reduce({ messages: this.#talk.messages, state: undefined }, { type: "TOOL_CALL_RESULT", messageId: id, toolCallId, content }, () => undefined);
      this.#set({ messages: now });
    }
    return messages;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && typeof thrown["code"] === "string" ? thrown["code"] : undefined;
}

function clashesOf(thrown: unknown): readonly string[] {
  if (codeOf(thrown) !== "tool_name_clash" || !isObject(thrown) || !isObject(thrown["members"])) return [];
  const { tools } = thrown["members"];
  return Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : [];
}

function faultOf(thrown: unknown): { message: string; code?: string } {
  const code = codeOf(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return code === undefined ? { message } : { message, code };
}
