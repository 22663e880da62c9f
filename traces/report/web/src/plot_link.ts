// Ties a chart to an axis of time that other views share.
import uPlot from "uplot";
import { theme } from "./theme.js";
import { Ticks, TimeAxis, ticks_of } from "./time_axis.js";

function ticks(plot: uPlot): Ticks {
  const { min, max } = plot.scales.x!;
  return ticks_of((min ?? 0) * 1e9, (max ?? 1) * 1e9, Math.max(2, plot.width / 75));
}

// Returns labels for the ticks; those at the right edge stay empty, as there is no room.
function tick_words(plot: uPlot): string[] {
  const { base, list } = ticks(plot), words = list.map(({ at, text }) => (plot.valToPos(at / 1e9, "x") > plot.width - 90 ? "" : text));
  return words.map((word, i) => (i === 0 && base ? base : word));
}

// Ties charts whose times are milliseconds.
export function time_axes(): uPlot.Axis[] {
  const t = theme();
  const axis = { stroke: t.muted, grid: { stroke: t.grid, width: 1 }, ticks: { stroke: t.grid, width: 1 }, font: "11px system-ui, sans-serif" };
  return [{ ...axis, size: 30, splits: (plot) => ticks(plot).list.map(({ at }) => at / 1e9), values: tick_words }, { ...axis, size: 52 }];
}

export class PlotLink {
  private ours = false; // true while this chart itself changes the axis

  constructor(private plots: () => uPlot[], private time: TimeAxis) {
    time.on_change(() => this.follow());
  }

  // When the reader zooms in a chart, the shared axis follows.
  lead(plot: uPlot): void {
    const { min, max } = plot.scales.x!;
    if (this.ours || min == null || max == null) return;
    const from = min * 1e9, to = max * 1e9, span = this.time.to - this.time.from;
    if (Math.abs(from - this.time.from) + Math.abs(to - this.time.to) > span / 500) this.time.set(from, to);
  }

  follow(): void {
    this.ours = true;
    for (const plot of this.plots()) plot.setScale("x", { min: this.time.from / 1e9, max: this.time.to / 1e9 });
    // uPlot calls its hooks later.
    queueMicrotask(() => queueMicrotask(() => (this.ours = false)));
  }
}
