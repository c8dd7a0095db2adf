import { membersOf } from "../shared/json";
import { Badge, type Tone } from "../shared/ui/Badge";
import { Seen } from "../shared/ui/Seen";
import type { ApprovalState, CallState } from "./documents";

const CALL: Readonly<Record<CallState, readonly [Tone, string]>> = {
  waiting_approval: ["warn", "waits for a decision"],
  queued: ["info", "queued"],
  running: ["info", "running"],
  succeeded: ["good", "succeeded"],
  failed: ["bad", "failed"],
  rejected: ["bad", "rejected"],
  expired: ["neutral", "expired"],
  cancelled: ["neutral", "cancelled"],
  invalidated: ["neutral", "invalidated"],
  unknown: ["warn", "outcome unknown"],
};
export const CALL_STATES = Object.keys(CALL) as CallState[];
export const isEnded = (state: CallState): boolean => !["waiting_approval", "queued", "running", "unknown"].includes(state);

export function CallStateBadge({ state }: { readonly state: CallState }) {
  const [tone, word] = CALL[state] ?? ["neutral", state];
  return <Badge tone={tone}>{word}</Badge>;
}

const APPROVAL: Readonly<Record<ApprovalState, Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  expired: "neutral",
  cancelled: "neutral",
  invalidated: "neutral",
};

export function ApprovalStateBadge({ state }: { readonly state: ApprovalState }) {
  return <Badge tone={APPROVAL[state] ?? "neutral"}>{state}</Badge>;
}

const EFFECT: Readonly<Record<string, readonly [Tone, string]>> = {
  read_only: ["neutral", "read only"],
  reversible_write: ["info", "reversible write"],
  consequential: ["warn", "consequential"],
};

export function EffectBadge({ effect }: { readonly effect: string }) {
  const [tone, word] = EFFECT[effect] ?? ["neutral", effect];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Who a principal is, of its JSON text. */
export function Principal({ text }: { readonly text: string }) {
  const members = membersOf(text);
  const word = (name: string): string => {
    const value = members?.get(name);
    return value === undefined ? "" : value.startsWith('"') ? (JSON.parse(value) as string) : value;
  };
  if (members === undefined) return <Seen text={text} />;
  return (
    <>
      <Seen text={word("id")} />
      {word("tenant_id") !== "" && (
        <span class="quiet">
          {" "}
          of <Seen text={word("tenant_id")} />
        </span>
      )}
    </>
  );
}

/** A hash, short; the whole one where it is pointed at. */
export function Hash({ text }: { readonly text: string }) {
  return (
    <code title={text} class="hash">
      {text.length > 14 ? `${text.slice(0, 12)}…` : text}
    </code>
  );
}
