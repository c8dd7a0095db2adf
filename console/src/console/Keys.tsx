import { useState } from "preact/hooks";
import { path, request, type Schemas } from "../shared/api";
import { useForm } from "../shared/form";
import { type HeldKey, type Role } from "../shared/keys";
import { useLoad } from "../shared/load";
import { bodyText, Verbatim } from "../shared/json";
import { pagesOf } from "../shared/pages";
import { Badge } from "../shared/ui/Badge";
import { Button } from "../shared/ui/Button";
import { Confirm } from "../shared/ui/Confirm";
import { Fault } from "../shared/ui/Fault";
import { Field } from "../shared/ui/Field";
import { FormEnd } from "../shared/ui/FormEnd";
import { Note } from "../shared/ui/Note";
import { Secret } from "../shared/ui/Secret";
import { Seen } from "../shared/ui/Seen";
import { Table } from "../shared/ui/Table";
import { Time } from "../shared/ui/Time";
import { toast } from "../shared/ui/Toast";
import { NO_PRINCIPAL, PrincipalFields, principalText } from "./calls/PrincipalFields";
import { More } from "./More";
import { useTitle } from "./title";

type KeyView = Schemas["KeyView"];

/** The keys of the org: made here, shown once, revoked here. */
export function Keys({ admin }: { readonly admin: HeldKey }) {
  const [pages, setPages] = useState(1);
  const { value, fault, loading, reload } = useLoad((signal) => pagesOf<KeyView>("/v1/keys", "keys", {}, pages, { key: admin, signal }), [admin.id, pages]);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<KeyView>();
  useTitle("Keys");
  const revoke = async (key: KeyView): Promise<void> => {
    await request("DELETE", path`/v1/keys/${key.id}`, undefined, { key: admin });
    toast(`The key ${key.name} is revoked.`);
    reload();
  };
  return (
    <section class="stack">
      <div class="row spread">
        <h1>Keys</h1>
        <Button kind="primary" onClick={() => setMaking(!making)}>
          {making ? "Close the form" : "New key"}
        </Button>
      </div>
      {making && <NewKey admin={admin} onMade={reload} />}
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && (
        <Table label="Keys" head={["Name", "Role", "For", "Made", "Ends", ""]}>
          {value.entries.map((key) => (
            <tr key={key.id}>
              <td>
                <Seen text={key.name} />
                <div class="quiet small">
                  <code>{key.id}</code>
                </div>
              </td>
              <td>
                <Badge>{key.role}</Badge>
              </td>
              <td>
                <Scope view={key} />
              </td>
              <td>
                <Time at={key.created_at} />
              </td>
              <td>{key.expires_at === undefined ? <span class="quiet">never</span> : <Time at={key.expires_at} />}</td>
              <td>
                {key.revoked_at !== undefined ? (
                  <span class="quiet">
                    revoked <Time at={key.revoked_at} />
                  </span>
                ) : (
                  <Button small label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                    Revoke…
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More more={value?.more} busy={loading} onMore={() => setPages(pages + 1)} />
      {revoking !== undefined && (
        <Confirm title="Revoke the key?" word="Revoke" danger work={() => revoke(revoking)} onClose={() => setRevoking(undefined)}>
          <p>
            <strong>
              <Seen text={revoking.name} />
            </strong>{" "}
            ({revoking.role}) stops working at once. Calls that were made with it and have not started are invalidated. This cannot be undone.
          </p>
          {revoking.id === admin.id && <Note kind="warn">This is the key that this page works with.</Note>}
        </Confirm>
      )}
    </section>
  );
}

function Scope({ view }: { readonly view: KeyView }) {
  const words = [
    ...(view.agent === undefined ? [] : [`agent ${view.agent}`]),
    ...(view.agents === undefined ? [] : [`agents ${view.agents.join(", ")}`]),
    ...(view.pools === undefined ? [] : [`pools ${view.pools.join(", ")}`]),
    ...(view.principal === undefined ? [] : [`${view.principal.id} of ${view.principal.tenant_id}`]),
    ...(view.principal_id === undefined ? [] : [`is ${view.principal_id}`]),
  ];
  return words.length === 0 ? <span class="quiet">the whole org</span> : <Seen text={words.join(", ")} />;
}

const ROLES: readonly (readonly [Role, string])[] = [
  ["admin", "admin: everything but deciding and calling"],
  ["approver", "approver: decides on calls"],
  ["caller", "caller: makes calls for agents, on behalf of anybody"],
  ["agent", "agent: one agent, on behalf of one principal"],
  ["worker", "worker: runs the calls of pools"],
];

function NewKey({ admin, onMade }: { readonly admin: HeldKey; readonly onMade: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("approver");
  const [agent, setAgent] = useState("");
  const [scope, setScope] = useState("");
  const [days, setDays] = useState("");
  const [principal, setPrincipal] = useState(NO_PRINCIPAL);
  const [principalId, setPrincipalId] = useState("");
  const [made, setMade] = useState<Schemas["NewKey"] & { readonly name: string }>();
  const names = scope.split(/[\s,]+/).filter((each) => each !== "");
  const make = async (): Promise<void> => {
    const body = bodyText({
      name,
      role,
      agent: role === "agent" ? agent : undefined,
      principal: role === "agent" ? new Verbatim(principalText(principal)) : undefined,
      agents: role === "caller" && names.length > 0 ? names : undefined,
      pools: role === "worker" ? names : undefined,
      principal_id: role === "approver" && principalId !== "" ? principalId : undefined,
      expires_in_days: days === "" ? undefined : Number(days),
    });
    const answer = await request<Schemas["NewKey"]>("POST", "/v1/keys", body, { key: admin });
    setMade({ ...answer.body, name });
    onMade();
  };
  const form = useForm(make);
  return (
    <form class="card narrow" onSubmit={form.onSubmit}>
      <h2>New key</h2>
      <div class="filters">
        <Field label="Name" hint="Shown in lists and timelines.">
          {(ids) => <input {...ids} required autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />}
        </Field>
        <Field label="Role">
          {(ids) => (
            <select {...ids} value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
              {ROLES.map(([each, words]) => (
                <option key={each} value={each}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Ends after days" hint="Empty: never.">
          {(ids) => <input {...ids} type="number" min="1" max="3650" value={days} onInput={(event) => setDays(event.currentTarget.value)} />}
        </Field>
        {role === "agent" && (
          <Field label="Agent">{(ids) => <input {...ids} required autocomplete="off" value={agent} onInput={(event) => setAgent(event.currentTarget.value)} />}</Field>
        )}
        {(role === "caller" || role === "worker") && (
          <Field label={role === "caller" ? "Agents" : "Pools"} hint={role === "caller" ? "Apart by blanks; empty: all." : "Apart by blanks."}>
            {(ids) => <input {...ids} required={role === "worker"} autocomplete="off" value={scope} onInput={(event) => setScope(event.currentTarget.value)} />}
          </Field>
        )}
        {role === "approver" && (
          <Field label="Who the approver is as a principal" hint="Needed where who asked may not approve.">
            {(ids) => <input {...ids} autocomplete="off" value={principalId} onInput={(event) => setPrincipalId(event.currentTarget.value)} />}
          </Field>
        )}
      </div>
      {role === "agent" && <PrincipalFields draft={principal} onChange={setPrincipal} />}
      <FormEnd form={form} word="Make the key" />
      <div role="status">{made !== undefined && <Secret key={made.id} label={`The key ${made.name}`} text={made.key} />}</div>
    </form>
  );
}
