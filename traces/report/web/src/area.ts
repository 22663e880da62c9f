// Sums the tasks and the workers' time of a selected area of a timeline: some lanes over a stretch of time.
import { el } from "./dom.js";
import { css_fill } from "./hatching.js";
import { color_of } from "./meanings.js";
import { quantile } from "./operators.js";
import { table_element, table_of } from "./table.js";
import type { Tasks } from "./tasks.js";
import { theme } from "./theme.js";
import { time_text, timestamp_text } from "./time_axis.js";
import type { Timeline } from "./timeline.js";

export interface Area { lanes: number[]; from: number; to: number }

// Returns the lanes and times between two places of the canvas.
export function area_between(timeline: Timeline, x0: number, y0: number, x1: number, y1: number): Area | null {
  return area_of(timeline, timeline.lanes.between(y0, y1), timeline.time_at(Math.min(x0, x1)), timeline.time_at(Math.max(x0, x1)));
}

// Cuts the area to the lanes that are shown and to the pass. Returns null if nothing is left.
export function area_of(timeline: Timeline, lanes: number[], from: number, to: number): Area | null {
  const { time } = timeline, area = { lanes, from: Math.max(time.from, from), to: Math.min(time.to, timeline.tasks.pass.makespan_ps, to) };
  return lanes.length > 0 && area.from < area.to ? area : null;
}

export const state_names = ["run", "memory", "puts", "wait", "scheduling", "idle"] as const;
export type States = { [name in (typeof state_names)[number]]: number };

export interface OperatorSum { op: number; tasks: number; inside: number; lost: number; lengths: number[] }

export interface Sums { states: States; operators: OperatorSum[] }

// Sums the workers' time in the area by state, as 'a3sim explain' does for whole passes, and the tasks of each operator that
// overlap it. What a task loses, and how long it waits before its start, is spread evenly over its time.
export function sums_of(tasks: Tasks, area: Area): Sums {
  const states: States = { run: 0, memory: 0, puts: 0, wait: 0, scheduling: 0, idle: 0 };
  const operators: OperatorSum[] = tasks.pass.operators.map((_, op) => ({ op, tasks: 0, inside: 0, lost: 0, lengths: [] }));
  const { start, end, taken, op } = tasks, { ideal, waited, put_bytes } = tasks.columns;
  const inside = (from: number, to: number) => Math.max(0, Math.min(to, area.to) - Math.max(from, area.from));
  for (const lane of area.lanes) {
    const first = tasks.first[lane]!, last = tasks.first[lane + 1]!;
    let until = first < last ? taken[first]! : 0;
    states.idle += inside(0, until);
    for (let task = first; task < last; ++task) {
      const before = inside(until, start[task]!), length = end[task]! - start[task]!, part = inside(start[task]!, end[task]!);
      const waiting = start[task]! > until ? Math.min(1, waited![task]! / (start[task]! - until)) : 0;
      states.wait += before * waiting;
      states.scheduling += before * (1 - waiting);
      until = end[task]!;
      if (part <= 0) continue;
      const lost = length > 0 ? ((length - ideal![task]!) / length) * part : 0, sum = operators[op[task]!]!;
      ++sum.tasks;
      sum.inside += part;
      sum.lost += lost;
      sum.lengths.push(length);
      if (put_bytes![task]! > 0) states.puts += part;
      else {
        states.run += part - lost;
        states.memory += lost;
      }
    }
    states.idle += inside(until, Math.max(until, tasks.pass.makespan_ps));
  }
  return { states, operators: operators.filter((sum) => sum.tasks > 0).sort((a, b) => b.inside - a.inside) };
}

function swatch(meaning: "state" | "operator", name: string): HTMLElement {
  const key = el("i", { class: "swatch" });
  key.style.background = css_fill(theme(), color_of(meaning, name));
  return el("span", {}, key, name);
}

export function area_card(tasks: Tasks, area: Area): HTMLElement {
  const { states, operators } = sums_of(tasks, area), span = area.to - area.from, whole = span * area.lanes.length || 1;
  const ms = (ps: number) => (ps / 1e9).toFixed(3), us = (ps: number) => (ps / 1e6).toFixed(2), percent = (part: number) => (100 * part).toFixed(1);
  const share = (ps: number) => ps / whole, name = (sum: OperatorSum) => tasks.pass.operators[sum.op]!.name;
  const bar = el("div", { class: "parts" });
  for (const state of state_names) {
    const piece = el("span", { title: `${state}: ${percent(share(states[state]))} %` });
    piece.style.flexGrow = String(states[state] / whole);
    piece.style.background = css_fill(theme(), color_of("state", state));
    bar.append(piece);
  }
  const by_state = table_of(state_names.filter((state) => states[state] > 0), [
    ["state", (state) => state, String], ["time ms", (state) => states[state], ms], ["of the area %", (state) => share(states[state]), percent]]);
  const by_operator = table_of(operators, [
    ["operator", name, String], ["tasks", (sum) => sum.tasks, String], ["time ms", (sum) => sum.inside, ms],
    ["of the area %", (sum) => share(sum.inside), percent], ["lost %", (sum) => sum.lost / (sum.inside || 1), percent],
    ["median µs", (sum) => quantile(Float64Array.from(sum.lengths).sort(), 0.5), us],
    ["p95 µs", (sum) => quantile(Float64Array.from(sum.lengths).sort(), 0.95), us]]);
  return el("div", { class: "card area" },
    el("strong", {}, `${timestamp_text(area.from, span)} to ${timestamp_text(area.to, span)}: ${time_text(span)} of ${area.lanes.length} workers`), bar,
    el("div", { class: "side" },
      table_element(by_state, { filter: false, cell: (_, c, text) => (c === 0 ? swatch("state", text) : null) }),
      operators.length > 0 ? table_element(by_operator, { filter: false, cell: (_, c, text) => (c === 0 ? swatch("operator", text) : null) }) : null));
}
