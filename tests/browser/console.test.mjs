// The rest of the console as an admin and a caller use it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Internet } from "../end_to_end/support/internet.mjs";
import { PRINCIPAL } from "../end_to_end/support/org.mjs";
import { until } from "../end_to_end/support/until.mjs";
import { newHost } from "../end_to_end/support/webhooks.mjs";
import { people } from "./support/people.mjs";
import { Shop, TOOLS } from "./support/shop.mjs";

let internet;
const at = people({
  start: async () => ({ internet: (internet = await Internet.start()) }),
  stop: () => internet.close(),
});

const dialog = (page, name) => page.getByRole("dialog", { name });
const everyKey = (shop) => [shop.keys.admin, shop.keys.approver, shop.keys.caller];

test("the catalogue shows what was refused and why, and an admin takes exactly that", async () => {
  const shop = await Shop.open(at.gateway);
  const weaker = [{ ...TOOLS[0], side_effect: "read_only", permissions: [] }, ...TOOLS.slice(1)];
  await shop.worker.register(weaker);
  const page = await at.visit("/console/tools", [shop.keys.admin]);
  await page.getByText("Refused definitions wait for an admin:").waitFor();
  await page.getByRole("table").getByRole("link", { name: "refund_order" }).click();
  const refused = page.getByRole("region", { name: "Refused definition" });
  await refused.getByText("side_effect_weakened").first().waitFor();
  const difference = await refused.getByLabel("What the refused definition changes").innerText();
  assert.match(difference, /permissions[\s\S]*refunds:write[\s\S]*side_effect[\s\S]*consequential[\s\S]*read_only/);
  assert.equal((await shop.org.admin.get("/v1/tools/refund_order")).body.definition.side_effect, "consequential");
  await refused.getByRole("button", { name: "Accept this definition…" }).click();
  await dialog(page, "Accept the refused definition?").getByRole("button", { name: "Accept" }).click();
  await refused.waitFor({ state: "detached" });
  const tool = (await shop.org.admin.get("/v1/tools/refund_order")).body;
  assert.deepEqual([tool.definition.side_effect, tool.refused], ["read_only", null]);
  assert.equal(await page.getByRole("region", { name: "Versions" }).getByRole("listitem").count(), 2);
});

test("a name that nobody serves is released, and the button says why not before", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/tools/get_order", [shop.keys.admin]);
  await page.getByRole("button", { name: /^Release the name…: somebody serves it/ }).waitFor();
  await shop.worker.register(TOOLS.filter((tool) => tool.name !== "get_order"));
  await page.reload();
  await page.getByRole("button", { name: "Release the name…", exact: true }).click();
  await dialog(page, "Release the name?").getByRole("button", { name: "Release" }).click();
  await page.getByText("Still granted by: bot.").waitFor();
  assert.equal((await shop.org.admin.get("/v1/tools/get_order")).body.released, true);
});

test("a capability and an agent are made and changed by their forms", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/new-capability", [shop.keys.admin]);
  await page.getByLabel("Name", { exact: true }).fill("refunds");
  await page.getByRole("group", { name: "Tools" }).getByLabel(/refund_order/).check();
  await page.getByLabel("Approvers who must say yes").fill("2");
  await page.getByLabel("Who asked may approve").uncheck();
  await page.getByLabel("Hours to decide").fill("72");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "refunds", level: 1 }).waitFor();
  const capability = (await shop.org.admin.get("/v1/capabilities/refunds")).body;
  assert.deepEqual(capability, { name: "refunds", tools: ["refund_order"], allow_reversible_writes: false, approvals_required: 2, requester_may_approve: false, approval_seconds: 259_200 });
  await page.goto(`${at.gateway.url}/console/agents`);
  await page.getByText("3 d to decide").waitFor();

  await page.goto(`${at.gateway.url}/console/new-agent`);
  await page.getByLabel("Name", { exact: true }).fill("clerk");
  await page.getByRole("group", { name: "Capabilities" }).getByLabel("refunds").check();
  await page.getByRole("group", { name: /^Pinned tools/ }).getByLabel("refund_order").check();
  await page.getByLabel("Budget of an offer, in tokens").fill("900");
  await page.getByLabel("Instructions").fill("Be short.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "clerk", level: 1 }).waitFor();
  assert.match(await page.getByRole("region", { name: "Grants" }).innerText(), /refund_order\s+consequential\s+refunds\s+enabled\s*pinned/);
  await page.getByLabel("Budget of an offer, in tokens").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The agent clerk is saved.").last().waitFor();
  const agent = (await shop.org.admin.get("/v1/agents/clerk")).body;
  assert.deepEqual(agent, { name: "clerk", capabilities: ["refunds"], pinned_tools: ["refund_order"], instructions: "Be short.", chat_model: { label: "Demo model", demo: true } });

  const host = newHost();
  internet.host(host, (_, respond) => respond(404));
  await page.getByLabel("A model at an endpoint of its own").check();
  await page.getByLabel("Endpoint", { exact: true }).fill(`https://${host}/v1`);
  await page.getByLabel("Name of the model").fill("large");
  await page.getByLabel("API key").fill("sk-of-a-test");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("One is kept and never shown.").waitFor();
  assert.equal(await page.getByLabel("API key").inputValue(), "");
  assert.ok(!(await page.content()).includes("sk-of-a-test"));
  assert.deepEqual((await shop.org.admin.get("/v1/agents/clerk")).body.model, { url: `https://${host}/v1`, name: "large", api_key_set: true });

  await page.goto(`${at.gateway.url}/console/new-agent`);
  await page.getByLabel("Name", { exact: true }).fill("Not A Name");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("invalid_request").waitFor();
});

test("a call is tried by the fields of its contract, digits and all; a consequential one leads to its approval", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/try", everyKey(shop));
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Principal's id").fill("u1");
  await page.getByLabel("Tenant").fill("t1");
  await page.getByLabel("Permissions").fill("refunds:write");
  await page.getByLabel("Tool").selectOption("get_order");
  await page.getByLabel("order_id").fill("9007199254740993");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const { jobs } = (await shop.worker.poll({ wait: 10 })).body;
  await shop.worker.result(jobs[0].claim, '{"big":9007199254740993}');
  const outcome = page.getByRole("status").filter({ hasText: "Outcome" });
  assert.equal(await outcome.getByRole("region", { name: "Result" }).innerText(), '{\n  "big": 9007199254740993\n}');

  await page.getByLabel("Tool").selectOption("refund_order");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("order_id").fill("7");
  await page.getByLabel("cents").fill("1.5");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("alert").getByText(/cents: must be an integer/).waitFor();
  await page.getByLabel("cents").fill("150");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await outcome.getByRole("link", { name: "Open the approval" }).click();
  await page.getByRole("heading", { name: "refund_order", level: 1 }).waitFor();
});

test("an offer says which tools, with which points, and what was left out and why", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/offers", everyKey(shop));
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Principal's id").fill("u1");
  await page.getByLabel("Tenant").fill("t1");
  await page.getByLabel("Message").fill("I want my money back");
  await page.getByLabel("Budget, in tokens").fill("160");
  await page.getByRole("button", { name: "Offer", exact: true }).click();
  const left = page.getByRole("region", { name: "Left out" });
  await left.waitFor();
  assert.match(await left.innerText(), /refund_order[\s\S]*the principal lacks a permission/);
  await page.getByLabel("Permissions").fill("refunds:write");
  await page.getByRole("button", { name: "Offer", exact: true }).click();
  const offered = page.getByRole("region", { name: "Offered tools" });
  await offered.getByText("phrase").waitFor();
  assert.match(await offered.innerText(), /refund_order new[\s\S]*phrase money back 4\.0/);
  await page.getByLabel("Message").fill("and where is my order?");
  await page.getByRole("button", { name: "As the next message of the same run" }).click();
  await page.getByRole("heading", { name: "Turn 2" }).waitFor();
  assert.match(await page.getByRole("article").first().innerText(), /get_order/);
});

test("while agents and tools are looked for, nothing can be typed that would go away", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/calls", everyKey(shop));
  const held = [];
  for (const what of ["agents", "tools"]) await page.route(`**/v1/${what}*`, (route) => void held.push(route));
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: /^Try a call/ }).click();
  for (const name of ["Agent", "Tool"]) {
    const field = page.getByLabel(name, { exact: true });
    await field.getByText("Looking…").waitFor({ state: "attached" });
    assert.ok(await field.isDisabled(), name);
  }
  await until("both are asked for", () => held.length === 2);
  for (const route of held) await route.continue();
  await page.getByLabel("Agent", { exact: true }).selectOption("bot");
  await page.getByLabel("Tool", { exact: true }).selectOption("get_order");
  await page.getByLabel("order_id").waitFor();
});

test("calls are listed by pool, state, tool and agent; one shows its timeline; an unknown outcome is resolved", async () => {
  const shop = await Shop.open(at.gateway);
  const write = await shop.org.accepted("set_note", { order_id: 1, note: "x" }, { key: "write" });
  const job = await shop.worker.job();
  await shop.worker.accept(job.claim);
  await shop.org.callIn(write.call, "unknown");
  const parked = await shop.parked();
  const page = await at.visit("/console/calls", everyKey(shop));
  await page.getByRole("table").getByRole("row").nth(2).waitFor();
  await page.getByLabel("State").selectOption("unknown");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/state=unknown/);
  await page.getByRole("table").getByRole("row").nth(2).waitFor({ state: "detached" });
  await page.getByRole("table").getByRole("link").click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  assert.match(await page.getByRole("region", { name: "Arguments" }).innerText(), /"note": "x"/);
  await timeline.getByText("The execution deadline passed").waitFor();
  assert.match(await timeline.innerText(), /queued[\s\S]*hand_out[\s\S]*accept[\s\S]*execution_deadline/);
  await page.getByRole("button", { name: "Resolve…" }).click();
  const asked = dialog(page, "What did you find?");
  await asked.getByLabel("It happened").check();
  await asked.getByLabel("How you know").fill("It stands in our own log.");
  await asked.getByLabel("Result").fill('{"id":9007199254740993}');
  await asked.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Result" }).waitFor();
  assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), '{\n  "id": 9007199254740993\n}');
  await timeline.getByText("It stands in our own log.").waitFor();

  await page.goto(`${at.gateway.url}/console/calls/${parked.call}`);
  await page.getByRole("button", { name: "Cancel the call…" }).click();
  await dialog(page, "Cancel the call?").getByRole("button", { name: "Cancel the call" }).click();
  await page.getByText("cancelled", { exact: true }).first().waitFor();
  assert.equal((await shop.org.call(parked.call)).state, "cancelled");
});

test("a key is made, shown once, and revoked", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console/keys", [shop.keys.admin]);
  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("main").locator("form");
  await form.getByLabel("Name").fill("Dora");
  await form.getByLabel("Role").selectOption("approver");
  await form.getByRole("button", { name: "Make the key" }).click();
  const secret = page.getByRole("group", { name: "The key Dora" });
  const key = await secret.locator("code").innerText();
  assert.match(key, /^tg_approver\./);
  await page.reload();
  await page.getByRole("table").getByText("Dora").waitFor();
  assert.ok(!(await page.content()).includes(key));
  assert.ok(!(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).includes(key));
  await page.getByRole("button", { name: "Revoke Dora" }).click();
  await dialog(page, "Revoke the key?").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("row", { name: /Dora/ }).getByText(/revoked/).waitFor();
  const { keys } = (await shop.org.admin.get("/v1/keys")).body;
  assert.ok(keys.find((each) => each.name === "Dora").revoked_at);
});

test("a notification is made with a secret that is shown once, changed and deleted", async () => {
  const shop = await Shop.open(at.gateway);
  const host = newHost();
  internet.host(host, (_, respond) => respond(204));
  const page = await at.visit("/console/notifications", [shop.keys.admin]);
  await page.getByRole("button", { name: "New notification" }).click();
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await page.getByLabel("URL").fill(`https://${host}/hook`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("group", { name: "Signing secret of ops" }).waitFor();
  await page.getByRole("button", { name: "Change ops" }).click();
  await page.getByLabel(/approval\.expired/).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("approval.requested, approval.expired").waitFor();
  await page.getByRole("button", { name: "Delete ops" }).click();
  await dialog(page, "Delete the notification?").getByRole("button", { name: "Delete" }).click();
  await page.getByText("None yet.").waitFor();
  assert.deepEqual((await shop.org.admin.get("/v1/notifications")).body.notifications, []);
});

test("the navigation says which key a page needs, and the audit record lists what was done", async () => {
  const shop = await Shop.open(at.gateway);
  const page = await at.visit("/console", [shop.keys.admin]);
  await page.waitForURL(/\/console\/calls$/);
  const side = page.getByRole("navigation", { name: "Console" });
  assert.match(await side.getByRole("link", { name: /^Approvals/ }).innerText(), /needs an approver key/);
  await side.getByRole("link", { name: /^Approvals/ }).click();
  await page.getByText("This needs an approver key. The keys held here: admin.").waitFor();
  await side.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("table").getByText("agent.written").first().waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Approvals", level: 1 }).waitFor();
  await page.goto(`${at.gateway.url}/console/nothing`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
});

test("an agent's key tries its own agent's calls, on behalf of its own principal", async () => {
  const shop = await Shop.open(at.gateway);
  const { key } = await shop.org.key({ role: "agent", name: "desk", agent: "bot", principal: JSON.parse(PRINCIPAL) });
  const page = await at.visit("/console/try", [key]);
  assert.equal(await page.getByLabel("Principal's id").count(), 0);
  await page.getByLabel("Tool").fill("get_order");
  await page.getByLabel("Arguments").fill('{"order_id": 5}');
  await page.getByRole("button", { name: "Call", exact: true }).click();
  assert.deepEqual((await shop.work()).arguments, { order_id: 5 });
  await page.getByRole("region", { name: "Result" }).waitFor();
});
