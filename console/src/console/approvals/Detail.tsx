import type { ComponentChildren } from "preact";
import { Link } from "../../shared/router";
import { path } from "../../shared/api";
import { Badge } from "../../shared/ui/Badge";
import { Diff } from "../../shared/ui/Diff";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Time } from "../../shared/ui/Time";
import type { Approval } from "../documents";
import { ApprovalStateBadge, Hash, Principal } from "../words";
import { CallNow } from "./CallNow";

interface Props {
  readonly approval: Approval;
  /** `h1` on a page of its own, else `h2`. */
  readonly level: 1 | 2;
  /** The buttons. */
  readonly children?: ComponentChildren;
}

/** All there is to know of an approval: who asks, for whom, exactly what, why, and what was decided. */
export function Detail({ approval, level, children }: Props) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <article class="card approval" aria-label={`Approval of ${approval.tool}`}>
      <div class="row spread">
        <Heading>
          <Seen text={approval.tool} />
        </Heading>
        <ApprovalStateBadge state={approval.state} />
      </div>
      <dl class="facts">
        <dt>Agent</dt>
        <dd>
          <Seen text={approval.agent} />
        </dd>
        <dt>On behalf of</dt>
        <dd>
          <Principal text={approval.principal} />
        </dd>
        <dt>Asked</dt>
        <dd>
          <Time at={approval.created_at} /> (<Time at={approval.created_at} mode="ago" />)
        </dd>
        {approval.state === "pending" && (
          <>
            <dt>Expires</dt>
            <dd>
              <Time at={approval.expires_at} /> (<Time at={approval.expires_at} mode="left" />)
            </dd>
          </>
        )}
        <dt>Definition</dt>
        <dd>
          <Hash text={approval.version} />
        </dd>
      </dl>
      {approval.purpose !== undefined && (
        <div class="purpose">
          <h3>
            Why, as the run's last turn has it <Badge tone="warn">unverified</Badge>
          </h3>
          <blockquote>
            <Seen text={approval.purpose} breaks />
          </blockquote>
          <p class="quiet small">Nobody checked this. The arguments below say what will be done.</p>
        </div>
      )}
      <h3>Arguments, exactly as the code will receive them</h3>
      <JsonView full text={approval.arguments_text || approval.arguments} label="Arguments" />
      {approval.edited_arguments !== undefined && (
        <>
          <h3>Edited by the approver: this is sent instead</h3>
          <Diff changes={approval.changes ?? []} label="What the edit changed" />
          <JsonView full text={approval.edited_arguments} label="Edited arguments" />
        </>
      )}
      {children}
      {(approval.decisions.length > 0 || approval.required > 1) && <Decisions approval={approval} />}
      {approval.state === "approved" && <CallNow id={approval.call} />}
      {approval.earlier.length > 0 && <Earlier approval={approval} />}
      <details>
        <summary>Ids and digest</summary>
        <dl class="facts">
          <dt>Approval</dt>
          <dd>
            <Link href={path`/console/approvals/${approval.id}`}>
              <code>{approval.id}</code>
            </Link>
          </dd>
          <dt>Call</dt>
          <dd>
            <Link href={path`/console/calls/${approval.call}`}>
              <code>{approval.call}</code>
            </Link>
          </dd>
          <dt>Digest</dt>
          <dd>
            <code>{approval.digest}</code>
          </dd>
        </dl>
        <JsonView text={approval.principal} label="Principal" />
      </details>
    </article>
  );
}

function Decisions({ approval }: { readonly approval: Approval }) {
  const yes = approval.decisions.filter((decision) => decision.decision === "approve").length;
  return (
    <section aria-label="Decisions">
      <h3>
        Decisions {approval.required > 1 && <span class="quiet">({`${yes} of ${approval.required} approvals`})</span>}
      </h3>
      <ul class="list">
        {approval.decisions.map((decision, at) => (
          <li key={at}>
            <Badge tone={decision.decision === "approve" ? "good" : "bad"}>{decision.decision === "approve" ? "approved" : "rejected"}</Badge> by{" "}
            <strong>
              <Seen text={decision.by} />
            </strong>
            , <Time at={decision.at} />
            {decision.sent_digest !== undefined && " with edited arguments"}
            {decision.reason !== undefined && (
              <blockquote>
                <Seen text={decision.reason} breaks />
              </blockquote>
            )}
          </li>
        ))}
      </ul>
      {approval.decisions.length === 0 && <p class="quiet">None yet.</p>}
      {approval.state === "rejected" && <Note>It did not run and will not.</Note>}
    </section>
  );
}

function Earlier({ approval }: { readonly approval: Approval }) {
  return (
    <section aria-label="Earlier decisions">
      <h3>Earlier decisions on this tool for the same principal</h3>
      <ul class="list">
        {approval.earlier.map((each) => (
          <li key={each.approval}>
            <Badge tone={each.decision === "approve" ? "good" : "bad"}>{each.decision === "approve" ? "approved" : "rejected"}</Badge> by{" "}
            <Seen text={each.by} />, <Link href={path`/console/approvals/${each.approval}`}><Time at={each.at} /></Link>{" "}
            <span class="quiet">({each.same_arguments ? "the same arguments" : "other arguments"})</span>
            {each.reason !== undefined && (
              <blockquote>
                <Seen text={each.reason} breaks />
              </blockquote>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
