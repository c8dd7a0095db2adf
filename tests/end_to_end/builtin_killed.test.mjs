// The gateway dies by kill -9 while it runs its own tools: they only read, so each is tried again, and ends.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { shipped } from "./support/builtin.mjs";
import { Gateway } from "./support/gateway.mjs";
import { until } from "./support/until.mjs";
import { ended } from "./support/webhooks.mjs";

// The dearest thing that is not refused: the data set with itself.
const SLOW = "SELECT count(*) AS n FROM permits a, permits b WHERE a.cost + b.cost > 0 AND a.address <> b.district";

let gateway;
before(async () => {
  gateway = await Gateway.start();
});
after(() => gateway.stop());

test("killed in the middle of queries: every call that was accepted ends with its result", async () => {
  const { org } = await shipped(gateway);
  const calls = [];
  for (let n = 0; n < 12; n += 1) calls.push((await org.accepted("execute_query", { query: `${SLOW} AND ${n} = ${n}` }, { agent: "permits" })).call);
  const running = async () => (await org.call(calls.at(-1))).state === "running";
  await until("the last of them is under way", running);
  await gateway.killAndRestart();
  const attempts = [];
  for (const call of calls) {
    const { state, result, error } = await ended(org, call);
    assert.equal(state, "succeeded", JSON.stringify(error));
    assert.equal(result.rows[0][0] > 3_000_000, true);
    const { events } = await org.events(call);
    attempts.push(events.filter(({ event }) => event === "hand_out").length);
  }
  assert.ok(attempts.some((tries) => tries > 1), `some were tried again: ${attempts}`);
});
