// A pool whose tools are served by a played endpoint: what tests of the webhook transport begin with.
import { json } from "./client.mjs";
import { definition, ENDED, Org } from "./org.mjs";
import { SignedEndpoint } from "./signed_endpoint.mjs";
import { each, until } from "./until.mjs";

let made = 0;

/** A name that the gateway's rules take for a public host, never used before. */
export const newHost = () => `h${(made += 1)}.hooks.example.com`;

/** One tool of each class; the endpoint answers with what a test wants. */
export const CLASSES = { look: "read_only", edit: "reversible_write", pay: "consequential" };
export const TOOLS = Object.entries(CLASSES).map(([name, side_effect]) => definition(name, side_effect, { input: { any: "json?" } }));

/** Saves a webhook pool; the answer. */
export function putPool(org, pool, endpoint, more = {}) {
  return org.admin.put(`/v1/pools/${pool}`, { transport: "webhook", url: endpoint.url, secret: endpoint.secret, ...more });
}

/** A fresh org with the active webhook pool `hooks`, whose tools are granted to the agent `bot`. */
export async function hooked(gateway, internet, { tools = TOOLS, handler, more, ...options } = {}) {
  const org = await Org.make(gateway);
  const endpoint = new SignedEndpoint(internet, newHost(), { tools, handler, ...options });
  const answer = await putPool(org, "hooks", endpoint, more);
  if (answer.status !== 201 || answer.body.endpoint.state !== "active") throw new Error(`no active pool: ${answer.status} ${answer.text}`);
  if (tools.length > 0) await org.grant(tools.map(({ name }) => name));
  return { org, endpoint };
}

/** Submits and, where it parks, approves; the view of the submission. `any` goes as the argument of that name. */
export async function begin(org, tool, any, options = {}) {
  const args = any === undefined ? "{}" : `{"any":${typeof any === "string" ? any : json(any)}}`;
  const call = await org.accepted(tool, args, { key: `key-${(made += 1)}`, ...options });
  if (call.state === "waiting_approval") await org.approve(call);
  return call;
}

/** The call once it has ended. The gateway holds the answer, so many may wait at once. */
export function ended(org, call, withinMs = 60_000) {
  return until(`${call} ends`, async () => {
    const view = (await org.caller.must(200, "GET", `/v1/calls/${call}`, undefined, { headers: { prefer: "wait=20" } })).body;
    return ENDED.includes(view.state) && view;
  }, withinMs);
}

/** The state of a pool's endpoint as the admin sees it. */
export async function endpointOf(org, pool = "hooks") {
  return (await org.admin.must(200, "GET", `/v1/pools/${pool}`)).body.endpoint;
}

/** Everything that anyone of the org can read about these calls, as one text. */
export async function everythingReadable(org, calls, pool = "hooks") {
  const ofCalls = calls.flatMap((call) => [`/v1/calls/${call}`, `/v1/calls/${call}/events`]);
  const paths = [...ofCalls, `/v1/calls?pool=${pool}`, "/v1/audit", `/v1/pools/${pool}`, `/v1/pools/${pool}/stats`, "/v1/tools"];
  const answers = await each(paths, 8, (path) => org.admin.get(path));
  return answers.map(({ text }) => text).join("\n");
}
