// Draws quantities over time with uPlot: a line for the mean over ranks, and a band from the least to the most of a rank.
import uPlot from "uplot";
import { el } from "./dom.js";
import { color_of, known } from "./meanings.js";
import { Columns, Pass, read_columns } from "./model.js";
import { ink, series_color, tones } from "./palette.js";
import { on_theme, theme } from "./theme.js";
import { PlotLink, time_axes } from "./plot_link.js";
import { TimeAxis, time_text } from "./time_axis.js";

type Counters = NonNullable<Pass["counters"]>;
// What a chart draws: a counter of a run.
interface Line { run: number; counter: number; name: string }
interface Chart { title: string; unit: string; lines: Line[] }

// What is shown of a run.
export interface Quantities { name: string; counters: Counters }

// A chart holds the counters of a run that share an axis, or one counter of several runs.
function charts_of(runs: Quantities[]): Chart[] {
  const charts: Chart[] = [], several = runs.length > 1;
  runs.forEach(({ name: run_name, counters }, run) => counters.names.forEach((name, counter) => {
    const group = several ? name : name.endsWith("running") ? "running workers" : name.startsWith("link") ? "link" : name;
    const line = { run, counter, name: several ? run_name : name }, chart = charts.find((c) => c.title === group);
    if (chart) chart.lines.push(line);
    else charts.push({ title: group, unit: counters.units[counter]!, lines: [line] });
  }));
  return charts;
}

type Series = (number | null)[];

// A column's values are thousandths; a negative one means that there is no value.
function values_of(columns: Columns, name: string): Series {
  return Array.from(columns[name]!, (value) => (value < 0 ? null : value / 1000));
}

// Returns the mean over the visible stretch of time, and the most of a rank in it.
function summary(plot: uPlot, series: number): { mean: number; most: number } | null {
  const times = plot.data[0]!, { min, max } = plot.scales.x!, half = times.length > 1 ? (times[1]! - times[0]!) / 2 : Infinity;
  let sum = 0, number = 0, most = 0;
  for (let i = 0; i < times.length; ++i) {
    const mean = plot.data[series]![i];
    if (mean == null || times[i]! + half < (min ?? 0) || times[i]! - half > (max ?? Infinity)) continue;
    sum += mean;
    ++number;
    most = Math.max(most, plot.data[series + 2]![i] ?? 0);
  }
  return number > 0 ? { mean: sum / number, most } : null;
}

const number_text = (value: number | null | undefined) => (value == null ? "–" : value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0));

// Draws the machine's limit as a line of dots; the legend has its value.
function draw_limit(plot: uPlot, limit: number): void {
  if (limit <= 0) return;
  const { ctx, bbox } = plot, y = Math.round(plot.valToPos(limit, "y", true)), ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.strokeStyle = theme().text;
  ctx.setLineDash([1.5 * ratio, 2.5 * ratio]);
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

// Notes on what a chart's line and its limit are.
const of_links = "Links: a put's bytes are spread evenly over its time; what a rank would then send beyond its ports' rate is moved to the next time at which they have room. What arrives is spread the same way and has no limit of its own here: ports may receive faster than they send.";
const notes: { [chart: string]: string } = {
  "link out": of_links,
  link: of_links,
  HBM: "HBM: reads and writes together; the limit is the rate of reads alone.",
};

export class OverTime {
  readonly element = el("div", { class: "over-time" });
  private plots: uPlot[] = [];
  private columns: Columns[] = []; // one entry per run
  private link: PlotLink;

  constructor(private pass: string, private runs: Quantities[], time: TimeAxis) {
    this.link = new PlotLink(() => this.plots, time);
    on_theme(() => this.build());
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.load().catch((error: unknown) => this.element.replaceChildren(error instanceof Error ? error.message : String(error)));
  }

  private async load(): Promise<void> {
    this.columns = await Promise.all(this.runs.map(({ counters }) => read_columns(counters.packed)));
    this.build();
  }

  private build(): void {
    if (this.columns.length === 0) return;
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.element.replaceChildren();
    const sync = uPlot.sync(`time-${this.pass}`), width = this.width();
    for (const chart of charts_of(this.runs)) {
      const data = this.data_of(chart);
      if (!data) continue;
      const place = el("div"), legend = el("div", { class: "values" });
      this.element.append(place);
      this.plots.push(new uPlot(this.options(chart, sync.key, width, legend), data, place));
      place.append(legend);
    }
    this.fit();
    this.link.follow();
  }

  private data_of(chart: Chart): uPlot.AlignedData | null {
    // All runs are drawn at the times of the longest.
    const { packed, stretch_ps: stretch } = this.runs.map(({ counters }) => counters).reduce((a, b) => (b.stretch_ps * b.packed.rows > a.stretch_ps * a.packed.rows ? b : a));
    const data: Series[] = [Array.from({ length: packed.rows }, (_, i) => ((i + 0.5) * stretch) / 1e9)];
    let any = false;
    for (const { run, counter } of chart.lines) {
      const own = this.runs[run]!.counters.stretch_ps;
      for (const what of ["mean", "least", "most"]) {
        const of_run = values_of(this.columns[run]!, `${what}_${counter}`), values = own === stretch ? of_run : data[0]!.map((ms) => of_run[Math.floor((ms! * 1e9) / own)] ?? null);
        any = any || values.some((value) => value !== null && value > 0);
        data.push(values);
      }
    }
    return any ? (data as uPlot.AlignedData) : null;
  }

  // Several runs differ in tone, the last one darkest.
  private color({ run, counter }: Line, chart: Chart): string {
    if (this.runs.length > 1) return series_color(theme(), ink(Math.max(0, 5 * (this.runs.length - 1 - run))));
    const name = this.runs[run]!.counters.names[counter]!, at = chart.lines.findIndex((line) => line.counter === counter);
    return series_color(theme(), known("counter", name) ? color_of("counter", name) : ink(at % tones));
  }

  private options(chart: Chart, key: string, width: number, legend: HTMLElement): uPlot.Options {
    const series: uPlot.Series[] = [{}], bands: uPlot.Band[] = [], limit = this.limit(chart);
    chart.lines.forEach((line, n) => {
      const color = this.color(line, chart);
      series.push({ stroke: color, width: 1.5, dash: this.runs.length === 1 && n % 2 === 1 ? [5, 3] : [], points: { show: false } }, { width: 0, points: { show: false } }, { width: 0, points: { show: false } });
      bands.push({ series: [3 * n + 3, 3 * n + 2], fill: color + "33" });
    });
    const fill = (plot: uPlot) => this.fill_legend(plot, chart, legend);
    return {
      width, height: 150, title: chart.title + (chart.unit ? `, ${chart.unit}` : ""), series, bands,
      cursor: { sync: { key, setSeries: false }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, (chart.unit === "%" ? 100 : Math.max(most || 1, limit)) * 1.08] } },
      axes: time_axes(),
      legend: { show: false },
      hooks: { setScale: [(plot, scale) => scale === "x" && (this.link.lead(plot), fill(plot))], setCursor: [fill], ready: [fill], draw: [(plot) => draw_limit(plot, limit)] },
    };
  }

  // Returns what the machine allows of the chart's quantities; 0 if that is not known.
  private limit(chart: Chart): number {
    return Math.max(...chart.lines.map(({ run, counter }) => this.runs[run]!.counters.limits[counter] ?? 0));
  }

  // Shows the values at the pointer's time, or those of all that is visible while the pointer is elsewhere.
  private fill_legend(plot: uPlot, chart: Chart, legend: HTMLElement): void {
    const at = plot.cursor.idx;
    legend.replaceChildren(...chart.lines.map((line, n) => {
      const key = el("i", { class: "swatch" }), of = 3 * n + 1, all = at == null ? summary(plot, of) : null;
      key.style.background = this.color(line, chart);
      const words = at == null ? (all ? `mean ${number_text(all.mean)}, most ${number_text(all.most)}` : "–")
        : `${number_text(plot.data[of]![at])} (${number_text(plot.data[of + 1]![at])} to ${number_text(plot.data[of + 2]![at])}) at ${time_text(plot.data[0]![at]! * 1e9)}`;
      return el("span", {}, key, `${line.name}: ${words}`);
    }), ...this.limit_key(chart));
  }

  // A limit of all workers of a kind is a whole number.
  private limit_key(chart: Chart): HTMLElement[] {
    const limit = this.limit(chart);
    return limit > 0 ? [el("span", {}, el("i", { class: "swatch limit" }), `${chart.title.includes("running") ? "all" : "at most"} ${chart.title.includes("running") ? String(Math.round(limit)) : number_text(limit)}`)] : [];
  }

  // Returns the notes on the charts that are shown, each once.
  get notes(): string[] {
    return [...new Set(charts_of(this.runs).flatMap(({ title }) => notes[title] ?? []))];
  }

  // Returns the width of one chart; as many charts stand side by side as fit.
  private width(): number {
    const gap = 20, least = 360, whole = this.element.clientWidth;
    const columns = Math.max(1, Math.min(3, Math.floor((whole + gap) / (least + gap))));
    return Math.max(260, Math.floor((whole - gap * (columns - 1)) / columns));
  }

  private fit(): void {
    if (this.element.clientWidth === 0) return;
    const width = this.width();
    for (const plot of this.plots) {
      plot.root.parentElement!.style.width = `${width}px`;
      if (plot.width !== width) plot.setSize({ width, height: 150 });
    }
  }
}
