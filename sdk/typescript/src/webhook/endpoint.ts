import { exactJsonText } from "../json/write.js";
import { consoleLogger, guardedLogger, type Logger } from "../logger.js";
import { manifestText } from "../manifest.js";
import { errorOutcome } from "../outcome.js";
import type { BodyRead } from "./body.js";
import { Calls, WRITES_REMEMBERED } from "./calls.js";
import { foreignEncoding, logRefusal } from "./diagnosis.js";
import { sha256Hex } from "./digest.js";
import type { HeaderList } from "./headers.js";
import { ProcessMemory } from "./memory.js";
import { type Message, readMessage } from "./message.js";
import { checkWebhookOptions, type WebhookOptions } from "./options.js";
import { readSecrets } from "./secret.js";
import type { SigningKey } from "./signing-key.js";
import { ageSeconds, type Signed, staleMessage, TOLERANCE_SECONDS, verifySignature, WebhookRefused } from "./verify.js";

/** What the gateway reads of a reply; of a larger one it would take nothing. */
export const REPLY_BYTES_MAX = 1024 * 1024;
/** Braces and `,"manifest":"…"` of a reply. */
const FRAME_BYTES = 128;

/** A request as any server has it. */
export interface Received {
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: () => Promise<BodyRead>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Keeps the runtime from cutting a call off when the gateway hangs up. */
export type KeepAlive = (work: Promise<unknown>) => void;

/**
 * The customer's end of the webhook transport, whatever the server: verifies, answers, signs the answer. A stranger is told
 * a status and nothing else; whoever holds the secret is told what is wrong, in a signed reply wherever one is possible.
 */
export class Endpoint {
  readonly #keys: readonly SigningKey[];
  /** The manifest with both its lists, and without its closing brace. */
  readonly #manifestHead: string;
  readonly #calls: Calls;
  readonly #toleranceSeconds: number;
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  #hash: string | undefined;

  constructor(options: WebhookOptions, nowMs: () => number = Date.now) {
    checkWebhookOptions(options);
    this.#keys = readSecrets(options.secret);
    const manifest = manifestText(options.tools, options.contexts);
    this.#manifestHead = manifest.slice(0, -1) + ((options.contexts ?? []).length === 0 ? ',"contexts":[]' : "");
    this.#toleranceSeconds = options.toleranceSeconds ?? TOLERANCE_SECONDS;
    this.#logger = guardedLogger(options.logger ?? consoleLogger);
    this.#nowMs = nowMs;
    this.#calls = new Calls({
      tools: options.tools,
      memory: options.memory ?? new ProcessMemory(WRITES_REMEMBERED),
      // A message dated ahead by the whole tolerance is taken for twice that; the second is the clock's own.
      rememberSeconds: 2 * this.#toleranceSeconds + 1,
      outcomeBytesMax: REPLY_BYTES_MAX - FRAME_BYTES,
      logger: this.#logger,
    });
  }

  get logger(): Logger {
    return this.#logger;
  }

  /** Never rejects. */
  async answer(received: Received, keepAlive?: KeepAlive): Promise<Reply> {
    try {
      if (received.method !== "POST") return silent(405, { allow: "POST" });
      const read = await received.body();
      if ("fault" in read) return this.#afterBadBody(read);
      return await this.#afterBody(received.headers, read.bytes, keepAlive);
    } catch (fault) {
      // Its message may hold anything.
      this.#logger.error("a request could not be answered", { fault: fault instanceof Error ? fault.name : typeof fault });
      return silent(500);
    }
  }

  #afterBadBody(read: Exclude<BodyRead, { bytes: Uint8Array }>): Reply {
    if (read.fault === "too_large") {
      this.#logger.warn("a request was refused: its body is larger than any that the gateway sends", { code: "body_too_large" });
      return silent(413);
    }
    if (read.fault === "broken") {
      this.#logger.warn("a request was refused: its body did not arrive whole", { code: "body_broken" });
      return silent(400);
    }
    const cause = "the body of a request was already read, so nothing is left to verify its signature over";
    this.#logger.error(`${cause}: ${read.fix}`, { code: "body_already_read" });
    return silent(500);
  }

  async #afterBody(headers: HeaderList, body: Uint8Array, keepAlive: KeepAlive | undefined): Promise<Reply> {
    let signed: Signed;
    try {
      signed = await verifySignature(headers, body, this.#keys);
    } catch (refusal) {
      if (!(refusal instanceof WebhookRefused)) throw refusal;
      await logRefusal(this.#logger, refusal, headers, body);
      return silent(401);
    }
    const encoding = foreignEncoding(headers);
    if (encoding !== undefined) {
      this.#logger.error("a signed request was refused: its body has a content-encoding, which the gateway never uses", { encoding });
      return silent(415);
    }
    const age = ageSeconds(signed, this.#nowMs());
    const isStale = Math.abs(age) > this.#toleranceSeconds;
    // A signed ping without a body is sound and asks for nothing.
    if (body.length === 0) return silent(isStale ? 401 : 204);
    const message = readMessage(body);
    if (message === undefined) {
      this.#logger.error("a signed request was refused: it is not a message of the gateway", { bytes: body.length });
      return silent(400);
    }
    if (isStale) {
      // By the sender's clock: dated by one that is this far off, the reply would be refused in its turn. What makes it
      // fresh is its reply_id.
      return this.#signedReply(message.replyId, signed.key, this.#staleReply(message, age), signed.timestampSeconds);
    }
    const text = await this.#reply(message, signed, keepAlive);
    if (text === undefined) return silent(503);
    return this.#signedReply(message.replyId, signed.key, text, Math.floor(this.#nowMs() / 1_000));
  }

  #staleReply({ type }: Message, age: number): string {
    const message = staleMessage(age, this.#toleranceSeconds);
    this.#logger.error(`a signed request was refused: ${message}; is the clock of this machine right?`, { code: "stale_timestamp", type, offSeconds: age });
    return `{${errorOutcome(message, "stale_timestamp")}}`;
  }

  /** The text of the reply; undefined where nothing true can be said. */
  async #reply({ type, content }: Message, signed: Signed, keepAlive: KeepAlive | undefined): Promise<string | undefined> {
    switch (content.kind) {
      case "challenge":
        return `{"nonce":${exactJsonText(content.nonce)}}`;
      case "manifest":
        return `${this.#manifestHead},"hash":"${await this.#manifestHash()}"}`;
      case "call": {
        const pending = this.#calls.outcome(content.call, signed.timestampSeconds);
        keepAlive?.(pending);
        const outcome = await pending;
        return outcome === undefined ? undefined : `{${outcome},"manifest":"${await this.#manifestHash()}"}`;
      }
      case "unusable":
        this.#logger.error(`a signed message was refused: ${content.reason}`, { code: content.code, type: type.slice(0, 64) });
        return `{${errorOutcome(content.reason, content.code)}}`;
    }
  }

  async #manifestHash(): Promise<string> {
    this.#hash ??= await sha256Hex(this.#manifestHead);
    return this.#hash;
  }

  async #signedReply(replyId: string, key: SigningKey, body: string, timestampSeconds: number): Promise<Reply> {
    const timestamp = String(timestampSeconds);
    return {
      status: 200,
      headers: {
        "content-type": "application/json",
        // What is signed are these bytes; nobody on the way may keep or rewrite them.
        "cache-control": "no-store, no-transform",
        "webhook-id": replyId,
        "webhook-timestamp": timestamp,
        "webhook-signature": await key.sign(replyId, timestamp, new TextEncoder().encode(body)),
      },
      body,
    };
  }
}

function silent(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { "cache-control": "no-store", ...headers }, body: "" };
}
