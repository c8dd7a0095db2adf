import { useState } from "preact/hooks";
import { useAction } from "../../shared/action";
import { path, request, type Schemas } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { Button } from "../../shared/ui/Button";
import { Confirm } from "../../shared/ui/Confirm";
import { Fault } from "../../shared/ui/Fault";
import { Note } from "../../shared/ui/Note";
import { Secret } from "../../shared/ui/Secret";
import { Seen } from "../../shared/ui/Seen";
import { momentOf, Time } from "../../shared/ui/Time";
import { EndpointBadge, Registration } from "./parts";

interface Props {
  readonly admin: HeldKey;
  readonly pool: string;
  readonly endpoint: Schemas["EndpointView"];
  readonly onDone: () => void;
}

/** A pool that is reached by a URL, and what can be done about it. */
export function Endpoint({ admin, pool, endpoint, onDone }: Props) {
  const action = useAction();
  const [answer, setAnswer] = useState<Schemas["ChallengeAnswer"]>();
  const [taken, setTaken] = useState<Schemas["ManifestTaken"]>();
  const [secret, setSecret] = useState<Schemas["RotationAnswer"]>();
  const [asked, setAsked] = useState(false);

  const challenge = async (): Promise<void> => {
    const { body } = await request<Schemas["ChallengeAnswer"]>("POST", path`/v1/pools/${pool}/challenges`, undefined, { key: admin });
    setAnswer(body);
    setTaken(body.registration);
    onDone();
  };
  const sync = async (): Promise<void> => {
    const { body } = await request<Schemas["RegistrationResult"]>("POST", path`/v1/pools/${pool}/manifest-syncs`, undefined, { key: admin });
    setAnswer(undefined);
    setTaken(body);
  };
  const rotate = async (): Promise<void> => {
    const { body } = await request<Schemas["RotationAnswer"]>("POST", path`/v1/pools/${pool}/secret-rotations`, undefined, { key: admin });
    setSecret(body);
    onDone();
  };
  return (
    <section class="card" aria-label="Endpoint">
      <div class="row spread">
        <h2>Endpoint</h2>
        <EndpointBadge state={endpoint.state} />
      </div>
      {endpoint.state !== "active" && (
        <Note kind={endpoint.state === "suspended" ? "bad" : "warn"}>
          <p>
            {endpoint.state === "suspended"
              ? "Its name led to an address that may not be called, so nothing is sent to it. A challenge that passes makes it active again."
              : "It has not answered a challenge yet, so nothing is sent to it."}
          </p>
          {endpoint.reason !== undefined && (
            <p>
              <Seen text={endpoint.reason} />
            </p>
          )}
        </Note>
      )}
      <dl class="facts">
        <dt>URL</dt>
        <dd>
          <code>
            <Seen text={endpoint.url} />
          </code>
        </dd>
        <dt>Revision</dt>
        <dd>{endpoint.revision}</dd>
        <dt>Time for a delivery</dt>
        <dd>{endpoint.timeout_seconds} s</dd>
        {endpoint.old_secret_until !== undefined && (
          <>
            <dt>Old secret signs too until</dt>
            <dd>
              <Time at={endpoint.old_secret_until} />
            </dd>
          </>
        )}
      </dl>
      <div class="row">
        <Button busy={action.busy} onClick={() => void action.run(challenge)}>
          Challenge
        </Button>
        <Button busy={action.busy} disabled={endpoint.state === "active" ? undefined : "only an active endpoint is asked for its manifest"} onClick={() => void action.run(sync)}>
          Fetch the manifest
        </Button>
        <Button busy={action.busy} onClick={() => setAsked(true)}>
          New secret…
        </Button>
      </div>
      {action.fault !== undefined && <Fault fault={action.fault} />}
      <div role="status" class="stack">
        {answer !== undefined && <ChallengeWords answer={answer} />}
        {taken !== undefined && <Registration taken={taken} />}
      </div>
      {secret !== undefined && (
        <>
          <Secret label="New signing secret" text={secret.secret} />
          <p class="quiet">Those before it sign too until {momentOf(secret.old_secret_until)}.</p>
        </>
      )}
      {asked && (
        <Confirm title="Make a new signing secret?" word="Make it" work={rotate} onClose={() => setAsked(false)}>
          <p>It is shown once. For a day messages are signed with both, so that the endpoint can take the new one meanwhile.</p>
        </Confirm>
      )}
    </section>
  );
}

function ChallengeWords({ answer }: { readonly answer: Schemas["ChallengeAnswer"] }) {
  const why = answer.failed ?? answer.reason;
  if (why === undefined) return <Note>The challenge passed: the endpoint is {answer.state}.</Note>;
  return (
    <Note kind="bad">
      <p>The challenge failed; the endpoint is {answer.state}.</p>
      <p>
        <Seen text={why} />
      </p>
    </Note>
  );
}
