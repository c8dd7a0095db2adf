// A certificate authority that lives as long as a test, and a server's certificate from it: X.509 v3 (RFC 5280) written
// in DER by hand, so that neither a package nor a program of the machine is needed.
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const DAY_MS = 86_400_000;
const ECDSA_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const EXTENSION = { basicConstraints: "0603551d13", keyUsage: "0603551d0f", subjectAltName: "0603551d11" };
const TAG = { boolean: 0x01, integer: 0x02, bits: 0x03, bytes: 0x04, text: 0x0c, time: 0x18, sequence: 0x30, set: 0x31 };
/** Tags whose meaning the structure around them gives. */
const OWN = { version: 0xa0, extensions: 0xa3, dnsName: 0x82 };

function der(tag, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const size = body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts) => der(TAG.sequence, ...parts);
const algorithm = () => sequence(ECDSA_SHA256);
const bits = (bytes) => der(TAG.bits, "00", bytes);
const name = (text) => sequence(der(TAG.set, sequence(COMMON_NAME, der(TAG.text, Buffer.from(text)))));
const time = (ms) => der(TAG.time, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")));
const extension = (id, value, critical = "0101ff") => sequence(id, critical, der(TAG.bytes, value));

function pem(label, bytes) {
  return `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
}

function certificate({ subject, issuer, key, issuerKey, extensions }) {
  const content = sequence(
    der(OWN.version, der(TAG.integer, "02")),
    // The first byte keeps the number positive and its encoding the shortest.
    der(TAG.integer, Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    algorithm(),
    name(issuer),
    sequence(time(Date.now() - DAY_MS), time(Date.now() + 2 * DAY_MS)),
    name(subject),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(OWN.extensions, sequence(...extensions)),
  );
  return pem("CERTIFICATE", sequence(content, algorithm(), bits(sign("sha256", content, issuerKey))));
}

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** `{ ca, cert, key }` in PEM: a server that shows `cert` proves to who trusts `ca` that it is `host`. */
export function makeCertificates(host) {
  const [issuer, issuerKey, key] = ["The authority of a test", newKey(), newKey()];
  const isAuthority = [
    extension(EXTENSION.basicConstraints, sequence(der(TAG.boolean, "ff"))),
    extension(EXTENSION.keyUsage, der(TAG.bits, "0106")),
  ];
  const isHost = [extension(EXTENSION.subjectAltName, sequence(der(OWN.dnsName, Buffer.from(host))), "")];
  return {
    ca: certificate({ subject: issuer, issuer, key: issuerKey, issuerKey, extensions: isAuthority }),
    cert: certificate({ subject: host, issuer, key, issuerKey, extensions: isHost }),
    key: key.export({ type: "pkcs8", format: "pem" }),
  };
}
