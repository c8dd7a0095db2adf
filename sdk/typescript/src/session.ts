import { pause } from "./clock.js";
import { GatewayProblem, KeyRefused, SessionSuperseded, ToolgateError, TransportError, WorkerStopped } from "./errors.js";
import type { Gateway } from "./gateway.js";
import { exactJsonText } from "./json/write.js";
import type { Logger } from "./logger.js";
import { backoffMs, type Timing } from "./timing.js";
import { readRegistration, type Registration } from "./wire.js";

export interface SessionOptions {
  readonly gateway: Gateway;
  readonly manifest: string;
  readonly concurrency: number;
  readonly workerId: string | undefined;
  readonly timing: Timing;
  readonly logger: Logger;
  /** Aborted when the worker stops: no new registration is begun then. */
  readonly stopping: AbortSignal;
}

/** The worker's registration: made once however many ask for it, and made anew after the gateway forgot it. */
export class Session {
  readonly #options: SessionOptions;
  #latest: Registration | undefined;
  #isValid = false;
  #pending: Promise<Registration> | undefined;
  #workerId: string;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#workerId = options.workerId ?? randomWorkerId();
  }

  /** The last registration, valid or not: renewals, returns and results are taken under any session. */
  get latest(): Registration | undefined {
    return this.#latest;
  }

  get isValid(): boolean {
    return this.#isValid;
  }

  /** A valid registration. Rejects with a terminal error, or `WorkerStopped`. */
  current(): Promise<Registration> {
    if (this.#isValid && this.#latest !== undefined) return Promise.resolve(this.#latest);
    this.#pending ??= this.#register().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** The registration in flight, if any, has ended. */
  async settled(): Promise<void> {
    await this.#pending?.catch(() => undefined);
  }

  /** The gateway refused this session. An answer to an older one says nothing about the present one. */
  invalidate(session: string): void {
    if (session === this.#latest?.session) this.#isValid = false;
  }

  /** The error to end with if `error` says that this session was taken over. */
  supersession(session: string, error: unknown): SessionSuperseded | undefined {
    const isTakenOver = error instanceof GatewayProblem && error.status === 409 && error.isSuperseded;
    return isTakenOver && this.#isValid && session === this.#latest?.session ? new SessionSuperseded(this.#workerId) : undefined;
  }

  async #register(): Promise<Registration> {
    const { timing, logger, stopping } = this.#options;
    for (let attempt = 0; !stopping.aborted; attempt += 1) {
      try {
        const registration = await this.#post();
        this.#latest = registration;
        this.#isValid = true;
        this.#report(registration);
        return registration;
      } catch (error) {
        const terminal = terminalFault(error);
        if (terminal !== undefined) throw terminal;
        // The lost request may still arrive, and would then supersede the next one under the same id.
        if (error instanceof TransportError && this.#options.workerId === undefined) this.#workerId = randomWorkerId();
        const pauseMs = backoffMs(timing, attempt, error);
        logger.warn("registration failed, trying again", { reason: String(error), pauseMs: Math.round(pauseMs) });
        await pause(pauseMs, stopping);
      }
    }
    throw new WorkerStopped();
  }

  async #post(): Promise<Registration> {
    const { gateway, manifest, concurrency, timing } = this.#options;
    const body = `{"worker":${exactJsonText(this.#workerId)},"manifest":${manifest},"concurrency":${concurrency}}`;
    return readRegistration(await gateway.post("workers", body, { deadlineMs: timing.requestSeconds * 1_000 }));
  }

  #report({ session, tools, contexts, disabled }: Registration): void {
    const { logger } = this.#options;
    logger.info("registered", { worker: this.#workerId, session, tools: tools.map(({ name, status }) => `${name}: ${status}`) });
    for (const each of tools) if (each.status === "refused") logger.warn("the gateway refused a tool", { ...each });
    for (const each of contexts) if (each.status === "refused") logger.warn("the gateway refused a context", { ...each });
    if (disabled.length > 0) logger.warn("tools that no worker announces are disabled", { disabled });
  }
}

// 404 and 409 can pass (a pool being made, a transport being switched); other refusals of a registration cannot.
function terminalFault(error: unknown): ToolgateError | undefined {
  if (!(error instanceof GatewayProblem)) return error instanceof TransportError ? undefined : new ToolgateError("internal", String(error), { cause: error });
  if (error.status === 401 || error.status === 403) return new KeyRefused(error);
  const canPass = error.isTemporary || error.status === 404 || error.status === 409 || error.status < 400;
  return canPass ? undefined : error;
}

function randomWorkerId(): string {
  return `worker-${crypto.randomUUID()}`;
}
