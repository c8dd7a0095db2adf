import type { Schemas } from "../../shared/api";
import { Badge } from "../../shared/ui/Badge";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";

export function percent(share: number): string {
  return `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;
}

export function EndpointBadge({ state }: { readonly state: Schemas["EndpointState"] }) {
  return <Badge tone={state === "active" ? "good" : state === "pending" ? "warn" : "bad"}>{state}</Badge>;
}

/** What became of a manifest, tool by tool. */
export function Registration({ taken }: { readonly taken: Schemas["ManifestTaken"] }) {
  if ("failed" in taken) {
    return (
      <Note kind="warn">
        <p>No manifest was taken:</p>
        <p>
          <Seen text={taken.failed} />
        </p>
      </Note>
    );
  }
  const lines = [
    ...taken.tools.map((tool) => ({ ...tool, what: "tool" })),
    ...taken.contexts.map((context) => ({ ...context, name: context.context_type, what: "screen" })),
  ];
  return (
    <Note>
      <p>The manifest was taken:</p>
      <ul>
        {lines.map((line) => (
          <li key={`${line.what} ${line.name}`}>
            {line.what} <Seen text={line.name} />: {line.status}
            {line.code !== undefined && <code> {line.code}</code>}
            {line.detail !== undefined && (
              <>
                {" "}
                <Seen text={line.detail} />
              </>
            )}
          </li>
        ))}
        {taken.disabled.map((name) => (
          <li key={name}>
            <Seen text={name} />: disabled
          </li>
        ))}
      </ul>
    </Note>
  );
}
