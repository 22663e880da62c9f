// Holds the points of a sweep: their places on its axes, their values, and the ratios to a baseline.

export interface SweepAxis { name: string; unit: string; values: string[]; numbers: number[] | null }
export interface SweepMetric { pass: string; name: string; unit: string; better: "smaller" | "larger" | "" }

export interface SweepSection {
  kind: "sweep";
  title: string;
  axes: SweepAxis[];
  metrics: SweepMetric[];
  points: number; // number of points of the sweep; `done` of them ran
  done: number;
  best: number; // the sweep asks for so many of the least latency, and leaves out what bounds show to be none of them; 0: all
  by_effect: number[]; // axes with several values: the one that changes the first metric most comes first
  matters: string; // the same in words
  packed: string; // id of the element that holds the values
}

// A baseline is a value of an axis, with which other points are compared.
export interface Baseline { axis: number; level: number }

// A shown metric is the metric itself, or its ratio to the baseline.
export interface Quantity { name: string; unit: string; better: SweepMetric["better"]; values: (number | null)[] }

export class SweepPoints {
  readonly count: number;
  private partners = new Map<number, Map<string, number>>(); // for each axis, the point at each place

  // Times that are all of ten seconds or more are shown in seconds.
  constructor(readonly section: SweepSection, readonly levels: number[][], readonly values: (number | null)[][]) {
    this.count = section.done;
    const long = (pass: string) => section.metrics.some((metric, m) => metric.pass === pass && metric.name === "latency" && metric.unit === "ms" && values[m]!.some((v) => v !== null) && values[m]!.every((v) => v === null || v >= 1e4));
    const in_seconds = section.metrics.map(({ pass, unit }) => unit === "ms" && long(pass));
    this.section = { ...section, metrics: section.metrics.map((metric, m) => (in_seconds[m] ? { ...metric, unit: "s" } : metric)) };
    this.values = values.map((list, m) => (in_seconds[m] ? list.map((v) => (v === null ? null : v / 1000)) : list));
  }

  // Returns the axes that have several values.
  get drawn(): number[] {
    return this.section.axes.map((_, axis) => axis).filter((axis) => this.section.axes[axis]!.values.length > 1);
  }

  get passes(): string[] {
    const passes = [...new Set(this.section.metrics.map((metric) => metric.pass))];
    return [...passes.filter((pass) => pass === "total"), ...passes.filter((pass) => pass !== "total")];
  }

  // Returns the numbers of a pass's metrics that some point has.
  metrics(pass: string): number[] {
    return this.section.metrics.map((_, i) => i).filter((i) => this.section.metrics[i]!.pass === pass && this.values[i]!.some((v) => v !== null));
  }

  value(axis: number, point: number): string {
    return this.section.axes[axis]!.values[this.levels[axis]![point]!]!;
  }

  // Returns a point's place, "tokens=512, execution=static", without the axes that are named already.
  place(point: number, without: number[] = []): string {
    return this.drawn.filter((axis) => !without.includes(axis)).map((axis) => `${this.section.axes[axis]!.name}=${this.value(axis, point)}`).join(", ");
  }

  // Returns the points that have the given levels; -1 stands for any.
  where(levels: number[]): number[] {
    const points: number[] = [];
    for (let p = 0; p < this.count; ++p) if (levels.every((level, axis) => level < 0 || this.levels[axis]![p] === level)) points.push(p);
    return points;
  }

  private key(point: number, axis: number, level: number): string {
    return this.levels.map((levels, a) => (a === axis ? level : levels[point]!)).join(" ");
  }

  // Returns the point that differs from this one only in having the baseline's value, or -1.
  partner(point: number, { axis, level }: Baseline): number {
    let found = this.partners.get(axis);
    if (!found) {
      found = new Map();
      for (let p = 0; p < this.count; ++p) found.set(this.key(p, axis, this.levels[axis]![p]!), p);
      this.partners.set(axis, found);
    }
    return found.get(this.key(point, axis, level)) ?? -1;
  }

  quantity(metric: number): Quantity {
    const { name, unit, better } = this.section.metrics[metric]!;
    return { name, unit, better, values: this.values[metric]! };
  }

  // Returns how many times better each point is than its partner, or, for a metric that is no aim, how many times as much.
  beside(metric: number, baseline: Baseline): Quantity {
    const { name, better } = this.section.metrics[metric]!, values = this.values[metric]!, axis = this.section.axes[baseline.axis]!;
    const against = `${axis.name}=${axis.values[baseline.level]}`;
    const ratios = values.map((value, point) => {
      const partner = this.partner(point, baseline), other = partner < 0 ? null : values[partner]!;
      if (value === null || other === null) return null;
      const [over, under] = better === "smaller" ? [other, value] : [value, other];
      return under > 0 && over >= 0 ? over / under : null;
    });
    return { name: better === "smaller" ? `speed-up of ${name} over ${against}` : `${name}, times that of ${against}`, unit: "", better: better ? "larger" : "", values: ratios };
  }
}

export function median(sorted: number[]): number {
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

// Groups values by their places on two axes, ascending.
export function pivot(points: SweepPoints, chosen: number[], quantity: Quantity, rows: number, columns: number | null): number[][][] {
  const { axes } = points.section, wide = columns === null ? 1 : axes[columns]!.values.length;
  const cells: number[][][] = axes[rows]!.values.map(() => Array.from({ length: wide }, () => []));
  for (const point of chosen) {
    const value = quantity.values[point];
    if (value !== null && value !== undefined) cells[points.levels[rows]![point]!]![columns === null ? 0 : points.levels[columns]![point]!]!.push(value);
  }
  for (const row of cells) for (const cell of row) cell.sort((a, b) => a - b);
  return cells;
}

// Returns the points that no other beats in both aims.
export function front_of(chosen: number[], x: Quantity, y: Quantity): number[] {
  const at = (of: Quantity, point: number) => (of.better === "larger" ? -1 : 1) * of.values[point]!;
  const known = chosen.filter((p) => x.values[p] != null && y.values[p] != null).sort((a, b) => at(x, a) - at(x, b) || at(y, a) - at(y, b) || a - b);
  const front: number[] = [];
  let best = Infinity;
  for (const point of known) {
    if (at(y, point) >= best) continue;
    best = at(y, point);
    front.push(point);
  }
  return front;
}
