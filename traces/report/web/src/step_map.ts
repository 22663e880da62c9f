// Draws the map of a job: steps from left to right, their times at the top, and below them a lane for each rank.
import { ticks } from "./axes.js";
import { el } from "./dom.js";
import { no_axis } from "./figure_axes.js";
import type { JobData } from "./job_data.js";
import type { Finding } from "./model.js";
import { beside_usual, ink, ink_on, series_color, viridisAt } from "./palette.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, time_text } from "./time_axis.js";

export const column_ps = 1_000_000; // width of a column on the axis that the map shares with flags

const times_high = 120, axis_high = 20, space = 8;

export class StepMap {
  readonly element = el("div", { class: "timeline step-map" });
  readonly canvas = el("canvas", { tabindex: "0", "aria-label": "steps and ranks; W and S zoom, A and D or arrows pan, 0 shows all" }) as HTMLCanvasElement;
  readonly time: TimeAxis;
  pointer_x = -1;
  measure = 0;
  beside = true; // true if colours show the distance from the rank's own usual value
  selected = -1; // the selected column; -1: none
  on_select: (column: number) => void = () => {};
  private marked: Finding | null = null;
  private usual: Float64Array;
  private least = 0;
  private most = 1; // largest value, or largest distance from the usual one
  private wanted = false;
  private tip = el("div", { class: "tip", role: "tooltip", hidden: "" });

  constructor(readonly data: JobData) {
    this.time = new TimeAxis(data.columns * column_ps, Math.min(8, data.columns) * column_ps);
    this.usual = data.usual(0);
    this.element.append(this.canvas);
    document.body.append(this.tip);
    this.choose(0, true);
    this.time.on_change(() => this.draw());
    on_theme(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
  }

  choose(measure: number, beside: boolean): void {
    [this.measure, this.beside] = [measure, beside];
    this.usual = this.data.usual(measure);
    const all: number[] = [];
    for (let rank = 0; rank < this.data.section.ranks; ++rank)
      for (let column = 0; column < this.data.columns; ++column) all.push(this.shown(rank, column));
    all.sort((a, b) => a - b);
    const at = (part: number) => all[Math.round(part * (all.length - 1))]!;
    // A few values far from all others do not decide how the others are seen.
    this.most = beside ? Math.max(0.02, Math.abs(at(0.002)), Math.abs(at(0.998))) : at(0.998) || 1;
    this.least = beside ? -this.most : at(0.002);
    this.draw();
  }

  // Returns the value, or its distance from the rank's usual value as part of that.
  shown(rank: number, column: number): number {
    const value = this.data.value(this.measure, rank, column), usual = this.usual[rank]!;
    return !this.beside ? value : usual > 0 ? value / usual - 1 : value > 0 ? 1 : 0;
  }

  color(rank: number, column: number): string {
    const value = this.shown(rank, column);
    return this.beside ? beside_usual(theme(), value / this.most) : viridisAt((value - this.least) / (this.most - this.least || 1));
  }
  get scale(): { least: number; most: number } {
    return { least: this.least, most: this.most };
  }

  get row(): number {
    return Math.max(1, Math.min(22, Math.floor(420 / this.data.section.ranks)));
  }
  get gutter(): number {
    return this.canvas.clientWidth < 600 ? 52 : 84;
  }
  private get plot_width(): number {
    return Math.max(1, this.canvas.clientWidth - this.gutter);
  }
  private get ranks_top(): number {
    return times_high + axis_high + space;
  }
  private get height(): number {
    return this.ranks_top + this.row * this.data.section.ranks + 2;
  }
  private x(column: number): number {
    return this.gutter + ((column * column_ps - this.time.from) / (this.time.to - this.time.from)) * this.plot_width;
  }
  private at(x: number): number {
    return this.time.from + ((x - this.gutter) / this.plot_width) * (this.time.to - this.time.from);
  }
  column_at(x: number): number {
    const column = Math.floor(this.at(x) / column_ps);
    return x < this.gutter || column < 0 || column >= this.data.columns ? -1 : column;
  }
  rank_at(y: number): number {
    const rank = Math.floor((y - this.ranks_top) / this.row);
    return rank >= 0 && rank < this.data.section.ranks ? rank : -1;
  }

  mark(finding: Finding | null): void {
    this.marked = finding;
    this.draw();
  }
  select(column: number): void {
    this.selected = column;
    this.on_select(column);
    this.draw();
  }
  // Zooms to the steps of a finding, with some steps around them.
  show(finding: Finding): void {
    const parts = finding.parts ?? [], [from, to] = this.data.between(Math.min(...parts.map((part) => part.first)), Math.max(...parts.map((part) => part.last)));
    const room = Math.max(1, (to - from) / 4);
    this.time.set((from - room) * column_ps, (to + room) * column_ps);
    this.mark(finding);
    this.element.scrollIntoView({ block: "center" });
    this.canvas.focus({ preventScroll: true });
  }

  private resize(): void {
    const width = Math.floor(this.element.clientWidth), ratio = devicePixelRatio || 1;
    if (width === 0) return;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.draw();
  }

  draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.paint();
    });
  }

  paint(): void {
    if (this.canvas.width === 0) return;
    const context = this.canvas.getContext("2d")!, ratio = devicePixelRatio || 1, t = theme(), width = this.canvas.clientWidth;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = t.background;
    context.fillRect(0, 0, width, this.height);
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(this.gutter, 0, this.plot_width, this.height);
    context.clip();
    const first = Math.max(0, Math.floor(this.time.from / column_ps)), last = Math.min(this.data.columns, Math.ceil(this.time.to / column_ps));
    this.paint_times(context, first, last);
    this.paint_cells(context, first, last);
    this.paint_marked(context);
    context.restore();
    this.paint_axis(context, first, last);
    this.paint_gutter(context);
  }

  private most_time(): number {
    return this.data.steps.took!.reduce((a, b) => Math.max(a, b), this.data.section.usual_ps) * 1.04;
  }
  private time_y(ps: number): number {
    return 6 + (times_high - 6) * (1 - ps / this.most_time());
  }

  // Draws a bar for each step. Slow steps are red.
  private paint_times(context: CanvasRenderingContext2D, first: number, last: number): void {
    const t = theme(), { took, slow, full } = this.data.steps;
    for (let column = first; column < last; ++column) {
      const left = this.x(column), wide = this.x(column + 1) - left, top = this.time_y(took![column]!);
      context.fillStyle = slow![column] ? t.flag : series_color(t, ink(4));
      context.globalAlpha = this.selected >= 0 && this.selected !== column ? 0.55 : 1;
      context.fillRect(left, top, Math.max(1, wide - (wide > 4 ? 1 : 0)), times_high - top);
      context.globalAlpha = 1;
      if (!full![column] || wide < 3) continue;
      context.fillStyle = t.text; // a dot marks a step that was recorded in full
      context.beginPath();
      context.arc(left + wide / 2 - 0.5, times_high - 5, Math.min(2.5, wide / 3), 0, 2 * Math.PI);
      context.fill();
    }
    const usual = this.time_y(this.data.section.usual_ps);
    context.strokeStyle = t.text;
    context.setLineDash([5, 3]);
    context.beginPath();
    context.moveTo(this.gutter, usual);
    context.lineTo(this.gutter + this.plot_width, usual);
    context.stroke();
    context.setLineDash([]);
  }

  private paint_cells(context: CanvasRenderingContext2D, first: number, last: number): void {
    const { row } = this, gap = row > 5 ? 1 : 0;
    for (let column = first; column < last; ++column) {
      const left = this.x(column), wide = this.x(column + 1) - left, seam = wide > 4 ? 1 : 0;
      for (let rank = 0; rank < this.data.section.ranks; ++rank) {
        const color = this.color(rank, column), top = this.ranks_top + rank * row;
        context.fillStyle = color;
        context.fillRect(left, top, Math.max(0.6, wide - seam), row - gap);
        if (wide < 44 || row < 13) continue;
        context.fillStyle = ink_on(color);
        context.font = "10px system-ui, sans-serif";
        context.textAlign = "center";
        context.fillText(this.text(this.shown(rank, column)), left + wide / 2, top + row / 2);
        context.textAlign = "left";
      }
    }
  }

  // Formats a value as the map shows it.
  text(value: number): string {
    if (this.beside) return `${value > 0.0005 ? "+" : value < -0.0005 ? "−" : ""}${(100 * Math.abs(value)).toFixed(1)} %`;
    return this.data.section.measures[this.measure]!.time ? time_text(value) : String(value);
  }

  private paint_marked(context: CanvasRenderingContext2D): void {
    context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--flag");
    context.lineWidth = 2;
    for (const part of this.marked?.parts ?? []) {
      const [from, to] = this.data.between(part.first, part.last), left = this.x(from), wide = this.x(to) - left;
      const ranks = part.ranks.length > 0 ? part.ranks : null;
      if (!ranks) context.strokeRect(left, this.ranks_top, wide, this.row * this.data.section.ranks);
      for (const rank of ranks ?? []) context.strokeRect(left, this.ranks_top + rank * this.row, wide, Math.max(2, this.row - 1));
    }
    if (this.selected < 0) return;
    context.strokeStyle = theme().text;
    context.lineWidth = 1.5;
    context.strokeRect(this.x(this.selected) - 0.5, 4, this.x(this.selected + 1) - this.x(this.selected), this.height - 5);
  }

  private paint_axis(context: CanvasRenderingContext2D, first: number, last: number): void {
    const t = theme(), every = Math.max(1, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => ((this.x(1) - this.x(0)) * n) >= 34) ?? 10000);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    context.textAlign = "center";
    for (let column = Math.ceil(first / every) * every; column < last; column += every) {
      const middle = (this.x(column) + this.x(column + 1)) / 2;
      if (middle > this.gutter + 8 && middle < this.canvas.clientWidth - 12) context.fillText(String(this.data.steps.first![column]), middle, times_high + axis_high / 2 + 2);
    }
    context.textAlign = "left";
  }

  private paint_gutter(context: CanvasRenderingContext2D): void {
    const t = theme(), { ranks } = this.data.section, right = this.gutter - 6, narrow = this.gutter < 60;
    context.textAlign = "right";
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    for (const { at, text } of ticks({ ...no_axis, high: this.most_time() / 1e9 }, 4)) context.fillText(narrow ? text : `${text} ms`, right, Math.max(6, this.time_y(at * 1e9)));
    context.fillText("step", right, times_high + axis_high / 2 + 2);
    const every = Math.max(1, Math.ceil(11 / this.row));
    for (let rank = 0; rank < ranks; rank += every) {
      const marked = this.marked?.parts?.some((part) => part.ranks.includes(rank)) ?? false;
      context.font = `${marked ? 600 : 400} 11px system-ui, sans-serif`;
      context.fillStyle = marked ? t.text : t.muted;
      context.fillText(narrow ? `r${rank}` : `rank ${rank}`, right, this.ranks_top + (rank + 0.5) * this.row);
    }
    context.textAlign = "left";
  }

  private hover(event: PointerEvent): void {
    const column = this.column_at(event.offsetX), rank = this.rank_at(event.offsetY), above = event.offsetY < times_high;
    this.tip.hidden = column < 0 || (rank < 0 && !above);
    this.canvas.style.cursor = column < 0 ? "" : "pointer";
    if (this.tip.hidden) return;
    this.tip.replaceChildren(el("div", { class: "hint" }, above ? this.step_words(column) : this.cell_words(rank, column)));
    const box = this.canvas.getBoundingClientRect(), { offsetWidth: w, offsetHeight: h } = this.tip;
    const top = box.top + (above ? 0 : this.ranks_top + rank * this.row), y = top - h - 6;
    this.tip.style.left = `${Math.max(4, Math.min(innerWidth - w - 8, event.clientX - w / 2))}px`;
    this.tip.style.top = `${y >= 4 ? y : top + (above ? times_high : this.row) + 6}px`;
  }

  step_words(column: number): string {
    const { took, slow, full } = this.data.steps, { usual_ps } = this.data.section, more = took![column]! / usual_ps - 1;
    return `${this.data.name(column)}: ${time_text(took![column]!)}, ${(100 * Math.abs(more)).toFixed(1)} % ${more >= 0 ? "above" : "below"} the usual${slow![column] ? ", slow" : ""}${full![column] ? ", recorded in full" : ""}`;
  }
  cell_words(rank: number, column: number): string {
    const { name, time } = this.data.section.measures[this.measure]!, value = this.data.value(this.measure, rank, column), usual = this.usual[rank]!;
    const text = (of: number) => (time ? time_text(of) : String(of));
    return `rank ${rank}, ${this.data.name(column)}: ${name} ${text(value)}, usually ${text(usual)}`;
  }

  private listen(): void {
    const { canvas, time } = this;
    let grab: { x: number; moved: boolean } | null = null;
    canvas.addEventListener("wheel", (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY), zooms = event.ctrlKey || event.metaKey || event.altKey;
      if (!sideways && !zooms) return;
      event.preventDefault();
      if (zooms) time.zoom(this.at(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
      else time.pan(((event.deltaX || event.deltaY) / this.plot_width) * (time.to - time.from));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      grab = { x: event.offsetX, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.pointer_x = event.offsetX;
      if (!grab) return this.hover(event);
      if (Math.abs(event.offsetX - grab.x) > 3) grab.moved = true;
      if (!grab.moved) return;
      this.tip.hidden = true;
      time.pan(((grab.x - event.offsetX) / this.plot_width) * (time.to - time.from));
      grab.x = event.offsetX;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (grab && !grab.moved) {
        const column = this.column_at(event.offsetX);
        this.select(column === this.selected ? -1 : column);
      }
      grab = null;
    });
    canvas.addEventListener("pointercancel", () => (grab = null));
    canvas.addEventListener("pointerleave", () => {
      this.pointer_x = -1;
      this.tip.hidden = true;
    });
    canvas.addEventListener("dblclick", (event) => time.zoom(this.at(event.offsetX), event.shiftKey ? 4 : 0.25));
    canvas.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
  }

  // Handles a key. Returns whether the key means anything here.
  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { time } = this, span = time.to - time.from, middle = (time.to + time.from) / 2;
    const at = this.pointer_x >= this.gutter ? this.at(this.pointer_x) : middle;
    const next = (by: number) => this.select(Math.max(0, Math.min(this.data.columns - 1, this.selected < 0 ? 0 : this.selected + by)));
    const actions: { [key: string]: () => void } = {
      w: () => time.zoom(at, 0.75), s: () => time.zoom(at, 1 / 0.75), a: () => time.pan(-span / 8), d: () => time.pan(span / 8),
      ArrowLeft: () => time.pan(-span / 8), ArrowRight: () => time.pan(span / 8),
      "+": () => time.zoom(middle, 0.5), "=": () => time.zoom(middle, 0.5), "-": () => time.zoom(middle, 2), "0": () => time.reset(),
      "[": () => next(-1), "]": () => next(1), Escape: () => (this.mark(null), this.select(-1)),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    action?.();
    return action !== undefined;
  }
}
