// Holds a training step, and computes what its pictures show.
import type { Figure, Series } from "./drawing.js";
import { hues } from "./palette.js";
import { Columns, Packed, read_columns } from "./model.js";

interface Exchange { exchange: string; total_ps: number; exposed_ps: number; hidden_by_ps: { [by: string]: number } }

export interface StepSection {
  kind: "step";
  title: string;
  facts: {
    step_ps: number;
    tokens_per_second_per_die?: number;
    tokens_per_second_per_package?: number;
    model_tflops_per_die?: number;
    mfu?: number;
    experts_share?: number;
    unknown?: string;
  };
  step: {
    schedule: string;
    chunks_per_stage: number;
    micro_batches: number;
    capacity_bytes: number;
    stages: { classes_ps: { [name: string]: number }; exchanges: Exchange[] }[];
  };
  works: string[]; // names of the kinds of work by number: forward, backward, weights, update
  blocks: Packed;
  memory: Packed;
}

// Holds the blocks, sorted by stage and start.
export class Blocks {
  readonly first: number[] = []; // each stage's first block, and the number of all blocks
  readonly longest: number[] = []; // duration of each stage's longest block
  readonly chunks: number[][] = []; // each stage's chunks, ascending

  constructor(readonly works: string[], readonly stages: number, readonly columns: Columns) {
    const { stage, chunk, from, to } = columns;
    let at = 0;
    for (let s = 0; s < stages; ++s) {
      this.first.push(at);
      const seen = new Set<number>();
      let longest = 0;
      for (; at < this.count && stage![at] === s; ++at) {
        if (chunk![at]! >= 0) seen.add(chunk![at]!);
        longest = Math.max(longest, to![at]! - from![at]!);
      }
      this.longest.push(longest);
      this.chunks.push([...seen].sort((a, b) => a - b));
    }
    this.first.push(at);
  }

  static async read(section: StepSection): Promise<Blocks> {
    return new Blocks(section.works, section.step.stages.length, await read_columns(section.blocks));
  }

  get count(): number {
    return this.columns.stage!.length;
  }

  work(block: number): string {
    return this.works[this.columns.work![block]!] ?? "";
  }

  // Returns a stage's first block that may still run at `time`.
  first_at(stage: number, time: number): number {
    let low = this.first[stage]!, high = this.first[stage + 1]!;
    const least = time - this.longest[stage]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.columns.from![middle]! < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Returns how long kernels of the stage run in all.
  busy(stage: number): number {
    let sum = 0;
    for (let i = this.first[stage]!; i < this.first[stage + 1]!; ++i) sum += this.columns.kernels![i]!;
    return sum;
  }

  // Returns when a micro-batch's first block begins, when its last one ends, and how long its kernels run.
  course(micro_batch: number): { from: number; to: number; kernels: number } {
    const course = { from: Infinity, to: 0, kernels: 0 }, { micro_batch: of, from, to, kernels } = this.columns;
    for (let i = 0; i < this.count; ++i) {
      if (of![i] !== micro_batch) continue;
      course.from = Math.min(course.from, from![i]!);
      course.to = Math.max(course.to, to![i]!);
      course.kernels += kernels![i]!;
    }
    return course;
  }
}

const axis = { log: false, truncated: false, low: 0, high: 1, places: [] as number[], names: [] as string[] };
const places = (names: string[]) => ({ ...axis, low: -0.5, high: names.length - 0.5, places: names.map((_, i) => i), names });
const bars = (name: string, place: number, values: number[]): Series =>
  ({ name, kind: "bars", color: place % hues, hollow: false, points: values.map((y, x) => [x, y, y, y]) });

function stacked(title: string, origin: string, x: string, names: string[], y: string, series: Series[]): Figure {
  const most = Math.max(...names.map((_, i) => series.reduce((sum, one) => sum + one.points[i]![1], 0)));
  return {
    title, origin, legend: "time of a die", stacked: true, x: { ...places(names), name: x }, y: { ...axis, name: y, high: (most || 1) * 1.04 },
    color: { ...axis, name: "" }, series, cells: [], links: [], marks: [], key: [],
  };
}

// Returns where the time of each stage's die goes. The classes sum to the step.
export function classes_figure(section: StepSection): Figure {
  const { stages } = section.step, names = Object.keys(stages[0]?.classes_ps ?? {});
  const seen = names.filter((name) => stages.some((stage) => stage.classes_ps[name]! > 0.0005 * section.facts.step_ps));
  const series = seen.map((name, i) => bars(name, i, stages.map((stage) => stage.classes_ps[name]! / 1e12)));
  return stacked("Where each die's time goes", "at any time the first that is active: kernels, then exposed communication, then waits", "stage",
    stages.map((_, i) => String(i)), "s", series);
}

// Returns where a die's time goes in each of several steps, as means over the stages.
export function compared_classes(sections: StepSection[], heads: string[]): Figure {
  const mean = ({ step }: StepSection, name: string) => step.stages.reduce((sum, stage) => sum + (stage.classes_ps[name] ?? 0), 0) / step.stages.length / 1e12;
  const names = [...new Set(sections.flatMap(({ step }) => step.stages.flatMap((stage) => Object.keys(stage.classes_ps))))];
  const series = names.map((name, i) => bars(name, i, sections.map((section) => mean(section, name))));
  return stacked("Where a die's time goes", "mean of the stages", "", heads, "s", series.filter((one) => one.points.some((p) => p[1] > 0)));
}

// Returns how long each kind of exchange is exposed in each of several steps, as means over the stages.
export function compared_exchanges(sections: StepSection[], heads: string[]): Figure | null {
  const exposed = ({ step }: StepSection, name: string) => step.stages.reduce((sum, stage) => sum + stage.exchanges.filter((of) => of.exchange === name).reduce((a, of) => a + of.exposed_ps, 0), 0) / step.stages.length / 1e12;
  const names = [...new Set(sections.flatMap(({ step }) => step.stages.flatMap((stage) => stage.exchanges.map((of) => of.exchange))))];
  if (names.length === 0) return null;
  return stacked("Exchanges, as far as nothing hides them", "mean of the stages", "", heads, "s", names.map((name, i) => bars(name, i, sections.map((section) => exposed(section, name)))));
}

// Returns how much of each kind of exchange is hidden, and behind what, as means over stages.
export function exchanges_figure(section: StepSection): Figure | null {
  const { stages } = section.step, names = [...new Set(stages.flatMap((stage) => stage.exchanges.map((of) => of.exchange)))];
  if (names.length === 0) return null;
  const mean = (name: string, of: (exchange: Exchange) => number) =>
    stages.reduce((sum, stage) => sum + stage.exchanges.filter((e) => e.exchange === name).reduce((a, e) => a + of(e), 0), 0) / stages.length / 1e12;
  const by = [...new Set(stages.flatMap((stage) => stage.exchanges.flatMap((of) => Object.keys(of.hidden_by_ps))))];
  const series = [bars("exposed", 0, names.map((name) => mean(name, (e) => e.exposed_ps))),
    ...by.map((what, i) => bars(what, i + 1, names.map((name) => mean(name, (e) => e.hidden_by_ps[what] ?? 0))))];
  const heads = names.map((name) => `${name}: ${(100 * (1 - mean(name, (e) => e.exposed_ps) / mean(name, (e) => e.total_ps))).toFixed(0)} % hidden`);
  return stacked("Exchanges: exposed, and hidden behind what", "mean of the stages", "", heads, "s",
    series.filter((one) => one.points.some((p) => p[1] > 0)));
}
