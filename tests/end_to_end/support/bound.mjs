// The built module on plain workerd with bindings that only Cloudflare has: the runtime's own code of each, and on its other side a server of the test
// that speaks the platform's wire.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import workerd from "workerd";

import { ROOT_TOKEN } from "./gateway.mjs";
import { endAll, own } from "./processes.mjs";
import { within } from "./until.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The far side of a binding: `answer` gets each request with its text, and says or breaks what it will. */
export class FarSide {
  /** What was asked: `{ path, headers, text }`. */
  asked = [];
  #server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = { path: request.url, headers: request.headers, text: Buffer.concat(chunks).toString("utf8") };
    this.asked.push(asked);
    await this.answer(asked, response);
  });

  static async start(answer) {
    const side = new FarSide();
    side.answer = answer;
    side.#server.listen(0, "127.0.0.1");
    await once(side.#server, "listening");
    return side;
  }

  get address() {
    return `127.0.0.1:${this.#server.address().port}`;
  }

  /** From now on nothing listens there, and what is under way breaks. */
  async stop() {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** A gateway whose bindings `wrapped` are `{ NAME: { module, at } }`: the runtime's module, and where its requests go. */
export class BoundGateway {
  log = "";
  #child;
  #folder;

  static async start({ wrapped, vars = {} }) {
    const gateway = new BoundGateway();
    gateway.#folder = await mkdtemp(join(tmpdir(), "toolgate-bound-"));
    await mkdir(join(gateway.#folder, "objects"));
    await gateway.#start(wrapped, vars);
    return gateway;
  }

  async #start(wrapped, vars) {
    const text = (value) => JSON.stringify(value);
    const bindings = [
      ...Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)}),`),
      ...Object.entries(wrapped).map(([name, { module }]) => `(name = ${text(name)}, wrapped = (moduleName = ${text(module)}, innerBindings = [(name = "fetcher", service = ${text(name)})])),`),
    ];
    const services = Object.entries(wrapped).map(([name, { at }]) => `(name = ${text(name)}, external = (address = ${text(at)}, http = ())),`);
    const given = await readFile(join(root, "runtime/config.capnp"), "utf8");
    const config = given.replace("# @VARIABLES@", bindings.join("\n    ")).replace('(name = "internet"', `${services.join("\n    ")}\n    (name = "internet"`);
    const file = join(this.#folder, "config.capnp");
    await writeFile(file, config);
    const options = ["--import-path", join(root, "build"), "--directory-path", `state=${join(this.#folder, "objects")}`, "--directory-path", `assets=${join(root, "console/dist")}`];
    const env = { ...process.env, TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: "a-master-key-of-the-end-to-end-tests-0123456789" };
    this.#child = own(spawn(workerd.default, ["serve", file, "config", ...options, "--socket-addr", "http=127.0.0.1:0", "--control-fd", "3"], { env, stdio: ["ignore", "pipe", "pipe", "pipe"] }));
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.setEncoding("utf8").on("data", (said) => (this.log += said));
    const listening = new Promise((resolve, reject) => {
      let said = "";
      this.#child.stdio[3].setEncoding("utf8").on("data", (more) => {
        said += more;
        const found = said.match(/"socket":"http","port":(\d+)/);
        if (found) resolve(Number(found[1]));
      });
      void this.#child.ended.then(() => reject(new Error(`the gateway ended before it listened:\n${this.log}`)));
    });
    this.url = `http://127.0.0.1:${await within("the gateway listens", 60_000, listening)}`;
  }

  async stop() {
    this.#child.kill("SIGTERM");
    await within("the gateway ends", 20_000, this.#child.ended).finally(endAll);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
