// The cases of tests/vectors/ssrf-cases.json about answers of resolvers, played by the resolvers of an internet.
import { isIPv4, isIPv6 } from "node:net";

import { encode, TRUNCATED_RESPONSE } from "dns-packet";

import { RESOLVERS } from "./resolvers.mjs";

const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
const OPCODES = { QUERY: 0, UPDATE: 5 };
const ERRORS = {
  timeout: { down: true },
  "http 502": { status: 502, raw: Buffer.from("bad gateway") },
  "content-type text/html": { contentType: "text/html" },
  "body longer than 65535": { raw: Buffer.alloc(65_536) },
};
/** What is a message, though a bad one: it counts as an answer. */
const IS_ANSWER = ["body longer than 65535"];

const canBeWritten = ({ type, data }) => (type === "A" ? isIPv4(data) : type === "AAAA" ? isIPv6(data) : type === "CNAME");

function message(name, type, { rcode, tc, answer, question = { name, type }, qr = true, opcode = "QUERY" }) {
  const flags = (tc ? TRUNCATED_RESPONSE : 0) | RCODES.indexOf(rcode) | (OPCODES[opcode] << 11);
  return encode({ type: qr ? "response" : "query", id: 0, flags, questions: [question], answers: answer });
}

/**
 * Makes the resolvers say what the case says (with one resolver in it, both say the same). Gives back whether any
 * resolver answers at all; undefined for a case that no well-formed message can hold.
 */
export function playCase(internet, { name, resolvers }) {
  const told = resolvers.length === 1 ? [resolvers[0], resolvers[0]] : resolvers;
  const records = told.flatMap((each) => [each.A, each.AAAA]).flatMap((each) => each?.answer ?? []);
  const codes = told.flatMap((each) => [each.A, each.AAAA]).filter((each) => each !== undefined);
  if (!records.every(canBeWritten) || !codes.every(({ rcode, opcode = "QUERY" }) => RCODES.includes(rcode) && opcode in OPCODES)) return undefined;
  for (const [n, each] of told.entries()) {
    if (each.error !== undefined) internet.resolver(RESOLVERS[n], ERRORS[each.error]);
    else internet.dns(name, ({ type }) => ({ raw: message(name, type, each[type]) }), { resolver: RESOLVERS[n] });
  }
  return told.some(({ error }) => error === undefined || IS_ANSWER.includes(error));
}
