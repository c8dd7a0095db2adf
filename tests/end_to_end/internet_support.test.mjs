// The played internet of the tests is what it says: otherwise tests on top of it would prove nothing.
import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { decode, encode } from "dns-packet";

import { Internet, PUBLIC_ADDRESS } from "./support/internet.mjs";
import { RESOLVERS } from "./support/resolvers.mjs";
import { newSecret, SignedEndpoint, signature, signedHeaders } from "./support/signed_endpoint.mjs";

let internet;
before(async () => (internet = await Internet.start()));
after(() => internet.close());

/** A request to the one server under the name of a host; rejects when the connection breaks. */
function ask(host, { path = "/", method = "POST", headers = {}, body = "" } = {}) {
  const [address, port] = internet.address.split(":");
  const all = { host, "content-length": Buffer.byteLength(body), ...headers };
  const trust = { servername: "internet.test", ca: readFileSync(internet.caFile) };
  const options = { host: address, port, ...trust, path, method, agent: false, headers: all };
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(options, async (reply) => {
      const chunks = [];
      try {
        for await (const chunk of reply) chunks.push(chunk);
        resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks) });
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject).end(body);
  });
}

async function query(resolver, name, type) {
  const body = encode({ type: "query", id: 0, questions: [{ type, name }] });
  const answer = await ask(resolver, { path: "/dns-query", headers: { "content-type": "application/dns-message" }, body });
  return decode(answer.body);
}

const data = ({ answers }) => answers.map((each) => each.data);

test("resolvers answer in wire format: records, chains, codes, truncation, lies, and answers that flip", async () => {
  internet.host("plain.example.com", (_, respond) => respond(200));
  for (const resolver of RESOLVERS) {
    assert.deepEqual(data(await query(resolver, "plain.example.com", "A")), [PUBLIC_ADDRESS]);
    assert.deepEqual(data(await query(resolver, "plain.example.com", "AAAA")), []);
    assert.equal((await query(resolver, "never-heard-of.example.com", "A")).rcode, "NXDOMAIN");
  }
  internet.dns("chain.example.com", { A: ["1.1.1.1", "10.0.0.1"], AAAA: ["::1"], cname: ["b.example.net", "c.example.org"] });
  const { answers } = await query("dns.google", "chain.example.com", "A");
  assert.deepEqual(answers.map(({ name, type, data }) => [name, type, data]), [
    ["chain.example.com", "CNAME", "b.example.net"],
    ["b.example.net", "CNAME", "c.example.org"],
    ["c.example.org", "A", "1.1.1.1"],
    ["c.example.org", "A", "10.0.0.1"],
  ]);
  internet.dns("cut.example.com", { rcode: "SERVFAIL", truncated: true });
  const cut = await query("dns.google", "cut.example.com", "A");
  assert.deepEqual([cut.rcode, cut.flag_tc, cut.flag_qr], ["SERVFAIL", true, true]);
  internet.dns("lie.example.com", { A: [PUBLIC_ADDRESS] });
  internet.dns("lie.example.com", { A: ["127.0.0.1"] }, { resolver: "dns.google" });
  assert.deepEqual([data(await query("dns.google", "lie.example.com", "A")), data(await query("cloudflare-dns.com", "lie.example.com", "A"))], [["127.0.0.1"], [PUBLIC_ADDRESS]]);
  internet.dns("steps.example.com", [{ A: ["1.1.1.1"] }, { A: ["2.2.2.2"] }]);
  internet.dns("flips.example.com", { cycle: [{ A: ["1.1.1.1"] }, { A: ["2.2.2.2"] }] });
  const seen = { steps: [], flips: [] };
  for (let n = 0; n < 3; n += 1) for (const name of ["steps", "flips"]) seen[name].push(...data(await query("dns.google", `${name}.example.com`, "A")));
  assert.deepEqual(seen, { steps: ["1.1.1.1", "2.2.2.2", "2.2.2.2"], flips: ["1.1.1.1", "2.2.2.2", "1.1.1.1"] });
  internet.resolver("dns.google", { down: true });
  await assert.rejects(query("dns.google", "plain.example.com", "A"));
  internet.resolver("dns.google", undefined);
  internet.dns("odd.example.com", { raw: Buffer.from("no message"), status: 502, contentType: "text/html" });
  const odd = await ask("dns.google", { path: "/dns-query", headers: { "content-type": "application/dns-message" }, body: encode({ questions: [{ type: "A", name: "odd.example.com" }] }) });
  assert.deepEqual([odd.status, odd.headers["content-type"], odd.body.toString()], [502, "text/html", "no message"]);
  assert.equal((await ask("dns.google", { path: "/resolve?name=plain.example.com", method: "GET" })).status, 400);
  assert.deepEqual(internet.queries("chain.example.com").map(({ resolver, type }) => [resolver, type]), [["dns.google", "A"]]);
});

test("hosts are told apart by name, answer as a test wants, and are recorded; nobody else answers", async () => {
  internet.host("one.example.com", (request, respond) => respond(201, { "x-name": "one" }, request.body));
  internet.host("chunks.example.com", (_, respond) => respond(200, {}, ["a", "b"]));
  internet.host("early.example.com", (_, respond) => respond.destroy(), { early: true });
  internet.host("half.example.com", async (_, respond) => {
    respond.head(200, { "content-length": 10 });
    await respond.write("12345");
    respond.destroy();
  });
  const one = await ask("one.example.com", { path: "/p?q", headers: { "X-Case": "kept" }, body: Buffer.from([0, 255]) });
  assert.deepEqual([one.status, one.headers["x-name"], one.body], [201, "one", Buffer.from([0, 255])]);
  assert.equal((await ask("chunks.example.com")).body.toString(), "ab");
  for (const host of ["early.example.com", "half.example.com", "unknown.example.com"]) await assert.rejects(ask(host), host);
  const [request] = internet.requests("one.example.com");
  assert.deepEqual([request.method, request.path, request.body, request.header("x-case")], ["POST", "/p?q", Buffer.from([0, 255]), "kept"]);
  assert.ok(request.headers.some(([name]) => name === "X-Case"));
  assert.equal(internet.requests("unknown.example.com").length, 1);
});

test("the signed endpoint takes what is signed and whole, notes what is not, and signs what it answers", async () => {
  // The example of the Standard Webhooks specification.
  assert.equal(
    signature("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", 1649367553, '{"email":"test@example.com","username":"test_user"}'),
    "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
  );
  const endpoint = new SignedEndpoint(internet, "signed.example.com");
  const [id, replyId] = ["msg_0123456789abcdef0", "re_0123456789abcdef0"];
  const body = JSON.stringify({ type: "endpoint.challenge", reply_id: replyId, nonce: "n" });
  const send = (headers, text = body) => ask("signed.example.com", { path: "/toolgate", headers: { "content-type": "application/json", ...headers }, body: text });
  const good = await send(signedHeaders(endpoint.secret, id, body));
  assert.deepEqual([good.status, good.body.toString()], [200, '{"nonce":"n"}']);
  assert.equal(good.headers["webhook-signature"], signature(endpoint.secret, replyId, good.headers["webhook-timestamp"], good.body));
  assert.deepEqual([endpoint.faults, endpoint.messages.length], [[], 1]);
  const old = Math.floor(Date.now() / 1000) - 60;
  const more = `${body.slice(0, -1)},"more":1}`;
  const bad = [
    [{}],
    [signedHeaders(newSecret(), id, body)],
    [signedHeaders(endpoint.secret, id, body, old)],
    [signedHeaders(endpoint.secret, id, body), `${body} `],
    [signedHeaders(endpoint.secret, "call_1", body)],
    [signedHeaders(endpoint.secret, id, more), more],
    [{ ...signedHeaders(endpoint.secret, id, body), "content-type": "text/plain" }],
  ];
  for (const [headers, text] of bad) assert.equal((await send(headers, text)).status, 400);
  assert.deepEqual([endpoint.faults.length, endpoint.messages.length], [bad.length, 1]);
});
