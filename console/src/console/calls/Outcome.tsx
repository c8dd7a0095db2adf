import { useMissing } from "../Need";
import { path } from "../../shared/api";
import { Link } from "../../shared/router";
import { JsonView } from "../../shared/ui/JsonView";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Time } from "../../shared/ui/Time";
import type { CallView } from "../documents";
import { CallStateBadge } from "../words";

interface Props {
  readonly call: CallView;
  /** The arguments that were asked for, as JSON text. */
  readonly asked?: string;
}

/** What became of a call so far. */
export function Outcome({ call, asked }: Props) {
  const locked = useMissing("approver");
  return (
    <>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <CallStateBadge state={call.state} />
          {call.replayed === true && <span class="quiet"> the outcome of an earlier call, which was not asked for again</span>}
        </dd>
        <dt>Tool</dt>
        <dd>
          <Seen text={call.tool} />
        </dd>
        <dt>Agent</dt>
        <dd>
          <Seen text={call.agent} />
        </dd>
        <dt>Asked</dt>
        <dd>
          <Time at={call.created_at} />
        </dd>
        {call.ended_at !== undefined && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={call.ended_at} />
            </dd>
          </>
        )}
        {call.resolved_by !== undefined && (
          <>
            <dt>Known by</dt>
            <dd>
              <Seen text={call.resolved_by} />
            </dd>
          </>
        )}
      </dl>
      {call.approval !== undefined && (
        <Note kind="warn">
          <p>
            It waits for a decision and has not run. <Link href={path`/console/approvals/${call.approval.id}`}>Open the approval</Link>
            {locked !== undefined && <span> (deciding {locked})</span>}
          </p>
          <p>
            <Time at={call.approval.expires_at} mode="left" />
          </p>
        </Note>
      )}
      {asked !== undefined && (
        <>
          <h3>Arguments</h3>
          <JsonView text={asked} label="Arguments" />
        </>
      )}
      {call.edited_arguments !== undefined && (
        <>
          <h3>Arguments as an approver edited them: these were sent</h3>
          <JsonView full text={call.edited_arguments} label="Edited arguments" />
        </>
      )}
      {call.result !== undefined && (
        <>
          <h3>Result</h3>
          <JsonView text={call.result} label="Result" />
        </>
      )}
      {call.error !== undefined && (
        <Note kind="bad">
          <p>
            <code>
              <Seen text={call.error.code} />
            </code>
          </p>
          <p>
            <Seen text={call.error.message} breaks />
          </p>
        </Note>
      )}
      {call.activity !== undefined && (
        <>
          <h3>
            Activity: <Seen text={call.activity.type} />
          </h3>
          <JsonView text={call.activity.content} label="Activity" />
        </>
      )}
      {call.tool_result !== undefined && (
        <details>
          <summary>What the model is told</summary>
          <p>
            <Seen text={call.tool_result} breaks />
          </p>
        </details>
      )}
    </>
  );
}
