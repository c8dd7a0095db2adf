import { get, ProblemError, request, type Schemas } from "../api";
import type { HeldKey, Role } from "../keys";
import { Store } from "../store";
import { toast } from "../ui/Toast";
import { signIn } from "./session";

export type Site = Schemas["Site"];

/** What `GET /v1/site` says is configured; undefined until the gateway has answered. */
export const site = new Store<Site | undefined>(undefined);

export async function loadSite(): Promise<void> {
  site.set(await get<Site>("/v1/site"));
}

/** Takes the keys that the sign-in of Cloudflare Access gives: an approver's, and an admin's for whom the operator named. Says so where it gives no admin's. */
export async function signInWithAccess(): Promise<void> {
  const { name } = await sessionKey("approver");
  try {
    await sessionKey("admin");
  } catch (fault) {
    if (!(fault instanceof ProblemError) || fault.code !== "role_not_allowed") throw fault;
    toast(`Signed in as ${name}, to decide. An admin's key is for whom the operator named.`);
  }
}

async function sessionKey(role: Role): Promise<HeldKey> {
  const { body } = await request<Schemas["NewKey"]>("POST", "/v1/sessions", { role });
  return signIn(body.key, false);
}
