// The keys that this page holds. They stay in the tab (sessionStorage) unless "keep on this device" was chosen
// (localStorage); they go to the gateway alone, in the Authorization header.
import type { components } from "../../../sdk/typescript/src/wire.gen";
import { Store } from "./store";

export type Session = components["schemas"]["SessionView"];
export type Role = Session["role"];

/** A key with what `GET /v1/session` says of it. */
export interface HeldKey extends Session {
  readonly key: string;
  /** Kept on this device, beyond the tab. */
  readonly kept: boolean;
}

const NAME = "toolgate.keys";

/** Newest first. */
export const heldKeys = new Store<readonly HeldKey[]>(load());
/** Why a key was put away, for the sign-in to say. */
export const lostKey = new Store<string | undefined>(undefined);

function load(): readonly HeldKey[] {
  return together(read(sessionStorage, false), read(localStorage, true));
}

/** A key that is kept on the device counts as such, also where the tab holds it too. */
function together(own: readonly HeldKey[], kept: readonly HeldKey[]): readonly HeldKey[] {
  return [...own.filter((key) => !kept.some((other) => other.id === key.id)), ...kept];
}

function read(storage: Storage, kept: boolean): HeldKey[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(NAME) ?? "[]");
    return Array.isArray(list) ? list.filter(isKey).map((key) => ({ ...key, kept })) : [];
  } catch {
    return [];
  }
}

function isKey(value: unknown): value is HeldKey {
  const key = value as Partial<HeldKey> | null;
  return typeof key?.key === "string" && typeof key.id === "string" && typeof key.role === "string" && typeof key.org === "string";
}

function save(keys: readonly HeldKey[]): void {
  sessionStorage.setItem(NAME, JSON.stringify(keys.filter((key) => !key.kept)));
  localStorage.setItem(NAME, JSON.stringify(keys.filter((key) => key.kept)));
  heldKeys.set(keys);
}

// Another tab of this device may sign in or out.
addEventListener("storage", (event) => {
  if (event.storageArea === localStorage && event.key === NAME) {
    heldKeys.set(together(heldKeys.value.filter((key) => !key.kept), read(localStorage, true)));
  }
});

/** Holds a key, in place of the same key. Keys of another org are put away: a page shows one org. */
export function holdKey(key: HeldKey): void {
  lostKey.set(undefined);
  save([key, ...heldKeys.value.filter((held) => held.id !== key.id && held.org === key.org)]);
}

export function dropKey(keyId: string): void {
  save(heldKeys.value.filter((held) => held.id !== keyId));
}

export function dropAllKeys(): void {
  save([]);
}

/** The gateway does not know a key any more. */
export function keyFailed(key: HeldKey): void {
  if (!heldKeys.value.some((held) => held.key === key.key)) return;
  lostKey.set(`The ${key.role} key "${key.name}" is not valid any more: it was revoked or has expired.`);
  dropKey(key.id);
}

/** The first held key of one of the roles, in the order of the roles. */
export function keyOf(keys: readonly HeldKey[], ...roles: readonly Role[]): HeldKey | undefined {
  for (const role of roles) {
    const found = keys.find((key) => key.role === role);
    if (found !== undefined) return found;
  }
  return undefined;
}
