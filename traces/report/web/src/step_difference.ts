// Compares two training steps: the way from one's time to the other's by classes of a die's time, which sum to the step.
import { el } from "./dom.js";
import { FigureView } from "./figures.js";
import { StepSection, compared_classes, compared_exchanges } from "./step_data.js";
import { memory_over } from "./step_memory.js";
import { table_element, table_of, words } from "./table.js";
import { TimeAxis } from "./time_axis.js";
import { Bar, waterfall } from "./waterfall.js";

const small = 0.002; // parts of the step below which differences are one

const mean = ({ step }: StepSection, name: string) => step.stages.reduce((sum, stage) => sum + (stage.classes_ps[name] ?? 0), 0) / step.stages.length;

// Returns bars from the first step's time to the second's.
export function bars_between(a: StepSection, b: StepSection): Bar[] {
  const names = [...new Set([a, b].flatMap(({ step }) => step.stages.flatMap((stage) => Object.keys(stage.classes_ps))))];
  const more = names.map((name) => ({ name, ps: mean(b, name) - mean(a, name) })).sort((x, y) => Math.abs(y.ps) - Math.abs(x.ps));
  const large = more.filter(({ ps }) => Math.abs(ps) >= small * a.facts.step_ps), parts: Bar[] = large.map(({ name, ps }) => ({ name, ps, whole: false, cause: name, meaning: "class" }));
  const rest = b.facts.step_ps - a.facts.step_ps - large.reduce((sum, { ps }) => sum + ps, 0);
  if (Math.abs(rest) >= 1) parts.push({ name: "the rest", ps: rest, whole: false, cause: "" });
  return [{ name: name_of(a), ps: a.facts.step_ps, whole: true, cause: "" }, ...parts, { name: name_of(b), ps: b.facts.step_ps, whole: true, cause: "" }];
}

const name_of = (section: StepSection) => section.title.replace(/^Step, /, "");
const seconds = (ps: number) => `${(ps / 1e12).toFixed(3)} s`;
const signed = (ps: number) => `${ps < 0 ? "−" : "+"}${seconds(Math.abs(ps))}`;

// Says which is faster, and which classes make most of that.
export function step_verdict(a: StepSection, b: StepSection): string {
  const more = b.facts.step_ps - a.facts.step_ps, parts = bars_between(a, b).filter(({ whole, ps }) => !whole && Math.abs(ps) >= 0.1 * Math.abs(more)).slice(0, 3);
  const percent = `${more < 0 ? "−" : "+"}${Math.abs(100 * (more / a.facts.step_ps)).toFixed(1)} %`;
  if (more === 0) return `${name_of(a)} and ${name_of(b)} take the same time, ${seconds(a.facts.step_ps)}.`;
  return `${name_of(b)} takes ${seconds(b.facts.step_ps)}, ${name_of(a)} ${seconds(a.facts.step_ps)} (${percent})` +
    (parts.length > 0 ? `: most of it is ${parts.map(({ name, ps }) => `${name} ${signed(ps)}`).join(", ")}.` : ", in small parts of all classes.");
}

// Returns what both steps have, side by side.
function facts_table(a: StepSection, b: StepSection): HTMLElement {
  const exposed = ({ step }: StepSection) => step.stages.reduce((sum, stage) => sum + stage.exchanges.reduce((all, of) => all + of.exposed_ps, 0), 0) / step.stages.length / 1e12;
  const rows: [string, number | undefined, number | undefined, number][] = [ // the last one: decimals
    ["step s", a.facts.step_ps / 1e12, b.facts.step_ps / 1e12, 3],
    ["tokens/s per die", a.facts.tokens_per_second_per_die, b.facts.tokens_per_second_per_die, 0],
    ["MFU %", a.facts.mfu && 100 * a.facts.mfu, b.facts.mfu && 100 * b.facts.mfu, 1],
    ["exposed exchanges s", exposed(a), exposed(b), 3],
    ["bubble s", mean(a, "bubble") / 1e12, mean(b, "bubble") / 1e12, 3],
  ];
  const told = rows.filter(([, x, y]) => x !== undefined && y !== undefined), text = (row: typeof rows[number], value: number) => value.toFixed(row[3]);
  return table_element(table_of(told, [
    words("quantity", ([name]) => name), words(name_of(a), (row) => text(row, row[1]!)), words(name_of(b), (row) => text(row, row[2]!)),
    words(`${name_of(b)} − ${name_of(a)}`, (row) => `${row[2]! < row[1]! ? "−" : "+"}${text(row, Math.abs(row[2]! - row[1]!))}`)]));
}

// `time` is shared by all that shows both steps.
export function steps_section(a: StepSection, b: StepSection, time: TimeAxis): HTMLElement {
  const heads = [name_of(a), name_of(b)], exchanges = compared_exchanges([a, b], heads), memory = el("div");
  memory_over([a, b], heads, time).then((chart) => memory.append(chart))
    .catch((error: unknown) => memory.append(el("p", { class: "verdict" }, `Memory cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
  return el("section", { class: "waterfalls" }, el("h2", {}, "What makes the difference"), el("p", { class: "verdict" }, step_verdict(a, b)),
    el("div", { class: "side" }, waterfall("time of a die, mean of the stages", bars_between(a, b)), facts_table(a, b)),
    el("div", { class: "figures" }, new FigureView(compared_classes([a, b], heads)).element, exchanges ? new FigureView(exchanges).element : null), memory);
}
