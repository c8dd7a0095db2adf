// The pages use the public API alone: support/browser.mjs holds each request of each test here against protocol/openapi.json. This is a test of that watch.
import assert from "node:assert/strict";
import { test } from "node:test";

import { people } from "./support/people.mjs";

const at = people();

test("a request that the published document does not have is a fault of the page, whatever its path", async () => {
  const somebody = await at.person();
  const page = await somebody.page(at.gateway, "/console");
  const ask = (method, path) => page.evaluate(([method, path]) => fetch(path, { method }).then(({ status }) => status), [method, path]);
  for (const [method, path] of [["GET", "/v1/site"], ["GET", "/v1/approvals?limit=1"], ["PUT", "/v1/agents/bot"], ["POST", "/v1/approvals/a%2Fb/decision"], ["GET", "/openapi.json"]]) await ask(method, path);
  assert.deepEqual(somebody.faults, []);
  const others = [["GET", "/v1/private"], ["PATCH", "/v1/agents/bot"], ["GET", "/v1/approvals/a/b"], ["GET", "/v1/agents/bot/"], ["POST", "/console/approvals"]];
  for (const [method, path] of others) await ask(method, path);
  const faults = somebody.faults.splice(0);
  assert.deepEqual(faults, others.map(([method, path]) => `${page.url()}: asked for what is not in openapi.json: ${method} ${at.gateway.url}${path}`));
});
