// Handles a timeline's input: the wheel, drags, clicks and keys.
import { area_between, area_of } from "./area.js";
import { search_words } from "./search.js";
import type { Timeline } from "./timeline.js";

interface Grab { x: number; y: number; moved: boolean; area: boolean }

export const keys_help =
  "W and S zoom at the pointer, A and D pan, as in Perfetto; so do + and −, the arrows, Ctrl or Alt with the wheel, Shift with the wheel, and a drag. " +
  "A double click zooms in (with Shift: out), 0 shows all. Shift and a drag select an area and sum what is in it, M sums all that is shown. " +
  "A click on a rank's name or P pins the rank to the top. A click on a task shows what it waited for and lets start; [ and ] walk along the critical path. " +
  `/ searches (${search_words}), Enter or N goes to the next found. Esc lets go.`;

function wheel(timeline: Timeline, event: WheelEvent): void {
  const { time } = timeline;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    event.preventDefault();
    time.zoom(timeline.date_at(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
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

function click(timeline: Timeline, x: number, y: number): void {
  const lane = timeline.lanes.at(y);
  if (x < timeline.gutter && lane !== undefined) return timeline.on_pin(Math.floor(lane / timeline.tasks.workers));
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
    canvas.title = x < timeline.gutter && timeline.lanes.at(y) !== undefined ? "pin this rank to the top, or let it go" : "";
    timeline.on_hover(timeline.task_at(x, y), event.clientX, event.clientY);
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
  canvas.addEventListener("dblclick", (event) => timeline.time.zoom(timeline.date_at(event.offsetX), event.shiftKey ? 4 : 0.25));
  canvas.addEventListener("keydown", (event) => {
    if (key(timeline, event)) event.preventDefault();
  });
}

// Handles a key. Returns whether the key means anything here.
export function key(timeline: Timeline, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { time } = timeline, span = time.to - time.from, middle = (time.to + time.from) / 2;
  const at = timeline.pointer_x >= timeline.gutter ? timeline.date_at(timeline.pointer_x) : middle;
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
