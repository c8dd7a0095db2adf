// Sign-in by Cloudflare Access in the page: the team's keys and the proxy in front of the gateway are the test's, the tokens have real signatures.
import assert from "node:assert/strict";
import { test } from "node:test";

import { seconds, Team } from "../end_to_end/support/access.mjs";
import { Door } from "../end_to_end/support/client.mjs";
import { Internet } from "../end_to_end/support/internet.mjs";
import { Front } from "./support/front.mjs";
import { people } from "./support/people.mjs";
import { Shop } from "./support/shop.mjs";

let internet, team, front, shop;
const at = people({
  start: async () => {
    internet = await Internet.start();
    team = new Team(internet);
    return { internet, vars: Team.vars };
  },
  ready: async () => {
    front = await Front.before(at.gateway);
    shop = await Shop.open(at.gateway, { id: Team.vars.TOOLGATE_ACCESS_ORG });
  },
  stop: async () => {
    front.stop();
    await internet.close();
  },
});

/** A page of somebody whom Access has signed in with these claims. */
async function arrived(path, claims = {}) {
  const somebody = await at.person();
  return somebody.page(front, front.login(team.token({ claims }), path));
}
const press = (page) => page.getByRole("main").getByRole("button", { name: "Sign in with Cloudflare Access" }).click();
const card = (page) => page.getByRole("article", { name: "Approval of refund_order" });
const heldKeys = (page) => page.evaluate(() => JSON.parse(sessionStorage.getItem("toolgate.keys") ?? "[]"));
const kept = (page) => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));

test("signing in by Access gives an approver's key, with which a call is decided; signing out leaves nothing behind", async () => {
  const { approval, call } = await shop.parked();
  const page = await arrived("/console/approvals");
  await page.getByText("This needs an approver key.").waitFor();
  await press(page);
  await card(page).getByRole("button", { name: "Approve…", exact: true }).click();
  await page.getByRole("dialog", { name: "Approve this call?" }).getByRole("button", { name: "Approve" }).click();
  await page.getByRole("status").getByText("approved. It has not run yet").waitFor();
  const [{ by, decision }] = (await shop.approval(approval.id)).decisions;
  assert.deepEqual([by, decision], ["ann@acme.test", "approve"]);
  assert.equal((await shop.work()).call, call);
  await card(page).getByText("succeeded").waitFor();
  for (const wanted of ["POST /v1/sessions", `POST /v1/approvals/${approval.id}/decision`]) assert.ok(front.signed.includes(wanted), `${wanted}: Access adds its token to all that the browser sends`);

  const [{ key, ...held }, ...others] = await heldKeys(page);
  assert.deepEqual([held.role, held.name, held.kept, others.length], ["approver", "ann@acme.test", false, 0]);
  await page.reload();
  await page.getByRole("button", { name: "Keys (1)" }).click();
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByRole("button", { name: "Forget the approver key ann@acme.test" }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("This needs an approver key.").waitFor();
  assert.ok(!(await kept(page)).includes(key));
  await page.goto(`${front.url}${front.logout}`);
  await page.goto(`${front.url}/console/approvals`);
  await press(page);
  await page.getByRole("alert").waitFor();
  assert.deepEqual(await heldKeys(page), []);
});

test("whom the operator named gets an admin's key beside it; anybody else is told that they do not", async () => {
  const boss = await arrived("/console/pools", { email: "boss@acme.test" });
  await press(boss);
  await boss.getByRole("region", { name: "Pools" }).getByRole("row", { name: /^main/ }).waitFor();
  assert.deepEqual((await heldKeys(boss)).map(({ role }) => role).sort(), ["admin", "approver"]);

  const ann = await arrived("/console/pools");
  await press(ann);
  await ann.getByRole("status").getByText("Signed in as ann@acme.test, to decide. An admin's key is for whom the operator named.").waitFor();
  assert.deepEqual((await heldKeys(ann)).map(({ role }) => role), ["approver"]);
});

test("a sign-in that is not this team's word is refused, and the page says why", async () => {
  const page = await arrived("/console/approvals", { aud: ["another application"] });
  await press(page);
  await page.getByRole("alert").getByText(/The sign-in was not accepted: .*access_refused/).waitFor();
  assert.equal(await page.getByText("The gateway does not know this key.").count(), 0, "no key was given");
  assert.deepEqual(await heldKeys(page), []);
});

test("the key ends with the sign-in, and the page says so", async () => {
  const page = await arrived("/console/approvals", { email: "short@acme.test", exp: seconds() + 12 });
  await press(page);
  await page.getByText("Nothing waits for a decision.").waitFor();
  const [{ key }] = await heldKeys(page);
  await page.getByText('The approver key "short@acme.test" is not valid any more').waitFor({ timeout: 30_000 });
  assert.equal((await new Door(at.gateway, key).get("/v1/session")).status, 401);
  assert.deepEqual(await heldKeys(page), []);
});
