import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Seen } from "../../shared/ui/Seen";

interface Props {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly beside?: (name: string) => ComponentChildren;
  readonly empty: string;
}

/** Some of many names. What is chosen and not among them any more stays visible, so that it can be taken out. */
export function Checks({ legend, names, chosen, onChange, beside, empty }: Props) {
  const [search, setSearch] = useState("");
  const all = [...new Set([...names, ...chosen])];
  const shown = all.filter((name) => chosen.includes(name) || name.includes(search.trim()));
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="stack">
        {all.length > 12 && <input type="search" class="short" aria-label={`Search: ${legend}`} value={search} onInput={(event) => setSearch(event.currentTarget.value)} />}
        {all.length === 0 && <p class="quiet">{empty}</p>}
        <div class="checks">
          {shown.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={(event) => onChange(event.currentTarget.checked ? [...chosen, name] : chosen.filter((each) => each !== name))}
              />
              <span>
                <Seen text={name} /> {beside?.(name)}
              </span>
            </label>
          ))}
        </div>
      </div>
    </fieldset>
  );
}
