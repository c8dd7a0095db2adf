import type { ComponentChildren } from "preact";

interface Props {
  /** What the table is about, for who does not see its heading. */
  readonly label: string;
  readonly head: readonly string[];
  /** `<tr>` elements. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways by itself where the screen is narrow. */
export function Table({ label, head, children }: Props) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text, at) => (
              <th key={at} scope="col">
                {text === "" ? <span class="hidden">Actions</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
