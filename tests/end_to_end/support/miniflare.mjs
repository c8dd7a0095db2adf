// The built module under Miniflare, which brings a D1 database of its own: what scripts/serve has not.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { convertV4MiniflareOptions, Miniflare } from "miniflare";

import { ROOT_TOKEN } from "./gateway.mjs";

const build = fileURLToPath(new URL("../../../build", import.meta.url));
const OBJECTS = { ORG_REGISTRY: "OrgRegistry", POOL_QUEUE: "PoolQueue", THREAD: "Thread", DATASET: "Dataset" };

/** A gateway with the databases of these bindings; `vars` are its variables. */
export class MiniGateway {
  #miniflare;

  static async start({ databases, vars }) {
    const gateway = new MiniGateway();
    const module = async (type, path) => ({ type, path, contents: await readFile(`${build}/${path}`) });
    const options = {
      name: "toolgate",
      cf: false,
      compatibilityDate: "2026-11-17",
      modules: [await module("ESModule", "index.js"), await module("CompiledWasm", "index_bg.wasm")],
      durableObjects: Object.fromEntries(Object.entries(OBJECTS).map(([name, className]) => [name, { className, useSQLite: true }])),
      serviceBindings: { SELF: "toolgate" },
      d1Databases: Object.fromEntries(databases.map((name) => [name, name.toLowerCase()])),
      bindings: { TOOLGATE_ROOT_TOKEN: ROOT_TOKEN, TOOLGATE_MASTER_KEY: "a-master-key-of-the-end-to-end-tests-0123456789", ...vars },
    };
    gateway.#miniflare = new Miniflare(convertV4MiniflareOptions(options));
    gateway.url = (await gateway.#miniflare.ready).href.replace(/\/$/, "");
    return gateway;
  }

  /** A database, as a Worker sees it. */
  database(binding) {
    return this.#miniflare.getD1Database(binding, "toolgate");
  }

  stop() {
    return this.#miniflare.dispose();
  }
}
