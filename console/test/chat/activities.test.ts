import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ActivityError, LIMITS, readChart, tableOf } from "../../src/chat/activities/chart";
import { kindOf, middleOf, readMap } from "../../src/chat/activities/map";

const bar = { type: "bar", data: [1, 2] };
const refused = (content: unknown, words: RegExp) => assert.throws(() => readChart(content), (fault: unknown) => fault instanceof ActivityError && words.test(fault.message), String(words));

test("what models write wrongly is repaired", () => {
  const { option, notes } = readChart({ title: "T", subtitle: "S", xAxis: ["a", "b"], legend: true, series: JSON.stringify(bar) });
  assert.deepEqual(option["title"], { text: "T", subtext: "S" });
  assert.deepEqual(option["xAxis"], { type: "category", data: ["a", "b"] });
  assert.deepEqual([option["yAxis"], option["series"], option["legend"]], [{ type: "value" }, [bar], { show: true }]);
  assert.ok(notes.some((note) => note.includes("series came as text")));
  for (const wrapped of [JSON.stringify({ series: bar }), { option: { series: bar } }, { config: JSON.stringify({ series: [bar] }) }]) assert.deepEqual(readChart(wrapped).option["series"], [bar]);
});

test("the option of others is not changed, and the tooltip holds no HTML", () => {
  const given = Object.freeze({ tooltip: Object.freeze({ trigger: "axis", renderMode: "html", formatter: "<b>{b}</b>" }), series: Object.freeze([Object.freeze(bar)]) });
  const { option } = readChart(given);
  assert.deepEqual(option["tooltip"], { trigger: "axis", formatter: "<b>{b}</b>", renderMode: "richText", confine: true });
  assert.deepEqual(readChart({ series: bar, tooltip: { renderMode: "richText" } }).notes, [], "as the gateway's own charts say it");
  assert.deepEqual(readChart({ series: bar, tooltip: [{}] }).option["tooltip"], { trigger: "item", renderMode: "richText", confine: true });
});

test("what could run, load or lead away is left out and said", () => {
  const { option, notes } = readChart({
    title: { text: "T", link: "javascript:1" },
    toolbox: {}, graphic: [{}], onclick: "x",
    color: ["#fff", "url(https://evil.invalid/a)", "rgb(1, 2, 3)"],
    series: [{ ...bar, symbol: "image://x", itemStyle: { color: { image: "x" } }, label: { formatter: "function(){}" }, renderItem: "x" }, { type: "line", symbol: "emptyCircle", lineStyle: { color: "red;x" }, data: [1] }],
  });
  assert.deepEqual(option["title"], { text: "T" });
  assert.deepEqual(option["color"], ["#fff", undefined, "rgb(1, 2, 3)"]);
  assert.deepEqual(option["series"], [{ type: "bar", data: [1, 2], itemStyle: { color: {} }, label: {} }, { type: "line", symbol: "emptyCircle", lineStyle: {}, data: [1] }]);
  for (const gone of ["toolbox", "graphic", "onclick"]) assert.ok(!(gone in option) && notes.some((note) => note.startsWith(gone)), gone);
});

test("a text that every object has as a member is none to the libraries", () => {
  const { option } = readChart(JSON.parse('{"__proto__":{"x":1},"series":{"type":"bar","name":"__proto__","data":[{"value":1,"name":"the constructor of it"}],"toString":1}}'));
  const [series] = option["series"] as [{ name: string; data: { name: string }[]; toString: unknown }];
  assert.notEqual(series.name, "__proto__");
  assert.equal(series.name.replaceAll("\u2060", ""), "__proto__");
  assert.equal(series.data[0]?.name.replaceAll("\u2060", ""), "the constructor of it");
  assert.ok(!series.data[0]?.name.includes("constructor"));
  assert.equal(typeof series.toString, "function");
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test("what cannot be drawn is refused in words", () => {
  refused("no", /not JSON/);
  refused([1], /not an object/);
  refused({}, /no series/);
  refused({ series: [{ type: "gauge" }] }, /"gauge" is not drawn here/);
  refused({ series: [{ data: [1] }] }, /null is not drawn/);
  refused({ series: Array.from({ length: 51 }, () => bar) }, /50 series/);
  refused({ series: [{ type: "line", data: Array.from({ length: 20_001 }, () => 1) }] }, /20000 points/);
  refused({ series: bar, dataset: Array.from({ length: 70_000 }, () => 1) }, /too large/);
  let deep: unknown = 1;
  for (let level = 0; level < 40; level += 1) deep = { deep };
  refused({ series: bar, deep }, /too deep/);
});

/** A case of the vectors with its shorthands written out. */
function writtenOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(writtenOut);
  if (typeof value !== "object" || value === null) return value;
  const { $times, of, $nested, $text } = value as { $times?: number; of?: unknown; $nested?: number; $text?: unknown };
  if ($times !== undefined) return Array.from({ length: $times }, () => writtenOut(of));
  if ($nested !== undefined) return Array.from({ length: $nested }).reduce<unknown>((inner) => ({ in: inner }), 1);
  if ($text !== undefined) return JSON.stringify(writtenOut($text));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, writtenOut(member)]));
}

test("what the gateway creates is drawn, and what it refuses for its size is not", () => {
  const { limits, cases } = JSON.parse(readFileSync(new URL("../../tests/vectors/charts.json", import.meta.url), "utf8")) as { limits: object; cases: { name: string; config: unknown; refused?: string }[] };
  assert.deepEqual(LIMITS, limits);
  for (const { name, config, refused: word } of cases) {
    const content = writtenOut(config);
    if (word === undefined) assert.doesNotThrow(() => readChart(content), name);
    else assert.throws(() => readChart(content), (fault: unknown) => fault instanceof ActivityError && fault.message.includes(word), name);
  }
});

test("the numbers are there as a table", () => {
  const of = (content: unknown) => {
    const { title, head, rows } = tableOf(readChart(content).option);
    return [title, head, ...rows];
  };
  assert.deepEqual(of({ title: "T", xAxis: { name: "Year", data: ["1", "2"] }, series: [{ ...bar, name: "n" }, { type: "line", data: [3, { value: 4 }] }] }), ["T", ["Year", "n", "Series 2"], ["1", "1", "3"], ["2", "2", "4"]]);
  assert.deepEqual(of({ series: { type: "pie", data: [{ name: "a", value: 1 }, { name: "b", value: 2 }] } }), ["", ["Series", "Name", "Value"], ["Series 1", "a", "1"], ["Series 1", "b", "2"]]);
  assert.deepEqual(of({ series: { type: "scatter", name: "s", data: [[1, 2], [3, 4]] } }), ["", ["Series", "Name", "x", "y"], ["s", "", "1", "2"], ["s", "", "3", "4"]]);
  assert.deepEqual(of({ dataset: { source: [["x", "y"], [1, 2]] }, series: [{ type: "bar" }] }), ["", ["x", "y"], ["1", "2"]]);
  assert.deepEqual(of({ dataset: { source: [{ x: 1, y: 2 }, { x: 3 }] }, series: [{ type: "bar" }] }), ["", ["x", "y"], ["1", "2"], ["3", ""]]);
  const heat = readChart({ series: { type: "heatmap", data: [[0, 0, 5], [0, 1, 9]] } });
  assert.deepEqual([(heat.option["visualMap"] as { max: number }).max, (heat.option["yAxis"] as { type: string }).type], [9, "category"]);
});

const point = (coordinates: unknown, properties: unknown = {}) => ({ type: "Feature", geometry: { type: "Point", coordinates }, properties });
const mapOf = (features: unknown[], more: object = {}) => ({ center: [52.5, 13.4], features: { type: "FeatureCollection", features }, ...more });

test("a map is read: the centre as [lat, lon], positions as [lon, lat]", () => {
  const { center, zoom, places } = readMap(mapOf([point([13.4, 52.5], { name: "Depot", popup: "<b>open</b>" }), { type: "Feature", geometry: { type: "MultiPolygon", coordinates: [[[[0, 0], [2, 0], [2, 4], [0, 0]]]] } }, { type: "Feature", geometry: { type: "LineString", coordinates: [[0, 0], [10, 20]] }, properties: null }], { zoom: 99.4 }));
  assert.deepEqual([center, zoom], [[52.5, 13.4], 18]);
  assert.deepEqual(places.map(({ name, popup }) => [name, popup]), [["Depot", "<b>open</b>"], ["Feature 2", ""], ["Feature 3", ""]]);
  assert.deepEqual(places.map((place) => [kindOf(place), middleOf(place)]), [["point", [52.5, 13.4]], ["area", [2, 1]], ["line", [10, 5]]]);
});

test("a feature without a place is listed, and a collection is drawn by its parts", () => {
  const collection = { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [1, 2] }, { type: "LineString", coordinates: [[3, 4], [5, 6]] }] };
  const { places } = readMap(mapOf([{ type: "Feature", geometry: null, properties: { name: "Somewhere" } }, { type: "Feature", geometry: collection }]));
  assert.deepEqual(places.map(({ name, points, lines }) => [name, points, lines]), [["Somewhere", [], []], ["Feature 2", [[2, 1]], [[[4, 3], [6, 5]]]]]);
  assert.deepEqual(places.map(middleOf), [undefined, [4, 3]]);
});

test("a map that is none is refused in words", () => {
  for (const [content, words] of [
    [[], /not an object/],
    [{ center: [1, 2] }, /list of features/],
    [mapOf([], { center: [152, 13] }), /not on the earth.*latitude, longitude/],
    [mapOf([], { center: [1] }), /must be/],
    [mapOf([], { center: ["1", 2] }), /not on the earth/],
    [mapOf([point([13.4, 152])]), /feature 1 is not on the earth/],
    [mapOf([point([null, 1])]), /feature 1 is not/],
    [mapOf([{ type: "Feature" }]), /no geometry/],
    [mapOf([{ geometry: { type: "Circle", coordinates: [] } }]), /"Circle" is not drawn/],
    [mapOf([{ geometry: { type: "LineString", coordinates: 3 } }]), /not a list/],
    [mapOf(Array.from({ length: 2_001 }, () => point([1, 2]))), /2000 features/],
    [mapOf([{ geometry: { type: "LineString", coordinates: Array.from({ length: 50_001 }, () => [1, 2]) } }]), /50000 positions/],
  ] as const) {
    assert.throws(() => readMap(content), (fault: unknown) => fault instanceof ActivityError && words.test(fault.message), String(words));
  }
});
