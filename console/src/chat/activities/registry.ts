// What an activity of a type looks like. A new type is a component and a line here.
import type { ComponentType } from "preact";
import { ChartView } from "./ChartView";
import { JsonActivity } from "./JsonActivity";
import { MapView } from "./MapView";

export interface ActivityProps {
  readonly type: string;
  /** What came, unchecked: it is of a tool. */
  readonly content: unknown;
}

const RENDERERS = new Map<string, ComponentType<ActivityProps>>([
  ["application/json+echart", ChartView],
  ["application/json+leaflet", MapView],
]);

/** An unknown type is shown as what it is: JSON. */
export function rendererOf(type: string): ComponentType<ActivityProps> {
  return RENDERERS.get(type) ?? JsonActivity;
}
