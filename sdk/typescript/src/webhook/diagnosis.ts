import type { Logger } from "../logger.js";
import { digestMatches } from "./digest.js";
import type { HeaderList } from "./headers.js";
import type { WebhookRefused } from "./verify.js";

/** The name of a coding in which the bytes are not those that were signed; undefined for a body sent as it is. */
export function foreignEncoding(headers: HeaderList): string | undefined {
  const codings = headers.all("content-encoding").join(",").toLowerCase().split(",");
  const foreign = codings.map((coding) => coding.trim()).find((coding) => coding !== "" && coding !== "identity");
  // What a stranger wrote does not go into the log as it is.
  return foreign === undefined ? undefined : /^[a-z0-9-]{1,16}$/.test(foreign) ? foreign : "unknown";
}

/** Says in the log, and nowhere else, why a request was not believed. */
export async function logRefusal(logger: Logger, refusal: WebhookRefused, headers: HeaderList, body: Uint8Array): Promise<void> {
  const details = { code: refusal.code, bytes: body.length };
  if (refusal.code !== "wrong_signature") return logger.warn(`a request was refused: ${refusal.message}`, details);
  const encoding = foreignEncoding(headers);
  if (encoding !== undefined) {
    return logger.warn("a request was refused: its body came compressed, which the gateway never does; is there a proxy that compresses?", { ...details, encoding });
  }
  const matches = await digestMatches(headers.one("content-digest"), body);
  logger.warn(`a request was refused: ${causeOf(matches)}`, { ...details, cause: matches === undefined ? "unknown" : matches ? "wrong_key" : "body_altered" });
}

function causeOf(digestMatches: boolean | undefined): string {
  if (digestMatches === undefined) return "no signature was made with this secret over this body; the request has no content-digest to tell which of the two is wrong";
  if (digestMatches) return "the body is as it was sent, but it was signed with another secret; is this the secret of the pool, or was it rotated?";
  return "the body was altered on its way (its content-digest differs); does a proxy or a body parser write it anew?";
}
