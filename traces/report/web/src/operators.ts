// Computes a pass's operators in numbers: how often they run, how long their tasks take, and what the tasks lose.
import type { Table } from "./model.js";
import type { Tasks } from "./tasks.js";
import { Column, table_of } from "./table.js";

export interface OperatorStats {
  op: number;
  tasks: number;
  ran: number; // picoseconds summed over all tasks, as are the following
  lost: number;
  waited: number;
  sent: number; // bytes
  lengths: Float64Array; // durations of single tasks, ascending
}

// Returns the value that the given part of all values lies at or below.
export function quantile(ascending: Float64Array, part: number): number {
  return ascending[Math.max(0, Math.ceil(part * ascending.length) - 1)] ?? 0;
}

// Computes the table over the tasks for which `counts` returns true.
export function operator_stats(tasks: Tasks, counts: (task: number) => boolean): OperatorStats[] {
  const { ideal, waited, put_bytes: puts, sent_bytes } = tasks.columns, put_bytes = tasks.pass.recorded ? sent_bytes : puts, of: number[][] = tasks.pass.operators.map(() => []);
  for (let i = 0; i < tasks.count; ++i) if (counts(i)) of[tasks.op[i]!]!.push(i);
  return of.flatMap((list, op) => {
    if (list.length === 0) return [];
    const stats = { op, tasks: list.length, ran: 0, lost: 0, waited: 0, sent: 0, lengths: new Float64Array(list.length) };
    list.forEach((task, i) => {
      const length = tasks.end[task]! - tasks.start[task]!;
      stats.lengths[i] = length;
      stats.ran += length;
      stats.lost += length - ideal![task]!;
      stats.waited += waited![task]!;
      stats.sent += put_bytes![task]!;
    });
    stats.lengths.sort();
    return [stats];
  });
}

export function operator_table(tasks: Tasks, stats: OperatorStats[]): Table {
  const whole = stats.reduce((sum, of) => sum + of.ran, 0) || 1;
  const ms = (ps: number) => (ps / 1e9).toFixed(3), us = (ps: number) => (ps / 1e6).toFixed(2), percent = (part: number) => (100 * part).toFixed(1);
  const columns: Column<OperatorStats>[] = [
    ["operator", (of) => tasks.pass.operators[of.op]!.name, String],
    ["unit", (of) => tasks.pass.operators[of.op]!.unit, String],
    [tasks.pass.recorded ? "number" : "tasks", (of) => of.tasks, String],
    ["time ms", (of) => of.ran, ms],
    ["of all %", (of) => of.ran / whole, percent],
    ["minimum µs", (of) => of.lengths[0]!, us],
    ["median µs", (of) => quantile(of.lengths, 0.5), us],
    ["p95 µs", (of) => quantile(of.lengths, 0.95), us],
    ["maximum µs", (of) => of.lengths[of.lengths.length - 1]!, us],
    ["lost %", (of) => of.lost / (of.ran || 1), percent],
    ["waited ms", (of) => of.waited, ms],
    ["sent MB", (of) => of.sent, (bytes: number) => (bytes / 1e6).toFixed(1)],
  ];
  return table_of(stats, columns.filter(([head]) => !tasks.pass.recorded || (head !== "lost %" && (head !== "sent MB" || stats.some((of) => of.sent > 0)))));
}
