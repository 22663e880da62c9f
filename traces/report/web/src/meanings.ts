// The one table of colours: a thing has the colour of its name, on every page and in every chart. A name that the table
// does not have gets one by its letters.
import { faint_grey, grey, hues, ink, places, tones } from "./palette.js";

const [blue, vermillion, green, pink, orange, sky, olive] = [0, 1, 2, 3, 4, 5, 6];
const pale = (hue: number) => hue + hues, deep = (hue: number) => hue + 2 * hues;

export type Meaning = "operator" | "cause" | "state" | "execution" | "counter" | "work" | "class" | "overlap";
type Table = { [name: string]: number };

// What is sent is blue and orange, products are vermillion and pink, elementwise work is green, rows that are gathered are
// sky and olive. Backward, an operator has another shade of the forward one's whose gradient it is.
const operators: Table = {
  Dispatch: blue, Dispatch_bwd: deep(blue), AllGather: blue, Notify: pale(blue),
  GMM1: vermillion, GMM: vermillion, GMM_gate_grad: pale(vermillion), GMM_w1_grad: deep(vermillion), GMM1_grad: deep(vermillion),
  Dequantize_GMM1: pale(vermillion),
  SwiGLU: green, SwiGLU_grad: deep(green), Add: deep(green), Quantize_activation: pale(green),
  GMM2: pink, GMM_act_grad: pale(pink), GMM_w2_grad: deep(pink), GMM2_grad: deep(pink), Dequantize_GMM2: pale(pink),
  Combine: orange, Combine_bwd: deep(orange), Scatter: orange,
  Permute: sky, Permute_bwd: deep(sky), Unpermute: pale(sky), Quantize: pale(sky), Receive: deep(sky),
  Accumulate: olive, Accumulate_bwd: pale(olive), Reduce: olive, Counts: pale(olive), Plan: deep(olive),
  Cast_w1: olive, Cast_w2: deep(olive), AssignAdd_w1: olive, AssignAdd_w2: deep(olive),
};

// Hues are the operators'. Causes are inks: a core's own work is plain, memory has lines aslant, the network dots, the runtime
// upright lines; so are the states of workers. A worker that waits is grey on timelines and in charts; one that idles is fainter.
const causes: Table = {
  cube: ink(0), arithmetic: ink(0), vector: ink(2), core: ink(4),
  put: ink(0, "dots"), "put alone": ink(0, "dots"), link: ink(2, "dots"), hop: ink(4, "dots"), collective: ink(5, "dots"),
  HBM: ink(0, "diagonal"), "L2 misses": ink(2, "diagonal"), "L2 read": ink(4, "diagonal"), "L2 write": ink(5, "diagonal"),
  poll: ink(3, "upright"), scheduling: ink(1, "upright"), launch: ink(5, "upright"), host: ink(6, "upright"), unknown: ink(7, "upright"),
};
const states: Table = {
  run: ink(1), memory: ink(1, "diagonal"), puts: ink(2, "dots"), wait: grey, scheduling: ink(2, "upright"), idle: faint_grey,
  // Parts of a profiled step.
  computing: ink(1), transferring: ink(2, "dots"), waiting: grey, "standing still": ink(2, "upright"), "waiting or transferring": ink(5, "dots"), free: faint_grey,
};
// Products and exchange at the same time; exchange alone is the colour of findings.
const overlaps: Table = { both: ink(3), "products alone": ink(6) };
// Quantities over time have a chart each; those that share one differ in tone, and in dashes.
const counters: Table = {
  HBM: ink(0), "L2 reads": ink(0), "L2 hit rate": ink(0), "link out": ink(0), "link in": ink(4),
  "AIC running": ink(0), "AIV running": ink(4), "ready tasks": ink(0),
  "COMPUTE running": ink(0), "BULK running": ink(2), "WEIGHTS running": ink(4), "ROWS running": ink(5), "RETURNS running": ink(6),
};
const executions: Table = { static: blue, kernel: vermillion, dynamic: green, streams: pink, fused: orange };

// Blocks of a pipeline have hues that no class has. Classes of a die's time have the hues of the operators that they hold; what is exposed stands out.
const works: Table = { forward: orange, backward: deep(orange), weights: pale(orange), update: ink(3) };
const classes: Table = {
  "grouped products": vermillion, "other products": pale(vermillion), attention: pink, "vector alone": green,
  EP: blue, TP: sky, DP: pale(sky), "PP and CP": olive,
  // Of inference.
  "attention and its cache": pink, "waiting for experts": faint_grey, "launches and gaps": ink(5, "diagonal"),
  bubble: faint_grey, host: ink(3, "upright"), optimizer: ink(3), rest: ink(5, "diagonal"), exposed: ink(0, "upright"),
};

const tables: { [meaning in Meaning]: Table } = { operator: operators, cause: causes, state: states, execution: executions, counter: counters, work: works, class: classes, overlap: overlaps };

function hash(name: string): number {
  let sum = 0x811c9dc5; // FNV-1a
  for (let i = 0; i < name.length; ++i) sum = Math.imul(sum ^ name.charCodeAt(i), 0x01000193) >>> 0;
  return sum % places;
}

// Returns the place that is tried as the nth: all hues from that of the first on, then all of the next shade.
function shade_of(first: number, nth: number): number {
  return ((first + nth) % hues) + hues * Math.floor(nth / hues);
}

const assigned: { [meaning in Meaning]: Map<string, number> } =
  { operator: new Map(), cause: new Map(), state: new Map(), execution: new Map(), counter: new Map(), work: new Map(), class: new Map(), overlap: new Map() };

// Returns the place that the table gives a name. The nth part of an operator, as GMM1_b1, has the operator's hue, the odd ones paler.
function known_place(meaning: Meaning, name: string): number | undefined {
  if (Object.hasOwn(tables[meaning], name)) return tables[meaning][name]!;
  const [, whole, part] = /^(.+)_[a-z](\d+)$/.exec(name) ?? [];
  if (meaning !== "operator" || whole === undefined || !Object.hasOwn(tables.operator, whole)) return undefined;
  const place = tables.operator[whole]!;
  return Number(part) % 2 === 1 && place < hues ? pale(place) : place;
}

// Gives different places to names that are shown side by side, as long as places last: hues first, then their shades, then inks. Names
// are taken in alphabetical order, so that it does not matter which run comes first.
export function tell_apart(meaning: Meaning, names: string[]): void {
  const given = new Set(names.map((name) => known_place(meaning, name) ?? assigned[meaning].get(name)).filter((place) => place !== undefined));
  for (const name of [...new Set(names)].sort()) {
    if (known_place(meaning, name) !== undefined || assigned[meaning].has(name)) continue;
    const first = hash(name);
    let place = first;
    for (let i = 0; i < places && given.has((place = shade_of(first, i))); ++i);
    for (let tone = 0; tone < tones && given.has(place); ++tone) place = ink(tone);
    assigned[meaning].set(name, place);
    given.add(place);
  }
}

export const known = (meaning: Meaning, name: string) => known_place(meaning, name) !== undefined;

// Returns a name's place in the palette.
export function color_of(meaning: Meaning, name: string): number {
  return known_place(meaning, name) ?? assigned[meaning].get(name) ?? hash(name);
}

// What the names in a figure's legend are: operators, causes, ranks …
const legends: { [legend: string]: Meaning } = { operator: "operator", "spent on": "cause", state: "state", part: "state", execution: "execution", "time of a die": "class" };

// Returns the place of a series whose name has a meaning of its own; other series keep the place that they came with.
// So do inks: they are for what has no hue.
export function series_place(legend: string, name: string, place: number): number {
  if (place >= ink(0)) return place;
  const meaning = legends[legend];
  return meaning && name ? color_of(meaning, name.replace(/, .*$/, "")) : place;
}
