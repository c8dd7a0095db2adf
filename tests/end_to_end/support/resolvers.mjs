// The two resolvers of a played internet: DNS over HTTPS (RFC 8484, POST) with answers that a test decides.
import { setTimeout as pause } from "node:timers/promises";

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from "dns-packet";

export const RESOLVERS = ["cloudflare-dns.com", "dns.google"];

const DNS_MESSAGE = "application/dns-message";
const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };

/** A message in wire format that answers the question of `query` (decoded) as `answer` says. */
function message(query, { A = [], AAAA = [], cname = [], records = [], rcode = "NOERROR", truncated = false, questions, ttl = 60 }) {
  const [{ name, type }] = query.questions;
  const owners = [name, ...cname];
  const chain = cname.map((data, index) => ({ type: "CNAME", name: owners[index], data, ttl }));
  const addresses = { A, AAAA }[type].map((data) => ({ type, name: owners.at(-1), data, ttl }));
  return encode({
    type: "response",
    id: query.id,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | (truncated ? TRUNCATED_RESPONSE : 0) | RCODES[rcode],
    questions: questions ?? query.questions,
    answers: [...chain, ...addresses, ...records],
  });
}

/**
 * What is said about names. An answer is a list of records and faults:
 * `{ A, AAAA, cname: [next, …], records: [more], rcode, truncated, questions, ttl }` make the message; `raw` (bytes)
 * replaces it; `status` and `contentType` are those of HTTP; `delayMs` comes first; `down` closes the connection instead.
 * In its place may stand a list (the n-th query for a type at a resolver gets the n-th, later ones the last), `{ cycle: [] }`
 * (again from the start), or a function of `{ resolver, name, type, n }` that gives an answer.
 */
export class Resolvers {
  /** Every query that arrived: `{ resolver, name, type, n, id, at, method, headers }`. */
  queries = [];
  #answers = new Map();
  #outages = new Map();
  #counts = new Map();

  /** What is said about `name` from now on, by `resolver` only if one is given (that word goes first). */
  say(name, answer, { resolver = "" } = {}) {
    this.#answers.set(`${resolver} ${name}`, answer);
    for (const type of ["A", "AAAA"]) for (const each of RESOLVERS) if (resolver === "" || resolver === each) this.#counts.delete(`${each} ${name} ${type}`);
  }

  /** How a resolver answers from now on, whatever the name; nothing: as it should. */
  fault(resolver, answer) {
    this.#outages.set(resolver, answer);
  }

  async handle(request, respond) {
    const { host: resolver, method, path, headers, body } = request;
    const isQuery = method === "POST" && path === "/dns-query" && request.header("content-type") === DNS_MESSAGE;
    if (!isQuery) return respond(400, {}, `not a query: ${method} ${path}`);
    const query = decode(body);
    const [{ name, type }] = query.questions;
    const key = `${resolver} ${name.toLowerCase()} ${type}`;
    const n = this.#counts.get(key) ?? 0;
    this.#counts.set(key, n + 1);
    this.queries.push({ resolver, name, type, n, id: query.id, at: request.at, method, headers });
    const { delayMs = 0, down = false, status = 200, contentType = DNS_MESSAGE, raw, ...rest } = this.#find({ resolver, name: name.toLowerCase(), type, n });
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
    if (down) return respond.destroy();
    return respond(status, { "content-type": contentType, "cache-control": "max-age=0" }, raw ?? message(query, rest));
  }

  #find(query) {
    const known = [this.#outages.get(query.resolver), this.#answers.get(`${query.resolver} ${query.name}`), this.#answers.get(` ${query.name}`)];
    const answer = known.find((each) => each !== undefined) ?? { rcode: "NXDOMAIN" };
    if (typeof answer === "function") return answer(query);
    if (Array.isArray(answer)) return answer[Math.min(query.n, answer.length - 1)];
    return answer.cycle === undefined ? answer : answer.cycle[query.n % answer.cycle.length];
  }
}
