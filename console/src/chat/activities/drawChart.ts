// Loaded when the first chart appears. Only what is drawn here is taken from ECharts.
import { BarChart, HeatmapChart, LineChart, PieChart, ScatterChart } from "echarts/charts";
import {
  DatasetComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, TitleComponent, TooltipComponent,
  TransformComponent, VisualMapComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart, HeatmapChart, LineChart, PieChart, ScatterChart,
  DatasetComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, TitleComponent, TooltipComponent, TransformComponent, VisualMapComponent,
  SVGRenderer,
]);

/** A colour of the page as it comes out now: ECharts knows neither names nor light and dark. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draws into the element; gives a way to take it away again. */
export function drawChart(element: HTMLElement, option: Record<string, unknown>): () => void {
  const colour = (name: string): string => colourOf(element, name);
  const words = { color: colour("--text") };
  const axis = { axisLabel: words, nameTextStyle: words, axisLine: { lineStyle: { color: colour("--line-strong") } }, splitLine: { lineStyle: { color: colour("--line") } } };
  const theme = {
    color: ["--chart-1", "--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6"].map(colour),
    textStyle: { fontFamily: getComputedStyle(element).fontFamily },
    title: { textStyle: words, subtextStyle: { color: colour("--quiet") } },
    legend: { textStyle: words },
    visualMap: { textStyle: words },
    label: words,
    categoryAxis: axis,
    valueAxis: axis,
    timeAxis: axis,
    logAxis: axis,
  };
  const chart = init(element, theme, { renderer: "svg" });
  chart.setOption({ animation: !matchMedia("(prefers-reduced-motion: reduce)").matches, ...option });
  const sized = new ResizeObserver(() => chart.resize());
  sized.observe(element);
  return () => {
    sized.disconnect();
    chart.dispose();
  };
}
