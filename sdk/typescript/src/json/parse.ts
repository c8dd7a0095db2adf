import { NumberText, type Parsed, type ParsedObject, setMember } from "./value.js";

/** Deeper than the gateway lets through, and shallow enough for every engine's stack. */
const DEPTH_MAX = 1_000;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const BLANKS = /[ \t\n\r]*/y;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Parses JSON (RFC 8259) and keeps the text of every number, which `JSON.parse` would round.
 * Duplicate member names and text after the value are errors (`SyntaxError`).
 */
export function parseExactJson(text: string): Parsed {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Parsed {
    if (depth > DEPTH_MAX) throw this.#fault(`nesting deeper than ${DEPTH_MAX}`);
    this.#take(BLANKS);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#list(depth);
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.#take(BLANKS);
    if (this.#at !== this.#text.length) throw this.#fault("text after the value");
  }

  #object(depth: number): ParsedObject {
    const members: ParsedObject = {};
    this.#at += 1;
    if (this.#next("}")) return members;
    do {
      this.#take(BLANKS);
      if (this.#text[this.#at] !== '"') throw this.#fault("a member name was expected");
      const name = this.#string();
      if (Object.hasOwn(members, name)) throw this.#fault(`the member ${JSON.stringify(name)} appears twice`);
      if (!this.#next(":")) throw this.#fault("a colon was expected");
      setMember(members, name, this.value(depth + 1));
    } while (this.#next(","));
    if (!this.#next("}")) throw this.#fault("a comma or a closing brace was expected");
    return members;
  }

  #list(depth: number): Parsed[] {
    const entries: Parsed[] = [];
    this.#at += 1;
    if (this.#next("]")) return entries;
    do entries.push(this.value(depth + 1));
    while (this.#next(","));
    if (!this.#next("]")) throw this.#fault("a comma or a closing bracket was expected");
    return entries;
  }

  #string(): string {
    this.#at += 1;
    let result = "";
    for (;;) {
      result += this.#take(PLAIN_CHARACTERS);
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return result;
      }
      if (character !== "\\") throw this.#fault(character === undefined ? "the string does not end" : "a control character in a string");
      result += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? "";
    if (letter === "u") {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#fault("four hexadecimal digits were expected");
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) throw this.#fault("an unknown escape");
    this.#at += 2;
    return character;
  }

  #number(): NumberText {
    const text = this.#take(NUMBER);
    if (text === "") throw this.#fault("a value was expected");
    return new NumberText(text);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#fault("a value was expected");
    this.#at += word.length;
    return value;
  }

  #next(character: string): boolean {
    this.#take(BLANKS);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }

  #fault(what: string): SyntaxError {
    return new SyntaxError(`not JSON: ${what} at character ${this.#at}`);
  }
}
