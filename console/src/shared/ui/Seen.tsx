import { pieces } from "../visible";

/** Text of somebody else: a text node, what would not be seen written out and marked. */
export function Seen({ text, breaks }: { readonly text: string; readonly breaks?: boolean }) {
  return (
    <bdi class={breaks ? "breaks" : undefined}>
      {pieces(text, breaks).map((piece, at) =>
        piece.unseen ? (
          <mark key={at} class="unseen" title="A character that would not be seen">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
}
