// Shows the way from one time to another: bars that each go on where the one before ended. Times of passes and what they are made
// of come from traces/analysis/waterfall.h.
import { el } from "./dom.js";
import { css_fill } from "./hatching.js";
import { Meaning, color_of } from "./meanings.js";
import { grey } from "./palette.js";
import { on_theme, theme } from "./theme.js";

// `cause` has a colour, as a cause or as something else.
export interface Bar { name: string; ps: number; whole: boolean; cause: string; meaning?: Meaning }
export interface WaterfallsSection { kind: "waterfalls"; title: string; list: { title: string; bars: Bar[] }[] }

// Returns where each bar begins and ends. A whole begins at zero.
export function spans_of(bars: Bar[]): [number, number][] {
  let at = 0;
  return bars.map(({ ps, whole }) => {
    const from = whole ? 0 : at;
    at = from + ps;
    return [from, at];
  });
}

// An axis that begins at zero, or shortly before the least end where differences are small compared with the whole.
function start_of(spans: [number, number][]): number {
  const ends = spans.flatMap(([from, to], i) => (i === 0 || from > 0 ? [to] : [to])), least = Math.min(...ends), most = Math.max(...ends);
  return most - least < 0.15 * most ? Math.max(0, least - 0.6 * (most - least)) : 0;
}

// Times are in milliseconds, or in seconds where they take that long.
export function waterfall(title: string, bars: Bar[]): HTMLElement {
  const spans = spans_of(bars), most = Math.max(1, ...spans.flat()), change = bars[0]!.whole && !bars[0]!.name.startsWith("bound");
  const low = change ? start_of(spans) : 0, at = (ps: number) => (100 * (Math.max(low, ps) - low)) / (most - low || 1), unit = most >= 1e13 ? "s" : "ms", time = (ps: number) => (ps / (unit === "s" ? 1e12 : 1e9)).toFixed(3);
  const whole = spans.at(-1)![1], first = spans[0]![1];
  const rows = bars.map(({ name, ps, whole: is_whole, cause, meaning }, i) => {
    const [from, to] = spans[i]!, bar = el("i", { class: is_whole ? "whole" : ps < 0 ? "part less" : "part" });
    const percent = `${((100 * Math.abs(ps)) / (change ? first : whole)).toFixed(1)} %`;
    bar.style.left = `${at(Math.min(from, to))}%`;
    bar.style.width = `max(2px, ${at(Math.max(from, to)) - at(Math.min(from, to))}%)`;
    const fill = () => (bar.style.background = css_fill(theme(), is_whole || !cause ? grey : color_of(meaning ?? "cause", cause)));
    on_theme(fill);
    fill();
    const sign = is_whole || !change ? "" : ps > 0 ? "+" : "−";
    return el("div", { class: is_whole ? "step whole" : "step", title: `${name}: ${sign}${time(Math.abs(ps))} ${unit}, ${percent} of ${change ? bars[0]!.name : "the latency"}` },
      el("span", { class: "name" }, name), el("span", { class: "track" }, bar), el("span", { class: "value" }, `${sign}${time(Math.abs(ps))}`),
      el("span", { class: "share" }, is_whole && (change || i > 0) ? unit : percent));
  });
  return el("figure", { class: "waterfall" }, el("h3", {}, title), ...rows, low > 0 ? el("p", { class: "note" }, `Bars begin at ${time(low)} ${unit}.`) : null);
}

const of_one = "While what binds is not used to the full, the time belongs to what the critical path is spent on then. Bound and parts sum to the latency.";
const of_two = "The difference of each part of the two ways from bound to latency. They sum to the difference of the latencies.";

export function waterfalls_section(section: WaterfallsSection): HTMLElement {
  const two = section.list.some(({ bars }) => !bars[0]!.name.startsWith("bound") && bars[0]!.whole);
  return el("section", { class: "waterfalls" }, el("h2", { title: two ? of_two : of_one }, section.title),
    el("div", { class: "side" }, ...section.list.map(({ title, bars }) => waterfall(title, bars))), el("p", { class: "note" }, two ? of_two : of_one));
}
