// Shows who sends how much to whom, over a whole pass or around one time.
import { el } from "./dom.js";
import { viridisAt } from "./palette.js";
import type { Tasks } from "./tasks.js";
import { on_theme, theme } from "./theme.js";
import { time_text } from "./time_axis.js";

const window_share = 0.02; // part of the pass that is summed around the slider's time

// Returns whether the bytes of a put go to one other rank. Those of a collective go to several, and which is not recorded.
const goes_to_one = ({ columns }: Tasks, i: number) => columns.dst![i] !== columns.rank![i];

// Returns the bytes that each pair of ranks moves between two times. A put's bytes are spread evenly over its time.
export function sent_between(tasks: Tasks, from: number, to: number): Float64Array {
  const { pass, columns } = tasks, bytes = new Float64Array(pass.ranks * pass.ranks);
  const { put_bytes, rank, dst, done } = columns;
  for (let i = 0; i < tasks.count; ++i) {
    const put = put_bytes![i]!;
    if (put === 0 || !goes_to_one(tasks, i)) continue;
    const start = tasks.start[i]!, end = done![i]!, under_way = Math.min(end, to) - Math.max(start, from);
    const part = end > start ? Math.max(0, under_way) / (end - start) : start >= from && start < to ? 1 : 0;
    bytes[rank![i]! * pass.ranks + dst![i]!]! += put * part;
  }
  return bytes;
}

// Returns what each pair of different ranks moves if all pairs move the same; else null.
function same_for_all(tasks: Tasks): number | null {
  const { ranks } = tasks.pass, bytes = sent_between(tasks, 0, Infinity);
  let least = Infinity, most = 0;
  for (let i = 0; i < bytes.length; ++i) {
    if (Math.floor(i / ranks) === i % ranks) continue;
    least = Math.min(least, bytes[i]!);
    most = Math.max(most, bytes[i]!);
  }
  return ranks > 1 && most > 0 && most - least <= 1e-3 * most ? most : null;
}

// Says what operators send to several ranks at once, which the matrix lacks. Empty if there are none.
function to_several(tasks: Tasks): string {
  const names = new Set<string>(), { put_bytes } = tasks.columns;
  let bytes = 0;
  for (let i = 0; i < tasks.count; ++i) {
    if (put_bytes![i]! === 0 || goes_to_one(tasks, i)) continue;
    names.add(tasks.name(i));
    bytes += put_bytes![i]!;
  }
  return bytes === 0 ? "" : `${[...names].join(", ")}: ${(bytes / tasks.pass.ranks / 1e6).toFixed(1)} MB per rank, to several ranks at once; how much goes to which is not recorded.`;
}

// Builds the section: the matrix, or one sentence if all ranks send the same to all, with the matrix folded below it.
export function matrix_element(tasks: Tasks): HTMLElement {
  const { put_bytes } = tasks.columns, several = to_several(tasks), note = several ? [el("p", { class: "note" }, several)] : [];
  if (!put_bytes!.some((bytes, i) => bytes > 0 && goes_to_one(tasks, i)))
    return el("div", {}, ...(several ? note : [el("p", { class: "note" }, "No bytes are sent between ranks in this pass.")]));
  const same = same_for_all(tasks);
  if (same === null) return el("div", {}, ...note, new Matrix(tasks).element);
  return el("div", {}, el("p", {}, `Every rank sends every other ${(same / 1e6).toFixed(1)} MB.`), ...note,
    el("details", { class: "small" }, el("summary", {}, "matrix, also over time"), new Matrix(tasks).element));
}

export class Matrix {
  readonly element = el("div", { class: "matrix" });
  private canvas = el("canvas", { role: "img", "aria-label": "bytes between ranks" }) as HTMLCanvasElement;
  private slider = el("input", { type: "range", min: "-1", max: "200", value: "-1", "aria-label": "time" }) as HTMLInputElement;
  private label = el("output");
  private tip = el("output", { class: "tip-line" }, " ");
  private values: Float64Array = new Float64Array();
  private most = 0; // largest rate of all windows, so that colours keep their meaning while the slider moves

  constructor(private readonly tasks: Tasks) {
    this.element.append(el("div", { class: "bar" }, this.slider, this.label), this.canvas, this.tip);
    this.slider.addEventListener("input", () => this.update());
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    on_theme(() => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.element);
    this.update();
  }

  private get whole(): boolean {
    return Number(this.slider.value) < 0;
  }

  private bounds(step: number): [number, number] {
    const end = this.tasks.pass.makespan_ps, half = (end * window_share) / 2, at = (step / 200) * end;
    return [Math.max(0, at - half), Math.min(end, at + half)];
  }

  private update(): void {
    const end = this.tasks.pass.makespan_ps, step = Number(this.slider.value);
    if (this.whole) {
      this.values = sent_between(this.tasks, 0, Infinity);
      this.label.textContent = "whole pass, MB";
    } else {
      if (this.most === 0) {
        for (let s = 0; s <= 200; s += 4) this.most = Math.max(this.most, ...this.rates(s));
      }
      this.values = this.rates(step);
      const [from, to] = this.bounds(step);
      this.label.textContent = `${time_text(from, end)} to ${time_text(to, end)}, GB/s`;
    }
    this.paint();
  }

  private rates(step: number): Float64Array {
    const [from, to] = this.bounds(step);
    return sent_between(this.tasks, from, to).map((bytes) => (bytes / (to - from)) * 1e3);
  }

  private shown(value: number): string {
    return this.whole ? `${(value / 1e6).toFixed(1)} MB` : `${value.toFixed(1)} GB/s`;
  }

  private geometry(): { left: number; top: number; cell: number; size: number } {
    const ranks = this.tasks.pass.ranks, left = 46, top = 34;
    const size = Math.max(160, Math.min(520, 70 * ranks, this.element.clientWidth - left - 12));
    return { left, top, size, cell: size / ranks };
  }

  private paint(): void {
    if (this.element.clientWidth === 0) return;
    const { left, top, size, cell } = this.geometry(), ranks = this.tasks.pass.ranks, ratio = devicePixelRatio || 1, t = theme();
    this.canvas.width = (left + size + 8) * ratio;
    this.canvas.height = (top + size + 4) * ratio;
    this.canvas.style.width = `${left + size + 8}px`;
    this.canvas.style.height = `${top + size + 4}px`;
    const context = this.canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    context.fillText("to rank", left, 11);
    context.fillText("from", 2, top - 8);
    context.textAlign = "center";
    const most = this.whole ? this.values.reduce((a, b) => Math.max(a, b), 0) : this.most;
    const every = Math.ceil(16 / cell);
    for (let r = 0; r < ranks; ++r) {
      context.fillStyle = t.muted;
      if (r % every === 0) {
        context.fillText(String(r), left + (r + 0.5) * cell, top - 8);
        context.fillText(String(r), left - 14, top + (r + 0.5) * cell + 4);
      }
      for (let c = 0; c < ranks; ++c) {
        const value = this.values[r * ranks + c]!, part = most > 0 ? value / most : 0;
        context.fillStyle = value > 0 ? viridisAt(part) : t.grid;
        context.fillRect(left + c * cell, top + r * cell, Math.max(1, cell - 1), Math.max(1, cell - 1));
        if (cell < 34 || value === 0) continue;
        context.fillStyle = part > 0.5 ? "#000" : "#fff";
        context.fillText((this.whole ? value / 1e6 : value).toFixed(1), left + (c + 0.5) * cell, top + (r + 0.5) * cell + 4);
      }
    }
    context.textAlign = "left";
  }

  private hover(event: PointerEvent): void {
    const { left, top, cell } = this.geometry(), ranks = this.tasks.pass.ranks;
    const c = Math.floor((event.offsetX - left) / cell), r = Math.floor((event.offsetY - top) / cell);
    const inside = c >= 0 && r >= 0 && c < ranks && r < ranks;
    this.tip.textContent = inside ? `rank ${r} to rank ${c}: ${this.shown(this.values[r * ranks + c]!)}` : " ";
  }
}
