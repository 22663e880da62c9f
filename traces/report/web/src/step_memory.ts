// Draws the memory that dies use over time, below a line for the memory of a die: of a step's stages, or of two steps in one chart.
import uPlot from "uplot";
import { choice, el } from "./dom.js";
import { Columns, read_columns } from "./model.js";
import { ink, series_color, viridisAt } from "./palette.js";
import { PlotLink, time_axes } from "./plot_link.js";
import type { StepSection } from "./step_data.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, time_text } from "./time_axis.js";

const gibibyte = 2 ** 30, chart_height = 240;

// A stage's times, ascending, and the bytes that its die holds from each time on.
interface Curve { times: number[]; held: number[] }

export function curves_of(columns: Columns, stages: number): Curve[] {
  const curves: Curve[] = Array.from({ length: stages }, () => ({ times: [], held: [] }));
  columns.stage!.forEach((stage, i) => {
    curves[stage]!.times.push(columns.time![i]!);
    curves[stage]!.held.push(columns.bytes![i]!);
  });
  return curves;
}

const most_of = (curve: Curve) => curve.held.reduce((a, b) => Math.max(a, b), 0);
const fullest_of = (curves: Curve[]) => curves.reduce((best, curve, stage) => (most_of(curve) > most_of(curves[best]!) ? stage : best), 0);

// A line of the chart: what a die holds up to the end of its step.
interface Line { name: string; color: () => string; width: number; curve: Curve; end: number }

// Returns all lines sampled at the times of all; none beyond its step's end.
function aligned(lines: Line[], end: number): { times: number[]; held: (number | null)[][] } {
  const times = [...new Set([0, ...lines.flatMap(({ curve, end: own }) => [...curve.times, own]), end])].sort((a, b) => a - b);
  const held = lines.map(({ curve, end: own }) => {
    let at = 0;
    return times.map((time) => {
      while (at + 1 < curve.times.length && curve.times[at + 1]! <= time) ++at;
      return time > own ? null : curve.held[at] ?? 0;
    });
  });
  return { times, held };
}

class MemoryChart {
  readonly element = el("div", { class: "over-time step-memory" });
  private plot: uPlot | null = null;
  private link: PlotLink;

  constructor(private lines: Line[], private capacities: number[], private time: TimeAxis, private title: string) {
    this.link = new PlotLink(() => (this.plot ? [this.plot] : []), time);
    this.build();
    on_theme(() => this.build());
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height: chart_height })).observe(this.element);
  }

  show(lines: Line[]): void {
    this.lines = lines;
    this.build();
  }

  private width(): number {
    return Math.max(260, Math.min(1400, this.element.clientWidth || 900));
  }

  private build(): void {
    this.plot?.destroy();
    const { times, held } = aligned(this.lines, this.time.end), t = theme(), place = el("div"), values = el("div", { class: "values" });
    const most = Math.max(...this.capacities, ...this.lines.map(({ curve }) => most_of(curve))) / gibibyte;
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const fill = (plot: uPlot) => this.fill_legend(plot, values);
    this.element.replaceChildren(place);
    this.plot = new uPlot({
      width: this.width(), height: chart_height, title: this.title,
      series: [{}, ...this.capacities.map((): uPlot.Series => ({ stroke: t.text, width: 1.5, dash: [6, 4], points: { show: false } })),
        ...this.lines.map((line): uPlot.Series => ({ stroke: line.color(), width: line.width, points: { show: false }, paths: stepped }))],
      cursor: { drag: { x: true, y: false } }, scales: { x: { time: false }, y: { range: () => [0, most * 1.05] } }, axes: time_axes(),
      legend: { show: false },
      hooks: { setScale: [(plot, scale) => scale === "x" && this.link.lead(plot)], setCursor: [fill], ready: [fill] },
    }, [times.map((ps) => ps / 1e9), ...this.capacities.map((bytes) => times.map(() => bytes / gibibyte)), ...held.map((of) => of.map((bytes) => (bytes === null ? null : bytes / gibibyte)))], place);
    place.append(values);
    this.link.follow();
  }

  // Shows what dies hold at the pointer's time, or at their fullest while the pointer is elsewhere.
  private fill_legend(plot: uPlot, values: HTMLElement): void {
    const at = plot.cursor.idx, limit = el("i", { class: "swatch path" }), sizes = this.capacities.map((bytes) => (bytes / gibibyte).toFixed(0));
    const entries = this.lines.map((line, i) => {
      const key = el("i", { class: "swatch" });
      key.style.background = line.color();
      const value = at == null ? null : plot.data[i + 1 + this.capacities.length]![at];
      const words = at == null ? `${(most_of(line.curve) / gibibyte).toFixed(1)} at most` : value == null ? "ended" : value.toFixed(1);
      return el("span", {}, key, `${line.name}: ${words}`);
    });
    values.replaceChildren(el("span", {}, limit, `a die has ${sizes.join(" or ")}`), ...entries,
      ...(at == null ? [] : [el("span", {}, `at ${time_text(plot.data[0]![at]! * 1e9)}`)]));
  }
}

// Shows what the dies of a step's stages hold.
export class StepMemory {
  readonly element: HTMLElement;
  readonly curves: Curve[];

  constructor(columns: Columns, stages: number, capacity: number, time: TimeAxis, end: number) {
    this.curves = curves_of(columns, stages);
    const lines = this.curves.map((curve, stage): Line => ({ name: `stage ${stage}`, color: () => this.color(stage), width: 1.5, curve, end }));
    this.element = new MemoryChart(lines, [capacity], time, "Memory of a die, GiB").element;
  }

  most(stage: number): number {
    return most_of(this.curves[stage]!);
  }

  private color(stage: number): string {
    const stages = this.curves.length, hues = 7;
    if (stages <= hues) return series_color(theme(), stage);
    return viridisAt(theme().background === "#ffffff" ? (0.88 * stage) / (stages - 1) : 0.3 + (0.7 * stage) / (stages - 1));
  }
}

// Lays what dies of several steps hold over one another: of each step its fullest die, or a stage that the reader chooses.
export async function memory_over(sections: StepSection[], heads: string[], time: TimeAxis): Promise<HTMLElement> {
  const curves = await Promise.all(sections.map(async (section) => curves_of(await read_columns(section.memory), section.step.stages.length)));
  const lines = (chosen: number) => sections.map((section, i): Line => {
    const own = curves[i]!, stage = chosen < 0 ? fullest_of(own) : Math.min(chosen, own.length - 1);
    return { name: `${heads[i]}, ${own.length > 1 ? `stage ${stage}` : "its die"}`, color: () => series_color(theme(), ink(4 * i)), width: 1.5 + 0.75 * i, curve: own[stage]!, end: section.facts.step_ps };
  });
  const chart = new MemoryChart(lines(-1), [...new Set(sections.map(({ step }) => step.capacity_bytes))], time, "Memory of a die in both steps, GiB");
  const stages = Math.max(...curves.map((own) => own.length)), options: [string, string][] = [["-1", "the fullest of each step"], ...Array.from({ length: stages }, (_, stage): [string, string] => [String(stage), `stage ${stage}`])];
  const chosen = choice("die", options, "-1", (value) => chart.show(lines(Number(value))));
  return el("div", { class: "both-memories" }, stages > 1 ? el("div", { class: "bar" }, chosen) : null, chart.element);
}
