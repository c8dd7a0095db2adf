// A tiny Worker that fetches what it is told, behind the outbound service of a gateway's generated configuration: what
// it can and cannot reach is what the gateway can and cannot reach.
import { spawn } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { own } from "./processes.mjs";
import { within } from "./until.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const WORKER = `
export default {
  async fetch(request) {
    const { url, method, headers, body } = await request.json();
    try {
      const bytes = body === undefined ? undefined : Uint8Array.from(atob(body), (each) => each.charCodeAt(0));
      const answer = await fetch(url, { method, headers, body: bytes, redirect: "manual" });
      const text = String.fromCharCode(...new Uint8Array(await answer.arrayBuffer()));
      return Response.json({ status: answer.status, headers: [...answer.headers], body: btoa(text) });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};`;

export class Probe {
  /** What the runtime wrote. */
  log = "";
  #child;
  #url;

  /** `service` is what the generated configuration calls the internet: `network = …` or `external = …`. */
  static async start(gateway, service) {
    const probe = new Probe();
    const folder = join(gateway.folder, "gateway");
    writeFileSync(join(folder, "probe.js"), WORKER);
    writeFileSync(join(folder, "probe.capnp"), config(service, readFileSync(join(folder, "config.capnp"), "utf8")));
    const [program] = globSync(join(root, "node_modules/@cloudflare/workerd-*/bin/workerd"));
    const args = ["serve", "probe.capnp", "probe", "--import-path", join(root, "build"), "--control-fd", "3"];
    probe.#child = own(spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe", "pipe"] }));
    for (const stream of probe.#child.stdio.slice(1, 3)) stream.setEncoding("utf8").on("data", (text) => (probe.log += text));
    const port = new Promise((resolve, reject) => {
      probe.#child.stdio[3].setEncoding("utf8").on("data", (text) => resolve(JSON.parse(text.split("\n")[0]).port));
      void probe.#child.ended.then(() => reject(new Error(`the probe ended: ${probe.log}`)));
    });
    probe.#url = `http://127.0.0.1:${await within("the probe listens", 10_000, port)}`;
    return probe;
  }

  /** `{ status, headers, body }` of a fetch by the Worker, or `{ error }`. */
  async fetch(url, { method = "GET", headers = {}, body } = {}) {
    const told = JSON.stringify({ url, method, headers, body: body?.toString("base64") });
    const answer = await (await fetch(this.#url, { method: "POST", body: told })).json();
    return answer.error === undefined ? { ...answer, body: Buffer.from(answer.body, "base64") } : answer;
  }

  async stop() {
    this.#child.kill("SIGTERM");
    await within("the probe ends", 10_000, this.#child.ended);
  }
}

function config(service, generated) {
  const [date] = generated.match(/compatibilityDate = "[^"]+"/);
  return `using Workerd = import "/workerd/workerd.capnp";
using Toolgate = import "config.capnp";
const probe :Workerd.Config = (
  services = [
    (name = "probe", worker = .worker),
    (name = "internet", ${service.replace("=", "= Toolgate")}),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "probe")],
);
const worker :Workerd.Worker = (
  modules = [(name = "probe.js", esModule = embed "probe.js")],
  ${date},
  globalOutbound = "internet",
);
`;
}
