// Draws a training step's pipeline: a lane for each stage, and a numbered block for each micro-batch in each chunk of layers.
import { el } from "./dom.js";
import { color_of } from "./meanings.js";
import { ink_on, mixed, series_color } from "./palette.js";
import type { Blocks } from "./step_data.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, ticks_of, time_text } from "./time_axis.js";

const axis_height = 22, gap = 3;

export class Pipeline {
  readonly element = el("div", { class: "timeline pipeline" });
  readonly canvas = el("canvas", { tabindex: "0", "aria-label": "pipeline of the step; W and S zoom, A and D or arrows pan, 0 shows all" }) as HTMLCanvasElement;
  pointer_x = -1;
  selected = -1; // the selected micro-batch; -1: none
  frames: number[] = []; // milliseconds that the last frames took
  on_select: (micro_batch: number) => void = () => {};
  private tip = el("div", { class: "tip", role: "tooltip", hidden: "" });
  private wanted = false;
  private width = 0; // of the canvas: asking the canvas itself lays out the page
  private shades: { color: string; faded: string; ink: string }[] = [];
  private shade: Uint16Array; // the shade of each block

  constructor(readonly blocks: Blocks, readonly time: TimeAxis, private makespan: number) {
    this.shade = new Uint16Array(blocks.count);
    this.recolor();
    this.element.append(this.canvas);
    document.body.append(this.tip);
    time.on_change(() => this.draw());
    on_theme(() => {
      this.recolor();
      this.paint(); // at once: what is printed does not wait for a frame
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
  }

  // Returns the height of a stage's lane.
  get row(): number {
    return Math.max(16, Math.min(40, Math.floor(560 / this.blocks.stages)));
  }
  get gutter(): number {
    return this.width < 600 ? 40 : 84;
  }
  private get plot_width(): number {
    return Math.max(1, this.width - this.gutter);
  }
  x(time: number): number {
    return this.gutter + ((time - this.time.from) / (this.time.to - this.time.from)) * this.plot_width;
  }
  time_at(x: number): number {
    return this.time.from + ((x - this.gutter) / this.plot_width) * (this.time.to - this.time.from);
  }

  // Returns where a block lies across its lane. Two blocks that run at the same time share the lane's height.
  private across(block: number): [top: number, height: number] {
    const stage = this.blocks.columns.stage![block]!, top = axis_height + stage * this.row + gap / 2, height = this.row - gap;
    if (this.blocks.columns.paired![block] !== 1) return [top, height];
    return this.blocks.work(block) === "forward" ? [top, height / 2] : [top + height / 2, height / 2];
  }

  block_at(x: number, y: number): number {
    const stage = Math.floor((y - axis_height) / this.row), time = this.time_at(x), { from, to } = this.blocks.columns;
    if (x < this.gutter || y < axis_height || stage >= this.blocks.stages) return -1;
    for (let i = this.blocks.first_at(stage, time); i < this.blocks.first[stage + 1]! && from![i]! <= time; ++i) {
      const [top, height] = this.across(i);
      if (time < to![i]! && y >= top && y < top + height) return i;
    }
    return -1;
  }

  select(micro_batch: number): void {
    this.selected = micro_batch;
    this.on_select(micro_batch);
    this.draw();
  }

  // Each chunk of a stage has its own shade.
  color(block: number): string {
    return this.shades[this.shade[block]!]!.color;
  }

  // All blocks share a few shades.
  private recolor(): void {
    const t = theme(), { stage, chunk, work } = this.blocks.columns, known = new Map<string, number>();
    this.shades = [];
    for (let i = 0; i < this.blocks.count; ++i) {
      const chunks = this.blocks.chunks[stage![i]!]!, part = Math.max(0, chunks.indexOf(chunk![i]!)) / Math.max(1, chunks.length - 1), key = `${work![i]} ${part}`;
      if (!known.has(key)) {
        const color = mixed(series_color(t, color_of("work", this.blocks.work(i))), t.background, 0.45 * part);
        known.set(key, this.shades.length);
        this.shades.push({ color, faded: mixed(color, t.background, 0.78), ink: ink_on(color) });
      }
      this.shade[i] = known.get(key)!;
    }
  }

  private resize(): void {
    const width = Math.floor(this.element.clientWidth), height = axis_height + this.row * this.blocks.stages + 2, ratio = devicePixelRatio || 1;
    if (width === 0) return;
    this.width = width;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
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
    if (this.canvas.width === 0) return;
    const begun = performance.now(), context = this.canvas.getContext("2d")!, ratio = devicePixelRatio || 1, t = theme();
    const { width } = this, height = axis_height + this.row * this.blocks.stages + 2;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = t.background;
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    for (let stage = 0; stage < this.blocks.stages; ++stage) {
      context.fillStyle = series_color(t, color_of("state", "idle"));
      const end = Math.min(this.width, this.x(this.makespan));
      context.fillRect(this.gutter, axis_height + stage * this.row + gap / 2, Math.max(0, end - this.gutter), this.row - gap);
      this.paint_stage(context, stage);
    }
    this.paint_axis(context, width);
    this.paint_gutter(context);
    this.frames.push(performance.now() - begun);
    if (this.frames.length > 240) this.frames.shift();
  }

  private paint_stage(context: CanvasRenderingContext2D, stage: number): void {
    const t = theme(), { from, to, micro_batch } = this.blocks.columns, last = this.blocks.first[stage + 1]!;
    context.font = `${Math.min(11, (this.row - gap) / 2 + 2)}px system-ui, sans-serif`;
    for (let i = this.blocks.first_at(stage, this.time.from); i < last && from![i]! < this.time.to; ++i) {
      const left = Math.max(this.gutter, this.x(from![i]!)), right = Math.min(this.width, this.x(to![i]!));
      if (right <= left) continue;
      const [top, height] = this.across(i), other = this.selected >= 0 && micro_batch![i] !== this.selected;
      const shade = this.shades[this.shade[i]!]!;
      context.fillStyle = other ? shade.faded : shade.color;
      // Leaves a gap between blocks if there is room for one.
      context.fillRect(left, top, Math.max(0.5, right - left - (right - left > 3 ? 0.75 : 0)), height - (height < this.row - gap ? 0.5 : 0));
      const text = micro_batch![i]! < 0 ? this.blocks.work(i) : String(micro_batch![i]);
      if (right - left < 5 + 6.5 * text.length || height < 8) continue;
      context.fillStyle = other ? t.muted : shade.ink;
      context.textAlign = "center";
      context.fillText(text, (left + right) / 2, top + height / 2 + 0.5);
      context.textAlign = "left";
    }
  }

  private paint_axis(context: CanvasRenderingContext2D, width: number): void {
    const t = theme(), ticks = ticks_of(this.time.from, this.time.to, Math.max(2, this.plot_width / 110));
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    for (const { at, text } of ticks.list) {
      const x = Math.round(this.x(at)) + 0.5;
      context.fillRect(x, axis_height - 5, 1, 5);
      if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, axis_height / 2);
    }
    if (ticks.base) context.fillText(ticks.base, 4, axis_height / 2, this.gutter - 6);
    context.fillRect(0, axis_height - 1, width, 1);
  }

  // Writes the stages' names, and the part of the step during which their kernels run.
  private paint_gutter(context: CanvasRenderingContext2D): void {
    const t = theme(), narrow = this.gutter < 60;
    context.fillStyle = t.background;
    context.fillRect(0, axis_height, this.gutter - 1, this.row * this.blocks.stages + 2);
    for (let stage = 0; stage < this.blocks.stages; ++stage) {
      const middle = axis_height + (stage + 0.5) * this.row, two = this.row >= 28 && !narrow;
      context.font = "600 11px system-ui, sans-serif";
      context.fillStyle = t.text;
      context.fillText(narrow ? `s${stage}` : `stage ${stage}`, 4, two ? middle - 6 : middle);
      if (!two) continue;
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = t.muted;
      context.fillText(`kernels ${((100 * this.blocks.busy(stage)) / this.makespan).toFixed(0)} %`, 4, middle + 7);
    }
  }

  private hover(event: PointerEvent): void {
    const block = this.block_at(event.offsetX, event.offsetY);
    this.tip.hidden = block < 0;
    this.canvas.style.cursor = block < 0 ? "" : "pointer";
    if (block < 0) return;
    this.tip.replaceChildren(el("div", { class: "hint" }, this.words(block)));
    const [top] = this.across(block), { offsetWidth: w, offsetHeight: h } = this.tip, y = this.canvas.getBoundingClientRect().top + top;
    this.tip.style.left = `${Math.max(4, Math.min(innerWidth - w - 8, event.clientX - w / 2))}px`;
    this.tip.style.top = `${y - h - 6 >= 4 ? y - h - 6 : y + this.row + 4}px`;
  }

  words(block: number): string {
    const { stage, chunk, micro_batch, from, to, kernels } = this.blocks.columns, took = to![block]! - from![block]!;
    const of = micro_batch![block]! < 0 ? "" : ` of micro-batch ${micro_batch![block]} in chunk ${chunk![block]}`;
    const work = this.blocks.work(block), name = work === "weights" ? "weight gradients" : work;
    return `stage ${stage![block]}: ${name}${of}, ${time_text(took)} from ${time_text(from![block]!, this.makespan)} on; its kernels run ${((100 * kernels![block]!) / Math.max(1, took)).toFixed(0)} % of it`;
  }

  private listen(): void {
    const { canvas, time } = this;
    let grab: { x: number; moved: boolean } | null = null;
    canvas.addEventListener("wheel", (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY), zooms = event.ctrlKey || event.metaKey || event.altKey;
      if (!sideways && !zooms) return;
      event.preventDefault();
      if (zooms) time.zoom(this.time_at(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
      else time.pan(((event.deltaX || event.deltaY) / this.plot_width) * (time.to - time.from));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      grab = { x: event.offsetX, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.pointer_x = event.offsetX;
      if (!grab) return this.hover(event);
      if (Math.abs(event.offsetX - grab.x) > 3) grab.moved = true;
      if (!grab.moved) return;
      this.tip.hidden = true;
      time.pan(((grab.x - event.offsetX) / this.plot_width) * (time.to - time.from));
      grab.x = event.offsetX;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (grab && !grab.moved) {
        const block = this.block_at(event.offsetX, event.offsetY), of = block < 0 ? -1 : this.blocks.columns.micro_batch![block]!;
        this.select(of === this.selected ? -1 : of);
      }
      grab = null;
    });
    canvas.addEventListener("pointercancel", () => (grab = null));
    canvas.addEventListener("pointerleave", () => {
      this.pointer_x = -1;
      this.tip.hidden = true;
    });
    canvas.addEventListener("dblclick", (event) => time.zoom(this.time_at(event.offsetX), event.shiftKey ? 4 : 0.25));
    canvas.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
  }

  // Handles a key. Returns whether the key means anything here.
  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { time } = this, span = time.to - time.from, middle = (time.to + time.from) / 2;
    const at = this.pointer_x >= this.gutter ? this.time_at(this.pointer_x) : middle;
    const next = (by: number) => {
      const last = Math.max(...this.blocks.columns.micro_batch!);
      this.select(Math.max(0, Math.min(last, this.selected < 0 ? 0 : this.selected + by)));
    };
    const actions: { [key: string]: () => void } = {
      w: () => time.zoom(at, 0.75), s: () => time.zoom(at, 1 / 0.75), a: () => time.pan(-span / 8), d: () => time.pan(span / 8),
      ArrowLeft: () => time.pan(-span / 8), ArrowRight: () => time.pan(span / 8),
      "+": () => time.zoom(middle, 0.5), "=": () => time.zoom(middle, 0.5), "-": () => time.zoom(middle, 2), "0": () => time.reset(),
      "[": () => next(-1), "]": () => next(1), Escape: () => this.select(-1),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    action?.();
    return action !== undefined;
  }
}
