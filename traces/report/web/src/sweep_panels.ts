// Splits a sweep's points into panels, so that no figure averages points that differ.
import { Quantity, SweepPoints, pivot } from "./sweep_points.js";

const near = 0.1; // values that differ by no more may be one median

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
