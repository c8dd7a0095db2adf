// A bad line between a worker and the gateway: every job still ends with one result, and no write runs twice.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Gateway } from "./support/gateway.mjs";
import { Org } from "./support/org.mjs";
import { Proxy } from "./support/proxy.mjs";
import { each, until } from "./support/until.mjs";
import { Crew, killWorker, NAMES, stopWorker } from "./support/worker_process.mjs";

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => {
  Proxy.stopAll();
  return gateway.stop();
});

/** A worker behind a line of this kind. */
async function behind(fate, options) {
  const org = await Org.make(gateway);
  const proxy = await Proxy.start(gateway, fate);
  const crew = new Crew(org, { url: proxy.url });
  const worker = await crew.start({ concurrency: 8, pollWaitSeconds: 2, ...options });
  await org.grant(NAMES);
  return { org, proxy, crew, worker };
}

/** Calls of both classes, each to be done with one result; a write's handler starts once. */
async function assertServed({ org, crew }, count = 10, withinMs = 60_000) {
  const calls = await each(Array.from({ length: count }), 5, (_, n) => org.accepted(n % 2 === 0 ? "look" : "edit", { n }, { key: `k${n}-${crew.starts.size}` }));
  await each(calls, count, async ({ call, tool }) => {
    const ended = await org.callIn(call, "succeeded", withinMs);
    assert.equal(ended.result.call, call);
    if (tool === "edit") assert.equal(crew.starts.get(call), 1);
    const { events } = await org.events(call);
    assert.equal(events.filter(({ event }) => event === "settle").length, 1, "one result counts");
  });
}

async function end({ proxy, worker }) {
  assert.equal((await stopWorker(worker, 40_000)).code, 0);
  proxy.stop();
}

describe("a bad line", { concurrency: true }, () => {
  it("that closes instead of replying to results: they are sent again, and recognised", async () => {
    const line = await behind((what, n) => (what === "results" && n % 2 === 1 ? "cut" : "pass"));
    await assertServed(line);
    assert.ok(line.proxy.counts.results >= 2);
    await end(line);
  });

  it("that swallows the reply to the first results: they are sent again after the client's own deadline", async () => {
    const line = await behind((what, n) => (what === "results" && n <= 2 ? "swallow" : "pass"));
    await assertServed(line);
    await end(line);
  });

  it("that closes or swallows replies to accepts: asked again within the window, each write starts once", async () => {
    const line = await behind((what, n) => (what !== "accepts" ? "pass" : ["cut", "pass", "swallow", "pass"][n % 4]));
    await assertServed(line, 16);
    await end(line);
  });

  it("that swallows answers with jobs in them: reads are retried, writes are handed over again, all end done", async () => {
    const line = await behind((what, n) => (what === "claims" && n <= 2 ? "swallow" : "pass"));
    await assertServed(line);
    await end(line);
  });

  it("that closes instead of answering polls: the jobs that were in those answers are not lost", async () => {
    const line = await behind((what, n) => (what === "claims" && (n === 1 || n === 3) ? "cut" : "pass"));
    await assertServed(line);
    await end(line);
  });

  it("that is half open: polls that nothing answers are given up soon after their wait, and the worker recovers", async () => {
    const line = await behind((what, n) => (what === "claims" && n <= 2 ? "deaf" : "pass"));
    await assertServed(line);
    assert.ok(line.proxy.counts.claims > 2);
    await end(line);
  });

  it("through a proxy that ends what is idle with 504: the worker polls shorter and stays healthy", async () => {
    const line = await behind((what) => (what === "claims" ? "idle" : "pass"), { pollWaitSeconds: 10 });
    await until("idle polls were cut", () => line.proxy.counts.claims >= 4, 30_000);
    await assertServed(line);
    assert.match(line.worker.log, /shorter wait/);
    await end(line);
  });

  it("that swallows every renewal: an accepted write is unknown when its lease is over, and its late result resolves it", async () => {
    const line = await behind((what) => (what === "renewals" ? "deaf" : "pass"));
    const { org, crew } = line;
    const write = await org.accepted("edit", { mode: "gate", note: "go" }, { key: "k" });
    await until("it runs", () => crew.starts.get(write.call) === 1);
    await org.callIn(write.call, "unknown", 45_000);
    crew.open("go");
    const resolved = await org.callIn(write.call, "succeeded");
    assert.deepEqual([resolved.resolved_by, crew.starts.get(write.call)], ["late_result", 1]);
    await killWorker(line.worker);
    line.proxy.stop();
  });
});
