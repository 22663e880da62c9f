// Splits a sweep's points into panels, so that no figure averages points that differ, and ranks axes by how much they matter.
import { Quantity, SweepPoints, pivot } from "./sweep_points.js";

const near = 0.1; // values that differ by no more may be one median

// Returns the axes with several values, those first that matter most: by the part of the variance (of logarithms, if all values
// are positive) that lies between the means of their values. Of axes that change together the first stands for all.
export function axes_by_effect(points: SweepPoints, chosen: number[], quantity: Quantity): number[] {
  const known = chosen.filter((p) => quantity.values[p] != null), positive = known.every((p) => quantity.values[p]! > 0);
  const value = (p: number) => (positive ? Math.log(quantity.values[p]!) : quantity.values[p]!);
  const mean = (list: number[]) => list.reduce((sum, p) => sum + value(p), 0) / (list.length || 1), all = mean(known);
  const groups_of = (axis: number) => {
    const groups = new Map<number, number[]>();
    for (const p of known) groups.set(points.levels[axis]![p]!, [...(groups.get(points.levels[axis]![p]!) ?? []), p]);
    return [...groups.values()];
  };
  const between = (axis: number) => groups_of(axis).reduce((sum, list) => sum + list.length * (mean(list) - all) ** 2, 0);
  const ranked = points.drawn.map((axis) => ({ axis, effect: between(axis) })).sort((a, b) => b.effect - a.effect || a.axis - b.axis);
  const twins = (a: number, b: number) => {
    const pairs = new Set(known.map((p) => `${points.levels[a]![p]} ${points.levels[b]![p]}`)).size;
    return pairs === groups_of(a).length && pairs === groups_of(b).length;
  };
  const first = ranked.filter(({ axis }, i) => !ranked.slice(0, i).some((before) => twins(before.axis, axis))).map(({ axis }) => axis);
  return [...first, ...points.drawn.filter((axis) => !first.includes(axis))];
}

export interface Panel { points: number[]; place: string } // the place on the axes that the figure does not show

// Returns one panel if each cell's values are near each other; else one for each place on the other axes, that of the best
// point first.
export function panels_of(points: SweepPoints, chosen: number[], quantity: Quantity, rows: number, columns: number | null): Panel[] {
  const cells = pivot(points, chosen, quantity, rows, columns).flat();
  if (cells.every((cell) => cell.length < 2 || cell.at(-1)! - cell[0]! <= near * Math.abs(cell[0]!))) return [{ points: chosen, place: "" }];
  const others = points.drawn.filter((axis) => axis !== rows && axis !== columns), panels = new Map<string, number[]>();
  for (const p of chosen) {
    const place = others.map((axis) => points.levels[axis]![p]).join(" ");
    panels.set(place, [...(panels.get(place) ?? []), p]);
  }
  const varied = others.filter((axis) => new Set(chosen.map((p) => points.levels[axis]![p])).size > 1), shown = points.drawn.filter((axis) => !varied.includes(axis));
  const cost = (p: number) => (quantity.values[p] == null ? Infinity : quantity.better === "larger" ? -quantity.values[p]! : quantity.values[p]!);
  const best = (list: number[]) => list.reduce((least, p) => Math.min(least, cost(p)), Infinity);
  return [...panels.values()].filter((list) => best(list) < Infinity).map((list) => ({ points: list, place: points.place(list[0]!, shown), best: best(list) }))
    .sort((a, b) => a.best - b.best || a.points[0]! - b.points[0]!);
}
