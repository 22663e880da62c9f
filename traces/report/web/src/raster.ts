// Paints lanes of tasks into pixels: a loop over typed arrays, because a canvas call a bar is too slow for 100,000 of
// them. Bars narrower than a pixel become one, found by search, so that a frame costs what is seen and not what there is.
import type { Tasks } from "./tasks.js";

export interface Colors {
  background: number;
  lane: number; // background of every other rank
  wait: number;
  bars: Uint32Array; // colours by operator
  faded: Uint32Array; // colours by operator of tasks that a search did not find
}

// A stack of lanes: the upper edge of the first one (it may lie above the visible part), and where the visible part begins.
export interface Band { lanes: number[]; top: number; from: number }

export class Raster {
  readonly image: ImageData;
  private pixels: Uint32Array;

  constructor(readonly width: number, readonly height: number) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // Lanes of `row` pixels each. Times from..to span the width. Returns how many bars were painted.
  paint(tasks: Tasks, bands: Band[], row: number, from: number, to: number, found: Uint32Array | null, colors: Colors): number {
    this.pixels.fill(colors.background);
    const bars_high = row > 3 ? row - 1 : row, line = new Uint32Array(this.width);
    let painted = 0;
    for (const band of bands) {
      for (let i = 0; i < band.lanes.length; ++i) {
        const y = band.top + i * row, lane = band.lanes[i]!;
        if (y + row <= band.from) continue;
        if (y >= this.height) break;
        line.fill(Math.floor(lane / tasks.workers) % 2 === 1 ? colors.lane : colors.background);
        painted += this.paint_lane(tasks, lane, line, from, to, found, colors);
        for (let dy = Math.max(band.from, y); dy < Math.min(this.height, y + bars_high); ++dy) this.pixels.set(line, dy * this.width);
      }
    }
    return painted;
  }

  private paint_lane(tasks: Tasks, lane: number, line: Uint32Array, from: number, to: number, found: Uint32Array | null, colors: Colors): number {
    const { start, end, taken, op } = tasks, scale = this.width / (to - from), last = tasks.first[lane + 1]!;
    let painted = 0, task = tasks.ending_after(lane, from);
    while (task < last && taken[task]! < to) {
      const x0 = Math.max(0, Math.round((start[task]! - from) * scale));
      const x1 = Math.min(this.width, Math.max(x0 + 1, Math.round((end[task]! - from) * scale)));
      const wait = Math.max(0, Math.round((taken[task]! - from) * scale));
      if (wait < x0) line.fill(colors.wait, wait, Math.min(this.width, x0));
      const color = (found ? colors.faded : colors.bars)[op[task]!]!;
      line.fill(color, x0, x1);
      if (x1 - x0 > 3 && x1 < this.width) line[x1 - 1] = colors.background;
      ++painted;
      ++task;
      // Several tasks in one pixel: go on with the one that leaves it.
      if (task < last && (end[task]! - from) * scale < x1) task = Math.max(task, this.leaving(tasks, task, last, from + x1 / scale));
    }
    if (found) this.paint_found(tasks, lane, line, from, to, found, colors);
    return painted;
  }

  // Paints the tasks that a search found over the others, so that none of them hides it.
  private paint_found(tasks: Tasks, lane: number, line: Uint32Array, from: number, to: number, found: Uint32Array, colors: Colors): void {
    const scale = this.width / (to - from), first = tasks.ending_after(lane, from), last = tasks.first[lane + 1]!;
    let low = 0, high = found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (found[middle]! >= first) high = middle;
      else low = middle + 1;
    }
    for (; low < found.length && found[low]! < last && tasks.start[found[low]!]! < to; ++low) {
      const task = found[low]!, x0 = Math.max(0, Math.round((tasks.start[task]! - from) * scale));
      line.fill(colors.bars[tasks.op[task]!]!, x0, Math.max(x0 + 1, Math.round((tasks.end[task]! - from) * scale)));
    }
  }

  private leaving(tasks: Tasks, task: number, last: number, time: number): number {
    let step = 1;
    while (task + step < last && tasks.end[task + step]! <= time) step *= 2;
    let low = task, high = Math.min(last, task + step);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tasks.end[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
