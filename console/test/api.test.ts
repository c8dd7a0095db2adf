import assert from "node:assert/strict";
import { test } from "node:test";

const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => kept.set(name, value) },
  localStorage: { getItem: () => null, setItem: () => undefined },
  addEventListener: () => undefined,
});
const { get, request } = await import("../src/shared/api");
const { doorOf } = await import("../src/chat/door");

/** The requests that were sent, each with whether it says that it is the own page's. */
function sending(answer: () => Response): [string, string, boolean][] {
  const sent: [string, string, boolean][] = [];
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    sent.push([init.method ?? "", path, (init.headers as Record<string, string>)["x-toolgate-console"] === "1"]);
    return answer();
  }) as typeof fetch;
  return sent;
}

test("every write says that it is of the gateway's own page, and no read does", async () => {
  const sent = sending(() => new Response("{}", { status: 200 }));
  await get("/v1/session");
  await request("HEAD", "/v1/session");
  for (const method of ["POST", "PUT", "DELETE"]) await request(method, "/v1/keys", {}, { headers: { prefer: "wait=1" } });
  assert.deepEqual(sent, [["GET", "/v1/session", false], ["HEAD", "/v1/session", false], ["POST", "/v1/keys", true], ["PUT", "/v1/keys", true], ["DELETE", "/v1/keys", true]]);
});

test("so does a run of the chat", async () => {
  const sent = sending(() => new Response("", { status: 200, headers: { "content-type": "text/event-stream" } }));
  const door = doorOf({ key: "tg_agent.x", id: "k", role: "agent", agent: "bot", org: "o", kept: false } as Parameters<typeof doorOf>[0]);
  const input = { threadId: "t", runId: "r", protocolVersion: "1.0", messages: [], tools: [], context: [] } as const;
  for await (const event of door.run(input, new AbortController().signal)) assert.fail(JSON.stringify(event));
  assert.deepEqual(sent, [["POST", "/v1/agents/bot/agui", true]]);
});
