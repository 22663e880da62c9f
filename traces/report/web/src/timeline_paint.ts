// Paints what lies above a timeline's bars: the axis, names, the critical path, and the selection.
import { color_of } from "./meanings.js";
import { ink_on, series_color } from "./palette.js";
import { worker_name } from "./tasks.js";
import { theme } from "./theme.js";
import { ticks_of } from "./time_axis.js";
import { axis_height } from "./timeline_head.js";
import type { Marked, Timeline } from "./timeline.js";

type Context = CanvasRenderingContext2D;
const font = (size: number, weight = 400) => `${weight} ${size}px system-ui, sans-serif`;

export function paint_over(timeline: Timeline, context: Context): void {
  context.textBaseline = "middle";
  within_plot(timeline, context, () => {
    paint_words(timeline, context);
    paint_end(timeline, context);
    if (timeline.marked) paint_marked(timeline, context, timeline.marked);
    if (timeline.shown.path) paint_path(timeline, context);
    paint_links(timeline, context);
    paint_area(timeline, context);
  });
  timeline.head.paint(timeline, context);
  paint_axis(timeline, context);
  paint_gutter(timeline, context);
}

function within_plot(timeline: Timeline, context: Context, paint: () => void): void {
  context.save();
  context.beginPath();
  context.rect(timeline.gutter, timeline.lanes.top, timeline.plot_width, timeline.canvas.clientHeight);
  context.clip();
  paint();
  context.restore();
}

function paint_axis(timeline: Timeline, context: Context): void {
  const t = theme(), width = timeline.canvas.clientWidth, { gutter } = timeline;
  context.fillStyle = t.background;
  context.fillRect(0, 0, width, axis_height);
  context.fillStyle = t.muted;
  context.font = font(11);
  const ticks = ticks_of(timeline.time.from, timeline.time.to, Math.max(2, timeline.plot_width / 110));
  for (const { at, text } of ticks.list) {
    const x = Math.round(timeline.x(at)) + 0.5;
    context.fillRect(x, axis_height - 5, 1, 5);
    if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, axis_height / 2);
  }
  if (ticks.base) {
    context.fillStyle = t.text;
    context.font = font(11, 600);
    context.fillText(ticks.base, 4, axis_height / 2, gutter - 6);
  }
  context.fillStyle = t.muted;
  context.fillRect(0, axis_height - 1, width, 1);
}

// Draws a line where the pass ends, if the visible stretch goes on after it.
function paint_end(timeline: Timeline, context: Context): void {
  const end = timeline.x(timeline.tasks.pass.makespan_ps);
  if (end >= timeline.canvas.clientWidth - 2) return;
  context.setLineDash([4, 3]);
  context.strokeStyle = theme().muted;
  context.strokeRect(end, timeline.lanes.top, 0.5, timeline.canvas.clientHeight);
  context.setLineDash([]);
}

// Writes names inside bars that have room for them.
function paint_words(timeline: Timeline, context: Context): void {
  const { tasks, row, time } = timeline, least = 46;
  if (row < 10) return;
  context.font = font(Math.min(11, row - 2));
  const inks = tasks.pass.operators.map((operator) => ink_on(series_color(theme(), color_of("operator", operator.name))));
  for (const { lane, y } of timeline.lanes.seen()) {
    for (let task = tasks.ending_after(lane, time.from); task < tasks.first[lane + 1]! && tasks.start[task]! < time.to; ++task) {
      const x0 = Math.max(timeline.gutter, timeline.x(tasks.start[task]!)), x1 = timeline.x(tasks.end[task]!);
      if (x1 - x0 < least) continue;
      context.save();
      context.beginPath();
      context.rect(x0, y, Math.max(0, x1 - x0 - 3), row);
      context.clip();
      context.fillStyle = inks[tasks.op[task]!]!;
      context.fillText(`${tasks.name(task)} ${tasks.columns.index![task]}`, x0 + 4, y + row / 2);
      context.restore();
    }
  }
}

// Writes the names of ranks and workers: each worker if there is room, else the first and the last of a kind.
function paint_gutter(timeline: Timeline, context: Context): void {
  const t = theme(), { tasks, row, gutter, lanes, shown } = timeline, seen = lanes.seen();
  context.save();
  context.beginPath();
  context.rect(0, lanes.top, timeline.canvas.clientWidth, timeline.canvas.clientHeight);
  context.clip();
  context.fillStyle = t.background;
  context.fillRect(0, lanes.top, gutter, timeline.canvas.clientHeight);
  const narrow = gutter < 80;
  for (let i = 0; i < seen.length;) {
    const rank = Math.floor(seen[i]!.lane / tasks.workers);
    let last = i;
    while (last + 1 < seen.length && Math.floor(seen[last + 1]!.lane / tasks.workers) === rank) ++last;
    const top = Math.max(seen[i]!.y, lanes.top), bottom = seen[last]!.y + row;
    context.fillStyle = t.frame;
    const last_pinned = Math.abs(bottom - lanes.top - lanes.pinned_height) < 0.01;
    context.fillRect(0, Math.round(bottom) - 0.5, last_pinned ? timeline.canvas.clientWidth : gutter, last_pinned ? 2 : 0.5);
    if (bottom - top >= 9) {
      context.textAlign = "left";
      context.font = font(11, 600);
      context.fillStyle = t.text;
      const line = Math.min(top + 8, (top + bottom) / 2 + 4), alike = shown.rank < -1 ? lanes.group_of(rank) : null;
      context.fillText(`${shown.pinned.has(rank) ? "▸" : ""}${narrow ? "r" : "rank "}${rank}`, 4, line);
      if (alike && bottom - top >= 24) {
        context.font = font(10);
        context.fillStyle = getComputedStyle(timeline.canvas).getPropertyValue("--accent");
        context.fillText(`${alike.length} ${narrow ? "=" : "alike"} ${shown.unfolded.has(rank) ? "▾" : "▸"}`, 4, line + 13);
      }
    }
    paint_workers(timeline, context, seen.slice(i, last + 1), narrow);
    i = last + 1;
  }
  context.fillStyle = t.frame;
  context.fillRect(gutter - 1, lanes.top, 1, timeline.canvas.clientHeight);
  context.restore();
  context.textAlign = "left";
}

function paint_workers(timeline: Timeline, context: Context, seen: { lane: number; y: number }[], narrow: boolean): void {
  const { tasks, row, gutter } = timeline, x = gutter - 6;
  const of = (i: number) => tasks.of_kind(seen[i]!.lane % tasks.workers);
  context.textAlign = "right";
  context.fillStyle = theme().muted;
  context.font = font(row >= 9 ? Math.min(10, row - 1) : 10);
  for (let i = 0; i < seen.length;) {
    let last = i;
    while (last + 1 < seen.length && row < 9 && of(last + 1).kind === of(i).kind) ++last;
    const { kind, number } = of(i), top = Math.max(seen[i]!.y, timeline.lanes.top), bottom = seen[last]!.y + row;
    // The rank's name stands at the top of its first lanes, which may have no room for more than a word beside it.
    const brief = narrow || (i === 0 && bottom - top < 28);
    const text = last === i ? worker_name(kind, number) : brief ? kind.name : `${kind.name} ${number}…${of(last).number}`;
    const room = gutter - (i === 0 ? (narrow ? 26 : 52) : 8);
    if (row >= 9 || bottom - top >= 11) context.fillText(text, x, (top + bottom) / 2, room);
    i = last + 1;
  }
}

// Draws a frame around each group of adjacent lanes.
function paint_marked(timeline: Timeline, context: Context, marked: Marked): void {
  const { tasks, row } = timeline;
  const x0 = Math.max(timeline.gutter + 1, timeline.x(marked.from_ps)), x1 = Math.min(timeline.canvas.clientWidth - 1, timeline.x(marked.to_ps));
  if (x1 <= x0) return;
  context.strokeStyle = context.fillStyle = getComputedStyle(timeline.canvas).getPropertyValue("--flag");
  context.lineWidth = 2;
  const seen = timeline.lanes.seen().filter(({ lane }) => marked.ranks.length === 0 || marked.ranks.includes(Math.floor(lane / tasks.workers)));
  for (let first = 0; first < seen.length;) {
    let last = first;
    while (last + 1 < seen.length && Math.abs(seen[last + 1]!.y - seen[last]!.y - row) < 0.01) ++last;
    const y = seen[first]!.y, high = (last + 1 - first) * row;
    context.globalAlpha = 0.1;
    context.fillRect(x0, y, x1 - x0, high);
    context.globalAlpha = 1;
    context.strokeRect(x0, y + 1, x1 - x0, high - 2);
    first = last + 1;
  }
}

// Underlines the tasks of the critical path that are shown, where lanes are high enough to leave their bars visible.
function paint_path(timeline: Timeline, context: Context): void {
  const { path, time, row } = timeline;
  if (row < 5) return;
  context.fillStyle = theme().text;
  for (let i = 0; i < path.steps; ++i) {
    const task = path.task[i]!, y = task < 0 ? null : timeline.y(task);
    if (y === null || !path.ran[i] || path.to[i]! < time.from || path.from[i]! > time.to) continue;
    const x0 = timeline.x(path.from[i]!);
    context.fillRect(x0, y + row / 2 - 2, Math.max(1, timeline.x(path.to[i]!) - x0), 2);
  }
}

function paint_links(timeline: Timeline, context: Context): void {
  const { tasks, links, selected } = timeline;
  context.lineWidth = 1.2;
  context.strokeStyle = context.fillStyle = theme().text;
  context.globalAlpha = links.length > 40 ? 0.35 : 0.9;
  for (let i = 0; i + 1 < links.length; i += 2) {
    const a = links[i]!, b = links[i + 1]!, y0 = timeline.y(a), y1 = timeline.y(b);
    if (y0 === null || y1 === null) continue;
    const x0 = timeline.x(tasks.columns.visible![a]!), x1 = timeline.x(tasks.start[b]!);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + 14, y0, x1 - 14, y1, x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1 + 1, y1);
    context.lineTo(x1 - 5, y1 - 3);
    context.lineTo(x1 - 5, y1 + 3);
    context.fill();
  }
  context.globalAlpha = 1;
  const y = selected >= 0 ? timeline.y(selected) : null;
  if (y === null) return;
  const x0 = timeline.x(tasks.start[selected]!), x1 = timeline.x(tasks.end[selected]!), high = Math.max(5, timeline.row);
  context.lineWidth = 2;
  context.strokeRect(x0, y - high / 2, Math.max(2, x1 - x0), high);
}

function paint_area(timeline: Timeline, context: Context): void {
  const { area, row } = timeline;
  if (!area) return;
  const chosen = new Set(area.lanes), seen = timeline.lanes.seen().filter(({ lane }) => chosen.has(lane));
  const x0 = timeline.x(area.from), x1 = timeline.x(area.to);
  context.fillStyle = getComputedStyle(timeline.canvas).getPropertyValue("--accent");
  context.globalAlpha = 0.22;
  for (const { y } of seen) context.fillRect(x0, y, x1 - x0, row);
  context.globalAlpha = 1;
  for (const x of [x0, x1]) context.fillRect(x - 0.5, timeline.lanes.top, 1.5, timeline.canvas.clientHeight);
}
