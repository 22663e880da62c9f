// Holds a pass's tasks by lane. They come sorted by rank, worker and start.
import { Columns, Kind, Pass, read_columns } from "./model.js";

export const worker_name = (kind: Kind, number: number) => (kind.count === 1 ? kind.name : `${kind.name} ${number}`);

// Fills in what a recording lacks: no causes and no bytes; results are ready at a task's end.
function with_unknown(columns: Columns, rows: number): Columns {
  const all = (value: number) => new Float64Array(rows).fill(value);
  return {
    ...columns, done: columns.end!, visible: columns.end!, arithmetic: all(0), expert: all(-1), dst: all(0), event: all(-1),
    trigger_rank: all(-1), trigger_event: all(-1), put_bytes: all(0), l2_hits: all(0), l2_misses: all(0),
  };
}

// Restores times from what lies between them: a task is taken `gap` after the end of the one before it on its worker, and takes what
// it takes alone and what it lost; `unexplained` is zero.
function with_times(columns: Columns, rows: number, limits: number): Columns {
  const { rank, worker, gap, before, not_waited, ideal, left, flown, unexplained, l2_requests, l2_misses } = columns, of = (value: (i: number) => number) => Float64Array.from({ length: rows }, (_, i) => value(i));
  const taken = new Float64Array(rows), start = new Float64Array(rows), end = new Float64Array(rows);
  for (let i = 0; i < rows; ++i) {
    const first = i === 0 || rank![i] !== rank![i - 1] || worker![i] !== worker![i - 1];
    taken[i] = (first ? 0 : end[i - 1]!) + gap![i]!;
    start[i] = taken[i]! + before![i]!;
    end[i] = start[i]! + ideal![i]! - unexplained![i]!;
    for (let limit = 0; limit < limits; ++limit) end[i]! += columns[`lost_${limit}`]![i]!;
  }
  const done = of((i) => end[i]! + left![i]!);
  return {
    ...columns, taken, start, end, done, visible: of((i) => done[i]! + flown![i]!), waited: of((i) => before![i]! - not_waited![i]!),
    l2_hits: of((i) => l2_requests![i]! - l2_misses![i]!),
  };
}

export class Tasks {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly taken: Float64Array;
  readonly op: Float64Array;
  readonly workers: number; // workers of a rank
  readonly first: Uint32Array; // first task of each lane, and the number of all tasks

  constructor(readonly pass: Pass, readonly columns: Columns, readonly experts_per_rank = 0) {
    this.count = pass.tasks.rows;
    this.start = columns.start!;
    this.end = columns.end!;
    this.taken = columns.taken!;
    this.op = columns.op!;
    this.workers = pass.kinds.reduce((sum, kind) => sum + kind.count, 0);
    this.first = new Uint32Array(pass.ranks * this.workers + 1);
    for (let i = 0; i < this.count; ++i) this.first[this.lane_of(i) + 1]!++;
    for (let lane = 0; lane + 1 < this.first.length; ++lane) this.first[lane + 1]! += this.first[lane]!;
  }

  static async read(pass: Pass, experts_per_rank: number): Promise<Tasks> {
    const columns = await read_columns(pass.tasks);
    return new Tasks(pass, pass.recorded ? with_unknown(columns, pass.tasks.rows) : with_times(columns, pass.tasks.rows, pass.limits.length), experts_per_rank);
  }

  // Returns the ranks that have no tasks.
  empty_ranks(): number[] {
    const ranks: number[] = [];
    for (let rank = 0; rank < this.pass.ranks; ++rank)
      if (this.first[rank * this.workers] === this.first[(rank + 1) * this.workers]) ranks.push(rank);
    return ranks;
  }

  // Returns an expert's number on its rank, given its number over all ranks.
  local_expert(expert: number): number {
    return this.experts_per_rank > 0 ? expert % this.experts_per_rank : expert;
  }

  // Returns the task of an operator on a rank with this number among them, or -1.
  at(rank: number, op: number, index: number): number {
    const { rank: ranks, index: indices } = this.columns;
    for (let task = this.first[rank * this.workers]!; task < this.first[(rank + 1) * this.workers]!; ++task)
      if (ranks![task] === rank && this.op[task] === op && indices![task] === index) return task;
    return -1;
  }

  lane_of(task: number): number {
    return this.columns.rank![task]! * this.workers + this.columns.worker![task]!;
  }

  lane_name(lane: number): string {
    const of = this.of_kind(lane % this.workers);
    return `rank ${Math.floor(lane / this.workers)}, ${worker_name(of.kind, of.number)}`;
  }

  // Returns a worker's kind, and its number among that kind.
  of_kind(worker: number): { kind: Kind; number: number } {
    const kinds = this.pass.kinds;
    let k = 0;
    while (worker >= kinds[k]!.count) worker -= kinds[k++]!.count;
    return { kind: kinds[k]!, number: worker };
  }

  name(task: number): string {
    return this.pass.operators[this.op[task]!]!.name;
  }

  // Returns the first task of a lane that ends after `time`, or the lane's end if there is none.
  ending_after(lane: number, time: number): number {
    let low = this.first[lane]!, high = this.first[lane + 1]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Returns the task whose trigger completed the event that a task waited for, or -1.
  cause_of(task: number): number {
    const { event, trigger_rank, trigger_event, visible } = this.columns;
    const waits_for = event![task]!, rank = this.columns.rank![task]!;
    if (waits_for < 0) return -1;
    let last = -1;
    for (let i = 0; i < this.count; ++i) {
      if (trigger_event![i] === waits_for && trigger_rank![i] === rank && (last < 0 || visible![i]! > visible![last]!)) last = i;
    }
    return last;
  }

  // Returns the tasks that wait for the event that a task triggers.
  waiting_for(task: number): number[] {
    const { event, rank, trigger_rank, trigger_event } = this.columns;
    const of = trigger_event![task]!, on = trigger_rank![task]!, list: number[] = [];
    if (of < 0) return list;
    for (let i = 0; i < this.count; ++i) if (event![i] === of && rank![i] === on) list.push(i);
    return list;
  }
}

export interface Path { from: Float64Array; to: Float64Array; task: Float64Array; op: Float64Array; ran: Float64Array; blame: Float64Array; steps: number }

export async function read_path(pass: Pass): Promise<Path> {
  if (!pass.path) {
    const none = new Float64Array();
    return { from: none, to: none, task: none, op: none, ran: none, blame: none, steps: 0 };
  }
  const c = await read_columns(pass.path);
  return { from: c.from!, to: c.to!, task: c.task!, op: c.op!, ran: c.ran!, blame: c.blame!, steps: pass.path.rows };
}
