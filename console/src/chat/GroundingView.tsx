import type { Schemas } from "../shared/api";
import { Seen } from "../shared/ui/Seen";

/** Which screen the turn was about, and the facts that a tool returned of it. */
export function GroundingView({ grounding }: { readonly grounding: unknown }) {
  const { context_type, context_id, digest = [], failed } = (typeof grounding === "object" && grounding !== null ? grounding : {}) as Partial<Schemas["Grounding"]>;
  return (
    <details class="offer">
      <summary>
        About <Seen text={context_type ?? "a screen"} /> {context_id !== undefined && <Seen text={context_id} />}
        {failed !== undefined && <span class="quiet"> (not found: {failed})</span>}
      </summary>
      <dl class="facts">
        {digest.map(({ label, value }, at) => (
          <div key={at}>
            <dt>
              <Seen text={label} />
            </dt>
            <dd>
              <Seen text={value} breaks />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
