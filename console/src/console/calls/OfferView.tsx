import type { Schemas } from "../../shared/api";
import { Badge } from "../../shared/ui/Badge";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import type { Offer } from "../documents";

/** An offer as it was answered, or as a run keeps it: without the definitions. */
type Shown = Schemas["ShownOffer"] | Offer;

const LEFT_OUT: Readonly<Record<string, string>> = {
  no_match: "nothing in the text speaks for it",
  budget: "it does not fit any more",
  tool_disabled: "nobody serves it now",
  permission_missing: "the principal lacks a permission",
  write_not_enabled: "reversible writes are not allowed",
  nothing_granted: "the agent holds no tool",
};

/** Points as the documentation writes them: thousandths in the API. */
export function points(score: number): string {
  return (score / 1_000).toLocaleString(undefined, { maximumFractionDigits: score < 100 ? 3 : 1, minimumFractionDigits: 1 });
}

/** An offer: each tool with its score and what speaks for it, what was left out, and what the budget takes. */
export function OfferView({ offer }: { readonly offer: Shown }) {
  const share = offer.budget_tokens === 0 ? 0 : Math.min(100, (100 * offer.used_tokens) / offer.budget_tokens);
  return (
    <>
      <div>
        <p>{`${offer.used_tokens.toLocaleString()} of ${offer.budget_tokens.toLocaleString()} tokens`}</p>
        <div class="meter" role="img" aria-label={`${Math.round(share)} % of the budget`}>
          <span style={{ width: `${share}%` }} />
        </div>
      </div>
      {offer.no_tools !== undefined && <Note kind="warn">Nothing is offered: {offer.no_tools.causes.map((cause) => LEFT_OUT[cause] ?? cause).join("; ")}.</Note>}
      {offer.tools.length > 0 && (
        <Table label="Offered tools" head={["Tool", "Score", "Tokens", "Why"]}>
          {offer.tools.map((tool) => (
            <tr key={tool.name}>
              <td>
                <Seen text={tool.name} /> {tool.added && <Badge tone="info">new</Badge>}
                {"definition" in tool && (
                  <details>
                    <summary class="small">definition</summary>
                    <JsonView text={tool.definition} label={`Definition of ${tool.name}`} />
                  </details>
                )}
              </td>
              <td>{points(tool.score)}</td>
              <td>{tool.tokens}</td>
              <td>
                <ul class="list">
                  {tool.reasons.map((reason, at) => (
                    <li key={at}>
                      <Reason reason={reason} />
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {offer.left_out.length > 0 && (
        <Table label="Left out" head={["Left out", "Score", "Why"]}>
          {offer.left_out.map((tool) => (
            <tr key={tool.name}>
              <td>
                <Seen text={tool.name} />
              </td>
              <td>{points(tool.score)}</td>
              <td>
                {LEFT_OUT[tool.reason] ?? ""} <code class="quiet">{tool.reason}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {"left_out_more" in offer && offer.left_out_more !== undefined && <p class="quiet">{`${offer.left_out_more.toLocaleString()} more were left out.`}</p>}
    </>
  );
}

function Reason({ reason }: { readonly reason: Schemas["OfferReason"] }) {
  return (
    <>
      <Badge>{reason.part.replaceAll("_", " ")}</Badge>{" "}
      {reason.what !== undefined && (
        <code>
          <Seen text={reason.what} />
        </code>
      )}
      {reason.said !== undefined && (
        <span class="quiet">
          {" "}
          for “<Seen text={reason.said} />”
        </span>
      )}
      {reason.points > 0 && ` ${points(reason.points)}`}
    </>
  );
}
