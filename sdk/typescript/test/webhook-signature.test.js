import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ConfigurationError, toolHandler, verifyWebhook, WebhookRefused } from "../dist/index.js";
import { newSecret, signed, toolsOf } from "./support/webhook.js";

const cases = JSON.parse(readFileSync(new URL("../../../tests/vectors/signature-cases.json", import.meta.url), "utf8"));

test("the vectors are there", () => {
  assert.ok(cases.length >= 72);
  assert.deepEqual(new Set(cases.map(({ verdict }) => verdict)), new Set(["accept", "reject"]));
});

for (const { name, secret, headers, body_base64, now, tolerance, verdict } of cases) {
  test(`vector: ${name}: ${verdict}`, async () => {
    const verify = () =>
      verifyWebhook({ headers, body: Buffer.from(body_base64, "base64"), secret, toleranceSeconds: tolerance, nowMs: now * 1_000 + 999 });
    if (verdict === "reject") {
      await assert.rejects(verify, (error) => error instanceof WebhookRefused || error instanceof ConfigurationError);
    } else {
      const { id, timestampSeconds } = await verify();
      assert.deepEqual([["webhook-id", id], ["webhook-timestamp", String(timestampSeconds)]], headers.slice(0, 2));
    }
  });
}

const good = newSecret();
const bare = good.slice("whsec_".length);
for (const [secret, cause] of [
  [undefined, /^secret is not set/],
  [null, /^secret is not set/],
  ["", /^secret is empty/],
  [" \n", /^secret is blank/],
  ["whsec_", /^secret has nothing after whsec_/],
  [`v1,${good}`, /^secret begins with the version/],
  [`whsk_${bare}`, /asymmetric/],
  [`whpk_${bare}`, /asymmetric/],
  [`"${good}"`, /not whsec_ and base64/],
  [good.replace(/=+$/, ""), /not whsec_ and base64/],
  ["whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_", /not whsec_ and base64/],
  [`${bare.slice(0, -2)}B=`, /not whsec_ and base64/],
  [newSecret(23), /^secret has 23 bytes; a signing secret has 24 to 64/],
  [newSecret(65), /^secret has 65 bytes/],
  [7, /must be a text/],
  [[], /empty list/],
  [[good, undefined], /^secret\[1\] is not set/],
  [[good, "whsec_"], /^secret\[1\] has nothing/],
  [Array(9).fill(good), /list of 9; the limit is 8/],
]) {
  test(`no handler exists with the secret ${String(secret).replaceAll(bare, "…").slice(0, 40)}`, () => {
    assert.throws(
      () => toolHandler({ tools: toolsOf({ look: () => null }), secret }),
      (error) => error instanceof ConfigurationError && cause.test(error.message) && !error.message.includes(bare),
    );
  });
}

test("a secret may have white space around it, and no prefix", async () => {
  const { headers, body } = signed(good, "{}");
  for (const secret of [good, `${good}\n`, ` ${bare}`, [newSecret(), good]]) {
    assert.equal((await verifyWebhook({ headers, body, secret })).id, "msg_1");
  }
});

const { headers: pairs, body } = signed(good, '{"a":"é"}');
const title = (name) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
for (const [form, headers] of Object.entries({
  "a Headers object": new Headers(pairs),
  "a Map": new Map(pairs),
  "a plain map in lower case": Object.fromEntries(pairs),
  "a plain map in title case": Object.fromEntries(pairs.map(([name, value]) => [title(name), value])),
  "a plain map in upper case": Object.fromEntries(pairs.map(([name, value]) => [name.toUpperCase(), value])),
  "a map of lists": Object.fromEntries(pairs.map(([name, value]) => [name, [value]])),
  "a map with members that are not set": { ...Object.fromEntries(pairs), cookie: undefined, "x-nothing": null },
})) {
  test(`headers come as ${form}`, async () => {
    assert.equal((await verifyWebhook({ headers, body, secret: good })).id, "msg_1");
  });
}

for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
  const value = Object.fromEntries(pairs)[name];
  for (const [form, headers] of Object.entries({
    "as two lines": [...pairs, [name, value]],
    "as a list of two": { ...Object.fromEntries(pairs), [name]: [value, value] },
    "in two casings": { ...Object.fromEntries(pairs), [title(name)]: value },
    "joined by a server": new Headers([...pairs, [name, value]]),
  })) {
    test(`${name} that is there twice is refused, ${form}`, async () => {
      const code = form === "joined by a server" ? "header_malformed" : "header_repeated";
      await assert.rejects(verifyWebhook({ headers, body, secret: good }), { code, message: new RegExp(name) });
    });
  }
  test(`a request without ${name} is refused`, async () => {
    await assert.rejects(verifyWebhook({ headers: pairs.filter(([each]) => each !== name), body, secret: good }), { code: "header_missing", message: new RegExp(name) });
  });
}

test("a tolerance of one's own, and none for a stored message", async () => {
  const stored = signed(good, "{}", { timestamp: 1_700_000_000 });
  const verify = (options) => verifyWebhook({ ...stored, secret: good, ...options });
  await assert.rejects(verify({}), { code: "stale_timestamp" });
  await assert.rejects(verify({ toleranceSeconds: Number.NaN }), { code: "stale_timestamp" });
  await assert.rejects(verify({ nowMs: 1_700_000_011_000, toleranceSeconds: 10 }), { code: "stale_timestamp", message: /11 s behind this clock; 10 s/ });
  await assert.rejects(verify({ nowMs: 1_699_999_989_000, toleranceSeconds: 10 }), { code: "stale_timestamp", message: /11 s ahead of this clock/ });
  assert.equal((await verify({ nowMs: 1_700_000_010_999, toleranceSeconds: 10 })).timestampSeconds, 1_700_000_000);
  assert.equal((await verify({ toleranceSeconds: Number.POSITIVE_INFINITY })).id, "msg_1");
});
