// What the runtime lets out, whatever the gateway's code believes, and how `scripts/serve` opens it for tests.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Gateway } from "./support/gateway.mjs";
import { Internet } from "./support/internet.mjs";
import { Probe } from "./support/probe.mjs";
import { own } from "./support/processes.mjs";
import { until } from "./support/until.mjs";

const CASES = new URL("../vectors/ssrf-cases.json", import.meta.url);
const SERVE = fileURLToPath(new URL("../../scripts/serve", import.meta.url));
/** An interface id cannot be told by a block of addresses; the gateway's own check refuses it. */
const HAS_NO_BLOCK = /:5efe:/;

let internet;
before(async () => (internet = await Internet.start()));
after(() => internet.close());

/** The gateway is only needed for the configuration that its script has made. */
async function probed(options, service, work) {
  const gateway = await Gateway.start(options);
  try {
    const probe = await Probe.start(gateway, service);
    await work(probe, gateway).finally(() => probe.stop());
  } finally {
    await gateway.stop();
  }
}

/** Refused, that is by the runtime's own words, and not tried in vain. */
async function assertRefused(probe, host) {
  const before = probe.log.length;
  const { error } = await probe.fetch(`http://${host}/`);
  assert.ok(error !== undefined, `${host} was reached`);
  await until(`${host} is refused by the wall; it said: ${probe.log.slice(before)}`, () => probe.log.slice(before).includes("is not allowed"));
}

async function serve(args, env = {}) {
  const child = own(spawn(SERVE, ["--port", "0", "--state", join(internet.folder, "refused"), ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] }));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const { code } = await child.ended;
  return { code, said };
}

test("no address of the special registries is dialled, nor any name that leads there", async () => {
  const listener = await internet.privateListener();
  await probed({}, "network = .publicOnly", async (probe) => {
    const denied = JSON.parse(await readFile(CASES, "utf8"))
      .filter(({ kind, verdict, input }) => kind === "address" && verdict === "deny" && isIP(input) !== 0 && !input.includes("%") && !HAS_NO_BLOCK.test(input))
      .map(({ input }) => (isIP(input) === 6 ? `[${input}]` : input));
    assert.ok(denied.length > 50, "the cases are there");
    const port = listener.address.split(":").at(-1);
    const loopback = ["127.0.0.1", "127.0.0.2", "[::1]", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1"];
    for (const host of [...denied, ...loopback]) await assertRefused(probe, `${host}:${port}`);
    assert.equal(listener.connections, 0);
  });
});

test("a development destination opens its own address and no other", async () => {
  const [listener, other] = [await internet.privateListener(), await internet.privateListener("127.0.0.2")];
  const vars = { TOOLGATE_DEV_DESTINATIONS: `${listener.address}, ` };
  await probed({ vars }, "network = .publicOnly", async (probe, gateway) => {
    assert.match(gateway.log, new RegExp(`requests may also go to ${listener.address}`));
    await probe.fetch(`http://${listener.address}/`);
    assert.equal(listener.connections, 1);
    for (const host of [other.address, "10.0.0.1", "169.254.169.254", "[::1]:80"]) await assertRefused(probe, host);
    assert.equal(other.connections, 0);
  });
});

test("--internet takes every request to the one server, with its Host header, and trusts no other certificate", async () => {
  const elsewhere = await internet.privateListener();
  const body = Buffer.from([0, 0xff, 0xfe, 0x0a]);
  const names = ["tools.example.com", "nowhere.invalid", "10.0.0.1", elsewhere.address];
  for (const name of names) internet.host(name, (request, respond) => respond(200, {}, Buffer.concat([Buffer.from(request.host), request.body])));
  await probed({ internet }, "external = .played", async (probe, gateway) => {
    assert.match(gateway.log, new RegExp(`every outbound request goes to ${internet.address}`));
    for (const name of names) {
      const answer = await probe.fetch(`https://${name}/a?b=1`, { method: "POST", body });
      assert.deepEqual(answer.body, Buffer.concat([Buffer.from(name), body]), JSON.stringify(answer));
    }
    assert.deepEqual(internet.requests().map(({ host, path }) => [host, path]), names.map((name) => [name, "/a?b=1"]));
  });
  const impostor = await Internet.start();
  try {
    // The right address, another authority.
    const mixed = { address: impostor.address, caFile: internet.caFile };
    await probed({ internet: mixed }, "external = .played", async (probe) => assert.ok((await probe.fetch("https://tools.example.com/")).error));
    assert.deepEqual(impostor.requests(), []);
  } finally {
    await impostor.close();
  }
  assert.equal(elsewhere.connections, 0);
});

test("what is half said, unreadable or meant for production is refused before anything starts", async () => {
  const notPem = join(internet.folder, "not.pem");
  const broken = join(internet.folder, "broken.pem");
  await writeFile(notPem, "nothing of use\n");
  await writeFile(broken, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  const [both, destination] = [["--internet", internet.address, "--ca", internet.caFile], ["--var", `TOOLGATE_DEV_DESTINATIONS=${internet.address}`]];
  const odd = ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:1;127.0.0.2:2", "[127.0.0.1]:1", "http://127.0.0.1:1", "no-such-name.invalid:1"];
  const production = ["--var", "TOOLGATE_ENV=production"];
  const cases = [
    [["--internet", internet.address], {}, /come together/],
    [["--ca", internet.caFile], {}, /come together/],
    [["--internet", "", "--ca", internet.caFile], {}, /--internet needs a value/],
    [["--internet", "127.0.0.1", "--ca", internet.caFile], {}, /HOST:PORT/],
    [["--internet", internet.address, "--ca", join(internet.folder, "absent.pem")], {}, /no such file/],
    [["--internet", internet.address, "--ca", notPem], {}, /no certificate/],
    [["--internet", internet.address, "--ca", broken], {}, /cannot be read/],
    [[...both, ...production], {}, /--internet .* production/],
    [both, { TOOLGATE_ENV: "production" }, /--internet .* production/],
    [[...production, ...destination], {}, /TOOLGATE_DEV_DESTINATIONS .* production/],
    [destination, { TOOLGATE_ENV: "production" }, /TOOLGATE_DEV_DESTINATIONS .* production/],
    ...odd.map((list) => [["--var", `TOOLGATE_DEV_DESTINATIONS=${list}`], {}, /TOOLGATE_DEV_DESTINATIONS/]),
    [["--var", "SELF=x"], {}, /SELF cannot be set/],
  ];
  for (const [args, env, wanted] of cases) {
    const { code, said } = await serve(args, env);
    assert.equal(code, 1, `${args}: ${said}`);
    assert.match(said, wanted);
  }
});
