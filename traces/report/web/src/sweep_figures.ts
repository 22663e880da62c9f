// Builds figures of a sweep from the points that the reader chose.
import type { Figure, FigurePoint, Series } from "./drawing.js";
import { names_axis, no_axis, values_axis } from "./figure_axes.js";
import { ink, text_color } from "./palette.js";
import { panels_of } from "./sweep_panels.js";
import { Quantity, SweepPoints, front_of, median, pivot } from "./sweep_points.js";

// More lines or colours than this cannot be told apart.
const ink_color = ink(3), most_series = 24, most_colors = 8, most_numbered = 20, most_named = 12;

const heading = (name: string, unit: string) => (unit ? `${name}, ${unit}` : name);

function figure(title: string, origin: string): Figure {
  return { title, origin, legend: "", x: no_axis, y: no_axis, color: no_axis, stacked: false, series: [], cells: [], links: [], marks: [], key: [] };
}

// Returns the axes on which the chosen points differ and which a figure does not show.
function hidden_axes(points: SweepPoints, chosen: number[], shown: (number | null)[]): string[] {
  return points.drawn.filter((axis) => !shown.includes(axis) && new Set(chosen.map((p) => points.levels[axis]![p])).size > 1).map((axis) => points.section.axes[axis]!.name);
}

// Says which points were chosen, and what the medians are taken over.
function origin_of(points: SweepPoints, chosen: number[], shown: (number | null)[], several: boolean, band: string): string {
  const others = hidden_axes(points, chosen, shown), text = `${chosen.length} of ${points.count} points`;
  return several ? `${text}; median${band} over ${others.length > 0 ? others.join(", ") : "points"}` : text;
}

const any_several = (cells: number[][][]) => cells.some((row) => row.some((cell) => cell.length > 1));

const most_panels = 12;

// Builds small multiples on axes that they share: a panel for each place on the axes that are neither across nor lines, unless
// that makes no difference. Of many panels those with the best points are shown.
export function lines_figures(points: SweepPoints, chosen: number[], quantity: Quantity, x: number, lines: number | null): Figure[] | string {
  const panels = panels_of(points, chosen, quantity, x, lines), shown = panels.slice(0, most_panels);
  if (shown.length < 2) return with_one(lines_figure(points, chosen, quantity, x, lines));
  const drawn = shown.map((panel) => lines_figure(points, panel.points, quantity, x, lines));
  const figures = drawn.filter((one) => typeof one !== "string");
  if (figures.length === 0) return drawn[0] as string;
  const all = shown.flatMap((panel) => panel.points).flatMap((p) => quantity.values[p] ?? []), y = values_axis(heading(quantity.name, quantity.unit), all);
  return figures.map((one, i) => ({ ...one, title: shown[i]!.place, origin: i > 0 ? " " : panels.length > shown.length ? `${shown.length} of ${panels.length} places on these axes: those with the best points` : "the best point is here", y, x: { ...one.x, ...(one.x.log ? { low: figures[0]!.x.low, high: figures[0]!.x.high } : {}) } }));
}

const with_one = (figure: Figure | string): Figure[] | string => (typeof figure === "string" ? figure : [figure]);

// Builds a line for each value of an axis (null: one line), through medians where several points are near each other.
function lines_figure(points: SweepPoints, chosen: number[], quantity: Quantity, x: number, lines: number | null): Figure | string {
  const { axes } = points.section, over = axes[x]!, cells = pivot(points, chosen, quantity, x, lines);
  const names = lines === null ? [""] : axes[lines]!.values;
  if (names.length > most_series) return `${axes[lines!]!.name} has ${names.length} values, too many to tell their lines apart.`;
  const all = cells.flat(2);
  if (all.length === 0) return "No point has this value.";
  const drawn = figure(`${quantity.name} by ${over.name}${lines === null ? "" : ` and ${axes[lines]!.name}`}`,
    origin_of(points, chosen, [x, lines], any_several(cells), " and range"));
  drawn.legend = lines === null ? "" : axes[lines]!.name;
  drawn.x = over.numbers ? { ...values_axis(heading(over.name, over.unit), over.numbers), truncated: false, name: heading(over.name, over.unit) } : names_axis(over.name, over.values);
  if (over.numbers && drawn.x.log && over.numbers.length <= most_named) {
    drawn.x.places = over.numbers;
    drawn.x.names = over.numbers.map((value) => String(Number(value.toPrecision(6))));
  }
  drawn.y = values_axis(heading(quantity.name, quantity.unit), all);
  names.forEach((name, column) => {
    const series: Series = { name, kind: "line", color: column, hollow: false, points: [] };
    cells.forEach((row, at) => {
      const cell = row[column]!;
      if (cell.length > 0) series.points.push([over.numbers?.[at] ?? at, median(cell), cell[0]!, cell.at(-1)!]);
    });
    if (series.points.length > 0) drawn.series.push(series);
  });
  return drawn;
}

// Builds a cell for each pair of values, with the median of its points; where these differ, with those beside the best point alone. The first row stands at the top.
export function heat_figure(points: SweepPoints, all: number[], quantity: Quantity, rows: number, columns: number): Figure | string {
  const panels = panels_of(points, all, quantity, rows, columns), chosen = panels[0]?.points ?? all;
  const { axes } = points.section, cells = pivot(points, chosen, quantity, rows, columns), names = axes[rows]!.values;
  const where = panels.length > 1 ? `; where ${panels[0]!.place}, as at the best point` : "";
  const drawn = figure(`${heading(quantity.name, quantity.unit)} by ${axes[rows]!.name} and ${axes[columns]!.name}`, origin_of(points, chosen, [rows, columns], any_several(cells), "") + where);
  drawn.x = names_axis(axes[columns]!.name, axes[columns]!.values);
  drawn.y = names_axis(axes[rows]!.name, [...names].reverse());
  cells.forEach((row, r) => row.forEach((cell, c) => {
    if (cell.length > 0) drawn.cells.push([c, names.length - 1 - r, median(cell)]);
  }));
  if (drawn.cells.length === 0) return "No point has this value.";
  drawn.color = values_axis(heading(quantity.name, quantity.unit), drawn.cells.map((cell) => cell[2]));
  return drawn;
}

// Plots all chosen points over two aims, with a numbered line of steps through those that no other beats.
export function front_figure(points: SweepPoints, chosen: number[], x: Quantity, y: Quantity, colors: number | null): Figure | string {
  const { axes } = points.section, known = chosen.filter((p) => x.values[p] != null && y.values[p] != null);
  if (known.length === 0) return "No point has both values.";
  const names = colors === null ? [""] : axes[colors]!.values;
  if (names.length > most_colors) return `${axes[colors!]!.name} has ${names.length} values, too many to tell their colours apart.`;
  const front = front_of(known, x, y), at = (p: number): FigurePoint => [x.values[p]!, y.values[p]!, y.values[p]!, y.values[p]!];
  const drawn = figure(`${y.name} against ${x.name}`, `${known.length} points, ${front.length} that no other beats`);
  drawn.legend = colors === null ? "" : axes[colors]!.name;
  names.forEach((name, i) => {
    const own = known.filter((p) => colors === null || points.levels[colors]![p] === i);
    if (own.length > 0) drawn.series.push({ name, kind: "points", color: i, hollow: false, points: own.map(at) });
  });
  drawn.series.push({ name: "", kind: "steps", color: text_color, hollow: false, points: front.map(at) });
  const aim = (of: Quantity) => `${heading(of.name, of.unit)}, ${of.better || "smaller"} is better`;
  drawn.x = values_axis(aim(x), known.map((p) => x.values[p]!));
  drawn.y = values_axis(aim(y), known.map((p) => y.values[p]!));
  add_numbers(points, front, drawn);
  return drawn;
}

// Returns the axes on which all of these points agree, and says so.
function agreed(points: SweepPoints, list: number[]): { axes: number[]; text: string } {
  const axes = list.length > 1 ? points.drawn.filter((axis) => new Set(list.map((p) => points.levels[axis]![p])).size === 1) : [];
  return { axes, text: axes.length > 0 ? `; all with ${points.place(list[0]!, points.drawn.filter((axis) => !axes.includes(axis)))}` : "" };
}

const class_name = (metric: string) => {
  const name = metric.replace("step.", "").replaceAll("_", " ");
  return ({ ep: "EP", tp: "TP", dp: "DP", "pp and cp": "PP and CP" } as { [name: string]: string })[name] ?? name;
};
const most_best = 12, class_order = ["grouped products", "other products", "attention", "vector alone", "EP", "TP", "DP", "PP and CP", "bubble", "host", "optimizer", "rest"];

// Draws the best points as bars, numbered; of what a step's time is made of, where that is known.
export function best_figure(points: SweepPoints, chosen: number[], quantity: Quantity, parts: Quantity[]): Figure | string {
  const sign = quantity.better === "larger" ? -1 : 1, known = chosen.filter((p) => quantity.values[p] != null);
  if (known.length === 0) return "No point has this value.";
  const best = known.sort((a, b) => sign * (quantity.values[a]! - quantity.values[b]!) || a - b).slice(0, most_best), same = agreed(points, best);
  const drawn = figure(`${quantity.name} of the best points`, `the best ${best.length} of ${known.length}, numbered as in the table below${same.text}`);
  drawn.x = names_axis("", best.map((_, i) => String(i + 1)));
  drawn.y = { ...values_axis(heading(quantity.name, quantity.unit), [0, ...best.map((p) => quantity.values[p]!)]) };
  const bars = (name: string, color: number, of: Quantity): Series => ({ name, kind: "bars", color, hollow: false, points: best.map((p, i) => [i, of.values[p] ?? 0, 0, 0]) });
  if (parts.length > 0) {
    drawn.stacked = true;
    drawn.legend = "time of a die";
    const order = (of: Quantity) => (class_order.indexOf(class_name(of.name)) + class_order.length) % class_order.length;
    drawn.series = [...parts].sort((a, b) => order(a) - order(b)).map((of, i) => bars(class_name(of.name), i, of)).filter(({ points: values }) => values.some(([, value]) => value > 0));
  } else {
    drawn.series = [bars("", ink_color, quantity)];
  }
  return drawn;
}

// Returns labels for the points of the front. Points in the same place share one.
function add_numbers(points: SweepPoints, front: number[], drawn: Figure): void {
  const same = agreed(points, front);
  drawn.origin += same.text;
  const near = 0.015, share = (axis: Figure["x"], v: number) => (axis.log ? Math.log(v / axis.low) / Math.log(axis.high / axis.low) : (v - axis.low) / (axis.high - axis.low));
  front.forEach((point, i) => {
    if (i < most_numbered) drawn.key.push(`${i + 1}: ${points.place(point, same.axes)}`);
    const [x, y] = drawn.series.at(-1)!.points[i]!;
    const mark = drawn.marks.find((m) => Math.abs(share(drawn.x, m.x) - share(drawn.x, x)) < near && Math.abs(share(drawn.y, m.y) - share(drawn.y, y)) < near);
    if (mark) mark.text += `, ${i + 1}`;
    else drawn.marks.push({ x, y, text: String(i + 1) });
  });
  if (front.length > most_numbered) drawn.key.push(`… ${front.length - most_numbered} more`);
}
