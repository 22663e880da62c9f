// How exchange and products overlap: at each time the number of ranks in which both, one of them or neither is under way.
// As in traces/analysis/overlap.h: exchange is a put to or from another rank, from its start until its destination sees it.
import type { Tasks } from "./tasks.js";

export const overlap_names = ["both", "products alone", "exchange alone", "neither"] as const;
const kinds = overlap_names.length;

interface Change { time: number; rank: number; what: 0 | 1; by: 1 | -1 }

function changes_of(tasks: Tasks): Change[] {
  const { rank, dst, visible } = tasks.columns, { ranks } = tasks.pass, list: Change[] = [];
  const add = (of: number, what: 0 | 1, from: number, to: number) => {
    if (to > from) list.push({ time: from, rank: of, what, by: 1 }, { time: to, rank: of, what, by: -1 });
  };
  for (let task = 0; task < tasks.count; ++task) {
    const own = rank![task]!, to = dst![task]!;
    if (to >= 0 && to !== own) {
      add(own, 1, tasks.start[task]!, visible![task]!);
      if (to % ranks !== own) add(to % ranks, 1, tasks.start[task]!, visible![task]!);
    } else if (tasks.pass.operators[tasks.op[task]!]!.unit === "cube") {
      add(own, 0, tasks.start[task]!, tasks.end[task]!);
    }
  }
  return list.sort((a, b) => a.time - b.time);
}

export class Overlap {
  private times: number[] = [0];
  private ranks_in: number[][] = [[0, 0, 0, 0]]; // from each time on
  private sums: number[][] = [[0, 0, 0, 0]]; // picoseconds of all ranks before each time
  readonly any: boolean; // some rank exchanges

  constructor(private tasks: Tasks) {
    const { ranks } = tasks.pass, running = [new Int32Array(ranks), new Int32Array(ranks)], changes = changes_of(tasks);
    const state = (rank: number) => (running[0]![rank]! > 0 ? (running[1]![rank]! > 0 ? 0 : 1) : running[1]![rank]! > 0 ? 2 : 3);
    const now = [0, 0, 0, ranks];
    this.ranks_in[0] = [...now];
    this.any = changes.some(({ what }) => what === 1);
    for (let i = 0; i < changes.length;) {
      const { time } = changes[i]!;
      for (; i < changes.length && changes[i]!.time === time; ++i) {
        const { rank, what, by } = changes[i]!;
        --now[state(rank)]!;
        running[what]![rank]! += by;
        ++now[state(rank)]!;
      }
      this.sums.push(this.sum_until(time));
      this.times.push(time);
      this.ranks_in.push([...now]);
    }
  }

  private sum_until(time: number): number[] {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return this.sums[low]!.map((sum, kind) => sum + this.ranks_in[low]![kind]! * (time - this.times[low]!));
  }

  // Returns the time of a mean rank in each state between two times, picoseconds.
  between(from: number, to: number): number[] {
    const a = this.sum_until(from), b = this.sum_until(to);
    return Array.from({ length: kinds }, (_, kind) => (b[kind]! - a[kind]!) / this.tasks.pass.ranks);
  }
}
