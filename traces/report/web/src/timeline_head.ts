// What stands between a timeline's axis and its lanes: how exchange and products overlap, and the critical path as a ribbon, whose
// upper half is the operator with its rank, and whose lower half is what the time was spent on.
import { canvas_fill } from "./hatching.js";
import { color_of } from "./meanings.js";
import { Overlap, overlap_names } from "./overlap.js";
import { ink_on, series_color } from "./palette.js";
import { Path, Tasks } from "./tasks.js";
import { theme } from "./theme.js";
import { time_text } from "./time_axis.js";
import type { Timeline } from "./timeline.js";

export const axis_height = 22;
const gap = 3, overlap_height = 14, operator_height = 15, cause_height = 9;

type Context = CanvasRenderingContext2D;

// A stretch of the path on one rank and in one operator.
interface Stretch { from: number; to: number; op: number; rank: number }

export class Head {
  readonly overlap: Overlap | null;
  readonly height: number; // of the axis and all below it, above the lanes
  private stretches: Stretch[] = [];

  constructor(private tasks: Tasks, readonly path: Path) {
    const overlap = tasks.pass.recorded ? null : new Overlap(tasks);
    this.overlap = overlap?.any ? overlap : null;
    for (let i = 0; i < path.steps; ++i) {
      const op = path.op[i]!, rank = path.task[i]! < 0 ? -1 : tasks.columns.rank![path.task[i]!]!, last = this.stretches.at(-1);
      if (last && last.op === op && last.rank === rank) last.to = path.to[i]!;
      else this.stretches.push({ from: path.from[i]!, to: path.to[i]!, op, rank });
    }
    this.height = axis_height + (this.overlap ? overlap_height + gap : 0) + (path.steps > 0 ? operator_height + cause_height + 2 * gap : 0);
  }

  private get ribbon_top(): number {
    return axis_height + gap + (this.overlap ? overlap_height + gap : 0);
  }

  // Returns the step of the path at a place of the canvas, or -1.
  step_at(y: number, time: number): number {
    if (this.path.steps === 0 || y < this.ribbon_top || y >= this.ribbon_top + operator_height + cause_height) return -1;
    for (let i = 0; i < this.path.steps; ++i) if (this.path.from[i]! <= time && time < this.path.to[i]!) return i;
    return -1;
  }

  // Says what is at a place of the canvas, or nothing.
  words(timeline: Timeline, y: number, time: number): string {
    const step = this.step_at(y, time), { pass } = this.tasks;
    if (step >= 0) {
      const task = this.path.task[step]!, of = task < 0 ? "" : ` of rank ${this.tasks.columns.rank![task]}`;
      const length = this.path.to[step]! - this.path.from[step]!;
      return `critical path: ${pass.operators[this.path.op[step]!]!.name}${of}, ${time_text(length)}, most of it ${pass.blames[this.path.blame[step]!]}`;
    }
    if (!this.overlap || y < axis_height || y >= axis_height + gap + overlap_height) return "";
    const span = (timeline.time.to - timeline.time.from) / timeline.plot_width, parts = this.overlap.between(time - span, time + span);
    return parts.map((part, kind) => [part / (2 * span), overlap_names[kind]!] as const).filter(([part]) => part > 0.005).map(([part, name]) => `${(100 * part).toFixed(0)} % of the ranks: ${name}`).join(" · ");
  }

  paint(timeline: Timeline, context: Context): void {
    const t = theme();
    context.fillStyle = t.background;
    context.fillRect(0, axis_height, timeline.canvas.clientWidth, this.height - axis_height);
    context.save();
    context.beginPath();
    context.rect(timeline.gutter, axis_height, timeline.plot_width, this.height);
    context.clip();
    if (this.overlap) this.paint_overlap(timeline, context, this.overlap);
    if (this.path.steps > 0) this.paint_ribbon(timeline, context);
    context.restore();
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    const narrow = timeline.gutter < 80, name = (text: string, brief: string, y: number) => context.fillText(narrow ? brief : text, 4, y, timeline.gutter - 6);
    if (this.overlap) name("overlap", "overlap", axis_height + gap + overlap_height / 2);
    if (this.path.steps > 0) name("critical path", "path", this.ribbon_top + (operator_height + cause_height) / 2);
    context.fillStyle = t.frame;
    context.fillRect(0, this.height - 1, timeline.canvas.clientWidth, 1);
  }

  // Both and products alone stand below, the exchange that nothing covers above them.
  private paint_overlap(timeline: Timeline, context: Context, overlap: Overlap): void {
    const t = theme(), bottom = axis_height + gap + overlap_height, end = Math.min(timeline.canvas.clientWidth, timeline.x(this.tasks.pass.makespan_ps));
    const colors = overlap_colors();
    context.fillStyle = t.grid;
    context.fillRect(timeline.gutter, bottom - overlap_height, end - timeline.gutter, overlap_height);
    for (let x = timeline.gutter; x < end; ++x) {
      const from = timeline.time_at(x), to = timeline.time_at(x + 1), parts = overlap.between(from, to);
      let y = bottom;
      for (const kind of [0, 1, 2]) {
        const high = (overlap_height * parts[kind]!) / (to - from);
        context.fillStyle = colors[kind]!;
        context.fillRect(x, y - high, 1, high);
        y -= high;
      }
    }
  }

  private paint_ribbon(timeline: Timeline, context: Context): void {
    const t = theme(), top = this.ribbon_top, { time } = timeline, { path } = this, { operators, blames } = this.tasks.pass;
    context.font = "11px system-ui, sans-serif";
    for (const { from, to, op, rank } of this.stretches) {
      if (to < time.from || from > time.to) continue;
      const color = series_color(t, color_of("operator", operators[op]!.name)), x0 = Math.max(timeline.gutter, timeline.x(from)), x1 = Math.min(timeline.canvas.clientWidth, timeline.x(to));
      context.fillStyle = color;
      context.fillRect(x0, top, Math.max(0.5, x1 - x0), operator_height);
      if (x1 - x0 > 3) {
        context.fillStyle = t.background;
        context.fillRect(x1 - 0.5, top, 0.5, operator_height);
      }
      context.fillStyle = ink_on(color);
      for (const words of rank < 0 ? [operators[op]!.name] : [`${operators[op]!.name}, rank ${rank}`, `r${rank}`, String(rank)]) {
        if (context.measureText(words).width + 6 > x1 - x0) continue;
        context.fillText(words, x0 + 3, top + operator_height / 2 + 0.5);
        break;
      }
    }
    let painted = -1; // the last pixel; many short steps share one
    for (let i = 0; i < path.steps; ++i) {
      if (path.to[i]! < time.from || path.from[i]! > time.to) continue;
      const x0 = Math.max(timeline.gutter, timeline.x(path.from[i]!)), x1 = Math.min(timeline.canvas.clientWidth, timeline.x(path.to[i]!));
      if (x1 - x0 < 1 && Math.floor(x1) === painted) continue;
      painted = Math.floor(x1);
      context.fillStyle = canvas_fill(context, t, color_of("cause", blames[path.blame[i]!]!));
      context.fillRect(x0, top + operator_height + 1, Math.max(0.5, x1 - x0), cause_height - 1);
    }
  }
}

// Returns the colours of overlap_names; the exposed part is red, as findings are.
export function overlap_colors(): string[] {
  const t = theme();
  return [series_color(t, color_of("overlap", "both")), series_color(t, color_of("overlap", "products alone")),
    t.flag, t.grid];
}
