/**
 * A chart that somebody else described: an ECharts option. It is copied, what models get wrong is repaired, and what could run, load or lead away is
 * left out and said. Only what is known to be harmless is handed to ECharts, and only up to a size.
 */
export class ActivityError extends Error {}

export const KINDS = ["bar", "line", "pie", "scatter", "heatmap"] as const;
/** As the gateway counts when it makes one: `tests/vectors/charts.json`. */
export const LIMITS = { series: 50, points: 20_000, values: 60_000, depth: 32 } as const;
const TEXT_MAX = 2_000;

/** These load, link, hold HTML or code, or draw over other things. */
const REFUSED = new Set([
  "link", "sublink", "target", "subtarget", "graphic", "toolbox", "renderItem", "image", "dataView", "brush", "geo", "parallel", "calendar", "timeline", "media",
  "extraCssText", "className", "appendTo", "appendToBody", "renderMode", "prototype", "universalTransition", "aria", "darkMode", "useUTC", "hoverLayerThreshold",
]);
/** The symbols that ECharts draws itself; `image://` and `path://` are none. */
const SYMBOLS = /^(?:empty)?(?:circle|rect|roundRect|triangle|diamond|pin|arrow|none)$/i;
/** The libraries below keep texts as names of plain objects: a text that every object has as a member would be found there, and changed. */
const MEMBERS = new RegExp(`\\b(${Object.getOwnPropertyNames(Object.prototype).join("|")})\\b`, "g");
/** Joins words and is not seen. */
const JOINER = "\u2060";
/** Words of others stand only where they are drawn as text. */
const COLOUR = /^(?:#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([\d\s.,%/deg-]+\)|[a-z]+)$/i;

export interface Chart {
  readonly option: Record<string, unknown>;
  /** What was left out or changed, in words. */
  readonly notes: readonly string[];
}

/** Throws an `ActivityError` in words where it cannot be drawn. */
export function readChart(content: unknown): Chart {
  const notes = new Set<string>();
  const given = unwrapped(content);
  const budget = { nodes: 0 };
  const option = copied(given, "", 0, budget, notes) as Record<string, unknown>;
  repair(option, notes);
  checkSeries(option);
  const { tooltip } = option;
  option["tooltip"] = { ...(isObject(tooltip) ? tooltip : { trigger: "item" }), renderMode: "richText", confine: true };
  return { option, notes: [...notes] };
}

/** The option itself, also where it came as text or in a wrapper. */
function unwrapped(content: unknown): Record<string, unknown> {
  let value = typeof content === "string" ? parsed(content) : content;
  for (const name of ["option", "config", "options"]) {
    if (isObject(value) && !("series" in value) && name in value) value = typeof value[name] === "string" ? parsed(value[name] as string) : value[name];
  }
  if (!isObject(value)) throw new ActivityError("The chart is not an object.");
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ActivityError("The chart is text that is not JSON.");
  }
}

/** Members whose text may be JSON that was written twice. */
const STRUCTURED = new Set(["series", "xAxis", "yAxis", "legend", "grid", "dataset", "visualMap", "dataZoom", "data", "source"]);

/** `listed`: an entry of a list, where text is text, also when it looks like JSON. */
function copied(value: unknown, name: string, depth: number, budget: { nodes: number }, notes: Set<string>, listed = false): unknown {
  budget.nodes += 1;
  if (budget.nodes > LIMITS.values) throw new ActivityError(`The chart is too large to be drawn here: it has more than ${LIMITS.values} values.`);
  if (depth >= LIMITS.depth) throw new ActivityError("The chart is nested too deep.");
  if (typeof value === "string") return listed ? plainText(value, name, notes) : text(value, name, depth, budget, notes);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => copied(entry, name, depth + 1, budget, notes, true));
  if (!isObject(value)) {
    notes.add(`${name}: what is no JSON was left out.`);
    return undefined;
  }
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // Set in any case: the gateway's own charts have it.
    if (key === "renderMode" && member === "richText") {
      budget.nodes += 1;
      continue;
    }
    if (REFUSED.has(key) || key in Object.prototype || (/^on/i.test(key) && typeof member === "string")) {
      notes.add(`${key} was left out.`);
      budget.nodes += 1;
      continue;
    }
    const kept = copied(member, key, depth + 1, budget, notes);
    if (kept !== undefined) result[key] = kept;
  }
  return result;
}

function text(value: string, name: string, depth: number, budget: { nodes: number }, notes: Set<string>): unknown {
  if (STRUCTURED.has(name) && /^\s*[[{]/.test(value)) {
    try {
      notes.add(`${name} came as text and was read as JSON.`);
      budget.nodes -= 1;
      return copied(JSON.parse(value), "", depth, budget, notes);
    } catch {
      throw new ActivityError(`${name} is text that is not JSON.`);
    }
  }
  return plainText(value, name, notes);
}

function plainText(value: string, name: string, notes: Set<string>): string | undefined {
  if (/symbol$|^icon$/i.test(name) && !SYMBOLS.test(value)) {
    notes.add(`The symbol of ${name} was left out.`);
    return undefined;
  }
  if (/colou?r$/i.test(name) && !COLOUR.test(value)) {
    notes.add(`The colour of ${name} was left out.`);
    return undefined;
  }
  if (/formatter$/i.test(name) && /^\s*(?:async\b|function\b|\(?[\w\s,]*\)?\s*=>)/.test(value)) {
    notes.add(`${name} is code and was left out.`);
    return undefined;
  }
  const cut = value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value;
  return cut.replace(MEMBERS, (word) => word.slice(0, 1) + JOINER + word.slice(1));
}

/** What models write that ECharts does not read. */
function repair(option: Record<string, unknown>, notes: Set<string>): void {
  for (const name of ["title", "subtitle"]) {
    if (typeof option[name] === "string") option[name] = { text: option[name] };
  }
  if (isObject(option["subtitle"])) {
    option["title"] = { ...(isObject(option["title"]) ? option["title"] : {}), subtext: option["subtitle"]["text"] };
    delete option["subtitle"];
  }
  if (isObject(option["series"])) option["series"] = [option["series"]];
  for (const name of ["xAxis", "yAxis"]) {
    const axis = option[name];
    if (Array.isArray(axis) && axis.every((entry) => typeof entry === "string" || typeof entry === "number")) option[name] = { type: "category", data: axis };
    if (typeof axis === "string") option[name] = { name: axis };
  }
  if (Array.isArray(option["legend"])) option["legend"] = { data: option["legend"] };
  if (typeof option["legend"] === "boolean") option["legend"] = { show: option["legend"] };
  const series = listOf(option["series"]);
  const cartesian = series.some((one) => isObject(one) && one["type"] !== "pie");
  if (cartesian) {
    const scatter = series.every((one) => isObject(one) && one["type"] === "scatter");
    option["xAxis"] ??= { type: scatter ? "value" : "category" };
    option["yAxis"] ??= { type: series.some((one) => isObject(one) && one["type"] === "heatmap") ? "category" : "value" };
  }
  // A heat map without a scale has no colours.
  if (series.some((one) => isObject(one) && one["type"] === "heatmap")) option["visualMap"] ??= { calculable: true, orient: "horizontal", left: "center", bottom: 0, ...bounds(series) };
  if (option["series"] === undefined && isObject(option["dataset"])) notes.add("The chart names no series.");
}

function bounds(series: readonly unknown[]): { min: number; max: number } {
  let [min, max] = [0, 1];
  for (const one of series) {
    for (const point of listOf(isObject(one) ? one["data"] : undefined)) {
      const value = Number(Array.isArray(point) ? point[2] : isObject(point) && Array.isArray(point["value"]) ? point["value"][2] : Number.NaN);
      if (Number.isFinite(value)) [min, max] = [Math.min(min, value), Math.max(max, value)];
    }
  }
  return { min, max };
}

function checkSeries(option: Record<string, unknown>): void {
  const series = listOf(option["series"]);
  if (series.length === 0) throw new ActivityError("The chart has no series.");
  if (series.length > LIMITS.series) throw new ActivityError(`The chart has more than ${LIMITS.series} series.`);
  let points = 0;
  for (const one of listOf(option["dataset"])) points += listOf(isObject(one) ? one["source"] : undefined).length;
  for (const one of series) {
    const type = isObject(one) ? one["type"] : undefined;
    if (!(KINDS as readonly unknown[]).includes(type)) throw new ActivityError(`A series of the type ${JSON.stringify(type ?? null)} is not drawn here; ${KINDS.join(", ")} are.`);
    points += listOf((one as Record<string, unknown>)["data"]).length;
  }
  if (points > LIMITS.points) throw new ActivityError(`The chart has more than ${LIMITS.points} points.`);
}

export interface Sheet {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The same numbers as a table, for who does not see the drawing or wants to read them. */
export function tableOf(option: Record<string, unknown>): Sheet {
  const title = isObject(option["title"]) ? words(option["title"]["text"]) : "";
  const source = isObject(option["dataset"]) ? option["dataset"]["source"] : undefined;
  if (Array.isArray(source) && source.length > 0) return { title, ...ofSource(source) };
  const series = listOf(option["series"]).filter(isObject);
  const categories = [option["xAxis"], option["yAxis"]].flatMap(listOf).filter(isObject).find((axis) => Array.isArray(axis["data"]));
  const names = listOf(categories?.["data"]).map((entry) => words(isObject(entry) ? entry["value"] : entry));
  const flat = series.every((one) => ["bar", "line"].includes(String(one["type"])) && listOf(one["data"]).every((entry) => !Array.isArray(entry) && !(isObject(entry) && Array.isArray(entry["value"]))));
  if (flat && names.length > 0) {
    const head = [words(categories?.["name"]) || "Category", ...series.map((one, at) => words(one["name"]) || `Series ${at + 1}`)];
    return { title, head, rows: names.map((name, row) => [name, ...series.map((one) => words(valueOf(listOf(one["data"])[row])))]) };
  }
  const rows: string[][] = [];
  let width = 1;
  for (const [at, one] of series.entries()) {
    for (const [row, entry] of listOf(one["data"]).entries()) {
      const name = isObject(entry) && entry["name"] !== undefined ? words(entry["name"]) : one["type"] === "pie" || !Array.isArray(valueOf(entry)) ? names[row] ?? String(row + 1) : "";
      const values = listOf(valueOf(entry)).map(words);
      width = Math.max(width, values.length);
      rows.push([words(one["name"]) || `Series ${at + 1}`, name, ...values]);
    }
  }
  const head = ["Series", "Name", ...(width === 1 ? ["Value"] : ["x", "y", "Value", "Value 2"].slice(0, width))];
  return { title, head, rows: rows.map((row) => head.map((_, column) => row[column] ?? "")) };
}

function ofSource(source: readonly unknown[]): Pick<Sheet, "head" | "rows"> {
  const [first] = source;
  if (Array.isArray(first)) return { head: first.map(words), rows: source.slice(1).map((row) => listOf(row).map(words)) };
  const head = [...new Set(source.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  return { head, rows: source.map((row) => head.map((name) => words(isObject(row) ? row[name] : ""))) };
}

function valueOf(entry: unknown): unknown {
  return isObject(entry) ? entry["value"] : entry;
}

function words(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
