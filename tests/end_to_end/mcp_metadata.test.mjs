// Where an MCP client gets a key: said only where an authorization server is configured.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Gateway } from "./support/gateway.mjs";

const ask = (gateway, path, init) => fetch(`${gateway.url}${path}`, init);
const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
const METADATA = "/.well-known/oauth-protected-resource/mcp/bot";

test("without an authorization server a missing key is answered plainly, and there is no metadata", async () => {
  const gateway = await Gateway.start();
  try {
    const refused = await ask(gateway, "/mcp/bot", post);
    assert.deepEqual([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
    assert.equal((await ask(gateway, METADATA)).status, 404);
  } finally {
    await gateway.stop();
  }
});

test("with one the refusal names the metadata, which names the server", async () => {
  const gateway = await Gateway.start({ vars: { TOOLGATE_AUTHORIZATION_SERVERS: "https://login.example.com, https://other.example.com" } });
  try {
    const refused = await ask(gateway, "/mcp/bot", post);
    const url = /^Bearer resource_metadata="([^"]+)"$/.exec(refused.headers.get("www-authenticate"))?.[1];
    assert.equal(url, `${gateway.url}${METADATA}`);
    const metadata = await fetch(url);
    assert.deepEqual([metadata.status, await metadata.json()], [200, {
      resource: `${gateway.url}/mcp/bot`, authorization_servers: ["https://login.example.com", "https://other.example.com"], bearer_methods_supported: ["header"],
    }]);
    assert.equal((await ask(gateway, "/v1/keys")).headers.get("www-authenticate"), "Bearer", "the other doors are not its resources");
    assert.equal((await ask(gateway, "/.well-known/oauth-protected-resource/mcp/No")).status, 404);
  } finally {
    await gateway.stop();
  }
});
