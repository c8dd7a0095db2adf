import { ConfigurationError } from "../errors.js";
import { fromBase64 } from "./base64.js";
import { SigningKey } from "./signing-key.js";

/** One secret, or several while it is rotated. `undefined` is allowed here to be refused by name, as an unset variable is. */
export type SecretOption = string | undefined | readonly (string | undefined)[];

const PREFIX = "whsec_";
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;
const SECRETS_MAX = 8;

/** The keys of `secret`, in its order. Throws a `ConfigurationError` that names the cause and never the secret. */
export function readSecrets(secret: SecretOption): SigningKey[] {
  if (!Array.isArray(secret)) return [new SigningKey(readSecret(secret, "secret"))];
  if (secret.length === 0) throw new ConfigurationError("secret is an empty list: nothing could ever be verified");
  if (secret.length > SECRETS_MAX) throw new ConfigurationError(`secret is a list of ${secret.length}; the limit is ${SECRETS_MAX}`);
  return secret.map((each, index) => new SigningKey(readSecret(each, `secret[${index}]`)));
}

function readSecret(secret: unknown, where: string): Uint8Array {
  if (secret === undefined || secret === null) throw new ConfigurationError(`${where} is not set; is the variable that holds it there?`);
  if (typeof secret !== "string") throw new ConfigurationError(`${where} must be a text, ${PREFIX} and base64`);
  if (secret === "") throw new ConfigurationError(`${where} is empty; is the variable that holds it set?`);
  // A line break comes along with most ways of storing a secret.
  const trimmed = secret.trim();
  if (trimmed === "") throw new ConfigurationError(`${where} is blank`);
  if (/^v1a?,/.test(trimmed)) throw new ConfigurationError(`${where} begins with the version of a signature; leave out what stands before ${PREFIX}`);
  if (/^wh[sp]k_/.test(trimmed)) throw new ConfigurationError(`${where} is a key of the asymmetric scheme; a signing secret begins with ${PREFIX}`);
  const encoded = trimmed.startsWith(PREFIX) ? trimmed.slice(PREFIX.length) : trimmed;
  if (encoded === "") throw new ConfigurationError(`${where} has nothing after ${PREFIX}`);
  const bytes = fromBase64(encoded);
  if (bytes === undefined) {
    throw new ConfigurationError(`${where} is not ${PREFIX} and base64 (standard alphabet, with padding); was it cut or re-encoded?`);
  }
  if (bytes.length < KEY_BYTES_MIN || bytes.length > KEY_BYTES_MAX) {
    throw new ConfigurationError(`${where} has ${bytes.length} bytes; a signing secret has ${KEY_BYTES_MIN} to ${KEY_BYTES_MAX}`);
  }
  return bytes;
}
