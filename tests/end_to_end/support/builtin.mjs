// An org with the tools that ship with the gateway, and two agents over the two data sets that ship with it.
import { readFile } from "node:fs/promises";

import { Org } from "./org.mjs";
import { ended } from "./webhooks.mjs";

export const TOOLS = ["get_database_schema", "execute_query", "create_chart", "create_map"];
export const DATASETS = { permits: "city_permits", grants: "research_grants" };

/** A fresh org with the pool `shipped`; agents `permits`, `grants` and `blank`, which has no data set. */
export async function shipped(gateway, id) {
  const org = await Org.make(gateway, id);
  const answer = await org.admin.must(201, "PUT", "/v1/pools/shipped", { transport: "builtin" });
  await org.admin.must(200, "PUT", "/v1/capabilities/explore", { tools: TOOLS });
  for (const [agent, dataset] of [...Object.entries(DATASETS), ["blank", undefined]]) {
    await org.admin.must(200, "PUT", `/v1/agents/${agent}`, { capabilities: ["explore"], dataset });
  }
  return { org, registration: answer.body.registration };
}

/** A call of a shipped tool, waited for: as it ended. */
export async function use(org, tool, args, { agent = "permits" } = {}) {
  const call = await org.accepted(tool, args, { agent, wait: 20 });
  return ended(org, call.call);
}

/** What a query comes to: its result, or the code of its error. */
export async function query(org, sql, options) {
  const { result, error } = await use(org, "execute_query", { query: sql }, options);
  return error === undefined ? result : { code: error.code, message: error.message };
}

/** Statements by kind, as in tests/vectors/sql. */
export async function statements(name) {
  return JSON.parse(await readFile(new URL(`../../vectors/sql/${name}.json`, import.meta.url), "utf8"));
}
