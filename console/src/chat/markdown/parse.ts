/**
 * Markdown of a model as a tree: what CommonMark and the tables of GitHub share with how models write. HTML is text. Nothing here makes a page;
 * `Markdown.tsx` turns the tree into nodes. The time that it takes grows with the length of the text, whatever the text is.
 */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: "image"; readonly href: string; readonly alt: string }
  | { readonly kind: "break" };

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: "rule" };

/** Deeper quotes and lists stay text. */
const DEPTH_MAX = 8;
const INLINE_DEPTH_MAX = 10;
/** Wider tables are cut. */
const COLUMNS_MAX = 40;

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/;
const QUOTE = /^ {0,3}> ?/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function parse(text: string): Block[] {
  return blocks(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

function blocks(lines: readonly string[], depth: number): Block[] {
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const taken = special(lines, at, depth, found) ?? paragraph(lines, at, found);
    at = Math.max(taken, at + 1);
  }
  return found;
}

/** A block other than a paragraph that begins here: pushes it and gives the line behind it. */
function special(lines: readonly string[], at: number, depth: number, found: Block[]): number | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence !== null) return fenced(lines, at, fence, found);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    found.push({ kind: "heading", level: heading[1]?.length ?? 1, children: inline(heading[2] ?? "") });
    return at + 1;
  }
  if (RULE.test(line)) {
    found.push({ kind: "rule" });
    return at + 1;
  }
  if (depth < DEPTH_MAX && QUOTE.test(line)) return quote(lines, at, depth, found);
  if (depth < DEPTH_MAX && ITEM.test(line)) return list(lines, at, depth, found);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) return table(lines, at, found);
  return undefined;
}

function begins(lines: readonly string[], at: number, depth: number): boolean {
  const line = lines[at] ?? "";
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || (depth < DEPTH_MAX && (QUOTE.test(line) || ITEM.test(line)));
}

function paragraph(lines: readonly string[], at: number, found: Block[]): number {
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? "").trim() !== "" && !begins(lines, end, 0)) end += 1;
  found.push({ kind: "paragraph", children: inline(lines.slice(at, end).map((line) => line.trimStart()).join("\n")) });
  return end;
}

function fenced(lines: readonly string[], at: number, fence: RegExpExecArray, found: Block[]): number {
  const marks = fence[1] ?? "```";
  const indent = /^ */.exec(lines[at] ?? "")?.[0].length ?? 0;
  let end = at + 1;
  const closes = (line: string): boolean => {
    const trimmed = line.trim();
    return trimmed.length >= marks.length && trimmed === (marks[0] ?? "`").repeat(trimmed.length);
  };
  while (end < lines.length && !closes(lines[end] ?? "")) end += 1;
  const strip = new RegExp(`^ {0,${indent}}`);
  found.push({ kind: "code", language: fence[2] ?? "", text: lines.slice(at + 1, end).map((line) => line.replace(strip, "")).join("\n") });
  return end + 1;
}

function quote(lines: readonly string[], at: number, depth: number, found: Block[]): number {
  let end = at;
  while (end < lines.length && (QUOTE.test(lines[end] ?? "") || ((lines[end] ?? "").trim() !== "" && !begins(lines, end, depth)))) end += 1;
  found.push({ kind: "quote", blocks: blocks(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth + 1) });
  return end;
}

function list(lines: readonly string[], at: number, depth: number, found: Block[]): number {
  const first = ITEM.exec(lines[at] ?? "");
  const ordered = /\d/.test(first?.[2] ?? "");
  const items: Block[][] = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end] ?? "");
    if (item === null || /\d/.test(item[2] ?? "") !== ordered || RULE.test(lines[end] ?? "")) break;
    // What belongs to the item is indented as its text is.
    const width = (item[1]?.length ?? 0) + (item[2]?.length ?? 1) + Math.min(Math.max(item[3]?.length ?? 1, 1), 4);
    const own = [item[4] ?? ""];
    end += 1;
    while (end < lines.length) {
      const line = lines[end] ?? "";
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      const blank = line.trim() === "";
      if (blank ? !isInside(lines, end, width) : indent < width && (begins(lines, end, depth) || (lines[end - 1] ?? "").trim() === "")) break;
      own.push(blank ? "" : line.slice(Math.min(indent, width)));
      end += 1;
    }
    items.push(blocks(own, depth + 1));
    while (end < lines.length && (lines[end] ?? "").trim() === "" && ITEM.test(lines[end + 1] ?? "")) end += 1;
  }
  found.push({ kind: "list", start: ordered ? Number.parseInt(first?.[2] ?? "1", 10) : undefined, items });
  return end;
}

/** Whether the line behind a blank one still belongs to the item. */
function isInside(lines: readonly string[], at: number, width: number): boolean {
  const next = lines[at + 1];
  return next !== undefined && next.trim() !== "" && (/^ */.exec(next)?.[0].length ?? 0) >= width;
}

function table(lines: readonly string[], at: number, found: Block[]): number {
  const head = cells(lines[at] ?? "");
  const rows: (readonly Inline[])[][] = [];
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|") && !begins(lines, end, DEPTH_MAX)) {
    const row = cells(lines[end] ?? "");
    rows.push(head.map((_, column) => row[column] ?? []));
    end += 1;
  }
  found.push({ kind: "table", head, rows });
  return end;
}

function cells(line: string): Inline[][] {
  const parts = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/);
  return parts.slice(0, COLUMNS_MAX).map((part) => inline(part.trim().replaceAll("\\|", "|")));
}

/** The text of a line or paragraph. */
export function inline(text: string): Inline[] {
  return new Scanner(text, 0).run();
}

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ADDRESS = /https?:\/\/[^\s<>"'`|\\^{}[\]]+/y;
const MARKS: readonly (readonly [string, "strong" | "em" | "del"])[] = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
];

class Scanner {
  #found: Inline[] = [];
  #plain = "";
  #at = 0;
  /** Marks that nothing closes from here on: looked for once. */
  #hopeless = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  run(): Inline[] {
    while (this.#at < this.text.length) {
      if (!this.#step()) {
        this.#plain += this.text[this.#at] ?? "";
        this.#at += 1;
      }
    }
    this.#flush();
    return this.#found;
  }

  #step(): boolean {
    const { text } = this;
    const character = text[this.#at];
    switch (character) {
      case "\\":
        return this.#escape();
      case "\n":
        return this.#newline();
      case "`":
        return this.#code();
      case "!":
        return text[this.#at + 1] === "[" && this.#link(true);
      case "[":
        return this.#link(false);
      case "<":
        return this.#bracketed();
      case "h":
        return this.#address();
      case "*":
      case "_":
      case "~":
        return this.#marked();
      default:
        return false;
    }
  }

  #flush(): void {
    if (this.#plain !== "") this.#found.push({ kind: "text", text: this.#plain });
    this.#plain = "";
  }

  #push(node: Inline, length: number): true {
    this.#flush();
    this.#found.push(node);
    this.#at += length;
    return true;
  }

  #inner(text: string): Inline[] {
    return this.depth >= INLINE_DEPTH_MAX ? [{ kind: "text", text }] : new Scanner(text, this.depth + 1).run();
  }

  #escape(): boolean {
    const next = this.text[this.#at + 1];
    if (next === "\n") return this.#push({ kind: "break" }, 2);
    if (next === undefined || !ESCAPABLE.test(next)) return false;
    this.#plain += next;
    this.#at += 2;
    return true;
  }

  #newline(): boolean {
    const hard = this.#plain.endsWith("  ");
    this.#plain = this.#plain.trimEnd();
    if (hard) return this.#push({ kind: "break" }, 1);
    this.#plain += "\n";
    this.#at += 1;
    return true;
  }

  #code(): boolean {
    let run = 0;
    while (this.text[this.#at + run] === "`") run += 1;
    const marks = "`".repeat(run);
    const end = this.#closing(marks, this.#at + run, (at) => this.text[at + run] !== "`" && this.text[at - 1] !== "`");
    if (end === undefined) {
      this.#plain += marks;
      this.#at += run;
      return true;
    }
    const inside = this.text.slice(this.#at + run, end).replaceAll("\n", " ");
    const padded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    return this.#push({ kind: "code", text: padded ? inside.slice(1, -1) : inside }, end + run - this.#at);
  }

  /** Where the marks stand again and close. A search that failed is not made again: what lies behind has less. */
  #closing(marks: string, from: number, closes: (at: number) => boolean): number | undefined {
    if (this.#hopeless.has(marks)) return undefined;
    for (let at = this.text.indexOf(marks, from); at >= 0; at = this.text.indexOf(marks, at + 1)) {
      if (closes(at)) return at;
    }
    this.#hopeless.add(marks);
    return undefined;
  }

  #marked(): boolean {
    const { text } = this;
    for (const [marks, kind] of MARKS) {
      if (!text.startsWith(marks, this.#at)) continue;
      const from = this.#at + marks.length;
      // Opens where a word begins; an underscore inside of a word is one.
      if (/\s/.test(text[from] ?? " ") || (marks[0] === "_" && /\w/.test(text[this.#at - 1] ?? ""))) continue;
      const end = this.#closing(marks, from + 1, (at) => {
        if (/\s/.test(text[at - 1] ?? " ") || text[at - 1] === "\\") return false;
        if (marks.length === 1 && (text[at + 1] === marks || text[at - 1] === marks)) return false;
        return marks[0] !== "_" || !/\w/.test(text[at + marks.length] ?? "");
      });
      if (end !== undefined) return this.#push({ kind, children: this.#inner(text.slice(from, end)) }, end + marks.length - this.#at);
    }
    let run = 1;
    while (text[this.#at + run] === text[this.#at]) run += 1;
    this.#plain += text.slice(this.#at, this.#at + run);
    this.#at += run;
    return true;
  }

  #link(image: boolean): boolean {
    const open = this.#at + (image ? 2 : 1);
    const close = this.#closing("](", open, () => true);
    if (close === undefined || close - open > 2_000) return false;
    const label = this.text.slice(open, close);
    // The nearest opening bracket is the one that counts.
    if (!image && /(?<!\\)\[/.test(label.replace(/!\[[^\]]*\]\([^)]*\)/g, ""))) return false;
    const target = /^\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(this.text.slice(close + 2, close + 4_002));
    if (target === null) return false;
    const href = target[1] ?? target[2] ?? "";
    const length = close + 2 + target[0].length - this.#at;
    return this.#push(image ? { kind: "image", href, alt: label } : { kind: "link", href, children: this.#inner(label) }, length);
  }

  /** `<https://…>` is a link; any other `<` is a character. */
  #bracketed(): boolean {
    const found = /^<((?:https?:\/\/|mailto:)[^\s<>]*)>/.exec(this.text.slice(this.#at, this.#at + 2_000));
    if (found === null) return false;
    const href = found[1] ?? "";
    return this.#push({ kind: "link", href, children: [{ kind: "text", text: href }] }, found[0].length);
  }

  #address(): boolean {
    if (this.#at > 0 && /\w/.test(this.text[this.#at - 1] ?? "")) return false;
    ADDRESS.lastIndex = this.#at;
    const found = ADDRESS.exec(this.text)?.[0].replace(/[.,;:!?*_~)]+$/, "");
    if (found === undefined || found.length <= 8) return false;
    return this.#push({ kind: "link", href: found, children: [{ kind: "text", text: found }] }, found.length);
  }
}

/** An address that a page may lead to, as the browser reads it; nothing for any other. */
export function safeAddress(href: string): URL | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return undefined;
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) && url.username === "" && url.password === "" ? url : undefined;
  } catch {
    return undefined;
  }
}
