// Handles a timeline's input: the wheel, drags, clicks and keys.
import { area_between, area_of } from "./area.js";
import type { Keys } from "./keys_help.js";
import { search_words } from "./search.js";
import { one_of_each } from "./lanes.js";
import type { Timeline } from "./timeline.js";

interface Grab { x: number; y: number; moved: boolean; area: boolean }

export const keys: Keys = [
  ["W S + −", "zoom, as in Perfetto; so do Ctrl or Alt with the wheel, and a double click (with Shift: out)"],
  ["A D ← →", "pan; so do a drag, and Shift with the wheel"],
  ["↑ ↓", "scroll the lanes"],
  ["0", "show all"],
  ["[ ]", "walk along the critical path"],
  ["Shift with a drag", "select an area and sum what is in it"],
  ["M", "sum all that is shown"],
  ["P", "pin the rank below the pointer to the top; so does a click on its name"],
  ["/", `search: ${search_words}`],
  ["Enter N", "go to the next task found"],
  ["Esc", "let go"],
  ["?", "this help"],
];
export const pointer_help: Keys = [
  ["a click on a task", "shows what it waited for and what it lets start"],
  ["a click on n alike", "unfolds ranks that do the same; the slowest one stands for them"],
];

function wheel(timeline: Timeline, event: WheelEvent): void {
  const { time } = timeline;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    event.preventDefault();
    time.zoom(timeline.time_at(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    time.pan(((event.deltaX || event.deltaY) / timeline.plot_width) * (time.to - time.from));
  } else if (timeline.lanes.scroll_by(event.deltaY)) {
    // A plain scroll moves the page if the lanes have nothing left to scroll.
    event.preventDefault();
    timeline.draw();
  }
}

function drag(timeline: Timeline, grab: Grab, event: PointerEvent): void {
  const { offsetX: x, offsetY: y } = event, { time } = timeline;
  if (Math.abs(x - grab.x) + Math.abs(y - grab.y) > 3) grab.moved = true;
  if (!grab.moved) return;
  timeline.on_hover(-1, 0, 0);
  if (grab.area) {
    timeline.choose_area(area_between(timeline, grab.x, grab.y, x, y));
    return;
  }
  timeline.lanes.scroll_by(grab.y - y);
  time.pan(((grab.x - x) / timeline.plot_width) * (time.to - time.from));
  [grab.x, grab.y] = [x, y];
  timeline.draw();
}

// A click on the name of a rank that stands for others unfolds them, or folds them again.
const folds = (timeline: Timeline, rank: number) => timeline.shown.rank === one_of_each && timeline.lanes.group_of(rank) !== null;

function click(timeline: Timeline, x: number, y: number): void {
  const lane = timeline.lanes.at(y);
  const rank = lane === undefined ? -1 : Math.floor(lane / timeline.tasks.workers);
  if (x < timeline.gutter && rank >= 0) return folds(timeline, rank) ? timeline.on_fold(rank) : timeline.on_pin(rank);
  const step = timeline.head.step_at(y, timeline.time_at(x)), of = step < 0 ? -1 : timeline.path.task[step]!;
  if (of >= 0) return timeline.on_path(of);
  timeline.select(timeline.task_at(x, y));
}

export function listen(timeline: Timeline): void {
  const { canvas } = timeline;
  let grab: Grab | null = null;
  canvas.addEventListener("wheel", (event) => wheel(timeline, event), { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    grab = { x: event.offsetX, y: event.offsetY, moved: false, area: event.shiftKey };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (grab) return drag(timeline, grab, event);
    const { offsetX: x, offsetY: y } = event;
    [timeline.pointer_x, timeline.pointer_y] = [x, y];
    canvas.style.cursor = x < timeline.gutter ? "pointer" : "";
    const lane = timeline.lanes.at(y), rank = lane === undefined ? -1 : Math.floor(lane / timeline.tasks.workers);
    canvas.title = x >= timeline.gutter || rank < 0 ? "" : folds(timeline, rank) ? "show the ranks that do the same as this one, or fold them" : "pin this rank to the top, or let it go";
    const words = x < timeline.gutter ? "" : timeline.head.words(timeline, y, timeline.time_at(x));
    if (words) timeline.on_head(words, event.clientX);
    else timeline.on_hover(timeline.task_at(x, y), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (grab && !grab.moved) click(timeline, event.offsetX, event.offsetY);
    grab = null;
  });
  canvas.addEventListener("pointercancel", () => (grab = null));
  canvas.addEventListener("pointerleave", () => {
    timeline.pointer_x = timeline.pointer_y = -1;
    timeline.on_hover(-1, 0, 0);
  });
  canvas.addEventListener("dblclick", (event) => timeline.time.zoom(timeline.time_at(event.offsetX), event.shiftKey ? 4 : 0.25));
  canvas.addEventListener("keydown", (event) => {
    if (key(timeline, event)) event.preventDefault();
  });
}

// Handles a key. Returns whether the key means anything here.
export function key(timeline: Timeline, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { time } = timeline, span = time.to - time.from, middle = (time.to + time.from) / 2;
  const at = timeline.pointer_x >= timeline.gutter ? timeline.time_at(timeline.pointer_x) : middle;
  const scroll = (by: number) => (timeline.lanes.scroll_by(by), timeline.draw());
  const actions: { [key: string]: () => void } = {
    w: () => time.zoom(at, 0.75), s: () => time.zoom(at, 1 / 0.75),
    a: () => time.pan(-span / 8), d: () => time.pan(span / 8),
    ArrowLeft: () => time.pan(-span / 8), ArrowRight: () => time.pan(span / 8),
    ArrowUp: () => scroll(-60), ArrowDown: () => scroll(60),
    "+": () => time.zoom(middle, 0.5), "=": () => time.zoom(middle, 0.5), "-": () => time.zoom(middle, 2),
    "0": () => time.reset(),
    "[": () => timeline.step_path(-1), "]": () => timeline.step_path(1),
    n: () => timeline.next_found(), p: () => timeline.pin(),
    m: () => timeline.choose_area(area_of(timeline, timeline.lanes.all, time.from, time.to)),
    Escape: () => (timeline.mark(null), timeline.select(-1), timeline.choose_area(null)),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  action?.();
  return action !== undefined;
}
