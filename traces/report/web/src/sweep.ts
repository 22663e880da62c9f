// Shows a sweep. The reader chooses the metric, the points and the baseline; figures and the table follow.
import { significant } from "./axes.js";
import { choice, el } from "./dom.js";
import type { Figure } from "./drawing.js";
import { FigureView } from "./figures.js";
import { Table, read_text } from "./model.js";
import { best_figure, front_figure, heat_figure, lines_figures } from "./sweep_figures.js";
import { Baseline, Quantity, SweepPoints, SweepSection } from "./sweep_points.js";
import { Column, number, table_element, table_of, words } from "./table.js";

const most_metrics = 4, most_rows = 2000, most_baselines = 60;

// Builds a figure below choices of its own; it is drawn again when a choice changes.
class Part {
  readonly element: HTMLElement;
  private views: FigureView[] = [];
  private bar = el("div", { class: "bar" });
  private place = el("div");

  constructor(title: string, private controls: () => HTMLElement[], private drawn: () => Figure | Figure[] | string) {
    this.element = el("section", { class: "choices" }, el("h2", {}, title), this.bar, this.place);
  }

  update(): void {
    this.bar.replaceChildren(...this.controls());
    const drawn = this.drawn(), figures = typeof drawn === "string" ? [] : Array.isArray(drawn) ? drawn : [drawn];
    if (typeof drawn === "string") this.place.replaceChildren(el("p", { class: "note" }, drawn));
    else if (figures.length === this.views.length) figures.forEach((figure, i) => this.views[i]!.show(figure));
    else {
      this.views = figures.map((figure) => new FigureView(figure, figures.length > 1 ? 300 : 440));
      this.place.replaceChildren(...this.views.map((view) => view.element));
    }
    if (typeof drawn === "string") this.views = [];
    this.place.className = figures.length > 1 ? "multiples" : "";
    this.element.classList.toggle("wide", figures.length > 1);
  }
}

class SweepView {
  private pass: string;
  private metric: number;
  private baseline: Baseline | null = null;
  private levels: number[]; // chosen value of each axis; -1: any
  private lines: { x: number; lines: number | null };
  private heat: { rows: number; columns: number };
  private front: { x: number; y: number; colors: number | null };
  private all_metrics = false;
  private bar = el("div", { class: "bar" });
  private answer = el("div", { "aria-live": "polite" });
  private table = el("div");
  private parts: Part[] = [];

  constructor(readonly points: SweepPoints, element: HTMLElement) {
    this.pass = points.passes[0] ?? "";
    this.metric = points.metrics(this.pass)[0] ?? -1;
    this.levels = points.section.axes.map(() => -1);
    const { by_effect } = points.section, drawn = [...by_effect, ...points.drawn.filter((axis) => !by_effect.includes(axis))].filter((axis) => points.drawn.includes(axis));
    this.lines = { x: drawn[0] ?? -1, lines: drawn[1] ?? null };
    this.heat = { rows: drawn[0] ?? -1, columns: drawn[1] ?? -1 };
    this.front = { x: -1, y: -1, colors: null };
    this.choose_aims();
    if (this.sparse()) this.parts.push(new Part("The best points", () => [], () => best_figure(this.points, this.chosen, this.quantity(), this.classes())));
    else {
      if (drawn.length > 0) this.parts.push(this.lines_part());
      if (drawn.length > 1) this.parts.push(this.heat_part());
    }
    if (this.front.x >= 0) this.parts.push(this.front_part());
    element.append(this.bar, this.answer, el("div", { class: "parts-grid" }, ...this.parts.map((part) => part.element)), el("section", {}, el("h2", {}, "Points"), this.table));
    this.update();
  }

  private get chosen(): number[] {
    return this.points.where(this.levels);
  }
  private quantity(metric = this.metric): Quantity {
    return this.baseline ? this.points.beside(metric, this.baseline) : this.points.quantity(metric);
  }
  // Returns whether so few places have a point that lines and cells would be gaps: a sweep that asks for the best alone.
  private sparse(): boolean {
    const places = this.points.drawn.reduce((all, axis) => all * this.points.section.axes[axis]!.values.length, 1);
    return this.points.count < 0.25 * places && this.points.drawn.length > 2 && this.metric >= 0 && this.quantity().better !== "";
  }
  // Returns the parts of a step's time, if that is shown and the sweep has them.
  private classes(): Quantity[] {
    if (this.baseline || this.quantity().name !== "latency") return [];
    return this.points.metrics(this.pass).map((m) => this.points.quantity(m)).filter(({ name }) => name.startsWith("step."));
  }
  private aims(): number[] {
    return this.points.metrics(this.pass).filter((m) => this.points.section.metrics[m]!.better !== "");
  }
  private choose_aims(): void {
    // How busy cores are is no cost: it is chosen where there is nothing else, or by the reader.
    const aims = this.aims(), other = aims.slice(1).find((m) => !this.points.section.metrics[m]!.name.endsWith("_busy")) ?? aims[1];
    [this.front.y, this.front.x] = other !== undefined ? [aims[0]!, other] : [-1, -1];
  }

  // Builds a choice among the axes, or of none.
  private axis_choice(label: string, now: number | null, without: number | null, none: string | null, set: (axis: number | null) => void): HTMLElement {
    const options: [string, string][] = this.points.drawn.filter((axis) => axis !== without).map((axis) => [String(axis), this.points.section.axes[axis]!.name]);
    if (none !== null) options.push(["-1", none]);
    return choice(label, options, String(now ?? -1), (value) => (set(value === "-1" ? null : Number(value)), this.update()));
  }

  private metric_choice(label: string, list: number[], now: number, set: (metric: number) => void): HTMLElement {
    return choice(label, list.map((m) => [String(m), this.points.section.metrics[m]!.name]), String(now), (value) => (set(Number(value)), this.update()));
  }

  private lines_part(): Part {
    const of = this.lines;
    return new Part("Lines", () => [
      this.axis_choice("over", of.x, null, null, (axis) => {
        if (axis === of.lines) of.lines = of.x;
        of.x = axis!;
      }),
      this.axis_choice("one line per", of.lines, of.x, "one line", (axis) => (of.lines = axis)),
    ], () => lines_figures(this.points, this.chosen, this.quantity(), of.x, of.lines));
  }

  private heat_part(): Part {
    const of = this.heat;
    return new Part("Heat map", () => [
      this.axis_choice("down", of.rows, null, null, (axis) => {
        if (axis === of.columns) of.columns = of.rows;
        of.rows = axis!;
      }),
      this.axis_choice("across", of.columns, of.rows, null, (axis) => (of.columns = axis!)),
    ], () => heat_figure(this.points, this.chosen, this.quantity(), of.rows, of.columns));
  }

  private front_part(): Part {
    const of = this.front;
    return new Part("Pareto front", () => [
      this.metric_choice("down", this.aims().filter((m) => m !== of.x), of.y, (metric) => (of.y = metric)),
      this.metric_choice("across", this.aims().filter((m) => m !== of.y), of.x, (metric) => (of.x = metric)),
      this.axis_choice("colours by", of.colors, null, "nothing", (axis) => (of.colors = axis)),
    ], () => (of.x < 0 ? "This pass has no two aims." : front_figure(this.points, this.chosen, this.points.quantity(of.x), this.points.quantity(of.y), of.colors)));
  }

  private controls(): HTMLElement[] {
    const { points } = this, { axes } = points.section, list = points.metrics(this.pass);
    const baselines: [string, string][] = [["", "nothing"]];
    for (const axis of points.drawn) {
      if (baselines.length + axes[axis]!.values.length > most_baselines) continue;
      axes[axis]!.values.forEach((value, level) => baselines.push([`${axis} ${level}`, `${axes[axis]!.name} = ${value || "none"}`]));
    }
    const set_pass = (pass: string) => {
      const { name } = points.section.metrics[this.metric]!;
      this.pass = pass;
      this.metric = points.metrics(pass).find((m) => points.section.metrics[m]!.name === name) ?? points.metrics(pass)[0]!;
      this.choose_aims();
      this.update();
    };
    return [
      this.metric_choice("show", list, this.metric, (metric) => (this.metric = metric)),
      choice("pass", points.passes.map((pass) => [pass, pass === "total" ? "all passes" : pass]), this.pass, set_pass),
      choice("speed-up over", baselines, this.baseline ? `${this.baseline.axis} ${this.baseline.level}` : "", (value) => {
        const [axis, level] = value.split(" ").map(Number);
        this.baseline = value ? { axis: axis!, level: level! } : null;
        this.update();
      }),
      ...points.drawn.map((axis) => choice(`only ${axes[axis]!.name}`, [["-1", "all"], ...axes[axis]!.values.map((value, level): [string, string] => [String(level), value || "none"])],
        String(this.levels[axis]), (value) => ((this.levels[axis] = Number(value)), this.update()))),
    ];
  }

  // Returns whether all points are shown, of the metric that the program names the axes for.
  private tells_all(): boolean {
    return this.points.section.matters !== "" && this.baseline === null && this.pass === this.points.passes[0] && this.metric === this.points.metrics(this.pass)[0] && this.levels.every((level) => level < 0);
  }

  // Says how many points are missing.
  private missing(): string {
    const { done, points, best } = this.points.section;
    if (done < points && best) return `${done} of ${points} points are done: of the ${points - done} missing none is among the ${best} best, once the sweep has ended.`;
    return done < points ? `${done} of ${points} points are done: among the ${points - done} missing there may be better ones.` : "";
  }

  // Says which point is best, or how much better than the baseline the points are.
  private sentence(): string {
    const quantity = this.quantity(), known = this.chosen.filter((p) => quantity.values[p] != null), { better, unit } = quantity;
    if (known.length === 0) return "No point has this value.";
    const sorted = [...known].sort((a, b) => quantity.values[a]! - quantity.values[b]! || a - b), [least, most] = [sorted[0]!, sorted.at(-1)!];
    const text = (p: number) => `${significant(quantity.values[p]!)}${unit ? " " + unit : ""} at ${this.points.place(p) || "the only point"}`;
    if (this.baseline) {
      const others = known.filter((p) => this.points.levels[this.baseline!.axis]![p] !== this.baseline!.level);
      if (others.length === 0) return "All of these points are the baseline's own.";
      const mean = Math.exp(others.reduce((sum, p) => sum + Math.log(quantity.values[p]!), 0) / others.length);
      const ends = others.sort((a, b) => quantity.values[a]! - quantity.values[b]! || a - b);
      const name = quantity.name[0]!.toUpperCase() + quantity.name.slice(1);
      return `${name}: ${mean.toFixed(3)} as the geometric mean of ${others.length} points; from ${text(ends[0]!)} to ${text(ends.at(-1)!)}.`;
    }
    if (better === "") return `${quantity.name}: from ${text(least)} to ${text(most)}.`;
    const [best, worst] = better === "smaller" ? [least, most] : [most, least];
    const factor = quantity.values[most]! / quantity.values[least]!;
    return `Best ${quantity.name} of ${known.length}${known.length < this.points.section.points ? ` of ${this.points.section.points}` : ""} points: ${text(best)}` +
      (known.length > 1 ? `; worst: ${text(worst)}${factor > 1 && isFinite(factor) ? `, a factor of ${factor.toFixed(2)}` : ""}.` : ".");
  }

  private points_table(): Table {
    const { points, baseline } = this, { axes, metrics } = points.section, list = points.metrics(this.pass);
    const first = [this.metric, ...list.filter((m) => m !== this.metric)], shown = this.all_metrics ? first : first.slice(0, most_metrics);
    const head = (m: number) => (metrics[m]!.unit ? `${metrics[m]!.name} ${metrics[m]!.unit}` : metrics[m]!.name);
    const numbered = this.sparse(), columns: Column<number>[] = points.drawn.map((axis) => {
      const { name, numbers } = axes[axis]!, level = (p: number) => points.levels[axis]![p]!;
      return numbers ? number(name, (p: number) => numbers[level(p)]!, String) : words(name, (p: number) => points.value(axis, p));
    });
    if (baseline) {
      const quantity = this.quantity();
      columns.push(number(quantity.better ? "speed-up" : "times", (p) => quantity.values[p] ?? NaN, (v) => v.toFixed(3)));
    }
    for (const m of shown) columns.push(number(head(m), (p) => points.values[m]![p] ?? NaN, significant));
    // The best come first, numbered where a figure names them so.
    const shown_quantity = this.quantity(), cost = (p: number) => (shown_quantity.values[p] == null ? Infinity : shown_quantity.better === "larger" ? -shown_quantity.values[p]! : shown_quantity.values[p]!);
    const ordered = shown_quantity.better ? [...this.chosen].sort((a, b) => cost(a) - cost(b) || a - b) : this.chosen;
    const places = new Map(ordered.map((p, i) => [p, i + 1]));
    if (numbered) columns.unshift(number("number", (p) => places.get(p)!, String));
    const rows = ordered.slice(0, most_rows), table = table_of(rows, columns);
    // Values of axes are shown as in the sweep's file, and sort as numbers.
    rows.forEach((point, r) => points.drawn.forEach((axis, c) => (table.rows[r]![c + (numbered ? 1 : 0)] = points.value(axis, point) || "none")));
    return table;
  }

  update(): void {
    this.bar.replaceChildren(...this.controls());
    const missing = this.missing();
    this.answer.replaceChildren(el("p", { class: "verdict" }, this.sentence()), ...(this.tells_all() ? [el("p", { class: "verdict" }, this.points.section.matters)] : []), ...(missing ? [el("p", { class: this.points.section.best ? "verdict" : "verdict warning" }, missing)] : []));
    for (const part of this.parts) part.update();
    const all = el("input", { type: "checkbox" }) as HTMLInputElement, { length } = this.chosen;
    all.checked = this.all_metrics;
    all.addEventListener("change", () => ((this.all_metrics = all.checked), this.update()));
    this.table.replaceChildren(el("div", { class: "bar" }, el("label", {}, all, " all metrics")),
      ...(length > most_rows ? [el("p", { class: "note" }, `The first ${most_rows} of ${length} points; 'a3sim results DB --csv' prints all.`)] : []), table_element(this.points_table()));
  }
}

export function sweep_section(section: SweepSection, made: (points: SweepPoints) => void): HTMLElement {
  const element = el("section", { class: "sweep" }, el("h2", {}, section.title));
  if (section.done === 0) {
    element.append(el("p", {}, "No point is done."));
    return element;
  }
  const show = async () => {
    const { levels, values } = JSON.parse(await read_text(section.packed)) as { levels: number[][]; values: (number | null)[][] };
    const points = new SweepPoints(section, levels, values);
    new SweepView(points, element);
    made(points);
  };
  show().catch((error: unknown) => element.append(el("p", { class: "verdict" }, `The sweep cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
  return element;
}
