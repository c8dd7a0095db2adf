// Stock MCP clients, as they come: list, call, a parked call under their own time-outs, an approval later that runs it
// once, and the result fetched.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { Gateway } from "./support/gateway.mjs";
import { mcpScene, serve } from "./support/mcp.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const info = { name: "stock", version: "1.0.0" };
const requestInit = (key) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

const CLIENTS = {
  "the TypeScript client, 2026-07-28": (url, key) => [new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new StreamableHTTPClientTransport(url, requestInit(key))],
  "the TypeScript client, which finds out what is spoken": (url, key) => [new Client(info, { versionNegotiation: { mode: "auto" } }), new StreamableHTTPClientTransport(url, requestInit(key))],
  "the TypeScript client, by initialize": (url, key) => [new Client(info), new StreamableHTTPClientTransport(url, requestInit(key))],
  "the TypeScript SDK before it": (url, key) => [new OldClient(info), new OldTransport(url, requestInit(key))],
};

/** What every client goes through; `ask` is its way to list and call. */
async function path({ org, worker }, { list, call }) {
  // Clients of 2026-07-28 mirror this argument into a header, or their calls are refused; older ones know nothing of it.
  await org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: ["bot"], mcp: { headers: { look: { id: "Order" } } } });
  const served = serve(worker, { look: ({ arguments: { id } }) => ({ result: { order: id } }), refund: () => ({ result: "refunded" }) });
  try {
    assert.deepEqual(await list(), ["look", "refund", "rename", "toolgate_approval_status"]);
    assert.deepEqual(await call("look", { id: 7 }), { isError: false, text: '{"order":7}' });
    const before = performance.now();
    const parked = await call("refund", { id: 7 });
    assert.ok(parked.isError && /waits for a person's decision/.test(parked.text), parked.text);
    assert.ok(performance.now() - before < 10_000, "at once");
    const [approval] = (await org.approver.must(200, "GET", "/v1/approvals?state=pending")).body.approvals;
    const waiting = await call("toolgate_approval_status", { id: approval.id });
    assert.ok(!waiting.isError && /waits for a person's decision/.test(waiting.text), waiting.text);
    await org.decide(approval.id, { decision: "approve", digest: approval.digest });
    await org.callIn(approval.call, "succeeded");
    assert.deepEqual(await call("toolgate_approval_status", { id: approval.id }), { isError: false, text: "refunded" });
    assert.deepEqual(await call("refund", { id: 7 }), { isError: false, text: "refunded" });
    assert.equal(served.jobs.filter(({ tool }) => tool === "refund").length, 1, "it ran once");
  } finally {
    await served.stop();
  }
}

for (const [name, make] of Object.entries(CLIENTS)) {
  test(name, async () => {
    const scene = await mcpScene(gateway);
    const [client, transport] = make(new URL(scene.mcp.url), scene.key);
    await client.connect(transport);
    try {
      await path(scene, {
        list: async () => (await client.listTools()).tools.map((tool) => tool.name),
        call: async (tool, args) => {
          const { content, isError = false } = await client.callTool({ name: tool, arguments: args });
          return { isError, text: content[0].text };
        },
      });
    } finally {
      await client.close();
    }
  });
}

test("a stock client asks its user by itself, and the tool has the answer", async () => {
  const { mcp, key, worker } = await mcpScene(gateway);
  const form = { method: "elicitation/create", params: { mode: "form", message: "Which one?", requestedSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } } };
  const asks = { result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests: { which: form }, requestState: { step: 1 } } } };
  const served = serve(worker, { look: ({ input }) => (input === undefined ? asks : { result: [input.responses.which.content.id, input.state.step] }) });
  const client = new Client({ name: "stock", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const asked = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => (asked.push(params.message), { action: "accept", content: { id: 7 } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
  try {
    const { content } = await client.callTool({ name: "look", arguments: { id: 1 } });
    assert.deepEqual([content[0].text, asked], ["[7,1]", ["Which one?"]]);
  } finally {
    await client.close();
    await served.stop();
  }
});

/** What a tool asks stock clients before 2026-07-28, by the number of the order; and what it says of their answers. */
const QUESTIONS = {
  1: { form: { method: "elicitation/create", params: { message: "Which one?", requestedSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } } } },
  2: { form: { method: "elicitation/create", params: { message: "Really?", requestedSchema: { type: "object", properties: {} } } } },
  3: { text: { method: "sampling/createMessage", params: { messages: [{ role: "user", content: { type: "text", text: "Say hello." } }], maxTokens: 9 } } },
};
const inquire = ({ arguments: { id }, input }) => {
  if (input === undefined) return { result: null, activity: { type: "application/vnd.modelcontextprotocol.input-required+json", content: { inputRequests: QUESTIONS[id] } } };
  const { form, text } = input.responses;
  return { result: text?.content.text ?? `${form.action} ${form.content?.id}` };
};

/** A client that is asked for each of them, one after the other. */
async function inquired(scene, call) {
  const served = serve(scene.worker, { look: inquire });
  try {
    const said = [];
    for (const id of Object.keys(QUESTIONS)) said.push((await call("look", { id: Number(id) })).text);
    assert.deepEqual(said, ["accept 7", "decline undefined", "hello"]);
  } finally {
    await served.stop();
  }
}

const fillsIn = ({ params }) => (params.message === "Which one?" ? { action: "accept", content: { id: 7 } } : { action: "decline" });
const writes = () => ({ role: "assistant", model: "m", content: { type: "text", text: "hello" } });
const ABLE = { capabilities: { elicitation: { form: {} }, sampling: {} } };

for (const [name, make] of Object.entries({
  "the TypeScript client, by initialize": (url, key) => {
    const client = new Client(info, ABLE);
    client.setRequestHandler("elicitation/create", async (request) => fillsIn(request));
    client.setRequestHandler("sampling/createMessage", async () => writes());
    return [client, new StreamableHTTPClientTransport(url, requestInit(key))];
  },
  "the TypeScript SDK before it": (url, key) => {
    const client = new OldClient(info, ABLE);
    client.setRequestHandler(ElicitRequestSchema, async (request) => fillsIn(request));
    client.setRequestHandler(CreateMessageRequestSchema, async () => writes());
    return [client, new OldTransport(url, requestInit(key))];
  },
})) {
  test(`${name}, is asked by a tool in its session, which a killed gateway has kept`, async () => {
    const scene = await mcpScene(gateway);
    const [client, transport] = make(new URL(scene.mcp.url), scene.key);
    await client.connect(transport);
    try {
      assert.ok(transport.sessionId.length > 0);
      await gateway.killAndRestart();
      await inquired(scene, async (tool, args) => ({ text: (await client.callTool({ name: tool, arguments: args })).content[0].text }));
    } finally {
      await client.close();
    }
  });
}

test("the TypeScript SDK before it hears log messages once it has set a level", async () => {
  const { mcp, key, worker } = await mcpScene(gateway);
  const served = serve(worker, { look: () => ({ result: "found" }) });
  const client = new OldClient(info, ABLE);
  const heard = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push([params.level, params.data.event]));
  await client.connect(new OldTransport(new URL(mcp.url), requestInit(key)));
  try {
    await client.setLoggingLevel("info");
    await client.callTool({ name: "look", arguments: { id: 1 } });
    assert.deepEqual(heard, [["info", "queued"], ["info", "hand_out"], ["info", "settle"]]);
  } finally {
    await client.close();
    await served.stop();
  }
});

for (const [name, make] of Object.entries(CLIENTS).slice(0, 3)) {
  test(`${name}, hears how its call gets on`, async () => {
    const { mcp, key, worker } = await mcpScene(gateway);
    const served = serve(worker, { look: () => ({ result: "found" }) });
    const [client, transport] = make(new URL(mcp.url), key);
    await client.connect(transport);
    const steps = [];
    try {
      const { content } = await client.callTool({ name: "look", arguments: { id: 1 } }, { onprogress: ({ progress }) => steps.push(progress) });
      assert.deepEqual([content[0].text, steps], ["found", [1, 2, 3]]);
    } finally {
      await client.close();
      await served.stop();
    }
  });
}

/** A client in a process of its own: a line of JSON in, a line of JSON out. */
async function byLines(program, args, goes) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    assert.ok(!done, `${program} ended`);
    return JSON.parse(value);
  };
  try {
    await goes({ list: () => ask({ list: true }), call: (tool, args) => ask({ tool, arguments: args }) });
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
  }
}

/** What scripts/test end_to_end makes, and says here where it is. */
function provided(name) {
  assert.ok(process.env[name], `${name} is not set; scripts/test end_to_end makes what it names`);
  return process.env[name];
}

for (const mode of ["auto", "2026-07-28", "legacy"]) {
  test(`the Python client, ${mode}`, async () => {
    const scene = await mcpScene(gateway);
    const program = new URL("../conformance/mcp_client.py", import.meta.url).pathname;
    await byLines(provided("TOOLGATE_PYTHON"), ["-B", program, scene.mcp.url, scene.key, mode], (asks) => path(scene, asks));
  });
  test(`the Python client, ${mode}, is asked by a tool`, async () => {
    const scene = await mcpScene(gateway);
    const program = new URL("../conformance/mcp_client.py", import.meta.url).pathname;
    await byLines(provided("TOOLGATE_PYTHON"), ["-B", program, scene.mcp.url, scene.key, mode, "asked"], ({ call }) => inquired(scene, call));
  });
  test(`the Rust client, ${mode}`, async () => {
    const scene = await mcpScene(gateway);
    await byLines(provided("TOOLGATE_MCP_RUST"), [scene.mcp.url, scene.key, mode], (asks) => path(scene, asks));
  });
}

test("the inspector at a command line, one process for each request", async () => {
  const scene = await mcpScene(gateway);
  // A home of its own: it keeps a catalogue of servers there.
  const env = { ...process.env, HOME: gateway.folder };
  const inspect = async (...asked) => {
    const header = ["--header", `Authorization: Bearer ${scene.key}`];
    const args = [provided("TOOLGATE_INSPECTOR"), "--cli", scene.mcp.url, "--transport", "http", ...header, "--format", "json", "--stored-auth-only", ...asked];
    const child = spawn(process.execPath, args, { cwd: gateway.folder, env, stdio: ["ignore", "pipe", "inherit"] });
    const [out, [status]] = await Promise.all([text(child.stdout), once(child, "close")]);
    return { status, result: JSON.parse(out).result };
  };
  await path(scene, {
    list: async () => (await inspect("--method", "tools/list")).result.tools.map(({ name }) => name),
    call: async (tool, args) => {
      const given = Object.entries(args).flatMap(([name, value]) => ["--tool-arg", `${name}=${value}`]);
      const { status, result } = await inspect("--method", "tools/call", "--tool-name", tool, ...given);
      assert.equal(status, result.isError ? 5 : 0, "its exit status says whether it was an error");
      return { isError: result.isError, text: result.content[0].text };
    },
  });
});
