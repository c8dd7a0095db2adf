import type { Content, Message, ToolCall } from "../agui/types";
import { Link } from "../shared/router";
import { Badge, type Tone } from "../shared/ui/Badge";
import { JsonView } from "../shared/ui/JsonView";
import { Seen } from "../shared/ui/Seen";
import { textOf } from "./Transcript";

interface Props {
  readonly call: ToolCall;
  readonly result: Message | undefined;
  /** What the gateway said of it. */
  readonly info: unknown;
  /** It waits for a decision. */
  readonly waits: boolean;
  /** Calls of this browser are being answered. */
  readonly asked: boolean;
  readonly running: boolean;
}

/** A call: what was asked for and what it came to, as text of JSON, so that no digit changes. */
export function CallView({ call, result, info, waits, asked, running }: Props) {
  const gate = (typeof info === "object" && info !== null ? info : {}) as { readonly call?: unknown; readonly side_effect?: unknown; readonly state?: unknown };
  const text = result === undefined ? undefined : textOf(result.content as Content);
  const [tone, word] = stateOf(text, waits, asked, running, info !== undefined, gate.state);
  return (
    <details class="call">
      <summary>
        <span class="row">
          <span>
            Tool <strong><Seen text={call.function.name} /></strong>
          </span>
          <Badge tone={tone}>{word}</Badge>
        </span>
      </summary>
      <div class="stack">
        <h4>Arguments</h4>
        <JsonView text={call.function.arguments === "" ? "{}" : call.function.arguments} label={`Arguments of ${call.function.name}`} />
        {text !== undefined && (
          <>
            <h4>Result</h4>
            <JsonView text={text} label={`Result of ${call.function.name}`} />
          </>
        )}
        {typeof gate.call === "string" && (
          <p class="small">
            {typeof gate.side_effect === "string" && <span class="quiet">{gate.side_effect} · </span>}
            <Link href={`/console/calls/${encodeURIComponent(gate.call)}`}>This call in the console</Link>
          </p>
        )}
      </div>
    </details>
  );
}

/** How a call behind the gateway ended. */
const ENDS: ReadonlyMap<unknown, readonly [Tone, string]> = new Map<string, readonly [Tone, string]>([
  ["succeeded", ["good", "succeeded"]],
  ["failed", ["bad", "failed"]],
  ["rejected", ["bad", "rejected"]],
  ["refused", ["bad", "refused"]],
  ["expired", ["warn", "expired"]],
  ["cancelled", ["neutral", "cancelled"]],
  ["invalidated", ["warn", "invalidated"]],
  ["unknown", ["warn", "outcome unknown"]],
]);

/** What the gateway says of its call is so, whatever the result looks like; a result of this browser is read for an error. */
function stateOf(result: string | undefined, waits: boolean, asked: boolean, running: boolean, gate: boolean, end: unknown): readonly [Tone, string] {
  if (result !== undefined && gate) return ENDS.get(end) ?? ["neutral", "answered"];
  if (result !== undefined) return isFailure(result) ? ["warn", "answered with an error"] : ["good", "answered"];
  if (waits) return ["bad", "waits for approval"];
  if (asked && !gate) return ["info", "in this browser"];
  return running ? ["info", "at work"] : ["neutral", "no result"];
}

function isFailure(result: string): boolean {
  if (!/^\s*\{/.test(result)) return false;
  try {
    return Object.hasOwn(JSON.parse(result) as object, "error");
  } catch {
    return false;
  }
}
