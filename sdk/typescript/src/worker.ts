import { Acceptor } from "./acceptor.js";
import { settledWithin } from "./clock.js";
import { ConfigurationError, KeyRefused, ToolgateError, WorkerStopped } from "./errors.js";
import { Executor } from "./executor.js";
import { Gateway } from "./gateway.js";
import { sayGoodbye } from "./goodbye.js";
import { Intake } from "./intake.js";
import { Jobs } from "./jobs.js";
import { orgOfKey } from "./key.js";
import { consoleLogger, guardedLogger, type Logger } from "./logger.js";
import { manifestText } from "./manifest.js";
import { checkOptions, CONCURRENCY, DRAIN_TIMEOUT_SECONDS, type WorkerOptions } from "./options.js";
import { Outbox } from "./outbox.js";
import { Poller } from "./poller.js";
import { Renewer } from "./renewer.js";
import { Returns } from "./returns.js";
import { Session } from "./session.js";
import type { Timing } from "./timing.js";
import type { Registration } from "./wire.js";

/** Results that pile up without an answer stop the polling at this many per slot. */
const UNANSWERED_PER_SLOT_MAX = 4;

/** The parts of a running worker, wired together. `run` ends when the worker stops or fails; `stop` drains it. */
export class Worker {
  readonly ready: Promise<Registration>;
  readonly jobs: Jobs;
  readonly #logger: Logger;
  readonly #timing: Timing;
  readonly #drainMs: number;
  readonly #gateway: Gateway;
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #returns: Returns;
  readonly #renewer: Renewer;
  readonly #poller: Poller;
  readonly #stopping = new AbortController();
  readonly #cutPoll = new AbortController();
  readonly #givingUp = new AbortController();
  #failure: ToolgateError | undefined;
  #polling: Promise<void>;
  #ended: Promise<void> | undefined;

  constructor(options: WorkerOptions, timing: Timing) {
    checkOptions(options);
    const manifest = manifestText(options.tools, options.contexts);
    const concurrency = options.concurrency ?? CONCURRENCY;
    const logger = guardedLogger(options.logger ?? consoleLogger);
    const stopping = this.#stopping.signal;
    const givingUp = this.#givingUp.signal;
    this.#logger = logger;
    this.#timing = timing;
    this.#drainMs = (options.drainTimeoutSeconds ?? DRAIN_TIMEOUT_SECONDS) * 1_000;
    const gateway = new Gateway(options.baseUrl, options.pool, options.apiKey, options.fetch ?? globalThis.fetch);
    const session = new Session({ gateway, manifest, concurrency, workerId: options.workerId, timing, logger, stopping });
    const renewer = new Renewer({ gateway, session, jobs: () => this.jobs, timing, logger });
    const jobs = new Jobs(() => renewer.arm());
    const outbox = new Outbox({ gateway, session, jobs, timing, logger, givingUp, isKeyRefused: () => this.#failure instanceof KeyRefused });
    const returns = new Returns({ gateway, session, timing, logger, givingUp, onChange: () => jobs.changed() });
    const onSuperseded = (error: ToolgateError) => this.fail(error);
    const acceptor = new Acceptor({ gateway, session, jobs, outbox, returns, timing, logger, stopping, onSuperseded });
    const executor = new Executor({ jobs, outbox, logger });
    const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
    const intake = new Intake({ tools, jobs, acceptor, executor, outbox, returns, logger, stopping });
    const freeSlots = () => (outbox.size >= concurrency * UNANSWERED_PER_SLOT_MAX ? 0 : concurrency - jobs.busy);
    this.#poller = new Poller({ gateway, session, intake, jobs, freeSlots, timing, logger, stopping, cut: this.#cutPoll.signal });
    this.#gateway = gateway;
    this.#session = session;
    this.#outbox = outbox;
    this.#returns = returns;
    this.#renewer = renewer;
    this.jobs = jobs;
    this.ready = this.#begin(options);
    this.#polling = this.ready.then(() => this.#poller.run()).catch((error: unknown) => this.fail(error));
  }

  /** What ended the worker, if it was not `stop`. */
  get failure(): ToolgateError | undefined {
    return this.#failure;
  }

  /** Resolves when everything is drained, whether the worker was stopped or failed. */
  stop(): Promise<void> {
    this.#ended ??= this.#drain();
    return this.#ended;
  }

  /** Resolves when the worker has ended, whoever ended it. */
  async ended(): Promise<void> {
    await this.#polling;
    await this.stop();
  }

  fail(error: unknown): void {
    if (error instanceof WorkerStopped || this.#failure !== undefined || this.#ended !== undefined) return;
    this.#failure = error instanceof ToolgateError ? error : new ToolgateError("internal", String(error), { cause: error });
    this.#logger.error("the worker has failed and takes no more jobs", { code: this.#failure.code, reason: this.#failure.message });
    void this.stop();
  }

  async #begin(options: WorkerOptions): Promise<Registration> {
    if (options.orgId !== undefined) {
      const org = orgOfKey(options.apiKey);
      if (org !== options.orgId) throw new ConfigurationError(`orgId is "${options.orgId}", but the key belongs to "${org}"`);
    }
    return this.#session.current();
  }

  // Goodbye comes first: after it the gateway ends the outstanding poll empty and hands nothing over that would be lost.
  async #drain(): Promise<void> {
    this.#stopping.abort();
    this.jobs.changed();
    await this.#session.settled();
    const wasHeard = this.#failure === undefined && (await sayGoodbye(this.#gateway, this.#session, this.#timing, this.#logger));
    const untilCutMs = (this.#timing.pollMarginSeconds + (wasHeard ? 0 : this.#timing.pollWaitSeconds)) * 1_000;
    const pollEnd = settledWithin(this.#polling, untilCutMs).then(() => this.#cutPoll.abort());
    const everything = pollEnd.then(() => this.#polling).then(() => this.jobs.until(() => this.#isDrained()));
    if (!(await settledWithin(everything, this.#drainMs))) await this.#abandon(everything);
    this.#givingUp.abort();
    this.#renewer.close();
    this.#logger.info("the worker has stopped");
  }

  #isDrained(): boolean {
    return [...this.jobs.all].length === 0 && this.#returns.size === 0 && this.#outbox.size === 0;
  }

  async #abandon(everything: Promise<unknown>): Promise<void> {
    for (const job of this.jobs.all) {
      this.#logger.error("the drain time is over; the call is left without a result", job.label);
      job.cancel("drain_timeout");
    }
    // A handler that heeds its signal still has a result to hand over.
    await settledWithin(everything, this.#timing.requestSeconds * 1_000);
  }
}
