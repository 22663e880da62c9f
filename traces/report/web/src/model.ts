// What the program puts into the page: JSON in the element `a3sim-page`, and packed columns in elements of their own.
import type { Figure } from "./drawing.js";
import type { JobSection } from "./job_data.js";
import type { LinksSection } from "./links.js";
import type { SearchSection, TrySection } from "./orders.js";
import type { StepSection } from "./step_data.js";
import type { SweepSection } from "./sweep_points.js";
import type { WaterfallsSection } from "./waterfall.js";

export interface Page {
  title: string;
  subtitle: string;
  program: string;
  sections: Section[];
}

export type Section = BlocksSection | FindingsSection | RunsSection | StepSection | SweepSection | SearchSection | TrySection | JobSection | LinksSection | WaterfallsSection;

// Text, tables and figures below a heading.
export interface BlocksSection { kind: "blocks"; title: string; blocks: Block[]; folded?: boolean }

// What was found in passes that a section of runs shows under the same names, or in the steps of a job. `whole`: what time is lost of.
export interface FindingsSection { kind: "findings"; title: string; findings: Finding[]; whole?: string }

export interface Finding {
  id: string; // id of its element
  number: number;
  run: string;
  pass: string;
  cause: string;
  what?: string; // the cause in words
  where: string;
  lost: string;
  info: boolean; // true if it costs little or cannot be helped
  ranks: number[]; // if empty, all ranks
  from_ps: number; // first time of what the finding names
  to_ps: number;
  evidence: Evidence[];
  ruled_out: string[];
  remedies: string[];
  missing: string[];
  steady?: boolean; // of a job: the time is lost in every step
  parts?: { first: number; last: number; ranks: number[] }[]; // of a job: its steps, and the ranks in them
}

// `task`: the one that the place stands for, by its rank, its operator's number and its number among that one's tasks.
export interface Evidence { text: string; place: string; task: { rank: number; op: number; index: number } | null }

export interface RunsSection { kind: "runs"; title: string; runs: Run[] }

export type Block =
  | { kind: "cards"; cards: { label: string; value: string; note: string }[] }
  | { kind: "text"; text: string; strong?: boolean }
  | { kind: "code"; text: string }
  | { kind: "table"; table: Table }
  | { kind: "packed_table"; packed: string } // a long one, in the element of this id
  | { kind: "figure"; figure: Figure };

export interface Table {
  heads: string[];
  numbers: boolean[]; // by column; numbers are aligned to the right
  rows: string[][];
  values: (number | string | null)[][]; // exact, for sorting
  csv: string;
}

// `experts_per_rank` is 0 where it is not known.
export interface Run { name: string; experts_per_rank: number; passes: Pass[] }

export interface Operator { name: string; unit: "cube" | "vector" | "put" | "mix" | "host" }

export interface Kind { name: string; count: number } // of worker: AIC, AIV, SM

export interface Pass {
  name: string;
  recorded?: boolean; // the bars are measured kernels: what they lost, and why they began, is unknown
  makespan_ps: number;
  kinds: Kind[]; // of a rank's workers, which are numbered kind by kind
  ranks: number;
  limits: string[];
  blames: string[];
  operators: Operator[];
  has_kernels: boolean;
  streams?: boolean; // lanes are streams, whose kernels may be known by their time alone
  tasks: Packed;
  path?: Packed; // recorded passes lack it and the following
  counters?: { stretch_ps: number; names: string[]; units: string[]; limits: number[]; packed: Packed };
}

// Columns of whole numbers, packed one after the other into the element `id`.
export interface Packed { id: string; rows: number; columns: string[]; repeating?: string[] }

export type Columns = { [name: string]: Float64Array };

function element_text(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the file was cut short: '${id}' is missing`);
  return element.textContent ?? "";
}

export function read_page(): Page {
  return JSON.parse(element_text("a3sim-page")) as Page;
}

async function unpacked(id: string): Promise<Uint8Array> {
  const raw = Uint8Array.from(atob(element_text(id).trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function read_text(id: string): Promise<string> {
  return new TextDecoder().decode(await unpacked(id));
}

// Each value is the difference to the one above it, or itself in the columns that repeat, its sign in the lowest bit, seven
// bits per byte, the lowest first.
export async function read_columns(packed: Packed): Promise<Columns> {
  const bytes = await unpacked(packed.id);
  const columns: Columns = {};
  let at = 0;
  for (const name of packed.columns) {
    const values = new Float64Array(packed.rows), repeats = packed.repeating?.includes(name) ?? false;
    let value = 0;
    for (let row = 0; row < packed.rows; ++row) {
      let code = 0, factor = 1, byte: number;
      do {
        if (at >= bytes.length) throw new Error("the file was cut short");
        byte = bytes[at++]!;
        code += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      value = (repeats ? 0 : value) + (code % 2 === 0 ? code / 2 : -(code + 1) / 2);
      values[row] = value;
    }
    columns[name] = values;
  }
  return columns;
}
