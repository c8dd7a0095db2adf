/** A map that somebody else described: a centre `[lat, lon]` and a GeoJSON FeatureCollection, whose positions are `[lon, lat]`. Everything is checked. */
import { ActivityError, isObject } from "./chart";

const FEATURES_MAX = 2_000;
const POSITIONS_MAX = 50_000;
const TEXT_MAX = 2_000;

/** Latitude, longitude. */
export type Point = readonly [number, number];

export interface Place {
  readonly name: string;
  /** Plain text. */
  readonly popup: string;
  readonly points: readonly Point[];
  readonly lines: readonly (readonly Point[])[];
  /** Rings: the first is the outline, the others are holes. */
  readonly areas: readonly (readonly (readonly Point[])[])[];
}

export interface ReadMap {
  readonly center: Point;
  readonly zoom: number | undefined;
  readonly places: readonly Place[];
}

/** Throws an `ActivityError` in words where it cannot be drawn. */
export function readMap(content: unknown): ReadMap {
  if (!isObject(content)) throw new ActivityError("The map is not an object.");
  const { center, zoom, features } = content;
  const list = isObject(features) ? features["features"] : features;
  if (!Array.isArray(list)) throw new ActivityError("The map has no list of features.");
  if (list.length > FEATURES_MAX) throw new ActivityError(`The map has more than ${FEATURES_MAX} features.`);
  const budget = { positions: 0 };
  const places = list.map((feature, at) => readFeature(feature, at, budget));
  return {
    center: readCenter(center),
    zoom: typeof zoom === "number" && Number.isFinite(zoom) ? Math.min(Math.max(Math.round(zoom), 0), 18) : undefined,
    places,
  };
}

function readCenter(center: unknown): Point {
  if (!Array.isArray(center) || center.length !== 2) throw new ActivityError("The centre of the map must be [latitude, longitude].");
  const [latitude, longitude] = center as unknown[];
  if (!inRange(latitude, 90) || !inRange(longitude, 180)) throw new ActivityError("The centre of the map is not on the earth. It must be [latitude, longitude], in degrees.");
  return [latitude, longitude];
}

function inRange(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= most;
}

function readFeature(feature: unknown, at: number, budget: { positions: number }): Place {
  if (!isObject(feature)) throw new ActivityError(`Feature ${at + 1} is not an object.`);
  const properties = isObject(feature["properties"]) ? feature["properties"] : {};
  const place = { points: [] as Point[], lines: [] as Point[][], areas: [] as Point[][][] };
  collect(feature["geometry"], at, place, budget);
  const name = [properties["name"], properties["title"], properties["label"]].find((value) => typeof value === "string" && value !== "");
  const popup = properties["popup"];
  return { ...place, name: cut(typeof name === "string" ? name : `Feature ${at + 1}`), popup: cut(typeof popup === "string" ? popup : "") };
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

interface Shapes {
  readonly points: Point[];
  readonly lines: Point[][];
  readonly areas: Point[][][];
}

function collect(geometry: unknown, at: number, place: Shapes, budget: { positions: number }): void {
  // A feature without a place is one all the same (RFC 7946, section 3.2).
  if (geometry === null) return;
  if (!isObject(geometry)) throw new ActivityError(`Feature ${at + 1} has no geometry.`);
  const { type, coordinates, geometries } = geometry;
  const position = (value: unknown): Point => {
    budget.positions += 1;
    if (budget.positions > POSITIONS_MAX) throw new ActivityError(`The map has more than ${POSITIONS_MAX} positions.`);
    const [longitude, latitude] = Array.isArray(value) ? (value as unknown[]) : [];
    if (!inRange(longitude, 180) || !inRange(latitude, 90)) throw new ActivityError(`A position of feature ${at + 1} is not on the earth. GeoJSON writes [longitude, latitude].`);
    return [latitude, longitude];
  };
  const several = <Read>(value: unknown, read: (entry: unknown) => Read): Read[] => {
    if (!Array.isArray(value)) throw new ActivityError(`The coordinates of feature ${at + 1} are not a list.`);
    return value.map(read);
  };
  const line = (value: unknown): Point[] => several(value, position);
  const area = (value: unknown): Point[][] => several(value, line);
  switch (type) {
    case "GeometryCollection":
      return void several(geometries, (each) => collect(each, at, place, budget));
    case "Point":
      return void place.points.push(position(coordinates));
    case "MultiPoint":
      return void place.points.push(...line(coordinates));
    case "LineString":
      return void place.lines.push(line(coordinates));
    case "MultiLineString":
      return void place.lines.push(...area(coordinates));
    case "Polygon":
      return void place.areas.push(area(coordinates));
    case "MultiPolygon":
      return void place.areas.push(...several(coordinates, area));
    default:
      throw new ActivityError(`A geometry of the type ${JSON.stringify(type ?? null)} is not drawn here.`);
  }
}

/** Where to go for a place: the middle of its box. */
export function middleOf(place: Place): Point | undefined {
  const all = [...place.points, ...place.lines.flat(), ...place.areas.flat(2)];
  if (all.length === 0) return undefined;
  let [south, west, north, east] = [90, 180, -90, -180];
  for (const [latitude, longitude] of all) {
    [south, north] = [Math.min(south, latitude), Math.max(north, latitude)];
    [west, east] = [Math.min(west, longitude), Math.max(east, longitude)];
  }
  return [(south + north) / 2, (west + east) / 2];
}

/** What a place is, in a word. */
export function kindOf(place: Place): string {
  if (place.areas.length > 0) return "area";
  return place.lines.length > 0 ? "line" : "point";
}
