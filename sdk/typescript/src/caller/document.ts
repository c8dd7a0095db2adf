import { TransportError } from "../errors.js";
import { readObject } from "../exchange.js";
import { carriedValue } from "../json/plain.js";
import { isParsedObject, type ParsedObject } from "../json/value.js";
import { number, optionalText, text } from "../wire.js";

/** What a list holds. */
export type EntryOf<List> = List extends readonly (infer Entry)[] ? Entry : never;

/** An object that the gateway sent, of a type of the wire, with the text it came as: of JSON that is only carried, the text is the truth. */
export class Document<Type> {
  readonly #members: ParsedObject;
  readonly #source: string;
  #sources: ReadonlyMap<string, string> | undefined;

  private constructor(members: ParsedObject, source: string) {
    this.#members = members;
    this.#source = source;
  }

  /** Throws a `TransportError` if the text is no JSON object. */
  static read<Type>(what: string, source: string): Document<Type> {
    return new Document(readObject(what, source), source);
  }

  text(name: keyof Type & string): string {
    return text(this.#members, name);
  }

  optionalText(name: keyof Type & string): string | undefined {
    return optionalText(this.#members, name);
  }

  number(name: keyof Type & string): number {
    return number(this.#members, name);
  }

  has(name: keyof Type & string): boolean {
    return Object.hasOwn(this.#members, name);
  }

  /** The member as plain data. */
  value(name: keyof Type & string): unknown {
    return this.has(name) ? carriedValue(this.#members[name] ?? null) : undefined;
  }

  /** The member's own text, byte for byte. */
  source(name: keyof Type & string): string {
    this.#sources ??= memberSources(this.#source);
    const source = this.#sources.get(name);
    if (source === undefined) throw missing(name);
    return source;
  }

  object<Name extends keyof Type & string>(name: Name): Document<NonNullable<Type[Name]>> {
    const member = this.#members[name];
    if (!isParsedObject(member)) throw missing(name);
    return new Document(member, this.source(name));
  }

  list<Name extends keyof Type & string>(name: Name): Document<EntryOf<NonNullable<Type[Name]>>>[] {
    const member = this.#members[name];
    if (!Array.isArray(member)) throw missing(name);
    const sources = partSources(this.source(name));
    return member.map((entry, index) => {
      if (!isParsedObject(entry)) throw missing(`${name}[${index}]`);
      return new Document(entry, sources[index] ?? "");
    });
  }
}

function missing(name: string): TransportError {
  return new TransportError(`what the gateway sent has no readable "${name}"`);
}

function memberSources(object: string): ReadonlyMap<string, string> {
  const parts = partSources(object);
  const sources = new Map<string, string>();
  for (let at = 0; at + 1 < parts.length; at += 2) sources.set(JSON.parse(parts[at] ?? '""') as string, parts[at + 1] ?? "");
  return sources;
}

/** What stands directly inside a list or an object of valid JSON: the entries, or names and values in turn. */
function partSources(container: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number) => {
    const part = container.slice(start, end).trim();
    if (part !== "") parts.push(part);
    start = end + 1;
  };
  for (let at = 0; at < container.length; at += 1) {
    const character = container[at];
    if (character === '"') at = stringEnd(container, at);
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) take(at);
    } else if ((character === "," || character === ":") && depth === 1) take(at);
  }
  return parts;
}

function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
