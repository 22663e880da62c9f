// Describes a task: in short beside the pointer, and in full below the timeline once it is selected.
import { el } from "./dom.js";
import type { Tasks } from "./tasks.js";
import { css_fill } from "./hatching.js";
import { color_of } from "./meanings.js";
import { theme } from "./theme.js";
import { time_text, timestamp_text } from "./time_axis.js";

interface Part { name: string; ps: number }

const of_its_own = ["cube", "vector", "core", "put alone", "unknown"]; // what a task would take if it ran alone

// Returns whether nothing says what a kernel's own time is spent on, as in known_by_time_alone() of traces/trace.h.
function known_by_time_alone({ columns, pass }: Tasks, task: number): boolean {
  const misses = pass.limits.indexOf("L2 misses");
  return !!pass.streams && columns.arithmetic![task] === 0 && !(columns[`lost_${misses}`]?.[task] ?? 0);
}

// Returns where the time from a task's start to its end went.
export function parts_of(tasks: Tasks, task: number): Part[] {
  const { columns, pass } = tasks;
  const arithmetic = pass.operators[tasks.op[task]!]!.unit === "vector" ? "vector" : "cube", parts: Part[] = [
    { name: arithmetic, ps: columns.arithmetic![task]! },
    { name: pass.operators[tasks.op[task]!]!.unit === "put" ? "put alone" : known_by_time_alone(tasks, task) ? "unknown" : "core", ps: columns.ideal![task]! - columns.arithmetic![task]! },
  ];
  pass.limits.forEach((limit, i) => parts.push({ name: limit, ps: columns[`lost_${i}`]![task]! }));
  return parts.filter((part) => part.ps > 0);
}

function part_color(name: string): string {
  return css_fill(theme(), color_of("cause", name));
}

// Compares a task with all ranks' tasks and, if that differs, with those of its own rank.
function expert_text(tasks: Tasks, expert: number): string {
  const local = tasks.local_expert(expert);
  return local === expert ? String(expert) : `${expert} (${local} of its rank)`;
}

function facts_of(tasks: Tasks, task: number): [string, string][] {
  const c = tasks.columns, of = (name: string) => c[name]![task]!, length = of("end") - of("start");
  const facts: [string, string][] = [
    ["on", tasks.lane_name(tasks.lane_of(task))],
    ["runs", `${timestamp_text(of("start"), length)} to ${timestamp_text(of("end"), length)}, ${time_text(length)}`],
  ];
  if (of("expert") >= 0) facts.push(["expert", expert_text(tasks, of("expert"))]);
  if (of("start") > of("taken")) facts.push([tasks.pass.recorded ? "the device asked for it before" : "waited on its worker", time_text(of("start") - of("taken"))]);
  if (of("put_bytes") > 0) {
    facts.push(["sends", `${(of("put_bytes") / 1e6).toFixed(3)} MB to rank ${of("dst")}`]);
    const span = of("done") - of("start");
    if (span > 0) facts.push(["at", `${(of("put_bytes") / span * 1e3).toFixed(1)} GB/s, seen there at ${timestamp_text(of("visible"), length)}`]);
  }
  if (tasks.pass.recorded && of("sent_bytes") > 0) facts.push(["sends", `${(of("sent_bytes") / 1e6).toFixed(3)} MB`]);
  const requests = of("l2_hits") + of("l2_misses");
  if (requests > 0) facts.push(["L2 read hits", `${((100 * of("l2_hits")) / requests).toFixed(1)} %`]);
  if (of("hbm_bytes") > 0) facts.push(["HBM", `${(of("hbm_bytes") / 1e6).toFixed(3)} MB`]);
  return facts;
}

export function task_card(tasks: Tasks, task: number): HTMLElement {
  const parts = parts_of(tasks, task), sum = parts.reduce((total, part) => total + part.ps, 0) || 1;
  const bar = el("div", { class: "parts" });
  const list = el("dl");
  for (const [name, value] of facts_of(tasks, task)) list.append(el("dt", {}, name), el("dd", {}, value));
  for (const part of tasks.pass.recorded ? [] : parts) {
    const piece = el("span", { title: part.name });
    piece.style.flexGrow = String(part.ps / sum);
    piece.style.background = part_color(part.name);
    bar.append(piece);
    const key = el("i", { class: "swatch" });
    key.style.background = part_color(part.name);
    list.append(el("dt", {}, key, part.name === "unknown" ? "known only by its time" : of_its_own.includes(part.name) ? part.name : `lost to ${part.name}`),
      el("dd", {}, `${time_text(part.ps)}, ${((100 * part.ps) / sum).toFixed(1)} %`));
  }
  return el("div", { class: "card" }, el("strong", {}, `${tasks.name(task)} ${tasks.columns.index![task]}`), bar, list);
}

// Returns the tooltip: what the task is, how long it took, and what it lost most time to.
export function task_hint(tasks: Tasks, task: number): HTMLElement {
  const { taken, put_bytes, dst } = tasks.columns, length = tasks.end[task]! - tasks.start[task]!, wait = tasks.start[task]! - taken![task]!;
  const lost = parts_of(tasks, task).filter((part) => !of_its_own.includes(part.name)).sort((a, b) => b.ps - a.ps)[0];
  const words = [tasks.lane_name(tasks.lane_of(task)), time_text(length)];
  if (put_bytes![task]! > 0) words.push(`to rank ${dst![task]}`);
  if (lost && lost.ps > length / 100) words.push(`${((100 * lost.ps) / length).toFixed(0)} % lost to ${lost.name}`);
  if (wait > 0) words.push(`waited ${time_text(wait)}`);
  return el("div", { class: "hint" }, el("strong", {}, `${tasks.name(task)} ${tasks.columns.index![task]}`), ` ${words.join(" · ")}`);
}
