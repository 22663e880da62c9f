// Holds a job of many steps: how long each step took, and what each rank did in it.
import { Columns, Packed, read_columns } from "./model.js";

export interface Measure { name: string; about: string; time: boolean }

export interface JobSection {
  kind: "job";
  title: string;
  ranks: number;
  together: number; // steps that one column stands for
  usual_ps: number;
  measures: Measure[];
  steps: Packed;
  cells: Packed; // a column for each measure; the values of a rank follow each other
}

export class JobData {
  constructor(readonly section: JobSection, readonly steps: Columns, private cells: Columns) {}

  static async read(section: JobSection): Promise<JobData> {
    return new JobData(section, await read_columns(section.steps), await read_columns(section.cells));
  }

  get columns(): number {
    return this.section.steps.rows;
  }

  // Returns a rank's value in a column: picoseconds, or what the measure counts.
  value(measure: number, rank: number, column: number): number {
    const { name, time } = this.section.measures[measure]!;
    return this.cells[name]![rank * this.columns + column]! * (time ? 1e5 : 1);
  }

  // Returns the rank's median over the columns that are not slow, or over all columns if all are slow.
  usual(measure: number): Float64Array {
    const healthy = Array.from({ length: this.columns }, (_, column) => column).filter((column) => this.steps.slow![column] === 0);
    const of = healthy.length > 0 ? healthy : Array.from({ length: this.columns }, (_, column) => column);
    return Float64Array.from({ length: this.section.ranks }, (_, rank) => {
      const values = Float64Array.from(of, (column) => this.value(measure, rank, column)).sort();
      return (values[(values.length - 1) >> 1]! + values[values.length >> 1]!) / 2;
    });
  }

  name(column: number): string {
    const first = this.steps.first![column]!, last = this.steps.last![column]!;
    return first === last ? `step ${first}` : `steps ${first} to ${last}`;
  }

  // Returns the columns that hold the steps from one number to another.
  between(first: number, last: number): [from: number, to: number] {
    const { first: firsts, last: lasts } = this.steps;
    let from = 0, to = this.columns;
    while (from < this.columns && lasts![from]! < first) ++from;
    while (to > from && firsts![to - 1]! > last) --to;
    return [from, to];
  }
}
