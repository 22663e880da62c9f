// The timeline of one run's pass: a canvas of lanes, one for each worker.
import { operator_color, pixel } from "./colors.js";
import { el } from "./dom.js";
import { Colors, Raster } from "./raster.js";
import { Path, Tasks } from "./tasks.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, round_dates, time_text } from "./time_axis.js";

const axis_height = 22, most_height = 620;

// Ranks (none: all) from a date to another, which something is said of.
export interface Marked { ranks: number[]; from_ps: number; to_ps: number }

export interface Shown { rank: number; kinds: string; row: number; path: boolean; words: string }

export class Timeline {
  readonly element = el("div", { class: "timeline" });
  readonly canvas = el("canvas", { tabindex: "0", role: "application" }) as HTMLCanvasElement;
  selected = -1;
  frames: number[] = []; // milliseconds that the last ones took to paint
  painted = 0; // bars of the last frame
  on_hover: (task: number, x: number, y: number) => void = () => {};
  on_select: (task: number) => void = () => {};
  private raster: Raster | null = null;
  private lanes: number[] = [];
  private row_of = new Map<number, number>(); // by lane
  private found: Uint32Array | null = null;
  private scroll = 0;
  private wanted = false;
  marked: Marked | null = null;
  private links: number[] = [];
  private colors!: Colors;

  constructor(readonly tasks: Tasks, readonly path: Path, readonly time: TimeAxis, private shown: Shown) {
    this.element.append(this.canvas);
    this.canvas.setAttribute("aria-label",
      "timeline; arrows pan, + and - zoom, 0 shows all, left and right brackets walk along the critical path");
    this.recolor();
    this.choose();
    time.on_change(() => this.draw());
    on_theme(() => {
      this.recolor();
      this.paint(); // at once: what is printed does not wait for a frame
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
  }

  private recolor(): void {
    const t = theme(), ops = this.tasks.pass.operators.map((operator) => operator_color(operator.color));
    this.colors = {
      background: pixel(t.background),
      lane: pixel(t.grid, 0.55),
      wait: pixel(t.frame, 0.68),
      bars: Uint32Array.from(ops, (color) => pixel(color)),
      faded: Uint32Array.from(ops, (color) => pixel(color, 0.82)),
    };
  }

  // Takes over which lanes are shown, and what is searched for.
  choose(): void {
    const { pass, workers } = this.tasks;
    this.lanes = [];
    for (let rank = 0; rank < pass.ranks; ++rank) {
      if (this.shown.rank >= 0 && rank !== this.shown.rank) continue;
      for (let w = 0; w < workers; ++w)
        if (this.shown.kinds === "all" || this.tasks.of_kind(w).kind.name === this.shown.kinds) this.lanes.push(rank * workers + w);
    }
    this.row_of = new Map(this.lanes.map((lane, i) => [lane, i]));
    this.found = this.tasks.search(this.shown.words);
    this.scroll = 0;
    this.resize();
  }

  // A lane's height: whole pixels of the device, so that bars lie where everything else takes them to be.
  get row(): number {
    const ratio = devicePixelRatio || 1;
    const wanted = this.shown.row > 0 ? this.shown.row : Math.max(1, Math.min(14, Math.floor((most_height - axis_height) / this.lanes.length)));
    return Math.max(1, Math.floor(wanted * ratio)) / ratio;
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
      if (this.row_of.has(this.tasks.lane_of(task))) return this.go_to(task);
    }
  }

  // The next or previous step of the critical path that ran a task.
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
    const row = this.row_of.get(this.tasks.lane_of(task));
    if (row !== undefined) {
      const y = row * this.row;
      if (y < this.scroll || y + this.row > this.scroll + this.body()) this.scroll_to(y - this.body() / 2);
    }
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
      const cause = this.tasks.cause_of(task);
      if (cause >= 0) this.links.push(cause, task);
      const waiting = this.tasks.waiting_for(task);
      // Arrows to thousands of tasks hide what they lead to.
      for (const other of waiting.slice(0, 200)) this.links.push(task, other);
    }
    this.on_select(task);
    this.draw();
  }

  private body(): number {
    return this.canvas.clientHeight - axis_height;
  }

  private scroll_to(y: number): void {
    this.scroll = Math.max(0, Math.min(Math.max(0, this.lanes.length * this.row - this.body()), Math.round(y)));
  }

  private resize(): void {
    const width = Math.floor(this.element.clientWidth);
    if (width === 0) return;
    const height = Math.min(most_height, axis_height + this.lanes.length * this.row), ratio = devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.raster = null;
    this.scroll_to(this.scroll);
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
    const body = Math.round(canvas.height - axis_height * ratio);
    if (canvas.width === 0 || body <= 0) return;
    if (!this.raster || this.raster.width !== canvas.width || this.raster.height !== body) this.raster = new Raster(canvas.width, body);
    const row = Math.round(this.row * ratio);
    this.painted = this.raster.paint(this.tasks, this.lanes, row, -Math.round(this.scroll * ratio), this.time.from, this.time.to, this.found, this.colors);
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.raster.image, 0, Math.round(axis_height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint_axis(context);
    this.paint_words(context);
    if (this.marked) this.paint_marked(context, this.marked);
    if (this.shown.path) this.paint_path(context);
    this.paint_links(context);
    this.frames.push(performance.now() - begun);
    if (this.frames.length > 240) this.frames.shift();
  }

  private x(date: number): number {
    return ((date - this.time.from) / (this.time.to - this.time.from)) * this.canvas.clientWidth;
  }

  // The middle of a task's lane; none if it is not shown.
  private y(task: number): number | null {
    const row = this.row_of.get(this.tasks.lane_of(task));
    return row === undefined ? null : axis_height + (row + 0.5) * this.row - this.scroll;
  }

  private paint_axis(context: CanvasRenderingContext2D): void {
    const t = theme(), width = this.canvas.clientWidth, span = this.time.to - this.time.from;
    context.fillStyle = t.background;
    context.fillRect(0, 0, width, axis_height);
    context.fillStyle = t.muted;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const date of round_dates(this.time.from, this.time.to, Math.max(2, width / 110))) {
      const x = Math.round(this.x(date)) + 0.5;
      context.fillRect(x, axis_height - 5, 1, 5);
      const text = time_text(date, span);
      if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, axis_height / 2);
    }
    context.fillRect(0, axis_height - 1, width, 1);
    const end = this.x(this.tasks.pass.makespan_ps);
    if (end < width - 2) {
      context.setLineDash([4, 3]);
      context.strokeStyle = t.muted;
      context.strokeRect(end, axis_height, 0.5, this.canvas.clientHeight);
      context.setLineDash([]);
    }
  }

  // Names inside bars that have room for them; ranks at the left.
  private paint_words(context: CanvasRenderingContext2D): void {
    const { tasks, row } = this, least = 46;
    context.font = `${Math.min(11, row - 2)}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    const first = Math.floor(this.scroll / row), last = Math.min(this.lanes.length, first + Math.ceil(this.body() / row) + 1);
    for (let i = first; i < last && row >= 10; ++i) {
      const lane = this.lanes[i]!, y = axis_height + (i + 0.5) * row - this.scroll;
      for (let task = tasks.ending_after(lane, this.time.from); task < tasks.first[lane + 1]! && tasks.start[task]! < this.time.to; ++task) {
        const x0 = Math.max(0, this.x(tasks.start[task]!)), x1 = this.x(tasks.end[task]!);
        if (x1 - x0 < least) continue;
        context.save();
        context.beginPath();
        context.rect(x0, y - row / 2, Math.max(0, x1 - x0 - 3), row);
        context.clip();
        context.fillStyle = "#000";
        context.fillText(`${tasks.name(task)} ${tasks.columns.index![task]}`, x0 + 4, y);
        context.restore();
      }
    }
    const t = theme();
    context.font = "600 11px system-ui, sans-serif";
    for (let i = first; i < last; ++i) {
      const lane = this.lanes[i]!, before = i > 0 ? this.lanes[i - 1]! : -1;
      const rank = Math.floor(lane / tasks.workers);
      if (before >= 0 && rank === Math.floor(before / tasks.workers) && i !== first) continue;
      const y = Math.max(axis_height, axis_height + i * row - this.scroll), text = `rank ${rank}`;
      context.globalAlpha = 0.82;
      context.fillStyle = t.background;
      context.fillRect(0, y, context.measureText(text).width + 8, 15);
      context.globalAlpha = 1;
      context.fillStyle = t.text;
      context.fillText(text, 4, y + 8);
    }
  }

  // A frame around lanes that follow each other, for each stretch of them.
  private paint_marked(context: CanvasRenderingContext2D, marked: Marked): void {
    const { canvas, tasks, lanes, row } = this, x0 = Math.max(1, this.x(marked.from_ps)), x1 = Math.min(canvas.clientWidth - 1, this.x(marked.to_ps));
    if (x1 <= x0) return;
    const is_marked = (lane: number) => marked.ranks.length === 0 || marked.ranks.includes(Math.floor(lane / tasks.workers));
    context.save();
    context.beginPath();
    context.rect(0, axis_height, this.canvas.clientWidth, this.body());
    context.clip();
    context.strokeStyle = context.fillStyle = getComputedStyle(canvas).getPropertyValue("--flag");
    context.lineWidth = 2;
    for (let first = 0; first < lanes.length; ++first) {
      if (!is_marked(lanes[first]!)) continue;
      let last = first;
      while (last + 1 < lanes.length && is_marked(lanes[last + 1]!)) ++last;
      const y0 = axis_height + first * row - this.scroll, high = (last + 1 - first) * row;
      context.globalAlpha = 0.1;
      context.fillRect(x0, y0, x1 - x0, high);
      context.globalAlpha = 1;
      context.strokeRect(x0, y0 + 1, x1 - x0, high - 2);
      first = last;
    }
    context.restore();
  }

  private paint_path(context: CanvasRenderingContext2D): void {
    const { path } = this, t = theme();
    const line = (color: string, width: number) => {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      let joined = false;
      for (let i = 0; i < path.steps; ++i) {
        const task = path.task[i]!, y = task < 0 ? null : this.y(task);
        if (y === null || path.to[i]! < this.time.from || path.from[i]! > this.time.to) {
          joined = false;
          continue;
        }
        const x0 = this.x(path.from[i]!), x1 = this.x(path.to[i]!);
        if (path.ran[i]) {
          if (joined) context.lineTo(x0, y);
          else context.moveTo(x0, y);
          context.lineTo(x1, y);
          joined = true;
        }
      }
      context.stroke();
    };
    context.save();
    context.beginPath();
    context.rect(0, axis_height, this.canvas.clientWidth, this.body());
    context.clip();
    context.lineJoin = "round";
    line(t.background, 4.5);
    line(t.text, 2);
    context.restore();
  }

  private paint_links(context: CanvasRenderingContext2D): void {
    const t = theme();
    context.save();
    context.beginPath();
    context.rect(0, axis_height, this.canvas.clientWidth, this.body());
    context.clip();
    context.lineWidth = 1.2;
    for (let i = 0; i + 1 < this.links.length; i += 2) {
      const a = this.links[i]!, b = this.links[i + 1]!, y0 = this.y(a), y1 = this.y(b);
      if (y0 === null || y1 === null) continue;
      const x0 = this.x(this.tasks.columns.visible![a]!), x1 = this.x(this.tasks.start[b]!);
      context.strokeStyle = context.fillStyle = t.text;
      context.globalAlpha = this.links.length > 40 ? 0.35 : 0.9;
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
    const y = this.selected >= 0 ? this.y(this.selected) : null;
    if (y !== null) {
      const x0 = this.x(this.tasks.start[this.selected]!), x1 = this.x(this.tasks.end[this.selected]!);
      const high = Math.max(5, this.row);
      context.strokeStyle = t.text;
      context.lineWidth = 2;
      context.strokeRect(x0, y - high / 2, Math.max(2, x1 - x0), high);
    }
    context.restore();
  }

  // The task at a place of the canvas, or one within two pixels; none: -1.
  task_at(x: number, y: number): number {
    const lane = this.lanes[Math.floor((y - axis_height + this.scroll) / this.row)];
    if (y < axis_height || lane === undefined) return -1;
    const per_pixel = (this.time.to - this.time.from) / this.canvas.clientWidth, date = this.time.from + x * per_pixel;
    let nearest = -1, distance = 2 * per_pixel;
    for (let task = this.tasks.ending_after(lane, date - distance); task < this.tasks.first[lane + 1]!; ++task) {
      const away = Math.max(this.tasks.start[task]! - date, date - this.tasks.end[task]!);
      if (away <= distance) [nearest, distance] = [task, away];
      if (this.tasks.start[task]! > date + 2 * per_pixel || away <= 0) break;
    }
    return nearest;
  }

  private date_at(x: number): number {
    return this.time.from + (x / this.canvas.clientWidth) * (this.time.to - this.time.from);
  }

  private listen(): void {
    const { canvas } = this;
    let grabbed: { x: number; y: number; moved: boolean } | null = null;
    canvas.addEventListener("wheel", (event) => {
      // Plain scrolling must still leave the canvas for the page where nothing is left to scroll.
      if (event.ctrlKey || event.metaKey || event.altKey) {
        event.preventDefault();
        this.time.zoom(this.date_at(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.time.pan(((event.deltaX || event.deltaY) / canvas.clientWidth) * (this.time.to - this.time.from));
      } else {
        const before = this.scroll;
        this.scroll_to(this.scroll + event.deltaY);
        if (this.scroll !== before) {
          event.preventDefault();
          this.draw();
        }
      }
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      grabbed = { x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const { offsetX: x, offsetY: y } = event;
      if (!grabbed) return this.on_hover(this.task_at(x, y), event.clientX, event.clientY);
      if (Math.abs(x - grabbed.x) + Math.abs(y - grabbed.y) > 3) grabbed.moved = true;
      if (!grabbed.moved) return;
      this.on_hover(-1, 0, 0);
      this.scroll_to(this.scroll - (y - grabbed.y));
      this.time.pan(((grabbed.x - x) / canvas.clientWidth) * (this.time.to - this.time.from));
      [grabbed.x, grabbed.y] = [x, y];
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (grabbed && !grabbed.moved) this.select(this.task_at(event.offsetX, event.offsetY));
      grabbed = null;
    });
    canvas.addEventListener("pointercancel", () => (grabbed = null));
    canvas.addEventListener("pointerleave", () => this.on_hover(-1, 0, 0));
    canvas.addEventListener("dblclick", (event) => this.time.zoom(this.date_at(event.offsetX), event.shiftKey ? 4 : 0.25));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const span = this.time.to - this.time.from, middle = (this.time.to + this.time.from) / 2;
    const actions: { [key: string]: () => void } = {
      ArrowLeft: () => this.time.pan(-span / 8),
      ArrowRight: () => this.time.pan(span / 8),
      ArrowUp: () => (this.scroll_to(this.scroll - 60), this.draw()),
      ArrowDown: () => (this.scroll_to(this.scroll + 60), this.draw()),
      "+": () => this.time.zoom(middle, 0.5),
      "=": () => this.time.zoom(middle, 0.5),
      "-": () => this.time.zoom(middle, 2),
      "0": () => this.time.reset(),
      "[": () => this.step_path(-1),
      "]": () => this.step_path(1),
      n: () => this.next_found(),
      Escape: () => (this.mark(null), this.select(-1)),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
