import { ToolgateError } from "../errors.js";
import { HeaderList, type HeaderSource } from "./headers.js";
import { readSecrets, type SecretOption } from "./secret.js";
import { isSameText, type SigningKey } from "./signing-key.js";

export const TOLERANCE_SECONDS = 300;

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const TIMESTAMP = /^[1-9][0-9]{0,11}$/;
const SIGNATURES_MAX = 16;
/** Base64 of 32 bytes has 44 characters; what is no `version,value` spoils the whole header. */
const SIGNATURE = /^(?:v1,[A-Za-z0-9+/]{43}=|(?!v1,)[A-Za-z0-9]+,[A-Za-z0-9+/]+={0,2})$/;

export type RefusalCode =
  | "header_missing"
  | "header_repeated"
  | "header_malformed"
  /** No signature was made with one of the secrets over this body. */
  | "wrong_signature"
  /** Signed by a holder of a secret, but too long ago or too far ahead. */
  | "stale_timestamp";

/** Why a message is not to be believed. */
export class WebhookRefused extends ToolgateError {
  declare readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(code, message);
  }
}

/** A message that a holder of one of the secrets has signed, whenever that was. */
export interface Signed {
  readonly id: string;
  readonly timestampSeconds: number;
  /** The first of the keys that signed it. */
  readonly key: SigningKey;
}

/**
 * The shape first, then the signature; the age is left to the caller, so that "stale" is said of signed messages only.
 * The texts of the headers are signed as they stand, never a number printed again. Throws `WebhookRefused`.
 */
export async function verifySignature(headers: HeaderList, body: Uint8Array, keys: readonly SigningKey[]): Promise<Signed> {
  const id = theOne(headers, "webhook-id", ID);
  const timestamp = theOne(headers, "webhook-timestamp", TIMESTAMP);
  const signatures = theOne(headers, "webhook-signature", /./)
    .split(" ")
    .filter((token) => token !== "");
  if (signatures.length === 0 || signatures.length > SIGNATURES_MAX || !signatures.every((token) => SIGNATURE.test(token))) {
    throw malformed("webhook-signature");
  }
  let signer: SigningKey | undefined;
  // Every signature meets every key, whatever was found before: the time taken tells nothing.
  for (const key of keys) {
    const expected = await key.sign(id, timestamp, body);
    for (const signature of signatures) if (isSameText(signature, expected)) signer ??= key;
  }
  if (signer === undefined) throw new WebhookRefused("wrong_signature", "no signature belongs to this body and one of the secrets");
  return { id, timestampSeconds: Number(timestamp), key: signer };
}

/** How far the timestamp is from the clock: more than 0 when it lies behind. */
export function ageSeconds(signed: Signed, nowMs: number): number {
  return Math.floor(nowMs / 1_000) - signed.timestampSeconds;
}

export function staleMessage(age: number, toleranceSeconds: number): string {
  return `the timestamp is ${Math.abs(age)} s ${age > 0 ? "behind" : "ahead of"} this clock; ${toleranceSeconds} s are allowed`;
}

export interface VerifyOptions {
  readonly headers: HeaderSource;
  /** The bytes as they came off the wire: not text, and not JSON that was written anew. */
  readonly body: Uint8Array;
  readonly secret: SecretOption;
  /** Default 300, both ways. `Infinity` lets a test verify a stored message. */
  readonly toleranceSeconds?: number;
  /** Default: the clock. */
  readonly nowMs?: number;
}

/** Verifies one message by Standard Webhooks 1.0, strictly. Throws `WebhookRefused`, or `ConfigurationError` for the secret. */
export async function verifyWebhook(options: VerifyOptions): Promise<{ readonly id: string; readonly timestampSeconds: number }> {
  const { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() } = options;
  const signed = await verifySignature(new HeaderList(options.headers), options.body, readSecrets(options.secret));
  const age = ageSeconds(signed, nowMs);
  if (!(Math.abs(age) <= toleranceSeconds)) throw new WebhookRefused("stale_timestamp", staleMessage(age, toleranceSeconds));
  return { id: signed.id, timestampSeconds: signed.timestampSeconds };
}

function theOne(headers: HeaderList, name: string, shape: RegExp): string {
  const values = headers.all(name);
  if (values.length === 0) throw new WebhookRefused("header_missing", `the header ${name} is missing`);
  const [value = ""] = values;
  if (values.length > 1) throw new WebhookRefused("header_repeated", `the header ${name} is there more than once`);
  if (!shape.test(value)) throw malformed(name);
  return value;
}

function malformed(name: string): WebhookRefused {
  return new WebhookRefused("header_malformed", `the header ${name} is malformed`);
}
