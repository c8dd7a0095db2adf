/** RFC 6902: a patch applies as a whole or not at all. The document is not changed; the result shares nothing with it. */

export class PatchError extends Error {}

export interface Operation { op: string; path: string; from?: string; value?: unknown }

export function patched(document: unknown, patch: readonly Operation[]): unknown {
  let result: unknown = structuredClone(document);
  for (const operation of patch) result = applied(result, operation);
  return result;
}

function applied(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case "add":
      return put(document, keysOf(path), structuredClone(value));
    case "remove":
      return taken(document, keysOf(path))[0];
    case "replace":
      return put(taken(document, keysOf(path), true)[0], keysOf(path), structuredClone(value), true);
    case "copy":
      return put(document, keysOf(path), structuredClone(found(document, keysOf(from ?? ""))));
    case "move": {
      // The RFC forbids a move into what is moved.
      if (path.startsWith(`${from}/`)) throw new PatchError(`${from} cannot move into itself`);
      const [rest, moved] = taken(document, keysOf(from ?? ""));
      return put(rest, keysOf(path), moved);
    }
    case "test":
      if (!same(found(document, keysOf(path)), value)) throw new PatchError(`the test of ${path} fails`);
      return document;
    default:
      throw new PatchError(`there is no operation ${op}`);
  }
}

function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keys.some((key, at) => key === "__proto__" || (key === "prototype" && keys[at - 1] === "constructor"))) throw new PatchError(`${pointer} leaves the document`);
  return keys;
}

type Place = Record<string, unknown> | unknown[];

/** What holds the last key of the path. */
function holder(document: unknown, keys: string[]): Place {
  let place = document;
  for (const key of keys.slice(0, -1)) place = member(place, key);
  if (typeof place !== "object" || place === null) throw new PatchError(`${keys.join("/")} has no parent`);
  return place as Place;
}

function index(key: string, length: number): number {
  if (!/^(0|[1-9][0-9]*)$/.test(key) || Number(key) >= length) throw new PatchError(`${key} is no place in the list`);
  return Number(key);
}

function member(place: unknown, key: string): unknown {
  if (Array.isArray(place)) return place[index(key, place.length)];
  if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) throw new PatchError(`there is no ${key}`);
  return (place as Record<string, unknown>)[key];
}

function found(document: unknown, keys: string[]): unknown {
  return keys.reduce(member, document);
}

function put(document: unknown, keys: string[], value: unknown, over = false): unknown {
  const key = keys.at(-1);
  if (key === undefined) return value;
  const place = holder(document, keys);
  if (!Array.isArray(place)) place[key] = value;
  else if (over) place[index(key, place.length)] = value;
  else place.splice(key === "-" ? place.length : index(key, place.length + 1), 0, value);
  return document;
}

/** The document without what is at the path, and what was there. `leave`: only look. */
function taken(document: unknown, keys: string[], leave = false): [unknown, unknown] {
  const value = found(document, keys);
  const key = keys.at(-1);
  if (key === undefined) return [leave ? document : null, value];
  if (leave) return [document, value];
  const place = holder(document, keys);
  if (Array.isArray(place)) place.splice(index(key, place.length), 1);
  else delete place[key];
  return [document, value];
}

function same(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length
    && keys.every((key) => Object.hasOwn(right, key) && same((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]));
}
