import { ConfigurationError, GatewayProblem } from "../errors.js";
import { keyIdOf } from "../key.js";
import { type Approval, type ApprovalState, type Decision, readApproval } from "./approval.js";
import { optional } from "../wire.js";
import type { ReadOptions } from "./calls.js";
import { paged } from "./paging.js";
import { idPart, type RestDoor } from "./rest-door.js";
import { type Arguments, jsonText } from "./submission.js";
import { watchApprovals } from "./watch.js";

/** What the person who decides was shown: the decision names its digest, and counts for nothing else. */
export interface ShownApproval {
  readonly id: string;
  readonly digest: string;
}

export interface ApproveOptions extends ReadOptions {
  /** Runs the call with these instead: all of them, not only what differs. */
  readonly arguments?: Arguments;
}

export interface ApprovalFilter extends ReadOptions {
  readonly state?: ApprovalState;
}

export interface WatchOptions extends ReadOptions {
  /** Pause between two looks after something has changed; longer while nothing does. Default 2,000. */
  readonly intervalMs?: number;
  /** Hears of faults that the watch survives, so that a screen can say that it is behind. */
  readonly onFault?: (fault: Error) => void;
}

const INTERVAL_MS = 2_000;
const INTERVAL_MS_MIN = 10;

/** Calls that wait for a person. All of it needs an approver key. */
export class Approvals {
  readonly #door: RestDoor;

  constructor(door: RestDoor) {
    this.#door = door;
  }

  /** All approvals, or those in one state, page by page as they are asked for. The list may lag a moment. */
  list({ state, signal }: ApprovalFilter = {}): AsyncGenerator<Approval, void, undefined> {
    return paged(this.#door, { what: "list approvals", method: "GET", path: "/approvals", query: { state }, signal }, "approvals", readApproval);
  }

  async get(id: string, { signal }: ReadOptions = {}): Promise<Approval> {
    return this.#door.ask({ what: "get approval", method: "GET", path: `/approvals/${idPart(id)}`, signal }, readApproval);
  }

  /** Lets the call run, once. Pass the very object that was shown. */
  async approve({ id, digest }: ShownApproval, { arguments: args, signal }: ApproveOptions = {}): Promise<Approval> {
    if (typeof digest !== "string") throw new ConfigurationError("the approval has no digest; pass the object that was shown");
    return this.#decide(id, "approve", jsonText({ decision: "approve", digest, arguments: args }), signal);
  }

  /** Ends the call; the reason goes back to the model. */
  async reject({ id, digest }: ShownApproval, reason: string, { signal }: ReadOptions = {}): Promise<Approval> {
    return this.#decide(id, "reject", jsonText({ decision: "reject", digest, reason }), signal);
  }

  /**
   * Every pending approval, then each that is new, changes (one of several approvers has decided) or ends: ended ones
   * come once more, with what became of them. Ends when `signal` is aborted; throws what does not pass by itself.
   */
  watch({ intervalMs = INTERVAL_MS, onFault, signal }: WatchOptions = {}): AsyncGenerator<Approval, void, undefined> {
    if (!(intervalMs >= INTERVAL_MS_MIN)) throw new ConfigurationError(`intervalMs must be at least ${INTERVAL_MS_MIN}`);
    const own = optional("signal", signal);
    const source = { pending: () => this.list({ state: "pending", ...own }), get: (id: string) => this.get(id, own) };
    return watchApprovals(source, { intervalMs, onFault, signal, timing: this.#door.timing });
  }

  async #decide(id: string, decision: Decision["decision"], body: string, signal: AbortSignal | undefined): Promise<Approval> {
    let isLost = false;
    const ask = { what: decision, method: "POST", path: `/approvals/${idPart(id)}/decision`, body, signal } as const;
    try {
      return await this.#door.ask(ask, readApproval, () => (isLost = true));
    } catch (error) {
      if (!isLost || !(error instanceof GatewayProblem) || error.code !== "already_decided") throw error;
      return this.#ownDecision(id, decision, error, signal);
    }
  }

  /** The attempt without an answer may have been the decision: then the refusal of its repeat is no refusal. */
  async #ownDecision(id: string, decision: Decision["decision"], refusal: GatewayProblem, signal: AbortSignal | undefined): Promise<Approval> {
    const keyId = keyIdOf(this.#door.apiKey);
    const approval = await this.get(id, optional("signal", signal));
    if (approval.decisions.some((each) => each.key === keyId && each.decision === decision)) return approval;
    throw refusal;
  }
}
