// The official conformance suite of the Model Context Protocol, both revisions, against an agent whose tools a worker
// serves. What fails on purpose stands in mcp_expected_failures_*.yml with the reason; anything else that fails, and
// anything there that passes, fails here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Gateway } from "./support/gateway.mjs";
import { mcpScene, serve } from "./support/mcp.mjs";
import { FIXTURE, HANDLERS, keyed } from "./support/mcp_fixture.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const suite = `${root}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

for (const revision of ["2026-07-28", "2025-11-25"]) {
  test(`the conformance suite of ${revision}`, async () => {
    const scene = await mcpScene(gateway, FIXTURE);
    const served = serve(scene.worker, HANDLERS);
    const front = await keyed(gateway, scene.key);
    try {
      const expected = `${root}/tests/conformance/mcp_expected_failures_${revision}.yml`;
      const args = [suite, "server", "--url", `${front.url}/mcp/bot`, "--requirements", revision, "--expected-failures", expected];
      const child = spawn(process.execPath, args, { cwd: gateway.folder, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
      const [status] = await once(child, "exit");
      assert.equal(status, 0, said.slice(said.indexOf("=== SUMMARY")));
      assert.match(said, /✓ tools-call-simple-text/, "it did run");
    } finally {
      front.close();
      await served.stop();
    }
  });
}
