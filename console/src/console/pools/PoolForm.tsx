import { useState } from "preact/hooks";
import { path, request, type Schemas } from "../../shared/api";
import { useForm } from "../../shared/form";
import type { HeldKey } from "../../shared/keys";
import { Link } from "../../shared/router";
import { Field } from "../../shared/ui/Field";
import { FormEnd } from "../../shared/ui/FormEnd";
import { Note } from "../../shared/ui/Note";
import { Secret } from "../../shared/ui/Secret";
import { NewName } from "../NewName";
import { useTitle } from "../title";
import { Registration } from "./parts";

type Transport = Schemas["Transport"];
type Saved = Schemas["PoolSaved"];

const TRANSPORTS: readonly (readonly [Transport, string])[] = [
  ["worker", "Workers: processes of yours that ask for calls. Nothing has to be reachable."],
  ["webhook", "A URL of yours that is called, signed."],
  ["builtin", "The tools that ship with Toolgate: database, charts and maps."],
];

/** Writes a pool: how its code is reached. */
export function PoolForm({ admin, pool, onSaved }: { readonly admin: HeldKey; readonly pool?: Schemas["PoolView"]; readonly onSaved: (name: string) => void }) {
  const [name, setName] = useState(pool?.pool ?? "");
  const [transport, setTransport] = useState<Transport>(pool?.transport ?? "worker");
  const [url, setUrl] = useState(pool?.endpoint?.url ?? "");
  const [timeout, setTimeout] = useState(String(pool?.endpoint?.timeout_seconds ?? 15));
  const [secret, setSecret] = useState("");
  const [saved, setSaved] = useState<Saved>();
  const save = async (): Promise<void> => {
    const webhook = transport === "webhook" ? { url, timeout_seconds: Number(timeout), ...(secret !== "" && { secret }) } : {};
    const { body } = await request<Saved>("PUT", path`/v1/pools/${name}`, { transport, ...webhook }, { key: admin });
    setSaved(body);
    setSecret("");
    onSaved(name);
  };
  const form = useForm(save);
  return (
    <form class="card" onSubmit={form.onSubmit}>
      {pool === undefined && (
        <NewName name={name} onChange={setName} />
      )}
      <fieldset>
        <legend>Reached by</legend>
        <div class="stack">
          {TRANSPORTS.map(([kind, words]) => (
            <label key={kind} class="check">
              <input type="radio" name="transport" checked={transport === kind} onChange={() => setTransport(kind)} />
              {words}
            </label>
          ))}
        </div>
      </fieldset>
      {transport === "webhook" && (
        <>
          <Field label="URL" hint="HTTPS, with a public name.">
            {(ids) => <input {...ids} type="url" required value={url} onInput={(event) => setUrl(event.currentTarget.value)} />}
          </Field>
          <Field label="Seconds for a delivery" hint="1 to 25.">
            {(ids) => <input {...ids} class="short" type="number" min="1" max="25" required value={timeout} onInput={(event) => setTimeout(event.currentTarget.value)} />}
          </Field>
          <Field label="Signing secret" hint={pool?.endpoint === undefined ? "Empty: one is made and shown once." : "Empty: the present one is kept."}>
            {(ids) => <input {...ids} type="password" autocomplete="off" value={secret} onInput={(event) => setSecret(event.currentTarget.value)} />}
          </Field>
        </>
      )}
      <FormEnd form={form} word="Save" />
      <div role="status" class="stack">
        {saved !== undefined && <SavedWords saved={saved} />}
      </div>
    </form>
  );
}

function SavedWords({ saved }: { readonly saved: Saved }) {
  return (
    <>
      <Note>
        <p>
          The pool is saved. <Link href={path`/console/pools/${saved.pool}`}>Open it</Link>
        </p>
        {saved.endpoint !== undefined && saved.endpoint.state !== "active" && <p>Its endpoint is {saved.endpoint.state}: it must pass a challenge before anything is sent to it.</p>}
        {saved.lagging !== undefined && <p>Not told yet, and tried until it is: {saved.lagging.join(", ")}.</p>}
      </Note>
      {saved.registration !== undefined && <Registration taken={saved.registration} />}
      {saved.secret !== undefined && <Secret label="Signing secret" text={saved.secret} />}
    </>
  );
}

export function NewPool({ admin }: { readonly admin: HeldKey }) {
  useTitle("New pool");
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/pools">Pools and workers</Link>
      </p>
      <h1>New pool</h1>
      <PoolForm admin={admin} onSaved={() => undefined} />
    </section>
  );
}
