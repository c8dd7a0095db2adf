import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Block, type Inline, inline, parse, safeAddress } from "../../src/chat/markdown/parse";

/** A tree in a short form: what a block or word is, and what is in it. */
function short(node: Block | Inline): unknown {
  switch (node.kind) {
    case "text":
      return node.text;
    case "break":
    case "rule":
      return [node.kind];
    case "code":
      return "language" in node ? ["pre", node.language, node.text] : ["code", node.text];
    case "link":
      return ["link", node.href, ...node.children.map(short)];
    case "image":
      return ["image", node.href, node.alt];
    case "heading":
      return [`h${node.level}`, ...node.children.map(short)];
    case "quote":
      return ["quote", ...node.blocks.map(short)];
    case "list":
      return [node.start === undefined ? "ul" : `ol ${node.start}`, ...node.items.map((item) => item.map(short))];
    case "table":
      return ["table", node.head.map((cell) => cell.map(short)), ...node.rows.map((row) => row.map((cell) => cell.map(short)))];
    default:
      return [node.kind, ...node.children.map(short)];
  }
}
const inlines = (text: string) => inline(text).map(short);
const blocks = (text: string) => parse(text).map(short);

for (const [text, expected] of [
  ["plain", ["plain"]],
  ["**b** and *i* and ~~d~~", [["strong", "b"], " and ", ["em", "i"], " and ", ["del", "d"]]],
  ["***both***", [["strong", "*both"], "*"]],
  ["a_b_c and __init__", ["a_b_c and ", ["strong", "init"]]],
  ["2 * 3 * 4", ["2 * 3 * 4"]],
  ["**open", ["**open"]],
  ["`a*b*` ``x`y`` ` ", [["code", "a*b*"], " ", ["code", "x`y"], " ` "]],
  ["\\*no\\* \\<", ["*no* <"]],
  ["[t](https://e.org/a_(b)) x", [["link", "https://e.org/a_(b)", "t"], " x"]],
  ["[**t**](<https://e.org>)", [["link", "https://e.org", ["strong", "t"]]]],
  ['[t](/x "title")', [["link", "/x", "t"]]],
  ["[t] (x)", ["[t] (x)"]],
  ["![a](https://e.org/i.png)", [["image", "https://e.org/i.png", "a"]]],
  ["see https://e.org/a?b=c. Then", ["see ", ["link", "https://e.org/a?b=c", "https://e.org/a?b=c"], ". Then"]],
  ["<https://e.org> <b>x</b>", [["link", "https://e.org", "https://e.org"], " <b>x</b>"]],
  ["one  \ntwo\\\nthree\nfour", ["one", ["break"], "two", ["break"], "three\nfour"]],
] as const) {
  test(`inline: ${text}`, () => assert.deepEqual(inlines(text), expected));
}

for (const [text, expected] of [
  ["a\nb\n\nc", [["paragraph", "a\nb"], ["paragraph", "c"]]],
  ["# One\n## Two ##\n#no", [["h1", "One"], ["h2", "Two"], ["paragraph", "#no"]]],
  ["```js\nlet a = `1`;\n\n  b\n```\nx", [["pre", "js", "let a = `1`;\n\n  b"], ["paragraph", "x"]]],
  ["~~~\nopen", [["pre", "", "open"]]],
  ["- a\n- b\n  - c\n\n  d\n- e", [["ul", [["paragraph", "a"]], [["paragraph", "b"], ["ul", [["paragraph", "c"]]], ["paragraph", "d"]], [["paragraph", "e"]]]]],
  ["3. x\n4. y", [["ol 3", [["paragraph", "x"]], [["paragraph", "y"]]]]],
  ["- a\n\n- b", [["ul", [["paragraph", "a"]], [["paragraph", "b"]]]]],
  ["text\n- a", [["paragraph", "text"], ["ul", [["paragraph", "a"]]]]],
  ["> q\n> - r\n\ns", [["quote", ["paragraph", "q"], ["ul", [["paragraph", "r"]]]], ["paragraph", "s"]]],
  ["a\n\n---\n***", [["paragraph", "a"], ["rule"], ["rule"]]],
  ["| a | b |\n|:--|--:|\n| 1 | *2* |\n| 3 |\nx", [["table", [["a"], ["b"]], [["1"], [["em", "2"]]], [["3"], []]], ["paragraph", "x"]]],
  ["a | b\n- | -\n1 \\| 2 | 3", [["table", [["a"], ["b"]], [["1 | 2"], ["3"]]]]],
  ["<script>x</script>", [["paragraph", "<script>x</script>"]]],
] as const) {
  test(`blocks: ${JSON.stringify(text)}`, () => assert.deepEqual(blocks(text), expected));
}

test("only addresses that a page may lead to are links", () => {
  for (const href of ["https://e.org/", "http://e.org:8080/a", "mailto:a@e.org", "HTTPS://E.org"]) assert.ok(safeAddress(href), href);
  const { payloads } = JSON.parse(readFileSync(new URL("../../tests/vectors/xss.json", import.meta.url), "utf8")) as { payloads: { text: string }[] };
  for (const href of ["javascript:1", " javascript:1", "java\nscript:1", "data:text/html,x", "vbscript:x", "//e.org", "/x", "blob:https://e.org/1", "https://user:secret@e.org/", "https://", ...payloads.map(({ text }) => text)]) {
    const url = safeAddress(href);
    assert.ok(url === undefined || ["http:", "https:", "mailto:"].includes(url.protocol), href);
  }
  for (const href of ["javascript:1", "data:text/html,x", "//e.org", "https://user:secret@e.org/"]) assert.equal(safeAddress(href), undefined, href);
});

test("what grows without an end is read in time that grows as its length does", () => {
  for (const piece of ["*", "_", "`", "[", "![", "](", "**a ", "<", "> ", "- ", "|", "\\", "~~", "https://", "[a](", "1. ", "#", "\n\n", "| - "]) {
    const times = [2_000, 16_000].map((count) => {
      const text = piece.repeat(count);
      const before = performance.now();
      parse(text);
      return performance.now() - before;
    });
    const [short, long] = times as [number, number];
    assert.ok(long < 60 * Math.max(short, 5), `${JSON.stringify(piece)}: ${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`);
  }
});

test("a text that streams in never fails half-way", () => {
  const text = "# T\n\n**b** [l](https://e.org) `c`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\n1\n```\n- x\n  1. y\n> z";
  for (let end = 0; end <= text.length; end += 1) parse(text.slice(0, end));
});
