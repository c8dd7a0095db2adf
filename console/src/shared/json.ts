// JSON as text: numbers of customers are never turned into doubles, and what is shown is what was sent.

/** JSON text of one value, verbatim. */
export type JsonText = string & { readonly jsonText: unique symbol };

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const BLANKS = /[ \t\n\r]*/y;
/** Deeper than the gateway lets through. */
const DEPTH_MAX = 1_000;

export type TokenKind = "mark" | "key" | "string" | "number" | "word";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** The tokens of JSON text (RFC 8259) without blanks; a `SyntaxError` where it is none. */
export function tokens(text: string): Token[] {
  const scanner = new Scanner(text);
  scanner.value(0);
  scanner.end();
  return scanner.found;
}

class Scanner {
  readonly found: Token[] = [];
  #at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): void {
    if (depth > DEPTH_MAX) throw this.#fault("nested too deep");
    this.#blanks();
    const first = this.text[this.#at];
    if (first === "{") this.#members(depth);
    else if (first === "[") this.#entries(depth);
    else if (first === '"') this.#match(STRING, "string", depth);
    else this.#match(SCALAR, first === "t" || first === "f" || first === "n" ? "word" : "number", depth);
  }

  end(): void {
    this.#blanks();
    if (this.#at !== this.text.length) throw this.#fault("text after the value");
  }

  #members(depth: number): void {
    this.#mark("{", depth);
    if (this.#has("}")) return this.#mark("}", depth);
    const names = new Set<string>();
    do {
      this.#blanks();
      const name = this.#match(STRING, "key", depth + 1);
      const plain = JSON.parse(name) as string;
      if (names.has(plain)) throw this.#fault(`the member ${name} stands twice`);
      names.add(plain);
      this.#blanks();
      this.#mark(":", depth + 1);
      this.value(depth + 1);
    } while (this.#comma(depth));
    this.#blanks();
    this.#mark("}", depth);
  }

  #entries(depth: number): void {
    this.#mark("[", depth);
    if (this.#has("]")) return this.#mark("]", depth);
    do this.value(depth + 1);
    while (this.#comma(depth));
    this.#blanks();
    this.#mark("]", depth);
  }

  #comma(depth: number): boolean {
    if (!this.#has(",")) return false;
    this.#mark(",", depth + 1);
    return true;
  }

  #has(mark: string): boolean {
    this.#blanks();
    return this.text[this.#at] === mark;
  }

  #mark(mark: string, depth: number): void {
    if (this.text[this.#at] !== mark) throw this.#fault(`"${mark}" was expected`);
    this.#push("mark", mark, depth);
  }

  #match(pattern: RegExp, kind: TokenKind, depth: number): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw this.#fault(kind === "key" ? "a member name was expected" : "a value was expected");
    this.#push(kind, found, depth);
    return found;
  }

  #push(kind: TokenKind, text: string, depth: number): void {
    this.found.push({ kind, text, start: this.#at, end: this.#at + text.length, depth });
    this.#at += text.length;
  }

  #blanks(): void {
    BLANKS.lastIndex = this.#at;
    BLANKS.exec(this.text);
    this.#at = BLANKS.lastIndex;
  }

  #fault(what: string): SyntaxError {
    const before = this.text.slice(0, this.#at).split("\n");
    return new SyntaxError(`${what}, in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`);
  }
}

/** Why text is no JSON, in words; undefined where it is. */
export function jsonFault(text: string): string | undefined {
  try {
    tokens(text);
    return undefined;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** JSON text over several lines, every number, string and order as it was. An empty text for text that is no JSON. */
export function pretty(text: string): string {
  let all: Token[];
  try {
    all = tokens(text);
  } catch {
    return text;
  }
  let out = "";
  all.forEach((token, at) => {
    const before = all[at - 1];
    const closes = token.text === "}" || token.text === "]";
    const opened = before?.kind === "mark" && (before.text === "{" || before.text === "[");
    const breaks = token.kind === "mark" && closes ? !opened : opened || (before?.kind === "mark" && before.text === ",");
    if (breaks) out += `\n${"  ".repeat(token.depth)}`;
    out += token.kind === "mark" && token.text === ":" ? ": " : token.text;
  });
  return out;
}

/**
 * A document of the API. Members at `raw` (`"arguments"`, `"approvals.*.arguments"`; `*` is every entry or member) stay
 * the text that came, as strings; the rest is plain data.
 */
export function readJson(text: string, raw: readonly string[] = []): unknown {
  const wanted = raw.map((path) => path.split("."));
  let out = "";
  let copied = 0;
  for (const { start, end } of rawSpans(tokens(text), wanted)) {
    out += text.slice(copied, start) + JSON.stringify(text.slice(start, end));
    copied = end;
  }
  return JSON.parse(out + text.slice(copied));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function rawSpans(all: readonly Token[], wanted: readonly (readonly string[])[]): Span[] {
  const spans: Span[] = [];
  if (wanted.length === 0) return spans;
  const fits = (path: readonly string[]): boolean =>
    wanted.some((parts) => parts.length === path.length && parts.every((part, at) => part === "*" || part === path[at]));
  /** Walks the value that begins at a token; the token after it. */
  const walk = (at: number, path: readonly string[]): number => {
    const first = all[at];
    if (first === undefined) return at;
    const after = fits(path) ? skip(all, at) : undefined;
    if (after !== undefined) {
      spans.push({ start: first.start, end: all[after - 1]?.end ?? first.end });
      return after;
    }
    if (first.kind !== "mark") return at + 1;
    let next = at + 1;
    for (let entry = 0; ; entry += 1) {
      const token = all[next];
      if (token === undefined) return next;
      if (token.kind === "mark" && (token.text === "}" || token.text === "]")) return next + 1;
      if (token.kind === "mark" && token.text === ",") next += 1;
      const here = all[next];
      next = here?.kind === "key" ? walk(next + 2, [...path, JSON.parse(here.text) as string]) : walk(next, [...path, String(entry)]);
    }
  };
  walk(0, []);
  return spans;
}

function skip(all: readonly Token[], at: number): number {
  let open = 0;
  for (let next = at; next < all.length; next += 1) {
    const token = all[next];
    if (token?.kind === "mark" && (token.text === "{" || token.text === "[")) open += 1;
    if (token?.kind === "mark" && (token.text === "}" || token.text === "]")) open -= 1;
    if (open === 0) return next + 1;
  }
  return all.length;
}

/** JSON text to be put into a body as it stands. */
export class Verbatim {
  constructor(readonly text: string) {}
}

/** The JSON text of a body; members that are `Verbatim` go as they stand, absent ones not at all. */
export function bodyText(members: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    parts.push(`${JSON.stringify(name)}:${value instanceof Verbatim ? value.text : JSON.stringify(value)}`);
  }
  return `{${parts.join(",")}}`;
}

/** The members of an object's text, each value as text; undefined where it is no object. */
export function membersOf(text: string): Map<string, JsonText> | undefined {
  try {
    if (!text.trimStart().startsWith("{")) return undefined;
    return new Map(Object.entries(readJson(text, ["*"]) as Record<string, JsonText>));
  } catch {
    return undefined;
  }
}
