/** The stack of every engine holds this many levels. */
const DEPTH_MAX = 500;

/**
 * JSON text of a value by the rules of `JSON.stringify`, but a bigint is written as its digits, and what
 * `JSON.stringify` would silently lose (NaN, infinities, the entries of a Map or Set) is a `TypeError` that names the path.
 */
export function exactJsonText(value: unknown): string {
  const text = write(value, "", "$", []);
  if (text === undefined) throw new TypeError(`$ is a ${typeof value}, which JSON has no form for`);
  return text;
}

/** Undefined stands for "left out", as `JSON.stringify` does with functions, symbols and undefined. */
function write(value: unknown, key: string, path: string, parents: object[]): string | undefined {
  if (typeof value === "bigint") return value.toString();
  const own = hasToJson(value) ? value.toJSON(key) : value;
  switch (typeof own) {
    case "bigint":
      return own.toString();
    case "string":
    case "boolean":
      return JSON.stringify(own);
    case "number":
      if (!Number.isFinite(own)) throw new TypeError(`${path} is ${own}, which JSON has no form for`);
      return JSON.stringify(own);
    case "object":
      return own === null ? "null" : writeObject(own, path, parents);
    default:
      return undefined;
  }
}

function writeObject(value: object, path: string, parents: object[]): string {
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return write(value.valueOf(), "", path, parents) ?? "null";
  if (parents.includes(value)) throw new TypeError(`${path} refers back to a value that contains it`);
  if (parents.length >= DEPTH_MAX) throw new TypeError(`${path} is nested deeper than ${DEPTH_MAX}`);
  if (value instanceof Map || value instanceof Set) throw new TypeError(`${path} is a ${value.constructor.name}; make it an object or a list`);
  parents.push(value);
  const text = Array.isArray(value) ? writeList(value, path, parents) : writeMembers(value, path, parents);
  parents.pop();
  return text;
}

function writeList(value: readonly unknown[], path: string, parents: object[]): string {
  const entries = Array.from(value, (entry, index) => write(entry, String(index), `${path}[${index}]`, parents) ?? "null");
  return `[${entries.join(",")}]`;
}

function writeMembers(value: object, path: string, parents: object[]): string {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = write(member, name, `${path}.${name}`, parents);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function";
}
