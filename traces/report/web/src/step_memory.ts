// Draws the memory that a step's stages use over time, below a line for the memory of a die.
import uPlot from "uplot";
import { el } from "./dom.js";
import { Columns } from "./model.js";
import { series_color, viridisAt } from "./palette.js";
import { PlotLink, time_axes } from "./plot_link.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, time_text } from "./time_axis.js";

const gibibyte = 2 ** 30, chart_height = 240;

// A stage's dates, ascending, and the bytes that its die holds from each date on.
interface Curve { dates: number[]; held: number[] }

export function curves_of(columns: Columns, stages: number): Curve[] {
  const curves: Curve[] = Array.from({ length: stages }, () => ({ dates: [], held: [] }));
  columns.stage!.forEach((stage, i) => {
    curves[stage]!.dates.push(columns.time![i]!);
    curves[stage]!.held.push(columns.bytes![i]!);
  });
  return curves;
}

// Returns all curves sampled at the dates of all stages.
function aligned(curves: Curve[], end: number): { dates: number[]; held: number[][] } {
  const dates = [...new Set([0, ...curves.flatMap((curve) => curve.dates), end])].sort((a, b) => a - b);
  const held = curves.map((curve) => {
    let at = 0;
    return dates.map((date) => {
      while (at + 1 < curve.dates.length && curve.dates[at + 1]! <= date) ++at;
      return curve.held[at] ?? 0;
    });
  });
  return { dates, held };
}

export class StepMemory {
  readonly element = el("div", { class: "over-time step-memory" });
  readonly curves: Curve[];
  private plot: uPlot | null = null;
  private link: PlotLink;

  constructor(columns: Columns, stages: number, private capacity: number, time: TimeAxis) {
    this.curves = curves_of(columns, stages);
    this.link = new PlotLink(() => (this.plot ? [this.plot] : []), time);
    this.build(time.end);
    on_theme(() => this.build(time.end));
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height: chart_height })).observe(this.element);
  }

  most(stage: number): number {
    return this.curves[stage]!.held.reduce((a, b) => Math.max(a, b), 0);
  }

  private width(): number {
    return Math.max(260, Math.min(1400, this.element.clientWidth || 900));
  }

  private color(stage: number): string {
    const stages = this.curves.length, hues = 7;
    if (stages <= hues) return series_color(theme(), stage);
    return viridisAt(theme().background === "#ffffff" ? (0.88 * stage) / (stages - 1) : 0.3 + (0.7 * stage) / (stages - 1));
  }

  private build(end: number): void {
    this.plot?.destroy();
    const { dates, held } = aligned(this.curves, end), t = theme(), place = el("div"), values = el("div", { class: "values" });
    const most = Math.max(this.capacity, ...this.curves.map((_, stage) => this.most(stage))) / gibibyte;
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const line = (color: string): uPlot.Series => ({ stroke: color, width: 1.5, points: { show: false }, paths: stepped });
    const fill = (plot: uPlot) => this.fill_legend(plot, values);
    this.element.replaceChildren(place);
    this.plot = new uPlot({
      width: this.width(), height: chart_height, title: "Memory of a die, GiB",
      series: [{}, { stroke: t.text, width: 1.5, dash: [6, 4], points: { show: false } }, ...this.curves.map((_, stage) => line(this.color(stage)))],
      cursor: { drag: { x: true, y: false } }, scales: { x: { time: false }, y: { range: () => [0, most * 1.05] } }, axes: time_axes(),
      legend: { show: false },
      hooks: { setScale: [(plot, scale) => scale === "x" && this.link.lead(plot)], setCursor: [fill], ready: [fill] },
    }, [dates.map((ps) => ps / 1e9), dates.map(() => this.capacity / gibibyte), ...held.map((of) => of.map((bytes) => bytes / gibibyte))], place);
    place.append(values);
    this.link.follow();
  }

  // Shows what dies hold at the pointer's date, or at their fullest while the pointer is elsewhere.
  private fill_legend(plot: uPlot, values: HTMLElement): void {
    const at = plot.cursor.idx, limit = el("i", { class: "swatch path" });
    const entries = this.curves.map((_, stage) => {
      const key = el("i", { class: "swatch" });
      key.style.background = this.color(stage);
      const words = at == null ? `${(this.most(stage) / gibibyte).toFixed(1)} at most` : plot.data[stage + 2]![at]!.toFixed(1);
      return el("span", {}, key, `stage ${stage}: ${words}`);
    });
    values.replaceChildren(el("span", {}, limit, `a die has ${(this.capacity / gibibyte).toFixed(0)}`), ...entries,
      ...(at == null ? [] : [el("span", {}, `at ${time_text(plot.data[0]![at]! * 1e9)}`)]));
  }
}
