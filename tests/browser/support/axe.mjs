// The accessibility checker of Deque (axe-core), put into a page from outside, as a person's own extension would be.
import { readFileSync } from "node:fs";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Serious and critical faults of the page as it stands, one line each. */
export async function faultsOf(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((tags) => globalThis.axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), TAGS);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, help, nodes }) => `${impact} ${id}: ${help}\n    ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join("\n    ")}`);
}
