import { membersOf, tokens } from "../../shared/json";
import type { Change } from "../../shared/ui/Diff";

/** Two texts of the same JSON value, but for blanks and the way strings are escaped. */
function isSame(one: string, other: string): boolean {
  const words = (text: string): string =>
    tokens(text)
      .map((token) => (token.kind === "string" || token.kind === "key" ? JSON.stringify(JSON.parse(token.text)) : token.text))
      .join(" ");
  return words(one) === words(other);
}

/** In which members two objects differ, by their texts. */
export function changesOf(before: string, after: string): Change[] {
  const [from, to] = [membersOf(before), membersOf(after)];
  if (from === undefined || to === undefined) return [];
  const names = [...new Set([...from.keys(), ...to.keys()])];
  return names.flatMap((field) => {
    const [old, young] = [from.get(field), to.get(field)];
    if (old !== undefined && young !== undefined && isSame(old, young)) return [];
    return [{ field, from: old, to: young }];
  });
}
