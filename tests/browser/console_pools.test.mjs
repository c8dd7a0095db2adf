// The pools as an admin sees them: depth, oldest, failure rates, workers, and endpoints that are pending, active and suspended, each of them real.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Internet, PUBLIC_ADDRESS } from "../end_to_end/support/internet.mjs";
import { definition } from "../end_to_end/support/org.mjs";
import { RawWorker } from "../end_to_end/support/raw_worker.mjs";
import { SignedEndpoint } from "../end_to_end/support/signed_endpoint.mjs";
import { until } from "../end_to_end/support/until.mjs";
import { begin, ended, endpointOf, newHost, putPool } from "../end_to_end/support/webhooks.mjs";
import { people } from "./support/people.mjs";
import { Shop, TOOLS } from "./support/shop.mjs";

let internet;
const at = people({
  start: async () => ({ internet: (internet = await Internet.start()) }),
  stop: () => internet.close(),
});

const dialog = (page, name) => page.getByRole("dialog", { name });
const row = (page, pool) => page.getByRole("region", { name: "Pools" }).getByRole("row", { name: new RegExp(`^${pool}\\b`) });
/** The cells of a row, once it is there. */
async function cells(line) {
  await line.getByRole("cell").first().waitFor();
  return (await line.getByRole("cell").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
}
/** The numbers at the top of a pool's page, by their names. */
async function numbers(page) {
  const texts = await page.getByRole("main").locator("dl.stats .stat").allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split("\n").map((each) => each.trim())));
}

/** Ends three reads of the worker, one of them as a failure of its code. */
async function threeReads(shop) {
  for (const failed of [false, true, false]) {
    const { call } = await shop.org.accepted("get_order", { order_id: 1 });
    const { claim } = await shop.worker.job();
    await (failed ? shop.worker.error(claim, { code: "no_such_order", message: "There is none." }) : shop.worker.result(claim, "{}"));
    await shop.org.callIn(call, failed ? "failed" : "succeeded");
  }
}

test("a pool of workers: what waits, since when, what runs, and how much fails, in the list and on its page", async () => {
  const shop = await Shop.open(at.gateway);
  await threeReads(shop);
  await shop.parked();
  await shop.org.accepted("get_order", { order_id: 9 });
  await shop.worker.job();
  for (const order_id of [1, 2]) await shop.org.accepted("get_order", { order_id });
  const stats = async () => (await shop.org.admin.get("/v1/pools/main/stats")).body;
  await until("the oldest has waited a while", async () => (await stats()).oldest_queued_seconds >= 2);

  const page = await at.visit("/console/pools", [shop.keys.admin]);
  const [name, transport, queued, oldest, ...others] = await cells(row(page, "main"));
  assert.deepEqual([name, transport, queued, others], ["main", "worker", "2", ["1", "1", "33.3 % of 3", "1 worker"]]);
  assert.match(oldest, /^([2-9]|\d\d) s$/);

  await row(page, "main").getByRole("link", { name: "main" }).click();
  await page.getByRole("region", { name: "Workers" }).waitFor();
  const shown = await numbers(page);
  assert.deepEqual([shown.Queued, shown.Running, shown["Waiting for approval"]], ["2", "1", "1"]);
  assert.match(shown["Oldest queued"], /^([2-9]|\d\d) s$/);
  const [worker, seen, polling, succeeded, failed, rate] = await cells(page.getByRole("region", { name: "Workers" }).getByRole("row").nth(1));
  assert.deepEqual([worker, succeeded, failed, rate], [shop.worker.name, "2", "1", "33.3 %"]);
  assert.match(`${seen}; ${polling}`, /^\d+ s ago; busy or away$/);
  const held = shop.worker.poll({ wait: 15 });
  await until("the jobs are handed out", async () => (await stats()).depth === 0);
  await held;
  await page.waitForFunction(() => /Queued\s*0/.test(document.querySelector("dl.stats")?.innerText ?? ""));
  const idle = shop.worker.poll({ wait: 15 });
  await page.getByText("polling", { exact: true }).waitFor();
  await shop.worker.post("goodbyes", { session: shop.worker.session });
  await idle;
  await page.getByText("No worker was seen lately.").waitFor();
});

test("calls that wait although somebody polls are an alert, in the list and on the page", async () => {
  const shop = await Shop.open(at.gateway);
  // An older build that announces a tool as it was not accepted.
  const weak = new RawWorker(shop.org.worker);
  await weak.register([{ ...TOOLS[2], side_effect: "read_only" }]);
  await shop.worker.post("goodbyes", { session: shop.worker.session });
  await shop.org.accepted("set_note", { order_id: 1, note: "x" }, { key: "waits" });
  const poll = weak.poll({ wait: 20 });
  const page = await at.visit("/console/pools", [shop.keys.admin]);
  await row(page, "main").getByText("calls_wait_while_workers_poll").waitFor();
  await row(page, "main").getByRole("link").click();
  await page.getByRole("alert").getByText("Calls wait although workers poll").waitFor();
  await weak.post("goodbyes", { session: weak.session });
  await poll;
  await page.getByRole("alert").waitFor({ state: "detached" });
});

const FAR = [definition("look_far", "read_only", { input: { any: "json?" } }), definition("edit_far", "reversible_write", { input: { any: "json?" } })];

test("an endpoint whose name leads inside is suspended: the list and its page say so and why, and a challenge lifts it", async () => {
  const shop = await Shop.open(at.gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: FAR });
  assert.equal((await putPool(shop.org, "hooks", endpoint)).body.endpoint.state, "active");
  await shop.org.grant(FAR.map(({ name }) => name));
  endpoint.on["tool.call"] = (message, out) => {
    if (message.arguments.any === "broken") return out.signed({ error: { code: "no_stock", message: "There is none." } });
    if (message.arguments.any === "flip") internet.dns(endpoint.host, { A: ["10.0.0.5"] });
    return out.signed({ result: 1 });
  };
  for (const any of ["well", "well", "well", "broken"]) await ended(shop.org, (await begin(shop.org, "look_far", JSON.stringify(any))).call);

  const page = await at.visit("/console/pools", [shop.keys.admin]);
  assert.deepEqual((await cells(row(page, "hooks"))).slice(1), ["webhook", "0", "none", "0", "0", "25 % of 4", "active"]);
  await ended(shop.org, (await begin(shop.org, "edit_far", '"flip"')).call);
  await until("it is suspended", async () => (await endpointOf(shop.org)).state === "suspended");
  await row(page, "hooks").getByText("suspended", { exact: true }).waitFor();
  await row(page, "hooks").getByRole("link").click();
  const box = page.getByRole("region", { name: "Endpoint" });
  await box.getByText("suspended", { exact: true }).waitFor();
  await box.getByText("Its name led to an address that may not be called").waitFor();
  await box.getByText(/10\.0\.0\.5/).first().waitFor();
  assert.equal((await numbers(page))["Endpoint failures"], "20 %");
  await box.getByRole("button", { name: "Fetch the manifest: only an active endpoint is asked for its manifest" }).waitFor();

  await box.getByRole("button", { name: "Challenge" }).click();
  await box.getByText("The challenge failed; the endpoint is suspended.").waitFor();
  internet.dns(endpoint.host, { A: [PUBLIC_ADDRESS] });
  await box.getByRole("button", { name: "Challenge" }).click();
  await box.getByText("The challenge passed: the endpoint is active.").waitFor();
  await box.getByText("active", { exact: true }).first().waitFor();
  assert.equal((await endpointOf(shop.org)).state, "active");
  assert.equal(await box.getByText("Its name led to").count(), 0);
});

test("an endpoint is made in the page: its secret is shown once, and its pool is pending until it can answer", async () => {
  const shop = await Shop.open(at.gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: FAR });
  const page = await at.visit("/console/new-pool", [shop.keys.admin]);
  await page.getByLabel("Name", { exact: true }).fill("far");
  await page.getByLabel("A URL of yours that is called, signed.").check();
  await page.getByLabel("URL", { exact: true }).fill(endpoint.url);
  await page.getByLabel("Seconds for a delivery").fill("20");
  await page.getByRole("button", { name: "Save" }).click();
  const secret = await page.getByRole("group", { name: "Signing secret" }).locator("code").innerText();
  await page.getByText("Its endpoint is pending: it must pass a challenge").waitFor();
  // Now the customer's own code knows it.
  endpoint.secrets = [secret];
  await page.getByRole("link", { name: "Open it" }).click();
  const box = page.getByRole("region", { name: "Endpoint" });
  await box.getByText("It has not answered a challenge yet").waitFor();
  assert.match(await box.innerText(), /Time for a delivery\s+20 s/);
  assert.ok(!(await page.content()).includes(secret));
  await box.getByRole("button", { name: "Challenge" }).click();
  await box.getByText("The challenge passed: the endpoint is active.").waitFor();
  await box.getByText("tool look_far: added").waitFor();
  assert.equal((await shop.org.admin.get("/v1/tools/look_far")).body.managed_by, "webhook");
});

test("an endpoint is challenged, asked for its manifest, and given a new secret, which is shown once", async () => {
  const shop = await Shop.open(at.gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools: [definition("look_far", "read_only")] });
  const answer = await putPool(shop.org, "hooks", { url: endpoint.url, secret: undefined });
  assert.equal(answer.body.endpoint.state, "pending");
  const page = await at.visit("/console/pools", [shop.keys.admin]);
  await page.getByRole("table").getByRole("link", { name: "hooks" }).click();
  const box = page.getByRole("region", { name: "Endpoint" });
  await box.getByText("pending").first().waitFor();
  await box.getByRole("button", { name: "Challenge" }).click();
  await box.getByText("The challenge failed; the endpoint is pending.").waitFor();
  await putPool(shop.org, "hooks", endpoint);
  await box.getByText("active", { exact: true }).waitFor();
  await box.getByRole("button", { name: "Fetch the manifest" }).click();
  await box.getByText(/tool look_far: unchanged/).waitFor();
  await box.getByRole("button", { name: "New secret…" }).click();
  await dialog(page, "Make a new signing secret?").getByRole("button", { name: "Make it" }).click();
  const secret = await box.getByRole("group", { name: "New signing secret" }).locator("code").innerText();
  assert.match(secret, /^whsec_/);
  await page.reload();
  await box.waitFor();
  assert.ok(!(await page.content()).includes(secret));
});
