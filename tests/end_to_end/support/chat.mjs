// A chat of one person with one agent, by the official client: what it refuses fails the test, and so does an event, as it came
// over the wire, that is not valid against the protocol's JSON Schema (tests/schemas/agui.mjs) or the OpenAPI document.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

import { HttpAgent } from "@ag-ui/client";
import Ajv2020 from "ajv/dist/2020.js";

import { wrong } from "../../schemas/agui.mjs";
import { Org, PRINCIPAL } from "./org.mjs";
import { RawWorker } from "./raw_worker.mjs";
import { faults, ScriptedModel } from "./scripted_model.mjs";

/** The form of an event in the gateway's own OpenAPI document; not all of that is JSON Schema. */
const document = JSON.parse(readFileSync(new URL("../../../protocol/openapi.json", import.meta.url), "utf8"));
const documented = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, "openapi").compile({ $ref: "openapi#/components/schemas/ChatEvent" });

/** A key of the agent for this person, and what a chat needs of it; `model` is the scripted one behind the agent. */
export async function person(org, model, { agent = "bot", principal = JSON.parse(PRINCIPAL) } = {}) {
  return { gateway: org.gateway, model, agent, ...(await org.key({ role: "agent", name: "chat", agent, principal })) };
}

/** An org whose worker serves these tools to the agent, a person who may chat with it, and a chat; the scripted model begins anew. */
export async function staged(gateway, model, tools) {
  const org = await Org.make(gateway);
  const worker = new RawWorker(org.worker);
  await worker.register(tools);
  await org.grant(tools.map(({ name }) => name));
  model.forget();
  const who = await person(org, model);
  return { org, worker, who, chat: new Chat(who) };
}

export class Chat {
  /** The gateway's ids of calls, by those of the script. */
  ids = new Map();

  /** A thread, an old one where its id is given. */
  constructor({ gateway, key, door, agent, model }, threadId = `t-${randomUUID()}`) {
    this.threadId = threadId;
    this.model = model;
    this.door = door;
    this.path = `/v1/agents/${agent}/agui`;
    this.client = new HttpAgent({ url: `${gateway.url}${this.path}`, headers: { authorization: `Bearer ${key}` }, threadId, fetch: (...request) => this.#fetched(...request) });
  }

  /** Says something and runs; see `run`. */
  say(content, options) {
    this.client.addMessage({ id: `u-${randomUUID()}`, role: "user", content });
    return this.run(options);
  }

  /** Answers a client call, for the next run. */
  answer(id, content) {
    this.client.addMessage({ id: `r-${randomUUID()}`, role: "tool", toolCallId: this.ids.get(id), content: typeof content === "string" ? content : JSON.stringify(content) });
  }

  /** A run by the official client: its events, which the client passed on as they came. Fails on what the client refuses. */
  async run(parameters = {}) {
    const passed = [];
    const onEvent = ({ event }) => void passed.push(event);
    await this.client.runAgent(parameters, { onEvent }).catch((error) => {
      if (passed.at(-1)?.type !== "RUN_ERROR") throw error;
    });
    const events = eventsOf(Buffer.concat(this.bytes).toString("utf8"));
    assert.deepEqual(passed, events);
    return this.#ran(events);
  }

  /** What goes over the wire of the official client: it takes out what is not described, and warns, so it alone would hide that. */
  async #fetched(url, init) {
    assert.equal(wrong("RunAgentInput", JSON.parse(init.body)), undefined);
    const response = await fetch(url, init);
    if (!response.ok) return response;
    const bytes = (this.bytes = []);
    const noting = new TransformStream({ transform: (chunk, out) => (bytes.push(chunk), out.enqueue(chunk)) });
    return new Response(response.body.pipeThrough(noting), { status: response.status, headers: response.headers });
  }

  /** What the answer to a bare request said. */
  ran(answer) {
    assert.equal(answer.status, 200, answer.text);
    return this.#ran(eventsOf(answer.text));
  }

  #ran(events) {
    assert.deepEqual(faults, []);
    this.#learn(events.filter(({ type }) => type === "TOOL_CALL_START").map(({ toolCallId }) => toolCallId));
    return new Ran(events, (value) => this.named(value));
  }

  /** The gateway gives calls ids of its own, in the order in which the model made them. */
  #learn(ids) {
    const known = new Set(this.ids.values());
    for (const id of ids) if (!known.has(id)) this.ids.set(this.model.unseen.shift(), id);
  }

  /** A value with the script's ids in place of the gateway's. */
  named(value) {
    let text = JSON.stringify(value);
    for (const [name, id] of this.ids) text = text.replaceAll(id, name);
    return JSON.parse(text);
  }

  /** What the model was given of the conversation, the n-th time. */
  given(n) {
    return ScriptedModel.conversation(this.named(this.model.asked.at(n)));
  }

  /** The body that a bare request needs. */
  body(more = {}) {
    return { threadId: this.threadId, runId: `run-${randomUUID()}`, messages: [], tools: [], context: [], state: {}, forwardedProps: {}, ...more };
  }

  /** A run by a bare request: the answer, whatever it is. */
  post(more, options) {
    return this.door.post(this.path, this.body(more), options);
  }

  /** What the agent says that it can. */
  async capabilities() {
    const { body } = await this.door.must(200, "GET", this.path);
    assert.equal(wrong("AgentCapabilities", body), undefined);
    return body;
  }

  /** The thread as it is kept. */
  async kept() {
    const { body } = await this.door.must(200, "GET", `/v1/threads/${this.threadId}`);
    for (const message of body.messages) assert.equal(wrong("Message", message), undefined, JSON.stringify(message));
    this.#learn(body.messages.flatMap(({ toolCalls }) => (toolCalls ?? []).map(({ id }) => id)));
    return this.named(body);
  }
}

/** The events of a stream, each one a line of data. */
function eventsOf(text) {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  return frames.map((frame) => JSON.parse(frame.slice("data: ".length)));
}

/** What a run said. */
export class Ran {
  constructor(events, named) {
    this.events = named(events);
    for (const event of events) {
      const fault = wrong("Event", event);
      assert.equal(fault, undefined, `${JSON.stringify(event)}: ${fault}`);
      assert.ok(documented(event), `${JSON.stringify(event)} is not as the OpenAPI document says`);
    }
    assert.equal(events[0]?.type, "RUN_STARTED");
    assert.match(events.at(-1).type, /^RUN_(FINISHED|ERROR)$/);
  }

  get last() {
    return this.events.at(-1);
  }

  get outcome() {
    assert.equal(this.last.type, "RUN_FINISHED", JSON.stringify(this.last));
    return this.last.outcome;
  }

  get text() {
    return this.of("TEXT_MESSAGE_CONTENT").map(({ delta }) => delta).join("");
  }

  /** What the calls came to, by id. */
  get results() {
    return Object.fromEntries(this.of("TOOL_CALL_RESULT").map(({ toolCallId, content }) => [toolCallId, content]));
  }

  of(type) {
    return this.events.filter((event) => event.type === type);
  }

  custom(name) {
    return this.of("CUSTOM").filter((event) => event.name === name).map(({ value }) => value);
  }
}
