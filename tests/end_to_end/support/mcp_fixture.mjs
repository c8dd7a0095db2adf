// The tools that the MCP conformance suite wants to find, served by a worker through the gateway like any customer's.
import { definition } from "./org.mjs";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { setTimeout } from "node:timers/promises";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const text = (said) => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const resource = (uri, mimeType, said) => ({ type: "resource", resource: { uri, mimeType, text: said } });
/** A result in the protocol's own content blocks. */
const content = (...blocks) => ({ result: null, activity: { type: "application/vnd.modelcontextprotocol.content+json", content: blocks } });

/** An answer that asks the client first; with what the tool wants to know again at the repeat. */
const asks = (inputRequests, requestState) => ({ result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests, requestState } } });
const form = (message, field, type = "string") => ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] } } });
const sample = (question) => ({ method: "sampling/createMessage", params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens: 100 } });
const roots = { method: "roots/list", params: {} };
/** A tool that asks one thing, and says what it was answered. */
const told = (says, asked) => ({ input, arguments: args }) => (input === undefined ? asks({ it: asked(args) }) : { result: says(input.responses.it) });
const formOf = (message, properties, required) => ({ method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties, ...(required && { required }) } } });
const completed = ({ action, content = {} }) => `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
const titled = (...names) => names.map((name, at) => ({ const: `value${at + 1}`, title: name }));
const OPTIONS = ["option1", "option2", "option3"];
const said = (input, key, field) => input?.responses[key]?.content?.[field];

/** What these tools are for is to take a while; but not beyond the end of the test. */
const takes = (seconds, signal) => setTimeout(seconds * 1_000, undefined, { signal }).catch(() => undefined);

/** Name → handler of a job; the input of those that have one. */
const HANDLERS = {
  test_simple_text: () => ({ result: "This is a simple text response for testing." }),
  test_image_content: () => content(image),
  test_audio_content: () => content({ type: "audio", data: WAV, mimeType: "audio/wav" }),
  test_embedded_resource: () => content(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: () => content(text("Multiple content types test:"), image, resource("test://mixed", "application/json", "{}")),
  test_error_handling: () => ({ error: { message: "This tool intentionally returns an error for testing" } }),
  test_logging_tool: () => ({ result: "done" }),
  test_streaming_elicitation: () => ({ result: "done" }),
  greet: ({ arguments: { name } }) => ({ result: `Hello, ${name}!` }),
  comes_and_goes: () => ({ result: "here" }),
  failing_job: async (_, signal) => {
    await takes(2, signal);
    return { error: { message: "The job failed, as it should" } };
  },
  // What a client that cannot be asked for its folders is answered is an error of the protocol, at once or as a task's end.
  protocol_error_job: async (_, signal) => {
    await takes(1.5, signal);
    return asks({ folders: roots });
  },
  test_tool_with_progress: async (_, signal) => {
    await takes(0.1, signal);
    return { result: "done" };
  },
  test_tool_with_logging: async (_, signal) => {
    await takes(0.1, signal);
    return { result: "done" };
  },
  test_reconnection: () => ({ result: "done" }),
  // What clients before 2026-07-28 are asked on the stream of their call.
  test_sampling: told(({ content: { text } }) => `LLM response: ${text}`, ({ prompt }) => sample(prompt)),
  test_elicitation: told(
    (answer) => `User response: ${JSON.stringify(answer)}`,
    ({ message }) => formOf(message, { username: { type: "string", description: "User's response" }, email: { type: "string", description: "User's email address" } }, ["username", "email"]),
  ),
  test_elicitation_sep1034_defaults: told(completed, () =>
    formOf("Please say who you are", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    })),
  test_elicitation_sep1330_enums: told(completed, () =>
    formOf("Please choose", {
      untitledSingle: { type: "string", enum: OPTIONS },
      titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
      titledMulti: { type: "array", items: { anyOf: titled("First Choice", "Second Choice", "Third Choice") } },
    })),
  routed: ({ arguments: { region } }) => ({ result: `in ${region}` }),
  test_missing_capability: () => asks({ text: sample("Say something.") }),
  test_input_required_result_elicitation: ({ input }) => {
    const name = said(input, "user_name", "name");
    return name === undefined ? asks({ user_name: form("What is your name?", "name") }) : { result: `Hello, ${name}!` };
  },
  test_input_required_result_sampling: ({ input }) => {
    const answer = input?.responses.capital_question;
    return answer === undefined ? asks({ capital_question: sample("What is the capital of France?") }) : { result: answer.content.text };
  },
  test_input_required_result_list_roots: ({ input }) => {
    const answer = input?.responses.client_roots;
    return answer === undefined ? asks({ client_roots: roots }) : { result: answer.roots };
  },
  test_input_required_result_request_state: ({ input }) => (input?.state === "asked" ? { result: "state-ok" } : asks({ confirm: form("Please confirm", "ok", "boolean") }, "asked")),
  test_input_required_result_multiple_inputs: ({ input }) => {
    const keys = Object.keys(input?.responses ?? {}).sort();
    if (keys.join() === "client_roots,greeting,user_name") return { result: keys };
    return asks({ user_name: form("What is your name?", "name"), greeting: sample("Generate a greeting"), client_roots: roots }, 1);
  },
  test_input_required_result_multi_round: ({ input }) => {
    const name = input?.state?.name ?? said(input, "step1", "name");
    const color = said(input, "step2", "color");
    if (name === undefined) return asks({ step1: form("Step 1: What is your name?", "name") });
    return color === undefined ? asks({ step2: form("Step 2: What is your favorite color?", "color") }, { name }) : { result: `${name} likes ${color}` };
  },
  test_input_required_result_tampered_state: ({ input }) => (input === undefined ? asks({ confirm: form("Please confirm", "ok", "boolean") }, "mine") : { result: "done" }),
  test_input_required_result_capabilities: () => asks({ name: form("What is your name?", "name"), text: sample("Say something.") }),
  test_tool_with_task: async ({ input }, signal) => {
    const name = said(input, "user_name", "name");
    if (name === undefined) return asks({ user_name: form("What is your name?", "name") });
    await takes(2, signal);
    return { result: `Hello, ${name}!` };
  },
  // These ask after a while, when their call is a task.
  confirm_delete: async ({ input }, signal) => {
    if (input !== undefined) return { result: "confirmed" };
    await takes(1.5, signal);
    return asks({ confirm: form("Really?", "confirm", "boolean") });
  },
  multi_input: async ({ input }, signal) => {
    if (input !== undefined) return { result: Object.keys(input.responses).sort() };
    await takes(1.5, signal);
    return asks({ name: form("Name?", "name"), confirm: form("Really?", "confirm", "boolean") });
  },
  slow_compute: async ({ arguments: { seconds } }, signal) => {
    // Long enough to become a task, where it is not asked to be quick.
    if (seconds > 0) await takes(seconds + 1.5, signal);
    return { result: `computed for ${seconds} s` };
  },
};
const INPUT = { greet: { name: "string" }, slow_compute: { seconds: "number", label: "string?" }, confirm_delete: { filename: "string" }, test_sampling: { prompt: "string" }, test_elicitation: { message: "string" }, routed: { region: "string" } };
const CHANGES = "test_trigger_tool_change";
export const FIXTURE = [...Object.keys(HANDLERS), CHANGES].map((name) => definition(name, "read_only", { input: INPUT[name] ?? {} }));

/** What the agent's admin says of them at this door. */
export const MCP = { headers: { routed: { region: "Region" } }, tasks_required: ["failing_job"] };

/** The handlers, and with them the one that takes `comes_and_goes` away from the agent and gives it back. `signal` ends those
 * that still take their time. */
export function handlersOf(org, signal) {
  const all = FIXTURE.map(({ name }) => name);
  let fewer = false;
  const change = async () => {
    fewer = !fewer;
    await org.admin.must(200, "PUT", "/v1/capabilities/bot", { tools: fewer ? all.filter((name) => name !== "comes_and_goes") : all });
    return { result: "changed" };
  };
  const handlers = Object.entries(HANDLERS).map(([name, handle]) => [name, (job) => handle(job, signal)]);
  return { ...Object.fromEntries(handlers), [CHANGES]: change };
}

/** In front of the gateway, for a client that can send no key: adds it, and changes nothing else. */
export async function keyed(gateway, key) {
  const { hostname, port } = new URL(gateway.url);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const onward = request({ host: hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}
