// A chat of one person with one agent, by the official client: what it refuses fails the test, and so does an event that
// is not valid against the schemas of its package.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

import { PRINCIPAL } from "./org.mjs";

/** A key of the agent for this person, and what a chat needs of it. */
export async function person(org, { agent = "bot", principal = JSON.parse(PRINCIPAL) } = {}) {
  return { gateway: org.gateway, agent, ...(await org.key({ role: "agent", name: "chat", agent, principal })) };
}

export class Chat {
  /** A thread, an old one where its id is given. */
  constructor({ gateway, key, door, agent }, threadId = `t-${randomUUID()}`) {
    this.threadId = threadId;
    this.door = door;
    this.path = `/v1/agents/${agent}/agui`;
    this.client = new HttpAgent({ url: `${gateway.url}${this.path}`, headers: { authorization: `Bearer ${key}` }, threadId });
  }

  /** Says something and runs; see `run`. */
  say(content, options) {
    this.client.addMessage({ id: `u-${randomUUID()}`, role: "user", content });
    return this.run(options);
  }

  /** Answers a client call, for the next run. */
  answer(toolCallId, content) {
    this.client.addMessage({ id: `r-${randomUUID()}`, role: "tool", toolCallId, content: typeof content === "string" ? content : JSON.stringify(content) });
  }

  /** A run by the official client: its events, as the client passed them on. Fails on what the client refuses. */
  async run(parameters = {}) {
    const events = [];
    const onEvent = ({ event }) => void events.push(event);
    await this.client.runAgent(parameters, { onEvent }).catch((error) => {
      if (events.at(-1)?.type !== "RUN_ERROR") throw error;
    });
    return new Ran(events);
  }

  /** The body that a bare request needs. */
  body(more = {}) {
    return { threadId: this.threadId, runId: `run-${randomUUID()}`, messages: [], tools: [], context: [], state: {}, forwardedProps: {}, ...more };
  }

  /** A run by a bare request: the answer, whatever it is. */
  post(more, options) {
    return this.door.post(this.path, this.body(more), options);
  }

  /** The thread as it is kept. */
  async kept() {
    return (await this.door.must(200, "GET", `/v1/threads/${this.threadId}`)).body;
  }
}

/** What a run said. */
export class Ran {
  constructor(events) {
    this.events = events;
    for (const event of events) {
      const { success, error } = EventSchemas.safeParse(event);
      assert.ok(success, `${JSON.stringify(event)}: ${error}`);
    }
    assert.equal(events[0]?.type, "RUN_STARTED");
    assert.match(events.at(-1).type, /^RUN_(FINISHED|ERROR)$/);
  }

  /** The events of a bare request's answer. */
  static of(answer) {
    assert.equal(answer.status, 200, answer.text);
    const frames = answer.text.split("\n\n").filter((frame) => frame.startsWith("data: "));
    return new Ran(frames.map((frame) => JSON.parse(frame.slice("data: ".length))));
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
