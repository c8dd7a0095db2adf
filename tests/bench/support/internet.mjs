// The internet of a benchmark, in a process of its own so that the load loop does not measure it: one TLS server for
// `scripts/serve --internet` that is both resolvers and a customer's endpoint, and the same endpoint without TLS for
// TOOLGATE_DEV_DESTINATIONS. It does what an endpoint must and nothing else: verify, answer, sign; the resolvers'
// answers are made once. Not for tests: it knows one name and trusts the message's form.
//   internet.mjs FOLDER: the secret in BENCH_SECRET; says where it is in one line of JSON.
import { writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from "dns-packet";

import { makeCertificates } from "../../end_to_end/support/certificates.mjs";
import { signature, signedHeaders } from "../../end_to_end/support/signed_endpoint.mjs";
import { DESCRIPTION, INPUT, TOOLS } from "./tools.mjs";

const RESOLVERS = ["cloudflare-dns.com", "dns.google"];
const ENDPOINT = { host: "tools.example.com", path: "/toolgate" };
/** Public addresses; here they are never dialled. */
const ADDRESSES = { A: "93.184.215.14", AAAA: "2606:4700::6812:1a78" };
const NO_IDLE_LIMIT = { keepAliveTimeout: 0, requestTimeout: 0 };

const secret = process.env.BENCH_SECRET;
const counts = { resolver: 0, endpoint: 0, refused: 0, connections: 0, in_flight: 0, in_flight_max: 0 };
const answers = new Map();
let pauseMs = 0;

const manifest = JSON.stringify({
  tools: Object.entries(TOOLS).map(([side_effect, name]) => ({ name, description: DESCRIPTION, side_effect, input: INPUT })),
});

/** The answer to a question, byte for byte: the gateway's queries have the id 0, so equal questions are equal bytes. */
function resolved(question) {
  const key = question.toString("latin1");
  if (!answers.has(key)) {
    const { id, questions } = decode(question);
    const [{ name, type }] = questions;
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE;
    answers.set(key, encode({ type: "response", id, flags, questions, answers: [{ type, name, data: ADDRESSES[type], ttl: 60 }] }));
  }
  return answers.get(key);
}

function resolve(body, outgoing) {
  counts.resolver += 1;
  const answer = resolved(body);
  outgoing.writeHead(200, { "content-type": "application/dns-message", "content-length": answer.length }).end(answer);
}

function isSigned(headers, body) {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name] ?? "");
  return signatures.split(" ").includes(signature(secret, id, timestamp, body));
}

function serve(headers, body, outgoing) {
  counts.endpoint += 1;
  if (!isSigned(headers, body)) {
    counts.refused += 1;
    return outgoing.writeHead(401).end();
  }
  const message = JSON.parse(body.toString("utf8"));
  if (message.type === "endpoint.challenge") return reply(message, JSON.stringify({ nonce: message.nonce }), outgoing);
  if (message.type === "tools.manifest") return reply(message, manifest, outgoing);
  const result = () => reply(message, JSON.stringify({ result: message.arguments }), outgoing);
  if (pauseMs === 0) return result();
  counts.in_flight += 1;
  counts.in_flight_max = Math.max(counts.in_flight_max, counts.in_flight);
  setTimeout(() => {
    counts.in_flight -= 1;
    result();
  }, pauseMs);
}

function reply(message, body, outgoing) {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...signedHeaders(secret, message.reply_id, body) };
  outgoing.writeHead(200, headers).end(body);
}

/** The benchmark's own door: `GET /counts`, and `PUT /pause` with the milliseconds that a call takes from now on. */
function control(incoming, body, outgoing) {
  if (incoming.method === "PUT") {
    pauseMs = JSON.parse(body).milliseconds;
    counts.in_flight_max = 0;
  }
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(counts));
}

function arrive(incoming, outgoing) {
  const chunks = [];
  incoming.on("data", (chunk) => chunks.push(chunk));
  incoming.on("end", () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    if (RESOLVERS.includes(incoming.headers.host)) return resolve(body, outgoing);
    if (incoming.url === ENDPOINT.path) return serve(incoming.headers, body, outgoing);
    return control(incoming, body, outgoing);
  });
}

const listening = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));

const { ca, cert, key } = makeCertificates("internet.test");
const ca_file = join(process.argv[2], "ca.pem");
writeFileSync(ca_file, ca);
const tls = createTlsServer({ key, cert, ...NO_IDLE_LIMIT }, arrive).on("secureConnection", () => (counts.connections += 1));
const plain = createPlainServer(NO_IDLE_LIMIT, arrive);
const [tlsPort, plainPort] = [await listening(tls), await listening(plain)];
console.log(JSON.stringify({ tls: `127.0.0.1:${tlsPort}`, plain: `127.0.0.1:${plainPort}`, ca_file, ...ENDPOINT }));
