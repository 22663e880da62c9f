// Draws the timeline of one run's pass: a canvas of lanes, one for each worker, with their names at the left.
import { Area } from "./area.js";
import { el } from "./dom.js";
import { Lanes, Shown } from "./lanes.js";
import { color_of } from "./meanings.js";
import { pixel, series_color } from "./palette.js";
import { Colors, Raster } from "./raster.js";
import { search } from "./search.js";
import { Path, Tasks } from "./tasks.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis } from "./time_axis.js";
import { Head } from "./timeline_head.js";
import { listen } from "./timeline_input.js";
import { paint_over } from "./timeline_paint.js";

// A marked area: some ranks (all if the list is empty) between two times, which a finding concerns.
export interface Marked { ranks: number[]; from_ps: number; to_ps: number }

export class Timeline {
  readonly element = el("div", { class: "timeline" });
  readonly canvas = el("canvas", { tabindex: "0", role: "application" }) as HTMLCanvasElement;
  readonly lanes: Lanes;
  readonly head: Head;
  selected = -1;
  marked: Marked | null = null;
  area: Area | null = null;
  links: number[] = []; // pairs of tasks, of which the first lets the second start
  pointer_x = -1; // place of the pointer on the canvas; -1 if it is elsewhere
  pointer_y = -1;
  frames: number[] = []; // milliseconds that the last ones took to paint
  painted = 0; // number of bars in the last frame
  on_hover: (task: number, x: number, y: number) => void = () => {};
  on_select: (task: number) => void = () => {};
  on_area: (area: Area | null) => void = () => {};
  on_pin: (rank: number) => void = () => {};
  on_fold: (rank: number) => void = () => {};
  on_head: (words: string, x: number) => void = () => {};
  on_path: (task: number) => void = () => {}; // a click on the ribbon of the critical path
  private raster: Raster | null = null;
  private found: Uint32Array | null = null;
  private wanted = false;
  private colors!: Colors;

  constructor(public tasks: Tasks, readonly path: Path, readonly time: TimeAxis, readonly shown: Shown) {
    this.head = new Head(tasks, path);
    this.lanes = new Lanes(tasks, this.head.height);
    this.element.append(this.canvas);
    this.canvas.setAttribute("aria-label",
      "timeline; W and S zoom, A and D or arrows pan, 0 shows all, left and right brackets walk along the critical path");
    this.recolor();
    this.choose();
    time.on_change(() => this.draw());
    on_theme(() => {
      this.recolor();
      this.paint(); // at once: what is printed does not wait for a frame
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
    listen(this);
  }

  private recolor(): void {
    const t = theme(), ops = this.tasks.pass.operators.map((operator) => series_color(t, color_of("operator", operator.name)));
    this.colors = {
      background: pixel(t.background, t.background),
      lane: pixel(t.grid, t.background, 0.55),
      wait: pixel(series_color(t, color_of("state", "wait")), t.background),
      bars: Uint32Array.from(ops, (color) => pixel(color, t.background)),
      faded: Uint32Array.from(ops, (color) => pixel(color, t.background, 0.82)),
    };
  }

  // Takes over which lanes are shown, and what is searched for.
  choose(): void {
    this.lanes.choose(this.shown);
    this.found = search(this.tasks, this.shown.words);
    this.resize();
  }

  get row(): number {
    return this.lanes.row;
  }
  // Returns where the lanes begin, right of their names.
  get gutter(): number {
    const longest = Math.max(...this.tasks.pass.kinds.map((kind) => kind.name.length));
    return this.canvas.clientWidth < 600 ? 58 : Math.min(140, 92 + 7 * Math.max(0, longest - 4));
  }
  get plot_width(): number {
    return Math.max(1, this.canvas.clientWidth - this.gutter);
  }

  found_count(): number {
    return this.found ? this.found.length : 0;
  }

  // Goes to the next task that the search found, from the selected one on.
  next_found(): void {
    if (!this.found) return;
    const first = this.found.findIndex((task) => task > this.selected), count = this.found.length;
    for (let i = 0; i < count; ++i) {
      const task = this.found[(Math.max(0, first) + i) % count]!;
      if (this.lanes.has(this.tasks.lane_of(task))) return this.go_to(task);
    }
  }

  // Selects the next or previous task of the critical path.
  step_path(by: 1 | -1): void {
    const order: number[] = [];
    for (let i = 0; i < this.path.steps; ++i) if (this.path.ran[i]) order.push(this.path.task[i]!);
    const at = order.indexOf(this.selected);
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.max(0, Math.min(order.length - 1, at + by));
    if (order.length > 0) this.go_to(order[next]!);
  }

  go_to(task: number): void {
    const { start, end } = this.tasks;
    const outside = start[task]! < this.time.from || end[task]! > this.time.to;
    this.select(task);
    this.lanes.reveal(this.tasks.lane_of(task));
    if (outside) {
      const span = Math.max(this.time.to - this.time.from, (end[task]! - start[task]!) * 1.5);
      this.time.set((start[task]! + end[task]!) / 2 - span / 2, (start[task]! + end[task]!) / 2 + span / 2);
    }
    this.draw();
  }

  select(task: number): void {
    this.selected = task;
    this.links = [];
    if (task >= 0) {
      this.choose_area(null);
      const cause = this.tasks.cause_of(task);
      if (cause >= 0) this.links.push(cause, task);
      // Arrows to thousands of tasks hide what they lead to.
      for (const other of this.tasks.waiting_for(task).slice(0, 200)) this.links.push(task, other);
    }
    this.on_select(task);
    this.draw();
  }

  choose_area(area: Area | null): void {
    if (area && this.selected >= 0) this.select(-1);
    if (!area && !this.area) return;
    this.area = area;
    this.on_area(area);
    this.draw();
  }

  // Returns the rank of the selected task, or else that of the lane below the pointer.
  pin(): void {
    const lane = this.selected >= 0 ? this.tasks.lane_of(this.selected) : this.lanes.at(this.pointer_y);
    if (lane !== undefined) this.on_pin(Math.floor(lane / this.tasks.workers));
  }

  private resize(): void {
    if (Math.floor(this.element.clientWidth) === 0) return;
    const width = Math.floor(this.element.clientWidth), height = this.lanes.wanted_height, ratio = devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.raster = null;
    this.lanes.set_height(height);
    this.draw();
  }

  mark(marked: Marked | null): void {
    this.marked = marked;
    this.draw();
  }

  draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.paint();
    });
  }

  paint(): void {
    const begun = performance.now(), ratio = devicePixelRatio || 1, { canvas } = this;
    const left = Math.round(this.gutter * ratio), width = canvas.width - left, body = Math.round(canvas.height - this.lanes.top * ratio);
    if (canvas.width === 0 || width <= 0 || body <= 0) return;
    if (!this.raster || this.raster.width !== width || this.raster.height !== body) this.raster = new Raster(width, body);
    this.painted = this.raster.paint(this.tasks, this.lanes.bands(ratio), Math.round(this.row * ratio), this.time.from, this.time.to, this.found, this.colors);
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.raster.image, left, Math.round(this.lanes.top * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint_over(this, context);
    this.frames.push(performance.now() - begun);
    if (this.frames.length > 240) this.frames.shift();
  }

  x(time: number): number {
    return this.gutter + ((time - this.time.from) / (this.time.to - this.time.from)) * this.plot_width;
  }
  time_at(x: number): number {
    return this.time.from + ((x - this.gutter) / this.plot_width) * (this.time.to - this.time.from);
  }
  // Returns the middle of a task's lane, or null if it is not shown.
  y(task: number): number | null {
    return this.lanes.y(this.tasks.lane_of(task));
  }

  // Returns the task at a place of the canvas, or one within two pixels, or -1.
  task_at(x: number, y: number): number {
    const lane = this.lanes.at(y);
    if (lane === undefined || x < this.gutter) return -1;
    const per_pixel = (this.time.to - this.time.from) / this.plot_width, time = this.time_at(x);
    let nearest = -1, distance = 2 * per_pixel;
    for (let task = this.tasks.ending_after(lane, time - distance); task < this.tasks.first[lane + 1]!; ++task) {
      const away = Math.max(this.tasks.start[task]! - time, time - this.tasks.end[task]!);
      if (away <= distance) [nearest, distance] = [task, away];
      if (this.tasks.start[task]! > time + 2 * per_pixel || away <= 0) break;
    }
    return nearest;
  }
}
