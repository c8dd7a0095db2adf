// What scripts/serve writes into the runtime's configuration about outbound traffic; not meant to be run by hand.
//   node scripts/outbound.mjs certificates FILE     the certificates of a PEM file, as one text of Cap'n Proto
//   node scripts/outbound.mjs destinations LIST     what the wall lets through with `host:port,…`: each of their addresses too
// Whatever cannot be read is an error in one line: a wall with a typing mistake in it must not be started.
import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const DESTINATION = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):([1-9][0-9]{0,4})$/i;

function certificates(file) {
  let text;
  try {
    text = readFileSync(file, "latin1");
  } catch (error) {
    throw new Error(`--ca ${file}: ${error.code === "ENOENT" ? "there is no such file" : `cannot be read (${error.code})`}`);
  }
  const found = text.match(PEM) ?? [];
  if (found.length === 0) throw new Error(`--ca ${file}: there is no certificate in PEM form in it`);
  for (const each of found) {
    try {
      new X509Certificate(each);
    } catch {
      throw new Error(`--ca ${file}: a certificate in it cannot be read`);
    }
  }
  return JSON.stringify(`${found.join("\n")}\n`);
}

/** The runtime filters by address, so a name is looked up here, once; the gateway itself compares host and port. */
async function destinations(list) {
  const blocks = new Set();
  for (const destination of list.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")) {
    const [, v6, name, port] = DESTINATION.exec(destination) ?? [];
    const host = v6 ?? name;
    const isOdd = host === undefined || Number(port) > 65_535 || (v6 !== undefined && isIP(v6) !== 6);
    if (isOdd) throw new Error(`TOOLGATE_DEV_DESTINATIONS or TOOLGATE_MODEL_HOSTS: "${destination}" is not host:port, as in localhost:9000 or [::1]:9000`);
    const addresses = await lookup(host, { all: true }).catch(() => []);
    if (addresses.length === 0) throw new Error(`TOOLGATE_DEV_DESTINATIONS or TOOLGATE_MODEL_HOSTS: no address is known for ${host}`);
    for (const { address, family } of addresses) blocks.add(`${address}/${family === 6 ? 128 : 32}`);
    process.stderr.write(`outbound requests may also go to ${destination} (${addresses.map(({ address }) => address).join(", ")})\n`);
  }
  return ["public", ...blocks].map((block) => JSON.stringify(block)).join(", ");
}

const [what, value] = process.argv.slice(2);
try {
  console.log(await { certificates, destinations }[what](value));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
