import { pause } from "./clock.js";
import { GatewayProblem } from "./errors.js";
import type { Gateway } from "./gateway.js";
import type { Logger } from "./logger.js";
import type { Session } from "./session.js";
import { backoffMs, type Timing } from "./timing.js";
import type { Wire } from "./wire.js";

/** Tells the gateway to hand nothing more over. Answers whether the outstanding poll is certain to end empty. */
export async function sayGoodbye(gateway: Gateway, session: Session, timing: Timing, logger: Logger): Promise<boolean> {
  const current = session.isValid ? session.latest?.session : undefined;
  if (current === undefined) return true;
  for (let attempt = 0; attempt < timing.goodbyeAttempts; attempt += 1) {
    try {
      await gateway.post("goodbyes", JSON.stringify({ session: current } satisfies Wire["GoodbyeRequest"]), { deadlineMs: timing.requestSeconds * 1_000 });
      return true;
    } catch (error) {
      // A session that the gateway refuses is handed nothing either.
      if (error instanceof GatewayProblem && !error.isTemporary) return true;
      logger.warn("goodbye was not answered", { reason: String(error) });
      await pause(backoffMs(timing, attempt, error));
    }
  }
  return false;
}
