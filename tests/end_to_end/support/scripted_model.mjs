// A model that says what the test says: an endpoint of a played internet that speaks as OpenAI's chat completions do.

export const MODEL_HOST = "models.test";

/** What was wrong with bodies that a played model was asked with: no provider would take them. Chat fails on it, and so does the whole file at its end. */
export const faults = [];
process.once("exit", () => {
  if (faults.length === 0) return;
  console.error(`a model was asked what no provider takes:\n${faults.join("\n")}`);
  process.exitCode = 1;
});

/** Notes what every provider would refuse in this body. */
export function heard(body) {
  const fault = faultOf(body);
  if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(body.messages)}`);
}

/** Each call has a name, arguments that are an object in JSON, an id of its own, and one result directly behind its message, in the order of the calls. */
export function faultOf({ messages }) {
  let open = [];
  const seen = new Set();
  for (const [at, { role, content, tool_calls: calls = [], tool_call_id: result }] of messages.entries()) {
    if (typeof content !== "string" && !(role === "assistant" && calls.length > 0)) return `messages[${at}] says nothing`;
    if (role === "tool") {
      if (result !== open.shift()) return `messages[${at}] is not the result of the next call`;
      continue;
    }
    if (open.length > 0) return `messages[${at}] stands where the result of a call is missing`;
    for (const { id, function: called } of calls) {
      if (typeof id !== "string" || id === "" || seen.has(id)) return `messages[${at}] calls without an id of its own`;
      if (typeof called.name !== "string" || called.name === "") return `messages[${at}] calls without a name`;
      if (!isObject(called.arguments)) return `messages[${at}] calls with arguments that are no JSON`;
      seen.add(id);
    }
    open = calls.map(({ id }) => id);
  }
  return open.length > 0 ? "the last calls have no results" : undefined;
}

function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** What a gateway is told so that its agents talk to the scripted model. */
export const MODEL_VARS = { TOOLGATE_MODEL_URL: `https://${MODEL_HOST}/v1`, TOOLGATE_MODEL_NAME: "scripted", TOOLGATE_MODEL_KEY: "sk-scripted" };

export class ScriptedModel {
  /** The bodies that were asked, in order. */
  asked = [];
  /** Ids of the calls that it made and no chat has seen yet: the gateway gives them others (see chat.mjs). */
  unseen = [];
  #turns = [];
  #always;

  constructor(internet) {
    internet.host(MODEL_HOST, async (request, respond) => {
      const body = JSON.parse(request.body);
      this.asked.push(body);
      heard(body);
      const turn = this.#turns.shift() ?? this.#always;
      if (turn === undefined) return respond(500, {}, "no turn is left");
      const told = typeof turn === "function" ? await turn(body, request) : turn;
      this.unseen.push(...(told.calls ?? []).map(({ id }) => id));
      await say(told, respond);
    });
  }

  /** As if nothing had been asked or said. */
  forget() {
    this.asked.length = this.unseen.length = this.#turns.length = 0;
    this.#always = undefined;
  }

  /**
   * The next turns: `{ text?, reasoning?, calls?: [{ id?, name, arguments }] }`, arguments as JSON text or a value. With
   * `cut`, the stream ends before the turn does; with `status`, there is no stream at all; with `hold`, what was said is
   * on its way before that promise is awaited. A function makes a turn of the body.
   */
  next(...turns) {
    this.#turns.push(...turns);
  }

  /** What it says when no turn is left. */
  always(turn) {
    this.#always = turn;
  }

  /** The roles of a body's messages, with what each carries. */
  static conversation(body) {
    return body.messages.map(({ role, content, tool_calls, tool_call_id }) =>
      role === "tool" ? `tool ${tool_call_id}: ${content}` : role === "assistant" ? `assistant ${content ?? ""}[${(tool_calls ?? []).map((call) => `${call.id} ${call.function.name}(${call.function.arguments})`)}]` : `${role} ${content}`);
  }
}

const text = (args) => (typeof args === "string" ? args : JSON.stringify(args ?? {}));

async function say({ text: words = "", reasoning = "", calls = [], cut = false, status = 200, hold }, respond) {
  if (status !== 200) return respond(status, { "content-type": "application/json" }, JSON.stringify({ error: { message: "scripted" } }));
  respond.head(200, { "content-type": "text/event-stream" });
  const chunk = (delta, more = {}) => respond.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`);
  for (const piece of reasoning.match(/.{1,7}/gs) ?? []) await chunk({ reasoning_content: piece });
  for (const piece of words.match(/.{1,7}/gs) ?? []) await chunk({ content: piece });
  for (const [index, call] of calls.entries()) {
    await chunk({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] });
    for (const piece of text(call.arguments).match(/.{1,9}/gs) ?? []) await chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  if (hold !== undefined) await hold;
  if (cut) return respond.end();
  await chunk({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" });
  await respond.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`);
  return respond.end("data: [DONE]\n\n");
}
