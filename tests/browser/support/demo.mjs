// The demo org of scripts/dev on a gateway of a test, and questions to its agents.
import { join } from "node:path";

import { DemoOrg } from "../../../scripts/demo_org.mjs";
import { Door } from "../../end_to_end/support/client.mjs";
import { ROOT_TOKEN } from "../../end_to_end/support/gateway.mjs";
import { until } from "../../end_to_end/support/until.mjs";

export class Demo {
  /** The org with the agents `permits` and `grants`; `keys` are those of scripts/dev, by their names there. */
  static async open(gateway) {
    const org = new DemoOrg({ url: gateway.url, file: join(gateway.folder, "demo.env"), rootToken: ROOT_TOKEN });
    await org.prepare();
    await org.explorers();
    return Object.assign(new Demo(), { gateway, keys: org.kept });
  }

  /** The rows of a statement, asked for by the test itself; `agent` has the data set. */
  async rows(agent, sql) {
    const door = new Door(this.gateway, this.keys[`TOOLGATE_${agent.toUpperCase()}_KEY`]);
    const asked = (await door.must(202, "POST", "/v1/calls", { tool: "execute_query", arguments: { query: sql } })).body;
    const { result } = await until("the query is answered", async () => {
      const call = (await door.must(200, "GET", `/v1/calls/${asked.call}`, undefined, { headers: { prefer: "wait=10" } })).body;
      return call.state === "succeeded" && call;
    });
    return result.rows;
  }
}

/** What is drawn of the last chart: its texts, and its shapes in the colour of the first series. */
export async function drawnChart(page) {
  const svg = page.locator(".chart svg").last();
  await svg.locator("text").first().waitFor();
  return svg.evaluate((root) => {
    const probe = Object.assign(document.createElement("span"), { hidden: true });
    probe.style.color = "var(--chart-1)";
    root.parentElement.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    const paths = [...root.querySelectorAll("path")].filter((path) => [path.getAttribute("fill"), path.getAttribute("stroke")].includes(colour));
    return {
      texts: [...root.querySelectorAll("text")].map((text) => text.textContent),
      filled: paths.filter((path) => path.getAttribute("fill") === colour).map((path) => path.getBBox().height),
      lines: paths.filter((path) => path.getAttribute("fill") === "none").map((path) => path.getAttribute("d").split(/[ML]/).slice(1).map((point) => Number(point.split(" ")[1]))),
    };
  });
}

/** The text alternative of the last chart: its label, and the rows of its table. */
export async function toldChart(page) {
  const figure = page.locator("figure.activity").last();
  await figure.getByText("The numbers as a table").click();
  const rows = await figure.getByRole("row").allInnerTexts();
  return { label: await figure.locator(".chart").getAttribute("aria-label"), rows: rows.map((row) => row.split("\t").map((cell) => cell.trim())) };
}
