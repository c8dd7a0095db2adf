import { monotonicMs, pause } from "../clock.js";
import { GatewayProblem } from "../errors.js";
import { backoffMs } from "../timing.js";
import type { Approval } from "./approval.js";
import type { ClientTiming } from "./options.js";
import { mayPass } from "./rest-door.js";

/** Where approvals are looked up. */
export interface ApprovalSource {
  pending(): AsyncIterable<Approval>;
  get(id: string): Promise<Approval>;
}

export interface WatchRules {
  readonly intervalMs: number;
  readonly onFault: ((fault: Error) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timing: ClientTiming;
}

/**
 * Looks at the list of pending approvals again and again, and yields what differs from the last look. The pause grows
 * while nothing does, and a look never follows sooner than the one before it took.
 */
export async function* watchApprovals(source: ApprovalSource, rules: WatchRules): AsyncGenerator<Approval, void, undefined> {
  const { intervalMs, signal, timing } = rules;
  const known = new Map<string, string>();
  let idle = 0;
  let faults = 0;
  while (!isAborted(signal)) {
    const beganAtMs = monotonicMs();
    let pauseMs: number;
    try {
      let hasChanged = false;
      for await (const approval of changesSince(known, source)) {
        hasChanged = true;
        yield approval;
      }
      idle = hasChanged ? 0 : idle + 1;
      faults = 0;
      pauseMs = Math.min(intervalMs * 1.5 ** Math.min(idle, 40), timing.watchMsMax);
    } catch (fault) {
      if (isAborted(signal)) return;
      if (!mayPass(fault)) throw fault;
      tell(rules, fault);
      pauseMs = backoffMs(timing, faults, fault);
      faults += 1;
    }
    await pause(Math.max(intervalMs, pauseMs, monotonicMs() - beganAtMs), signal);
  }
}

/** One look. What it yields is known from then on; a fault half way leaves the rest for the next look. */
async function* changesSince(known: Map<string, string>, source: ApprovalSource): AsyncGenerator<Approval, void, undefined> {
  const pending = new Set<string>();
  for await (const approval of source.pending()) {
    pending.add(approval.id);
    const mark = markOf(approval);
    if (known.get(approval.id) === mark) continue;
    known.set(approval.id, mark);
    yield approval;
  }
  for (const id of [...known.keys()]) {
    if (pending.has(id)) continue;
    const ended = await source.get(id).catch(unlessGone);
    if (ended?.state === "pending") continue;
    known.delete(id);
    if (ended !== undefined) yield ended;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** What may change while an approval is pending. */
function markOf({ digest, expiresAt, required, decisions }: Approval): string {
  return JSON.stringify([digest, expiresAt, required, decisions.length]);
}

// Records go some days after their end.
function unlessGone(error: unknown): undefined {
  if (error instanceof GatewayProblem && error.status === 404) return undefined;
  throw error;
}

function tell({ onFault }: WatchRules, fault: unknown): void {
  try {
    onFault?.(fault instanceof Error ? fault : new Error(String(fault)));
  } catch {
    // A listener that throws must not end the watch.
  }
}
