// The official conformance suite of the Model Context Protocol, both revisions, against an agent whose tools a worker
// serves. What fails on purpose stands in mcp_expected_failures_*.yml with the reason, and what the suite does not judge in
// mcp_not_judged_*.yml; anything else that fails or is passed over, and anything there that passes, fails here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Gateway } from "./support/gateway.mjs";
import { mcpScene, serve } from "./support/mcp.mjs";
import { FIXTURE, handlersOf, keyed, MCP } from "./support/mcp_fixture.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const suite = `${root}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

/** The checks that a list names. */
const listed = async (file) => [...(await readFile(`${root}/tests/conformance/${file}`, "utf8")).matchAll(/^  - (\S+)$/gm)].map(([, check]) => check).sort();

/** Of each check that a scenario left in a file of its own: `scenario:check`, and how it went. */
async function checksIn(folder) {
  const found = [];
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(name)[1];
    for (const { id, status } of JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8"))) found.push([`${scenario}:${id}`, status]);
  }
  return found;
}

for (const revision of ["2026-07-28", "2025-11-25"]) {
  test(`the conformance suite of ${revision}`, async () => {
    const scene = await mcpScene(gateway, FIXTURE);
    await scene.org.admin.must(200, "PUT", "/v1/agents/bot", { capabilities: ["bot"], mcp: MCP });
    const slow = new AbortController();
    const served = serve(scene.worker, handlersOf(scene.org, slow.signal));
    const front = await keyed(gateway, scene.key);
    try {
      const expected = `${root}/tests/conformance/mcp_expected_failures_${revision}.yml`;
      const results = join(gateway.folder, revision);
      const args = [suite, "server", "--url", `${front.url}/mcp/bot`, "--requirements", revision, "--expected-failures", expected, "--output-dir", results];
      const child = spawn(process.execPath, args, { cwd: gateway.folder, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
      const [status] = await once(child, "exit");
      assert.equal(status, 0, said.slice(said.indexOf("=== SUMMARY")));
      // The suite does not judge what its revision does not score (tasks): so each check is compared with the list once more.
      const checks = await checksIn(results);
      assert.equal(checks.find(([check]) => check === "tools-call-simple-text:tools-call-simple-text")?.[1], "SUCCESS", "it did run");
      const went = (...ways) => [...new Set(checks.filter(([, how]) => ways.includes(how)).map(([check]) => check))].sort();
      assert.deepEqual(went("FAILURE", "WARNING"), await listed(`mcp_expected_failures_${revision}.yml`));
      assert.deepEqual(went("SKIPPED", "INFO"), await listed(`mcp_not_judged_${revision}.yml`));
      assert.deepEqual([...new Set(checks.map(([, how]) => how))].sort(), ["FAILURE", "INFO", "SKIPPED", "SUCCESS", "WARNING"].filter((how) => went(how).length > 0), "there is no other way to go");
    } finally {
      front.close();
      slow.abort();
      await served.stop();
    }
  });
}
