// Shows what `a3sim search --json` and `a3sim try --json` found: orders beside the shipped ones.
import { significant } from "./axes.js";
import { button, copy, el } from "./dom.js";
import type { Figure, FigurePoint, Series } from "./drawing.js";
import { names_axis, no_axis, values_axis } from "./figure_axes.js";
import { FigureView } from "./figures.js";
import { ink, text_color, tones } from "./palette.js";
import { number, table_element, table_of, words } from "./table.js";

interface Choice { value: string; candidates: number; median: number }
interface FrontPoint { latency: number; aivs?: number; spread?: number; order?: string }

// What is claimed, the smallest of all verified gains, and these. All are 0 if nothing is claimed.
interface Gain { claimed: number; trained: number; as_configured: number; same_settings: number | null; held_out: number; low: number; high: number }

interface End { value: string; gain: number | null }
// The gain with what is known only within a range at its ends.
interface Ranges {
  condition: string; known: boolean; as_stated: number; low: number; high: number; together: number | null; without_effect: number;
  values: { path: string; value: string; source: string; measure: string; low: End; high: End }[];
}

// A gain with all ranks, in one condition.
interface Verified { scenario: string; gain: number | null; low: number | null; high: number | null; best_shipped: string; refused: string }

export interface SearchResult {
  best: { name: string; yaml: string; settings: { [key: string]: string } };
  best_shipped: string;
  headline: string;
  holds: boolean; // if not, `best` is the best shipped order
  gain: Gain;
  as_configured?: Verified[];
  same_settings?: Verified | null;
  nearest_published?: { change: string; case: string; published: number; predicted: number; error: number } | null;
  left_out?: { candidate: number; verdict: string; why: string }[];
  ranges?: Ranges;
  bound_distance: { before: number; after: number };
  candidates: number;
  candidates_per_second: number;
  candidates_to_90_percent?: number;
  effects: { decision: string; variance_share: number; values: Choice[] }[];
  reverted?: { decision: string; best: string; shipped: string; loss: number | null; taken_back: boolean }[];
  held_out?: Verified[];
  curve?: (number | { candidates: number; gain: number })[];
  front?: FrontPoint[];
}

interface Tried {
  order: string;
  same_as: string | null;
  refused: string | null;
  passes_ps?: { [pass: string]: number };
  total_ps?: number;
  to_best_shipped?: number | null;
  to_best_shipped_low?: number | null;
  to_best_shipped_high?: number | null;
}
// What the verdict compares: the differences, and the largest reasons for them, of the mean worker that the pass keeps busy.
interface Compared { than: string; median: number; low: number; high: number }
interface Reason { than: string; what: string; ms: number; hits: string; other_hits: string }
export interface TryResult { orders: Tried[]; results?: string; verdict?: string; jitter?: { runs?: number }; compared?: Compared[]; reasons?: Reason[] }

export interface SearchSection { kind: "search"; title: string; result: SearchResult }
export interface TrySection { kind: "try"; title: string; result: TryResult }

const percent = (part: number, digits = 2) => `${(100 * part).toFixed(digits)} %`;
const signed = (part: number | null | undefined) => (part == null ? "-" : `${part >= 0 ? "+" : "−"}${percent(Math.abs(part))}`);
const point = (x: number, y: number): FigurePoint => [x, y, y, y];
const figure = (title: string, origin: string): Figure =>
  ({ title, origin, legend: "", x: no_axis, y: no_axis, color: no_axis, stacked: false, series: [], cells: [], links: [], marks: [], key: [] });

function card(label: string, value: string, note: string): HTMLElement {
  return el("div", { class: "answer" }, el("span", { class: "label" }, label), el("span", { class: "value" }, value), el("span", { class: "note" }, note));
}

// Returns pairs of candidates and gain. A number in the curve is a candidate's latency over that of the best shipped order;
// an object has the gain after so many candidates.
export function gains_of(curve: NonNullable<SearchResult["curve"]>): [candidates: number, gain: number][] {
  return curve.map((item, i) => (typeof item === "number" ? [i + 1, 1 - item] : [item.candidates, item.gain]));
}

function curve_figure(result: SearchResult): Figure | null {
  const gains = gains_of(result.curve ?? []);
  if (gains.length < 2) return null;
  if (gains[0]![0] > 0) gains.unshift([0, 0]); // before the first gain
  const drawn = figure("The best gain so far, in training; not verified", `compared with ${result.best_shipped}, the best shipped order`);
  // Keep a point for each change, and the last one.
  const kept = gains.filter(([, gain], i) => i === 0 || i === gains.length - 1 || gain !== gains[i - 1]![1]);
  drawn.x = { ...values_axis("candidates", [0, result.candidates]), log: false };
  drawn.y = values_axis("gain, %", [0, ...gains.map(([, gain]) => 100 * gain)]);
  drawn.series = [{ name: "", kind: "steps", color: ink(2), hollow: false, points: kept.map(([at, gain]) => point(at, 100 * gain)) }];
  return drawn;
}

// Draws the orders that no other beats in latency, AIVs and spread, with a colour for each number of AIVs.
function front_figure(front: FrontPoint[]): Figure | null {
  const known = front.filter((of) => isFinite(of.latency));
  if (known.length < 2) return null;
  const by_spread = known.every((of) => of.spread !== undefined) && known.some((of) => of.spread! > 1e-9), across = (of: FrontPoint) => (by_spread ? 100 * of.spread! : of.aivs ?? 0);
  const drawn = figure("Orders that no other beats", by_spread ? "in latency, AIVs and spread under random times" : "in latency and AIVs");
  drawn.x = values_axis(by_spread ? "spread, % of the latency; smaller is better" : "AIVs, fewer is better", known.map(across));
  drawn.y = values_axis("latency, ms; smaller is better", known.map((of) => of.latency));
  const aivs = [...new Set(known.map((of) => of.aivs ?? 0))].sort((a, b) => a - b);
  drawn.legend = by_spread && aivs.length > 1 ? "AIVs" : "";
  drawn.series = aivs.map((cores, i): Series =>
    ({ name: aivs.length > 1 ? String(cores) : "", kind: "points", color: ink((3 * i) % tones), hollow: false, points: known.filter((of) => (of.aivs ?? 0) === cores).map((of) => point(across(of), of.latency)) }));
  return drawn;
}

// Draws how much the choices of each decision differ, from its best median to its worst.
function effects_figure(result: SearchResult): Figure | null {
  const fewest = 3, shown = 12;
  const spans = result.effects.map((effect) => ({ effect, values: effect.values.filter((value) => value.candidates >= fewest).map((value) => 100 * (value.median - 1)).sort((a, b) => a - b) }))
    .filter(({ values }) => values.length > 1).slice(0, shown);
  if (spans.length === 0) return null;
  const drawn = figure("The worth of each choice", "latency relative to the best shipped order: medians over the candidates with a choice, best to worst");
  drawn.x = names_axis("", spans.map(({ effect }) => effect.decision));
  drawn.y = values_axis("% slower", [0, ...spans.flatMap(({ values }) => values)]);
  drawn.series = [
    { name: "", kind: "points", color: ink(2), hollow: false, points: spans.map(({ values }, i): FigurePoint => [i, values[0]!, values[0]!, values.at(-1)!]) },
    { name: "", kind: "points", color: ink(2), hollow: true, points: spans.map(({ values }, i) => point(i, values.at(-1)!)) },
    { name: "", kind: "plain", color: text_color, hollow: false, points: [point(-0.5, 0), point(spans.length - 0.5, 0)] },
  ];
  drawn.key = ["full: best choice", "hollow: worst"];
  return drawn;
}

const parts = (title: string, element: HTMLElement | null) => (element ? [el("h3", {}, title), element] : []);

function ranges_parts(ranges: Ranges | undefined): HTMLElement[] {
  if (!ranges || (ranges.values.length === 0 && ranges.without_effect === 0)) return [];
  const together = ranges.together == null ? "" : `, and is ${signed(ranges.together)} with all at unfavourable ends`;
  const end = (of: End) => `${of.value}: ${signed(of.gain)}`;
  return [el("h3", {}, "What is known only within ranges"),
    el("p", {}, `The gain (${signed(ranges.as_stated)}, ${ranges.condition}) lies between ${signed(ranges.low)} and ${signed(ranges.high)} with each such value of the machine and the program alone at either end${together}. ${ranges.without_effect} others do not move it.`),
    ...(ranges.values.length === 0 ? [] : [table_element(table_of(ranges.values, [
      words("value", (of) => of.path), words("now", (of) => of.value), words("gain at its low end", (of) => end(of.low)),
      words("gain at its high end", (of) => end(of.high)), words("measure it by", (of) => of.measure)]))])];
}

export function search_section({ title, result }: SearchSection): HTMLElement {
  const { bound_distance: bound } = result, gain = result.gain, nearest = result.nearest_published, curve = curve_figure(result), front = front_figure(result.front ?? []), effects = effects_figure(result);
  const again = button("copy", "copy this order", () => void copy(result.best.yaml, again));
  again.className = "copy";
  const reverted = (result.reverted ?? []).filter((of) => !of.taken_back), held = [...(result.as_configured ?? []), ...(result.same_settings ? [result.same_settings] : []), ...(result.held_out ?? [])];
  const figures = [curve, front, effects].filter((one) => one !== null).map((one) => new FigureView(one).element);
  return el("section", {}, el("h2", {}, title),
    el("div", { class: "cards" },
      card("gain", result.holds ? signed(gain.claimed) : "none claimed", result.holds ? `over ${result.best_shipped}, verified with all ranks` : `compared with ${result.best_shipped}, the best shipped order`),
      ...(nearest ? [card("nearest published change", signed(nearest.published), `predicted ${signed(nearest.predicted)}: ${nearest.change}, ${nearest.case}`)] : []),
      card("above the bound", percent(bound.after, 1), `${percent(bound.before, 1)} before`),
      card("candidates", String(result.candidates), `${significant(result.candidates_per_second)} per second${result.candidates_to_90_percent ? `; nine tenths of the gain after ${result.candidates_to_90_percent}` : ""}`)),
    el("p", { class: "verdict" }, result.headline),
    el("div", { class: "figures" }, ...figures),
    ...parts(result.holds ? "The order" : `The order ${result.best_shipped}`, el("div", { class: "code" }, again, el("pre", {}, result.best.yaml + Object.entries(result.best.settings ?? {}).map(([key, value]) => `\n${key}=${value}`).join("")))),
    ...parts(result.holds ? "What each of its decisions is worth" : "What decisions of the fastest candidate are worth", reverted.length === 0 ? null : table_element(table_of(reverted, [
      words("decision", (of) => of.decision), number("slower without it", (of) => of.loss ?? NaN, signed),
      words(result.holds ? "the order found has" : "it has", (of) => of.best), words(`${result.best_shipped} has`, (of) => of.shipped)]))),
    ...parts("Verified with all ranks", held.length === 0 ? null : table_element(table_of(held, [
      words("scenario", (of) => of.scenario), number("gain", (of) => of.gain ?? NaN, signed), number("low", (of) => of.low ?? NaN, signed), number("high", (of) => of.high ?? NaN, signed),
      words("best shipped there", (of) => of.best_shipped), words("", (of) => of.refused.split("\n")[0]!)]))),
    ...ranges_parts(result.ranges),
    ...parts("Orders that no other beats", (result.front ?? []).length === 0 ? null : table_element(table_of(result.front!, [
      words("order", (of) => of.order ?? ""), number("latency ms", (of) => of.latency, significant), number("AIVs", (of) => of.aivs ?? NaN, String),
      number("spread over random times %", (of) => 100 * (of.spread ?? NaN), significant)]))));
}

// Draws the orders' times beside the best shipped one, with the interval of the median difference.
function tried_figure(orders: Tried[], tried: Tried | undefined, random: boolean): Figure {
  const drawn = figure("Time relative to the best shipped order", random ? "medians under random times, and where the difference lies (95 %)" : "as modelled, without random times");
  drawn.x = names_axis("", orders.map((of) => (of === tried ? `${of.order} (tried)` : of.order)));
  const at = (of: Tried, value: number | null | undefined) => 100 * (value ?? of.to_best_shipped ?? 0);
  drawn.series = [{ name: "", kind: "bars", color: ink(3), hollow: false,
    points: orders.map((of, i): FigurePoint => [i, at(of, of.to_best_shipped), at(of, of.to_best_shipped_low), at(of, of.to_best_shipped_high)]) }];
  const ends = [0, ...drawn.series[0]!.points.flatMap((p) => [p[2], p[3]])], least = Math.min(...ends), most = Math.max(...ends), room = 0.06 * (most - least || 1);
  drawn.y = { ...no_axis, name: "% slower", low: least < 0 ? least - room : 0, high: most + room };
  return drawn;
}

// Says which times the table has: those of timelines are times as modelled.
function times_of({ jitter }: TryResult): string {
  const runs = jitter?.runs ?? 1;
  return runs > 1 ? `Times are medians of ${runs} runs with random task times and rates, the same draws for all orders; a difference is the median of those draw by draw, which may not be that of the medians. A timeline is the one run without them, as modelled: its latency differs.`
    : "Times are those as modelled, without random task times.";
}

function compared_parts({ orders, compared = [], reasons = [], jitter }: TryResult): HTMLElement[] {
  const tried = orders[0]!.order, random = (jitter?.runs ?? 1) > 1;
  const differences = table_of(compared, [words("", (of) => `${tried} to ${of.than}`), number("difference", (of) => of.median, signed),
    ...(random ? [number<Compared>("95 %: from", (of) => of.low, signed), number<Compared>("to", (of) => of.high, signed)] : [])]);
  const why = table_of(reasons, [words("compared with", (of) => of.than), words("what", (of) => of.what), number("ms more", (of) => of.ms, (ms) => ms.toFixed(3)),
    words(`L2 hits of ${tried}`, (of) => of.hits), words("L2 hits of the other", (of) => of.other_hits)]);
  return [...parts("Compared with", compared.length === 0 ? null : table_element(differences)),
    ...parts("Where the difference lies, on the average core that the pass keeps busy", reasons.length === 0 ? null : table_element(why))];
}

export function try_section({ title, result }: TrySection): HTMLElement {
  const ran = result.orders.filter((of) => !of.refused && of.total_ps !== undefined), tried = ran[0];
  const [first, ...shipped] = result.orders, least = (of: Tried) => (of.refused ? Infinity : of.total_ps ?? Infinity);
  shipped.sort((a, b) => (least(a) < least(b) ? -1 : least(a) > least(b) ? 1 : 0));
  const passes = Object.keys(tried?.passes_ps ?? {}), ms = (ps: number | undefined) => (ps === undefined ? NaN : ps / 1e9);
  const different = ran.filter((of) => of === first || !of.same_as).sort((a, b) => a.total_ps! - b.total_ps!);
  return el("section", {}, el("h2", {}, title), ...(result.verdict ?? "").split("\n").filter((line) => line !== "").map((line) => el("p", { class: "verdict" }, line)),
    table_element(table_of([first!, ...shipped], [
      words("order", (of) => (of === first ? `${of.order} (tried)` : of.order)), ...passes.map((pass) => number<Tried>(`${pass} ms`, (of) => ms(of.passes_ps?.[pass]), (v) => v.toFixed(3))),
      number("total ms", (of) => (of.refused ? NaN : ms(of.total_ps)), (v) => v.toFixed(3)), number("to the best shipped", (of) => of.to_best_shipped ?? NaN, signed),
      words("", (of) => (of.refused ? "does not fit" : of.same_as ? `same as ${of.same_as}` : ""))])),
    el("p", { class: "note" }, times_of(result)), ...compared_parts(result),
    ...result.orders.filter((of) => of.refused).map((of) => el("p", { class: "note" }, `${of.order} does not fit: ${of.refused!.split("\n")[0]!}`)),
    different.length > 1 ? el("div", { class: "choices" }, new FigureView(tried_figure(different, first, (result.jitter?.runs ?? 1) > 1)).element) : null);
}
