import type { Schemas } from "../shared/api";
import { Badge } from "../shared/ui/Badge";
import { Seen } from "../shared/ui/Seen";

type Offer = Partial<Schemas["ShownOffer"]>;

// Maps, because a word of others could name what every object has.
const REASONS = new Map([
  ["name", "its name"], ["whole_name", "its whole name"], ["description", "its description"], ["field", "a field"], ["field_description", "the description of a field"], ["value", "a value of a field"],
  ["keyword", "a keyword"], ["phrase", "a phrase"], ["pattern", "a pattern"], ["pinned", "always offered"], ["all_fit", "all of them fit"], ["offered_before", "offered in an earlier turn"],
]);
const LEFT = new Map([
  ["no_match", "nothing of the message speaks for it"], ["budget", "no room was left"], ["tool_disabled", "it is switched off"],
  ["permission_missing", "the person may not use it"], ["write_not_enabled", "writes are not enabled for the agent"], ["nothing_granted", "nothing is granted to the agent"],
]);

/** Why these tools were offered in this turn, and others not. Offered is not allowed: whether a call runs is decided when it is made. */
export function OfferView({ offer }: { readonly offer: unknown }) {
  const { tools = [], left_out = [], left_out_more, no_tools, used_tokens, budget_tokens } = (typeof offer === "object" && offer !== null ? offer : {}) as Offer;
  return (
    <details class="offer">
      <summary>
        {tools.length} {tools.length === 1 ? "tool was" : "tools were"} offered in this turn
      </summary>
      <div class="stack">
        {tools.length > 0 && (
          <ul class="list">
            {tools.map((tool) => (
              <li key={tool.name}>
                <strong>
                  <Seen text={tool.name} />
                </strong>{" "}
                <span class="quiet small">score {tool.score}</span> {tool.added && <Badge tone="info">new</Badge>}
                <span class="small">
                  {" "}
                  {(tool.reasons ?? []).map(({ part, what, said, points }, at) => (
                    <span key={at}>
                      {at > 0 && ", "}
                      {REASONS.get(part) ?? part}
                      {what !== undefined && (
                        <>
                          : <Seen text={what} />
                        </>
                      )}
                      {said !== undefined && (
                        <>
                          {" "}
                          (said: <Seen text={said} />)
                        </>
                      )}
                      {points > 0 && ` +${points}`}
                    </span>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        )}
        {no_tools !== undefined && <p class="small">There was nothing to offer: {(no_tools.causes ?? []).map((cause) => LEFT.get(cause) ?? cause).join("; ")}.</p>}
        {left_out.length > 0 && (
          <p class="small quiet">
            Left out:{" "}
            {left_out.map(({ name, reason }, at) => (
              <span key={name}>
                {at > 0 && "; "}
                <Seen text={name} />, {LEFT.get(reason) ?? reason}
              </span>
            ))}
            {left_out_more !== undefined && `, and ${left_out_more} more`}.
          </p>
        )}
        {used_tokens !== undefined && budget_tokens !== undefined && (
          <p class="small quiet">
            {used_tokens} of {budget_tokens} tokens.
          </p>
        )}
      </div>
    </details>
  );
}
