import { pretty } from "../json";
import { Seen } from "./Seen";

export interface Change {
  readonly field: string;
  /** JSON text; absent where there was nothing. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What changed, member by member. Added and removed are said in words too, not by colour alone. */
export function Diff({ changes, label }: { readonly changes: readonly Change[]; readonly label: string }) {
  if (changes.length === 0) return <p class="quiet">No difference.</p>;
  return (
    <dl class="diff" aria-label={label}>
      {changes.map((change) => (
        <div key={change.field}>
          <dt>
            <Seen text={change.field} />
          </dt>
          {change.from !== undefined && <DiffLine sign="−" word="before" text={change.from} />}
          {change.to !== undefined && <DiffLine sign="+" word="after" text={change.to} />}
        </div>
      ))}
    </dl>
  );
}

function DiffLine({ sign, word, text }: { readonly sign: string; readonly word: "before" | "after"; readonly text: string }) {
  return (
    <dd class={word}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="hidden">{word}: </span>
      <code>
        <Seen text={pretty(text)} breaks />
      </code>
    </dd>
  );
}
