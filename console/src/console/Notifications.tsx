import { useState } from "preact/hooks";
import { get, path, request, type Schemas } from "../shared/api";
import { useForm } from "../shared/form";
import type { HeldKey } from "../shared/keys";
import { useLoad } from "../shared/load";
import { allOf } from "../shared/pages";
import { Badge } from "../shared/ui/Badge";
import { Button } from "../shared/ui/Button";
import { Confirm } from "../shared/ui/Confirm";
import { Fault } from "../shared/ui/Fault";
import { Field } from "../shared/ui/Field";
import { FormEnd } from "../shared/ui/FormEnd";
import { Note } from "../shared/ui/Note";
import { Secret } from "../shared/ui/Secret";
import { Seen } from "../shared/ui/Seen";
import { Time } from "../shared/ui/Time";
import { toast } from "../shared/ui/Toast";
import { NewName } from "./NewName";
import { useTitle } from "./title";

type Notification = Schemas["NotificationView"];
type Event = Schemas["NotificationEvent"];
const EVENTS: readonly (readonly [Event, string])[] = [
  ["approval.requested", "a call waits for a decision"],
  ["approval.decided", "it was decided, taken back or invalidated"],
  ["approval.expired", "nobody decided in time"],
];

/** URLs that are told of approvals. A list has no waiting messages, so each is read by itself. */
async function read(admin: HeldKey, signal: AbortSignal): Promise<readonly Notification[]> {
  const listed = await allOf<Notification>("/v1/notifications", "notifications", { key: admin, signal });
  return Promise.all(listed.map((each) => get<Notification>(path`/v1/notifications/${each.name}`, { key: admin, signal })));
}

export function Notifications({ admin }: { readonly admin: HeldKey }) {
  const { value, fault, reload } = useLoad((signal) => read(admin, signal), [admin.id], 10_000);
  const [editing, setEditing] = useState<Notification | "new">();
  const [deleting, setDeleting] = useState<Notification>();
  const [saved, setSaved] = useState<Notification>();
  useTitle("Notifications");
  return (
    <section class="stack narrow">
      <div class="row spread">
        <h1>Notifications</h1>
        <Button kind="primary" onClick={() => setEditing("new")}>
          New notification
        </Button>
      </div>
      <p>A notification tells a URL of yours that approvals wait or were settled. It decides nothing, and no approval depends on it.</p>
      <div role="status">{saved?.secret !== undefined && <Secret label={`Signing secret of ${saved.name}`} text={saved.secret} />}</div>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value?.length === 0 && <p class="quiet">None yet.</p>}
      {value?.map((each) => (
        <article key={each.name} class="card">
          <div class="row spread">
            <h2>
              <Seen text={each.name} />
            </h2>
            <Badge tone={each.state === "active" ? "good" : "bad"}>{each.state}</Badge>
          </div>
          {each.state === "disabled" && <Note kind="warn">The URL answered that it wants no more (410). Saving it makes it active again.</Note>}
          <code>
            <Seen text={each.url} />
          </code>
          <p>
            <Seen text={each.events.join(", ")} />
          </p>
          {(each.waiting ?? []).map((waiting) => (
            <Note key={waiting.event} kind={waiting.reason === undefined ? "info" : "warn"}>
              <p>
                {`${waiting.count} × ${waiting.event} not told yet`}
                {waiting.attempts !== undefined && `, ${waiting.attempts} attempts`}
                {waiting.next_attempt_at !== undefined && (
                  <>
                    , again <Time at={waiting.next_attempt_at} />
                  </>
                )}
              </p>
              {waiting.reason !== undefined && (
                <p>
                  <Seen text={waiting.reason} />
                </p>
              )}
            </Note>
          ))}
          <div class="row">
            <Button small label={`Change ${each.name}`} onClick={() => setEditing(each)}>
              Change…
            </Button>
            <Button small label={`Delete ${each.name}`} onClick={() => setDeleting(each)}>
              Delete…
            </Button>
          </div>
        </article>
      ))}
      {editing !== undefined && (
        <Edit
          key={editing === "new" ? "" : editing.name}
          admin={admin}
          before={editing === "new" ? undefined : editing}
          onSaved={(notification) => {
            setSaved(notification);
            setEditing(undefined);
            reload();
          }}
        />
      )}
      {deleting !== undefined && (
        <Confirm
          title="Delete the notification?"
          word="Delete"
          danger
          onClose={() => setDeleting(undefined)}
          work={async () => {
            await request("DELETE", path`/v1/notifications/${deleting.name}`, undefined, { key: admin });
            toast(`The notification ${deleting.name} is deleted.`);
            reload();
          }}
        >
          <p>
            <Seen text={deleting.name} /> and what waits for it go.
          </p>
        </Confirm>
      )}
    </section>
  );
}

interface EditProps {
  readonly admin: HeldKey;
  readonly before: Notification | undefined;
  readonly onSaved: (notification: Notification) => void;
}

function Edit({ admin, before, onSaved }: EditProps) {
  const [name, setName] = useState(before?.name ?? "");
  const [url, setUrl] = useState(before?.url ?? "");
  const [events, setEvents] = useState<readonly Event[]>(before?.events ?? ["approval.requested"]);
  const [secret, setSecret] = useState("");
  const save = async (): Promise<void> => {
    const { body } = await request<Notification>("PUT", path`/v1/notifications/${name}`, { url, events, ...(secret !== "" && { secret }) }, { key: admin });
    toast(`The notification ${name} is saved.`);
    onSaved(body);
  };
  const form = useForm(save);
  return (
    <form class="card" onSubmit={form.onSubmit}>
      <h2>{before === undefined ? "New notification" : `Change ${before.name}`}</h2>
      {before === undefined && (
        <NewName name={name} onChange={setName} />
      )}
      <Field label="URL" hint="HTTPS, with a public name.">
        {(ids) => <input {...ids} type="url" required value={url} onInput={(event) => setUrl(event.currentTarget.value)} />}
      </Field>
      <fieldset>
        <legend>Events</legend>
        {EVENTS.map(([event, words]) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(change) => setEvents(change.currentTarget.checked ? [...events, event] : events.filter((each) => each !== event))}
            />
            <span>
              <code>{event}</code> {words}
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Signing secret" hint={before === undefined ? "Empty: one is made and shown once." : "Empty: the present one is kept."}>
        {(ids) => <input {...ids} type="password" autocomplete="off" value={secret} onInput={(event) => setSecret(event.currentTarget.value)} />}
      </Field>
      <FormEnd form={form} word="Save" />
    </form>
  );
}
