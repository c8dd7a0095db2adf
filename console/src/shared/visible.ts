/**
 * Code points that are not seen, by first and last: the list of core/src/visible.rs, which a test compares.
 */
export const UNSEEN: readonly (readonly [number, number])[] = [
  [0x0000, 0x001f],
  [0x007f, 0x00a0],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0xfffff],
  [0x100000, 0x10ffff],
  [0x13430, 0x13455],
  [0x1fffe, 0x1ffff],
  [0x2fffe, 0x2ffff],
];

/** A lone half of a surrogate pair is not seen either: a screen shows the same mark for all of them. */
function isUnseen(code: number): boolean {
  return (code >= 0xd800 && code <= 0xdfff) || UNSEEN.some(([first, last]) => first <= code && code <= last);
}

function escaped(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at += 1) text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return text;
}

export interface Piece {
  readonly text: string;
  /** Written as an escape because it would not be seen for what it is. */
  readonly unseen: boolean;
}

/** Text in pieces, every control, invisible, turning or blank-like character as a `\u` escape; line breaks stay where asked. */
export function pieces(text: string, keepBreaks = false): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  for (const character of text) {
    if ((keepBreaks && character === "\n") || !isUnseen(character.codePointAt(0) ?? 0)) {
      plain += character;
      continue;
    }
    if (plain !== "") found.push({ text: plain, unseen: false });
    plain = "";
    found.push({ text: escaped(character), unseen: true });
  }
  if (plain !== "") found.push({ text: plain, unseen: false });
  return found;
}

/** The same as one text. */
export function visible(text: string, keepBreaks = false): string {
  return pieces(text, keepBreaks)
    .map((piece) => piece.text)
    .join("");
}
