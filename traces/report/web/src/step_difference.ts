// Compares two training steps: the way from one's time to the other's by classes of a die's time, which sum to the step.
import { el } from "./dom.js";
import type { StepSection } from "./step_data.js";
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

export function steps_section(a: StepSection, b: StepSection): HTMLElement {
  return el("section", { class: "waterfalls" }, el("h2", {}, "What makes the difference"), el("p", { class: "verdict" }, step_verdict(a, b)),
    el("div", { class: "side" }, waterfall("time of a die, mean of the stages", bars_between(a, b))));
}
