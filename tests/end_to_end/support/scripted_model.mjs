// A model that says what the test says: an endpoint of a played internet that speaks as OpenAI's chat completions do.

export const MODEL_HOST = "models.test";

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
