/**
 * Chunks become start, content and end. Each subagent, and the agent itself, has at most one chunk stream open: its lane. A chunk without an id
 * goes on with what its lane has open.
 */
import { type Event, type Metadata, ProtocolError } from "./types";

type Kind = "text" | "tool" | "reasoning";
interface Lane { kind: Kind; id: string; owner: string | undefined; fixed: Record<string, unknown> }

interface Form { chunk: string; start: string; content: string; end: string; idName: string; fixed: string[]; needed: string[] }
const FORMS: Record<Kind, Form> = {
  text: { chunk: "TEXT_MESSAGE_CHUNK", start: "TEXT_MESSAGE_START", content: "TEXT_MESSAGE_CONTENT", end: "TEXT_MESSAGE_END", idName: "messageId", fixed: ["role", "name"], needed: [] },
  tool: { chunk: "TOOL_CALL_CHUNK", start: "TOOL_CALL_START", content: "TOOL_CALL_ARGS", end: "TOOL_CALL_END", idName: "toolCallId", fixed: ["toolCallName", "parentMessageId"], needed: ["toolCallName"] },
  reasoning: { chunk: "REASONING_MESSAGE_CHUNK", start: "REASONING_MESSAGE_START", content: "REASONING_MESSAGE_CONTENT", end: "REASONING_MESSAGE_END", idName: "messageId", fixed: [], needed: [] },
};
const KIND_OF = new Map((Object.keys(FORMS) as Kind[]).map((kind) => [FORMS[kind].chunk, kind]));

/** These speak of the run as a whole, so every lane closes. */
const CLOSES_ALL = new Set(["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"]);
/** These stand beside: what is open stays open. */
const CLOSES_NONE = new Set(["RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"]);

export class Chunks {
  #lanes = new Map<string | undefined, Lane>();

  expand(event: Event): Event[] {
    const kind = KIND_OF.get(event.type);
    if (kind !== undefined) return this.#chunk(kind, event);
    if (CLOSES_NONE.has(event.type)) return [event];
    if (CLOSES_ALL.has(event.type)) return [...[...this.#lanes.keys()].flatMap((owner) => this.#close(owner)), event];
    return [...this.#close(event.subagentRunId), event];
  }

  #close(owner: string | undefined): Event[] {
    const lane = this.#lanes.get(owner);
    if (lane === undefined) return [];
    this.#lanes.delete(owner);
    const form = FORMS[lane.kind];
    return [said(form.end, form, lane.id, lane.owner)];
  }

  #chunk(kind: Kind, chunk: Event): Event[] {
    const form = FORMS[kind];
    const id = chunk[form.idName] as string | undefined;
    const owner = this.#owner(kind, id, chunk.subagentRunId);
    let lane = this.#lanes.get(owner);
    const events: Event[] = [];
    if (lane?.kind === kind && (id === undefined || id === lane.id)) {
      for (const name of form.fixed) {
        if (chunk[name] !== undefined && chunk[name] !== lane.fixed[name]) throw new ProtocolError("chunk_conflict", `A ${form.chunk} gives ${lane.id} another ${name} than it began with.`);
      }
    } else {
      events.push(...this.#close(owner));
      if (id === undefined) throw new ProtocolError("chunk_without_id", `A ${form.chunk} begins something without its ${form.idName}.`);
      for (const name of form.needed) {
        if (chunk[name] === undefined) throw new ProtocolError("chunk_without_name", `A ${form.chunk} begins something without its ${name}.`);
      }
      lane = { kind, id, owner: chunk.subagentRunId, fixed: Object.fromEntries(form.fixed.map((name) => [name, chunk[name]])) };
      if (kind === "text") lane.fixed.role ??= "assistant";
      this.#lanes.set(owner, lane);
      events.push({ ...said(form.start, form, id, lane.owner), ...lane.fixed, ...(kind === "reasoning" && { role: "reasoning" }), ...carried(chunk) });
    }
    const opened = events.length > 0;
    if (chunk.delta !== undefined || chunk.rawEvent !== undefined || (!opened && chunk.metadata !== undefined)) {
      events.push({ ...said(form.content, form, lane.id, chunk.subagentRunId ?? lane.owner), delta: chunk.delta ?? "", ...carried(chunk) });
    }
    return events;
  }

  /** Whose lane a chunk belongs to: the one that holds its id, else the one its tag names, else the agent's own, else the only one of its kind. */
  #owner(kind: Kind, id: string | undefined, tag: string | undefined): string | undefined {
    if (id !== undefined) {
      for (const [owner, lane] of this.#lanes) {
        if (lane.kind !== kind || lane.id !== id) continue;
        if (tag !== undefined && tag !== owner) throw new ProtocolError("wrong_owner", `A chunk of ${id} is said to be of ${tag}, which did not begin it.`);
        return owner;
      }
      return tag;
    }
    if (tag !== undefined || this.#lanes.get(undefined)?.kind === kind) return tag;
    const owners = [...this.#lanes].filter(([, lane]) => lane.kind === kind).map(([owner]) => owner);
    if (owners.length > 1) throw new ProtocolError("chunk_ambiguous", `A ${FORMS[kind].chunk} does not say which of several open ones it continues.`);
    return owners[0];
  }
}

function said(type: string, form: Form, id: string, owner: string | undefined): Event {
  return { type, [form.idName]: id, ...(owner !== undefined && { subagentRunId: owner }) };
}

function carried(chunk: Event): { metadata?: Metadata } {
  return chunk.metadata === undefined ? {} : { metadata: chunk.metadata };
}
