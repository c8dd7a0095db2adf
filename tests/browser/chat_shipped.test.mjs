// The tools that ship, as the demo agents of scripts/dev use them: charts and maps of the two data sets, drawn in the chat from figures that the test
// asks for by itself.
import assert from "node:assert/strict";
import { test } from "node:test";

import { say } from "./support/chatting.mjs";
import { Demo, drawnChart, toldChart } from "./support/demo.mjs";
import { people } from "./support/people.mjs";

let demo;
const at = people({ ready: async () => (demo = await Demo.open(at.gateway)) });

const chat = (agent) => at.visit("/chat", [demo.keys[`TOOLGATE_${agent.toUpperCase()}_KEY`]]);
/** Asks, and waits for the end of the answer: its own last words. */
async function ask(page, question, last) {
  await page.getByText("Demo model: no language model answers here").waitFor();
  await say(page, question);
  await page.getByRole("article", { name: "Assistant" }).getByText(last).last().waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}
/** Numbers of a drawing against figures: the same shares, to a thousandth of the largest. */
function assertShares(drawn, figures) {
  assert.equal(drawn.length, figures.length);
  const [most, largest] = [Math.max(...drawn), Math.max(...figures)];
  for (const [n, figure] of figures.entries()) {
    assert.ok(Math.abs(drawn[n] / most - figure / largest) < 0.001, `${n}: drawn ${drawn.join()}, figures ${figures.join()}`);
  }
}

test("a bar chart of the permits has a bar for each district, as high as the data set says, and a table of the same", async () => {
  const rows = await demo.rows("permits", "SELECT district, count(*) FROM permits GROUP BY 1 ORDER BY 2 DESC, 1");
  assert.equal(rows.length, 10);
  const page = await chat("permits");
  await ask(page, "Draw a bar chart of how many permits there are per district", /Chart created: "count by district"/);
  const drawn = await drawnChart(page);
  for (const text of ["count by district", "count", "district"]) assert.ok(drawn.texts.includes(text), `${text} is not in ${drawn.texts.join("|")}`);
  // Names that have no room at the axis stand in the table.
  const named = rows.map(([district]) => district).filter((district) => drawn.texts.includes(district));
  assert.ok(named.length >= 5 && named[0] === rows[0][0], named.join());
  assertShares(drawn.filled, rows.map(([, count]) => count));
  assert.equal(await page.getByText(/left out/).count(), 0, "the page takes the gateway's charts as they are");
  const told = await toldChart(page);
  assert.equal(told.label, "Chart: count by district; its numbers are in the table below");
  assert.deepEqual(told.rows, [["district", "count"], ...rows.map(([district, count]) => [district, String(count)])]);
  const calls = page.getByText(/^Tool (get_database_schema|execute_query|create_chart)$/);
  assert.deepEqual(await calls.allInnerTexts(), ["Tool get_database_schema", "Tool execute_query", "Tool create_chart"], "each step is there to be looked at");
});

test("a chart of the grants over the years is a line through the figures, and is drawn anew after a reload", async () => {
  const rows = await demo.rows("grants", "SELECT year, sum(amount) FROM grants GROUP BY 1 ORDER BY 1");
  const page = await chat("grants");
  await ask(page, "Show the total amount per year as a line chart", /Chart created: "total amount by year"/);
  for (const again of [false, true]) {
    if (again) await page.reload();
    const drawn = await drawnChart(page);
    for (const text of ["total amount by year", ...rows.map(([year]) => String(year))]) assert.ok(drawn.texts.includes(text), `${text} is not in ${drawn.texts.join("|")}`);
    const line = drawn.lines.find((heights) => heights.length === rows.length);
    assert.ok(line, JSON.stringify(drawn.lines));
    // Downwards on the screen is downwards in the figures.
    const order = (values) => values.map((_, n) => n).sort((one, other) => values[one] - values[other]);
    assert.deepEqual(order(line.map((height) => -height)), order(rows.map(([, amount]) => amount)));
    const told = await toldChart(page);
    assert.equal(told.label, "Chart: total amount by year; its numbers are in the table below");
    assert.deepEqual(told.rows.slice(1), rows.map(([year, amount]) => [String(year), String(amount)]));
  }
});

test("a map of the permits has a marker for each row of the data set, each with its own words", async () => {
  const rows = await demo.rows("permits", "SELECT district, address, latitude, longitude, cost FROM permits ORDER BY cost DESC LIMIT 5");
  const page = await chat("permits");
  await ask(page, "Where are the top 5 permits by cost? Show a map", /Map created: 5 features around latitude/);
  const markers = page.locator("path.map-point");
  await markers.nth(4).waitFor();
  assert.equal(await markers.count(), 5);
  const middles = await markers.evaluateAll((paths) => paths.map((path) => path.getBoundingClientRect()).map(({ x, y }) => [x, y]));
  const order = (values) => values.map((_, n) => n).sort((one, other) => values[one] - values[other]);
  assert.deepEqual(order(middles.map(([x]) => x)), order(rows.map(([, , , longitude]) => longitude)), "from west to east");
  assert.deepEqual(order(middles.map(([, y]) => -y)), order(rows.map(([, , latitude]) => latitude)), "from south to north");

  const places = page.getByRole("list", { name: "Places of the map" }).getByRole("button");
  const told = await places.allInnerTexts();
  for (const [n, [district, address, latitude, longitude, cost]] of rows.entries()) {
    for (const words of [`district: ${district}`, `address: ${address}`, `cost: ${cost}`, `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`]) assert.ok(told[n].includes(words), `${words} is not in ${told[n]}`);
  }
  await page.getByRole("application", { name: "Map; its places are in the list beside it" }).waitFor();
  const popup = page.locator(".leaflet-popup-content");
  await markers.nth(2).click();
  await popup.getByText(`address: ${rows[2][1]}`).waitFor();
  await places.nth(4).press("Enter");
  await popup.getByText(`address: ${rows[4][1]}`).waitFor();
  assert.equal(await page.locator(".map img").count(), 0, "no tiles where none were named");
});

test("a map of the grants shows institutions of the other data set, and no agent reads both", async () => {
  const rows = await demo.rows("grants", "SELECT institution, amount FROM grants ORDER BY amount DESC LIMIT 3");
  const page = await chat("grants");
  await ask(page, "Show a map of the 3 largest grants: top 3 by amount", /Map created: 3 features/);
  assert.equal(await page.locator("path.map-point").count(), 3);
  const told = await page.getByRole("list", { name: "Places of the map" }).getByRole("button").allInnerTexts();
  for (const [n, [institution, amount]] of rows.entries()) assert.ok(told[n].includes(`institution: ${institution}`) && told[n].includes(`amount: ${amount}`), told[n]);
  await ask(page, "What data is there?", /The data set has these tables/);
  const answer = await page.getByRole("article", { name: "Assistant" }).last().innerText();
  assert.match(answer, /grants \(2000 rows\)/);
  assert.doesNotMatch(answer, /permits/);
});
