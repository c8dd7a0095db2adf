// A door whose gateway does what a test writes down. What is sent through it must be valid by the protocol's JSON Schema.
import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { wrong } from "../../../tests/schemas/agui.mjs";
import type { Door, RunInput, ThreadView } from "../../src/chat/loop";
import { Conversation, EMPTY, type Talk } from "../../src/chat/loop";
import type { ClientTool } from "../../src/chat/tools/types";
import type { Raw } from "../agui/official";

export const THREAD = "th-1";

const faults: string[] = [];
afterEach(() => assert.deepEqual(faults.splice(0), []));

type Script = (input: RunInput) => readonly (Raw | Promise<Raw>)[];

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
  }
}

export class PlayedDoor implements Door {
  readonly inputs: RunInput[] = [];
  readonly asked: string[] = [];
  view: ThreadView | undefined;
  clock = 0;
  #ids = 0;
  #decisions = new Map<string, PromiseWithResolvers<void>>();
  #pauses = new Set<() => void>();
  /** Hears of each pause that begins. */
  pausing: () => void = () => undefined;

  constructor(private readonly scripts: (Script | Error)[] = []) {}

  async *run(input: RunInput, signal: AbortSignal): AsyncGenerator<Raw> {
    this.inputs.push(structuredClone(input));
    const fault = wrong("RunAgentInput", JSON.parse(JSON.stringify(input)));
    if (fault !== undefined) faults.push(fault);
    const script = this.scripts.shift();
    if (script === undefined) throw new Error("no run was expected");
    if (script instanceof Error) throw script;
    for (const event of script(input)) {
      yield await abortable(Promise.resolve(event), signal);
    }
  }

  async thread(id: string, signal: AbortSignal): Promise<ThreadView | undefined> {
    this.asked.push(id);
    signal.throwIfAborted();
    return this.view;
  }

  decided(call: string, signal: AbortSignal): Promise<void> {
    return abortable(this.#decision(call).promise, signal);
  }

  decide(call: string): void {
    this.#decision(call).resolve();
  }

  #decision(call: string): PromiseWithResolvers<void> {
    const known = this.#decisions.get(call) ?? withResolvers<void>();
    this.#decisions.set(call, known);
    return known;
  }

  pause(_ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = withResolvers<void>();
    this.#pauses.add(resolve);
    this.pausing();
    return abortable(promise, signal).finally(() => this.#pauses.delete(resolve));
  }

  /** Lets every pause end. */
  tick(): void {
    for (const end of [...this.#pauses]) end();
  }

  get paused(): number {
    return this.#pauses.size;
  }

  newId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  now(): number {
    return this.clock;
  }
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason?: unknown) => void;
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

export function conversation(door: PlayedDoor, tools: readonly ClientTool[] = []): { talk: () => Talk; seen: Talk[]; it: Conversation; until: (is: (talk: Talk) => boolean) => Promise<Talk> } {
  const seen: Talk[] = [EMPTY];
  const waiting = new Set<() => void>();
  const it = new Conversation({
    threadId: THREAD,
    door,
    tools: () => tools,
    changed: (talk) => {
      seen.push(talk);
      for (const check of [...waiting]) check();
    },
  });
  door.pausing = () => {
    for (const check of [...waiting]) check();
  };
  const until = (is: (talk: Talk) => boolean): Promise<Talk> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!is(it.talk)) return;
        waiting.delete(check);
        resolve(it.talk);
      };
      waiting.add(check);
      check();
    });
  return { it, seen, talk: () => it.talk, until };
}

export const started = (input: RunInput): Raw => ({ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId, protocolVersion: "1.0" });
export const finished = (input: RunInput, outcome?: Raw): Raw => ({ type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, ...(outcome !== undefined && { outcome }) });
export const said = (id: string, text: string): Raw[] => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: text },
  { type: "TEXT_MESSAGE_END", messageId: id },
];
export const called = (id: string, name: string, args = "{}", parent = `m-${id}`): Raw[] => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: parent },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: args },
  { type: "TOOL_CALL_END", toolCallId: id },
];
export const pending = (...ids: string[]): Raw => ({ type: "success", pendingToolCallIds: ids });
export const interrupt = (id: string, toolCallId: string, more: Raw = {}): Raw => ({ id, reason: "tool_call", toolCallId, metadata: { call: `call-${id}`, tool: "refund" }, ...more });
/** A run of these events, begun and ended as it must. */
export const run = (events: readonly Raw[], outcome?: Raw): Script => (input) => [started(input), ...events, finished(input, outcome)];

export function tool(name: string, handler: ClientTool["handler"], more: Partial<ClientTool> = {}): ClientTool {
  return { definition: { name, description: name, parameters: { type: "object" } }, defaultEnabled: true, handler, ...more };
}
