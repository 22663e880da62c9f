// Quantities over time, drawn by uPlot: the mean over ranks, and the least and most of a rank as a band.
import uPlot from "uplot";
import { el } from "./dom.js";
import { Columns, Pass, read_columns } from "./model.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, time_text } from "./time_axis.js";

interface Chart { title: string; unit: string; counters: number[] }

// Counters that share an axis.
function charts_of(pass: Pass): Chart[] {
  const charts: Chart[] = [];
  pass.counters.names.forEach((name, i) => {
    const unit = pass.counters.units[i]!;
    const group = name.endsWith("running") ? "running workers" : name.startsWith("link") ? "link" : name;
    const chart = charts.find((c) => c.title === group);
    if (chart) chart.counters.push(i);
    else charts.push({ title: group, unit, counters: [i] });
  });
  return charts;
}

type Series = (number | null)[];

// A column's values are thousandths; below zero there is none.
function values_of(columns: Columns, name: string): Series {
  return Array.from(columns[name]!, (value) => (value < 0 ? null : value / 1000));
}

export class OverTime {
  readonly element = el("div", { class: "over-time" });
  private plots: uPlot[] = [];
  private columns: Columns | null = null;
  private ours = false; // a change of the axis that comes from here

  constructor(private pass: Pass, private time: TimeAxis) {
    time.on_change(() => this.follow());
    on_theme(() => this.build());
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.load().catch((error: unknown) => this.element.replaceChildren(error instanceof Error ? error.message : String(error)));
  }

  private async load(): Promise<void> {
    this.columns = await read_columns(this.pass.counters.packed);
    this.build();
  }

  private build(): void {
    if (!this.columns) return;
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.element.replaceChildren();
    const sync = uPlot.sync(`time-${this.pass.name}`), width = this.width();
    for (const chart of charts_of(this.pass)) {
      const data = this.data_of(chart);
      if (!data) continue;
      const place = el("div");
      this.element.append(place);
      this.plots.push(new uPlot(this.options(chart, sync.key, width), data, place));
    }
    this.fit();
    this.follow();
  }

  private data_of(chart: Chart): uPlot.AlignedData | null {
    const rows = this.pass.counters.packed.rows, stretch = this.pass.counters.stretch_ps;
    const data: Series[] = [Array.from({ length: rows }, (_, i) => ((i + 0.5) * stretch) / 1e9)];
    let any = false;
    for (const i of chart.counters) {
      for (const what of ["mean", "least", "most"]) {
        const values = values_of(this.columns!, `${what}_${i}`);
        any = any || values.some((value) => value !== null && value > 0);
        data.push(values);
      }
    }
    return any ? (data as uPlot.AlignedData) : null;
  }

  private options(chart: Chart, key: string, width: number): uPlot.Options {
    const t = theme();
    const series: uPlot.Series[] = [{ label: "ms", value: (_, v) => (v === null ? "" : time_text(v * 1e9)) }], bands: uPlot.Band[] = [];
    chart.counters.forEach((i, n) => {
      const color = t.palette[n]!, name = this.pass.counters.names[i]!;
      const words = (v: number | null | undefined) => (v == null ? "" : v.toFixed(v < 10 ? 2 : 1));
      const value = (plot: uPlot, v: number | null, at: number, i: number | null) =>
        v == null || i == null ? "" : `${words(v)} (${words(plot.data[at + 1]![i])} to ${words(plot.data[at + 2]![i])})`;
      series.push({ label: name, stroke: color, width: 1.5, value, points: { show: false } });
      // Only the band shows them; the legend leaves them out (page.css).
      series.push({ label: "least", width: 0, points: { show: false } });
      series.push({ label: "most", width: 0, points: { show: false } });
      bands.push({ series: [3 * n + 3, 3 * n + 2], fill: color + "33" });
    });
    const axis = { stroke: t.muted, grid: { stroke: t.grid, width: 1 }, ticks: { stroke: t.grid, width: 1 }, font: "11px system-ui, sans-serif" };
    return {
      width, height: 150, title: chart.title + (chart.unit ? `, ${chart.unit}` : ""), series, bands,
      cursor: { sync: { key, setSeries: false }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, (chart.unit === "%" ? 100 : most || 1) * 1.05] } },
      axes: [{ ...axis, size: 30, values: (_, dates) => dates.map((d) => String(+d.toPrecision(6))) }, { ...axis, size: 52 }],
      legend: { live: true },
      hooks: { setScale: [(plot, scale) => scale === "x" && this.lead(plot)] },
    };
  }

  // Of one chart: as many stand side by side as have room.
  private width(): number {
    const gap = 20, least = 420, whole = this.element.clientWidth;
    const columns = Math.max(1, Math.min(3, Math.floor((whole + gap) / (least + gap))));
    return Math.max(260, Math.floor((whole - gap * (columns - 1)) / columns));
  }

  private fit(): void {
    if (this.element.clientWidth === 0) return;
    const width = this.width();
    for (const plot of this.plots) if (plot.width !== width) plot.setSize({ width, height: 150 });
  }

  // The reader zoomed in a chart: the axis that all share follows.
  private lead(plot: uPlot): void {
    const { min, max } = plot.scales.x!;
    if (this.ours || min == null || max == null) return;
    const from = min * 1e9, to = max * 1e9, span = this.time.to - this.time.from;
    if (Math.abs(from - this.time.from) + Math.abs(to - this.time.to) > span / 500) this.time.set(from, to);
  }

  private follow(): void {
    this.ours = true;
    for (const plot of this.plots) plot.setScale("x", { min: this.time.from / 1e9, max: this.time.to / 1e9 });
    // uPlot tells its hooks later.
    queueMicrotask(() => queueMicrotask(() => (this.ours = false)));
  }
}
