import { parseExactJson } from "../json/parse.js";
import { isParsedObject, type Parsed, type ParsedObject } from "../json/value.js";
import { messageOf } from "../outcome.js";
import { readCall, text, type WireCall } from "../wire.js";

/** A signed message that can be answered: its reply is signed under `replyId`. */
export interface Message {
  readonly type: string;
  readonly replyId: string;
  readonly content: Content;
}

export type Content =
  | { readonly kind: "challenge"; readonly nonce: string }
  | { readonly kind: "manifest" }
  | { readonly kind: "call"; readonly call: WireCall }
  /** Signed, but nothing that this version can act on. */
  | { readonly kind: "unusable"; readonly code: string; readonly reason: string };

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const NONCE_CHARACTERS_MAX = 1_024;

/** Undefined for what has no `type` and `reply_id`: our own reply, for one, when it is sent back to us. */
export function readMessage(body: Uint8Array): Message | undefined {
  let parsed: Parsed;
  try {
    // A byte order mark is signed like any other bytes, and is not part of the JSON (RFC 8259, 8.1).
    parsed = parseExactJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  if (!isParsedObject(parsed)) return undefined;
  const { type, reply_id: replyId } = parsed;
  if (typeof type !== "string" || typeof replyId !== "string" || !ID.test(replyId)) return undefined;
  return { type, replyId, content: readContent(type, parsed) };
}

/** Members that it does not know are ignored: a newer gateway may send more. */
function readContent(type: string, members: ParsedObject): Content {
  try {
    switch (type) {
      case "endpoint.challenge":
        return { kind: "challenge", nonce: readNonce(members) };
      case "tools.manifest":
        return { kind: "manifest" };
      case "tool.call":
        return { kind: "call", call: readCallWithId(members) };
      default:
        return { kind: "unusable", code: "unknown_message", reason: "this endpoint does not know messages of this type" };
    }
  } catch (fault) {
    return { kind: "unusable", code: "invalid_message", reason: messageOf(fault) };
  }
}

function readNonce(members: ParsedObject): string {
  const nonce = text(members, "nonce");
  if (nonce.length > NONCE_CHARACTERS_MAX) throw new RangeError(`the nonce has ${nonce.length} characters; the limit is ${NONCE_CHARACTERS_MAX}`);
  return nonce;
}

function readCallWithId(members: ParsedObject): WireCall {
  const call = readCall(members);
  if (!ID.test(call.call)) throw new RangeError("the call's id has a shape that no gateway gives it");
  return call;
}
