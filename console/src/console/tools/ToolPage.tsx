import { useState } from "preact/hooks";
import { path, request, type Schemas } from "../../shared/api";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { Button } from "../../shared/ui/Button";
import { Confirm } from "../../shared/ui/Confirm";
import { type Change, Diff } from "../../shared/ui/Diff";
import { Fault } from "../../shared/ui/Fault";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { Time } from "../../shared/ui/Time";
import { toast } from "../../shared/ui/Toast";
import { type ChangeText, readTool, type Tool } from "../documents";
import { useTitle } from "../title";
import { EffectBadge, Hash } from "../words";
import { ToolState } from "./ToolList";

const FENCES: Readonly<Record<string, string>> = {
  side_effect_weakened: "The new definition claims a weaker side effect than the accepted one.",
  permission_dropped: "The new definition drops a permission that was declared.",
  name_taken: "Another pool owns the name.",
  managed_elsewhere: "The tool is managed by something else.",
  pool_full: "The definitions of the pool would be too large together.",
};

/** A definition has no null: the gateway says null where a member is absent. */
function differences(changes: readonly ChangeText[]): readonly Change[] {
  const present = (text: string | undefined): string | undefined => (text === "null" ? undefined : text);
  return changes.map(({ field, from, to }) => ({ field, from: present(from), to: present(to) }));
}

/** One tool: its definition, what was refused, and how it came to be what it is. */
export function ToolPage({ admin, name }: { readonly admin: HeldKey; readonly name: string }) {
  const { value, fault, reload } = useLoad((signal) => readTool(admin, name, signal), [admin.id, name], 15_000);
  useTitle(name);
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/tools">Catalogue</Link>
      </p>
      <h1>
        <Seen text={name} />
      </h1>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && (
        <>
          <Head tool={value} />
          {value.refused !== null && <Refused admin={admin} tool={value} refused={value.refused} onDone={reload} />}
          <div class="card">
            <h2>Definition</h2>
            <DefinitionView definition={value.definition} />
          </div>
          <Release admin={admin} tool={value} onDone={reload} />
          <Versions tool={value} />
        </>
      )}
    </section>
  );
}

function Head({ tool }: { readonly tool: Tool }) {
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <ToolState tool={tool} />
      </dd>
      <dt>Pool</dt>
      <dd>
        {tool.pool === null ? (
          <span class="quiet">none: the name is released, and any pool may announce it</span>
        ) : (
          <Link href={path`/console/pools/${tool.pool}`}>{tool.pool}</Link>
        )}
      </dd>
      <dt>Managed by</dt>
      <dd>{tool.managed_by}</dd>
      <dt>Version</dt>
      <dd>
        <Hash text={tool.version} />
      </dd>
    </dl>
  );
}

function DefinitionView({ definition }: { readonly definition: Schemas["ToolDefinition"] }) {
  const fields = Object.entries(definition.input);
  return (
    <>
      <p>
        <Seen text={definition.description} breaks />
      </p>
      <dl class="facts">
        <dt>Class</dt>
        <dd>
          <EffectBadge effect={definition.side_effect} />
        </dd>
        <dt>Permissions</dt>
        <dd>{definition.permissions?.length ? definition.permissions.map((each) => <div key={each}><code><Seen text={each} /></code></div>) : <span class="quiet">none</span>}</dd>
        {definition.routing?.keywords !== undefined && definition.routing.keywords.length > 0 && (
          <>
            <dt>Keywords</dt>
            <dd>
              <Seen text={definition.routing.keywords.join(", ")} />
            </dd>
          </>
        )}
        {definition.routing?.patterns !== undefined && definition.routing.patterns.length > 0 && (
          <>
            <dt>Patterns</dt>
            <dd>
              {definition.routing.patterns.map((each) => (
                <div key={each}>
                  <code>
                    <Seen text={each} />
                  </code>
                </div>
              ))}
            </dd>
          </>
        )}
        {definition.queue_deadline_seconds !== undefined && (
          <>
            <dt>Queue deadline</dt>
            <dd>{definition.queue_deadline_seconds} s</dd>
          </>
        )}
        {definition.execution_deadline_seconds !== undefined && (
          <>
            <dt>Execution deadline</dt>
            <dd>{definition.execution_deadline_seconds} s</dd>
          </>
        )}
      </dl>
      {fields.length === 0 ? (
        <p class="quiet">It takes no arguments.</p>
      ) : (
        <Table label="Input" head={["Field", "Type"]}>
          {fields.map(([field, type]) => (
            <tr key={field}>
              <td>
                <code>
                  <Seen text={field} />
                </code>
              </td>
              <td>
                <code>
                  <Seen text={type} />
                </code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface RefusedProps {
  readonly admin: HeldKey;
  readonly tool: Tool;
  readonly refused: NonNullable<Tool["refused"]>;
  readonly onDone: () => void;
}

function Refused({ admin, tool, refused, onDone }: RefusedProps) {
  const [asked, setAsked] = useState(false);
  const accept = async (): Promise<void> => {
    await request("POST", path`/v1/tools/${tool.name}/acceptances`, { version: refused.version }, { key: admin });
    toast(`${tool.name}: the refused definition is accepted.`);
    onDone();
  };
  return (
    <section class="card" aria-label="Refused definition">
      <h2>Refused definition</h2>
      <Note kind="bad">
        <p>
          <code>{refused.code}</code> {FENCES[refused.code] ?? ""}
        </p>
        <p>
          <Seen text={refused.detail} />
        </p>
      </Note>
      <p>
        Announced <Time at={refused.at} />, version <Hash text={refused.version} />. The accepted definition stays in force.
      </p>
      <h3>Against the accepted one</h3>
      <Diff changes={differences(refused.changes)} label="What the refused definition changes" />
      <details>
        <summary>The whole refused definition</summary>
        <DefinitionView definition={refused.definition} />
      </details>
      <div class="row">
        <Button kind="danger" onClick={() => setAsked(true)}>
          Accept this definition…
        </Button>
      </div>
      {asked && (
        <Confirm title="Accept the refused definition?" word="Accept" danger wide work={accept} onClose={() => setAsked(false)}>
          <p>
            You open the fence <code>{refused.code}</code> for <strong>{tool.name}</strong>, once, for exactly this version:
          </p>
          <Diff changes={differences(refused.changes)} label="What you accept" />
          <p>
            <code>{refused.version}</code>
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Release({ admin, tool, onDone }: { readonly admin: HeldKey; readonly tool: Tool; readonly onDone: () => void }) {
  const [asked, setAsked] = useState(false);
  const why = tool.released ? "it is released already" : tool.enabled && tool.managed_by !== "console" ? "somebody serves it; only a disabled name can be released" : undefined;
  const release = async (): Promise<void> => {
    const { body } = await request<Tool>("POST", path`/v1/tools/${tool.name}/releases`, undefined, { key: admin });
    const granted = body.granted_by ?? [];
    toast(`${tool.name} is released.${granted.length > 0 ? ` Still granted by: ${granted.join(", ")}.` : ""}`);
    onDone();
  };
  return (
    <div class="row">
      <Button disabled={why} onClick={() => setAsked(true)}>
        Release the name…
      </Button>
      {why !== undefined && <span class="quiet small">{why}</span>}
      {asked && (
        <Confirm title="Release the name?" word="Release" danger work={release} onClose={() => setAsked(false)}>
          <p>
            Another pool may then announce <strong>{tool.name}</strong>. Grants stay: take it out of capabilities first if the next owner should not serve them.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function Versions({ tool }: { readonly tool: Tool }) {
  const versions = tool.versions ?? [];
  return (
    <section class="card" aria-label="Versions">
      <h2>Versions</h2>
      <ol class="timeline">
        {versions.map((version) => (
          <li key={version.version}>
            <p>
              <Hash text={version.version} /> <Time at={version.at} /> by <Seen text={version.by} />
            </p>
            {version.changes.length === 0 ? <p class="quiet">The first that was accepted.</p> : <Diff changes={differences(version.changes)} label={`Changes of ${version.version}`} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
