// The one table of colours: a thing has the colour of its name, on every page and in every chart. A name that the table
// does not have gets one by its letters.
import { faint_grey, grey, hues, places, text_color } from "./palette.js";

const [blue, vermillion, green, pink, orange, sky, olive] = [0, 1, 2, 3, 4, 5, 6];
const pale = (hue: number) => hue + hues, deep = (hue: number) => hue + 2 * hues;

export type Meaning = "operator" | "cause" | "state" | "execution" | "counter" | "work" | "class";
type Table = { [name: string]: number };

// What is sent is blue and orange, products are vermillion and pink, elementwise work is green, rows that are gathered are
// sky and olive. Backward, an operator has another shade of the forward one's whose gradient it is.
const operators: Table = {
  Dispatch: blue, Dispatch_bwd: deep(blue), AllGather: blue, Notify: pale(blue),
  GMM1: vermillion, GMM: vermillion, GMM_gate_grad: pale(vermillion), GMM_w1_grad: deep(vermillion), GMM1_grad: deep(vermillion),
  Dequantize_GMM1: pale(vermillion),
  SwiGLU: green, SwiGLU_grad: deep(green), Add: deep(green), Quantize_activation: pale(green),
  GMM2: pink, GMM_act_grad: pale(pink), GMM_w2_grad: deep(pink), GMM2_grad: deep(pink), Dequantize_GMM2: pale(pink),
  Combine: orange, Combine_bwd: orange, Scatter: orange,
  Permute: sky, Permute_bwd: deep(sky), Unpermute: pale(sky), Quantize: pale(sky), Receive: deep(sky),
  Accumulate: olive, Accumulate_bwd: pale(olive), Reduce: olive, Counts: pale(olive), Plan: deep(olive),
  Cast_w1: olive, Cast_w2: deep(olive), AssignAdd_w1: olive, AssignAdd_w2: deep(olive),
};

// Arithmetic is blue, memory warm, the network green, polling pink, the runtime olive; so are the states of workers and
// quantities over time. A worker that waits is grey on timelines and in charts; one that idles is fainter.
const causes: Table = {
  cube: blue, arithmetic: blue, vector: sky, core: pale(blue),
  put: green, "put alone": green, link: deep(green), hop: pale(green),
  HBM: vermillion, "L2 misses": orange, "L2 read": pale(orange), "L2 write": pale(vermillion),
  poll: pink, scheduling: olive, launch: deep(olive), collective: pale(olive),
};
const states: Table = { run: blue, memory: vermillion, puts: green, wait: grey, scheduling: olive, idle: faint_grey };
const counters: Table = {
  HBM: vermillion, "L2 reads": orange, "L2 hit rate": deep(orange), "link out": green, "link in": deep(green),
  "AIC running": blue, "AIV running": sky, "ready tasks": olive,
  "COMPUTE running": blue, "BULK running": green, "WEIGHTS running": orange, "ROWS running": sky, "RETURNS running": pink,
};
const executions: Table = { static: blue, kernel: vermillion, dynamic: green, streams: pink, fused: orange };

// Blocks of a pipeline, and classes of a die's time; what is exposed stands out from all of them.
const works: Table = { forward: blue, backward: green, weights: orange, update: vermillion };
const classes: Table = {
  "grouped products": blue, "other products": sky, attention: pink, "vector alone": orange,
  EP: green, TP: pale(green), DP: pale(sky), "PP and CP": pale(orange),
  bubble: faint_grey, host: pale(vermillion), optimizer: vermillion, rest: deep(pink), exposed: text_color,
};

const tables: { [meaning in Meaning]: Table } = { operator: operators, cause: causes, state: states, execution: executions, counter: counters, work: works, class: classes };

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
  { operator: new Map(), cause: new Map(), state: new Map(), execution: new Map(), counter: new Map(), work: new Map(), class: new Map() };

// Returns the place that the table gives a name. The nth part of an operator, as GMM1_b1, has the operator's hue, the odd ones paler.
function known_place(meaning: Meaning, name: string): number | undefined {
  if (Object.hasOwn(tables[meaning], name)) return tables[meaning][name]!;
  const [, whole, part] = /^(.+)_[a-z](\d+)$/.exec(name) ?? [];
  if (meaning !== "operator" || whole === undefined || !Object.hasOwn(tables.operator, whole)) return undefined;
  const place = tables.operator[whole]!;
  return Number(part) % 2 === 1 && place < hues ? pale(place) : place;
}

// Gives different places to names that are shown side by side, as long as places last: hues first, then their shades. Names
// are taken in alphabetical order, so that it does not matter which run comes first.
export function tell_apart(meaning: Meaning, names: string[]): void {
  const given = new Set(names.map((name) => known_place(meaning, name) ?? assigned[meaning].get(name)).filter((place) => place !== undefined));
  for (const name of [...new Set(names)].sort()) {
    if (known_place(meaning, name) !== undefined || assigned[meaning].has(name)) continue;
    const first = hash(name);
    let place = first;
    for (let i = 0; i < places && given.has((place = shade_of(first, i))); ++i);
    assigned[meaning].set(name, place);
    given.add(place);
  }
}

// Returns a name's place in the palette.
export function color_of(meaning: Meaning, name: string): number {
  return known_place(meaning, name) ?? assigned[meaning].get(name) ?? hash(name);
}

// What the names in a figure's legend are: operators, causes, ranks …
const legends: { [legend: string]: Meaning } = { operator: "operator", "spent on": "cause", state: "state", execution: "execution", "time of a die": "class" };

// Returns the place of a series whose name has a meaning of its own; other series keep the place that they came with.
export function series_place(legend: string, name: string, place: number): number {
  const meaning = legends[legend];
  return meaning && name ? color_of(meaning, name.replace(/, (predicted|published)$/, "")) : place;
}
