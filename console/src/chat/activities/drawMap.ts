// Loaded when the first map appears. Leaflet's own controls write HTML from text, which the page's policy refuses: the page has buttons of its own.
import "leaflet/dist/leaflet.css";
import { circleMarker, latLngBounds, type Layer, layerGroup, map as makeMap, polygon, polyline, tileLayer, tooltip } from "leaflet";
import type { Place, ReadMap } from "./map";

export interface DrawnMap {
  zoom(by: number): void;
  /** Brings a place into view and opens its popup. */
  show(at: number): void;
  all(): void;
  remove(): void;
}

interface Tiles {
  readonly url: string;
  readonly attribution: string;
}

export function drawMap(element: HTMLElement, read: ReadMap, tiles: Tiles | null): DrawnMap {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = makeMap(element, {
    zoomControl: false, attributionControl: false, zoomAnimation: !still, fadeAnimation: !still, markerZoomAnimation: !still, worldCopyJump: true, minZoom: 1, maxZoom: 18, zoomSnap: 0.5,
  });
  const bounds = latLngBounds(read.places.flatMap((place) => [...place.points, ...place.lines.flat(), ...place.areas.flat(2)]).map(([latitude, longitude]) => [latitude, longitude]));
  const all = (): void => {
    if (read.zoom !== undefined || !bounds.isValid()) map.setView([read.center[0], read.center[1]], read.zoom ?? 4);
    else map.fitBounds(bounds.pad(0.2), { maxZoom: 14 });
  };
  // Shapes are drawn into a view: there must be one first.
  all();
  if (tiles === null) {
    const net = layerGroup().addTo(map);
    graticule(map, net);
    map.on("moveend", () => graticule(map, net));
  } else {
    tileLayer(tiles.url, { maxZoom: 18, referrerPolicy: "no-referrer" }).addTo(map);
  }
  const layers = read.places.map((place) => shapes(place).map((shape) => shape.addTo(map)));
  const sized = new ResizeObserver(() => map.invalidateSize());
  sized.observe(element);
  return {
    zoom: (by) => void map.setZoom(map.getZoom() + by),
    show: (at) => {
      const [first] = layers[at] ?? [];
      if (first === undefined) return;
      if ("getBounds" in first) map.fitBounds((first as ReturnType<typeof polygon>).getBounds().pad(0.3), { maxZoom: 14 });
      else map.panTo((first as ReturnType<typeof circleMarker>).getLatLng());
      first.openPopup();
    },
    all,
    remove: () => {
      sized.disconnect();
      map.remove();
    },
  };
}

/** Each shape with its popup. Words of others are text nodes. */
function shapes(place: Place): Layer[] {
  const words = (): HTMLElement => {
    const box = document.createElement("div");
    const name = document.createElement("strong");
    name.textContent = place.name;
    box.append(name);
    if (place.popup !== "") {
      const text = document.createElement("p");
      text.textContent = place.popup;
      box.append(text);
    }
    return box;
  };
  const point = (at: readonly [number, number]): [number, number] => [at[0], at[1]];
  return [
    ...place.points.map((at) => circleMarker(point(at), { radius: 8, className: "map-point" })),
    ...place.lines.map((line) => polyline(line.map(point), { className: "map-line" })),
    ...place.areas.map((rings) => polygon(rings.map((ring) => ring.map(point)), { className: "map-area" })),
  ].map((layer) => layer.bindPopup(words, { closeButton: false }));
}

/** Lines of latitude and longitude with their degrees: what a map is without tiles. */
function graticule(map: ReturnType<typeof makeMap>, net: ReturnType<typeof layerGroup>): void {
  net.clearLayers();
  const box = map.getBounds();
  const [west, east] = [Math.max(box.getWest(), -540), Math.min(box.getEast(), 540)];
  const [south, north] = [Math.max(box.getSouth(), -85), Math.min(box.getNorth(), 85)];
  const step = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001].find((size) => (east - west) / size >= 4) ?? 0.001;
  const line = (from: [number, number], to: [number, number], words: string, at: [number, number]): void => {
    net.addLayer(polyline([from, to], { className: "map-net", interactive: false }));
    const text = document.createElement("span");
    text.textContent = words;
    net.addLayer(tooltip({ permanent: true, direction: "center", className: "map-degree", interactive: false }).setLatLng(at).setContent(text));
  };
  const degrees = (value: number, positive: string, negative: string): string => `${Number(Math.abs(value).toFixed(3))}°${value > 0 ? positive : value < 0 ? negative : ""}`;
  for (let at = Math.ceil(west / step); at * step <= east; at += 1) {
    const longitude = at * step;
    const shown = ((((longitude + 180) % 360) + 360) % 360) - 180;
    line([south, longitude], [north, longitude], degrees(shown, "E", "W"), [south + (north - south) * 0.05, longitude]);
  }
  for (let at = Math.ceil(south / step); at * step <= north; at += 1) {
    line([at * step, west], [at * step, east], degrees(at * step, "N", "S"), [at * step, west + (east - west) * 0.06]);
  }
}
