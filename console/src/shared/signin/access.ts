import { get, request } from "../api";
import { type HeldKey, holdKey } from "../keys";
import { Store } from "../store";

/** What `GET /v1/site` says is configured. */
export interface Site {
  readonly tiles: { readonly url: string; readonly attribution: string } | null;
  readonly access: boolean;
  readonly version: string;
}

/** Undefined until the gateway has answered. */
export const site = new Store<Site | undefined>(undefined);

export async function loadSite(): Promise<void> {
  site.set(await get<Site>("/v1/site"));
}

/** Signs in with the token that Cloudflare Access put into a cookie: the gateway verifies it and answers keys to hold. */
export async function signInWithAccess(): Promise<void> {
  const { body } = await request<{ readonly keys: readonly HeldKey[] }>("POST", "/v1/sessions", undefined, {
    headers: { "x-toolgate-console": "1" },
  });
  for (const key of body.keys) holdKey({ ...key, kept: false });
}
