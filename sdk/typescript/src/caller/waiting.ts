import { monotonicMs, pause } from "../clock.js";
import { GatewayProblem } from "../errors.js";
import { backoffMs } from "../timing.js";
import { type EndedCall, isEnded, type OpenCall, type ParkedCall, readCall } from "./call.js";
import { WaitTimeout } from "./errors.js";
import { type Ask, mayPass, type RestDoor } from "./rest-door.js";

/**
 * Reads a call until it has ended, each read held by the gateway. What may pass is waited out within `timeoutMs`; an
 * answer that comes early, because the gateway had no room to hold it, does not make this ask faster and faster.
 */
export async function waitForEnd<Result>(door: RestDoor, ask: Ask, id: string, timeoutMs: number): Promise<EndedCall<Result>> {
  const untilMs = monotonicMs() + timeoutMs;
  let holdSeconds = door.timing.holdSeconds;
  let last: ParkedCall | OpenCall | undefined;
  let fault: unknown;
  let pauses = 0;
  for (;;) {
    const sentAtMs = monotonicMs();
    const leftMs = untilMs - sentAtMs;
    if (leftMs <= 0) throw new WaitTimeout(id, last, fault);
    const waitSeconds = Math.floor(Math.min(holdSeconds, leftMs / 1_000));
    try {
      const call = await door.once({ ...ask, waitSeconds }, readCall<Result>, leftMs);
      if (isEnded(call)) return call;
      [last, fault] = [call, undefined];
    } catch (error) {
      if (ask.signal?.aborted === true || !mayPass(error)) throw error;
      fault = error;
    }
    const tookMs = monotonicMs() - sentAtMs;
    if (fault === undefined && waitSeconds > 0 && tookMs > waitSeconds * 500) pauses = 0;
    else if (wasCutByProxy(fault, tookMs)) holdSeconds = Math.max(1, Math.floor(Math.min(holdSeconds, tookMs / 1_000) / 2));
    else {
      await pause(Math.min(backoffMs(door.timing, pauses, fault), untilMs - monotonicMs()), ask.signal);
      pauses += 1;
    }
  }
}

// A proxy on the way ends idle requests sooner than we wait: wait less, and there is no fault.
function wasCutByProxy(error: unknown, tookMs: number): boolean {
  return error instanceof GatewayProblem && error.status === 504 && tookMs >= 1_000;
}
