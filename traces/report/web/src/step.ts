// Shows a training step: its time, its pipeline, where the time goes, and what its dies hold in memory.
import { button, el } from "./dom.js";
import { FigureView } from "./figures.js";
import { css_fill } from "./hatching.js";
import { Keys, help_button } from "./keys_help.js";
import { color_of } from "./meanings.js";
import { read_columns } from "./model.js";
import { series_color } from "./palette.js";
import { Pipeline } from "./pipeline.js";
import { Blocks, StepSection, classes_figure, exchanges_figure } from "./step_data.js";
import { StepMemory } from "./step_memory.js";
import { number, table_element, table_of, words } from "./table.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis, time_text } from "./time_axis.js";

const keys: Keys = [
  ["W S + −", "zoom; so do Ctrl or Alt with the wheel, and a double click (with Shift: out)"],
  ["A D ← →", "pan; so do a drag, and Shift with the wheel"],
  ["0", "show all"],
  ["a click on a block", "shows its micro-batch alone"],
  ["[ ]", "the micro-batch before or after it"],
  ["Esc", "all micro-batches"],
];

function card(label: string, value: string, note: string): HTMLElement {
  return el("div", { class: "answer" }, el("span", { class: "label" }, label), el("span", { class: "value" }, value), el("span", { class: "note" }, note));
}

function cards_of(section: StepSection): HTMLElement {
  const { facts, step } = section, stages = step.stages.length, part = (ps: number) => `${((100 * ps) / facts.step_ps).toFixed(1)} %`;
  const mean = (name: string) => step.stages.reduce((sum, stage) => sum + (stage.classes_ps[name] ?? 0), 0) / stages;
  const all = (of: "total_ps" | "exposed_ps") => step.stages.reduce((sum, stage) => sum + stage.exchanges.reduce((a, e) => a + e[of], 0), 0) / stages;
  const [moved, exposed] = [all("total_ps"), all("exposed_ps")], list: HTMLElement[] = [];
  list.push(card("step", facts.step_ps >= 1e12 ? `${(facts.step_ps / 1e12).toFixed(3)} s` : `${(facts.step_ps / 1e9).toFixed(3)} ms`,
    `${step.micro_batches} micro-batches${step.schedule === "none" ? "" : `, ${step.schedule}`}`));
  if (facts.tokens_per_second_per_die !== undefined) {
    const package_rate = facts.tokens_per_second_per_package ?? facts.tokens_per_second_per_die;
    list.push(card("tokens/s per die", facts.tokens_per_second_per_die.toFixed(0), package_rate > 1.001 * facts.tokens_per_second_per_die ? `${package_rate.toFixed(0)} per package` : ""));
  }
  if (facts.mfu !== undefined) list.push(card("MFU", `${(100 * facts.mfu).toFixed(1)} %`, `${(facts.model_tflops_per_die ?? 0).toFixed(1)} model TFLOPS per die`));
  if (moved > 0) list.push(card("exchanges hidden", `${(100 * (1 - exposed / moved)).toFixed(0)} %`, `${(exposed / 1e12).toFixed(3)} of ${(moved / 1e12).toFixed(3)} s are exposed`));
  if (stages > 1) list.push(card("bubble", part(mean("bubble")), "of the step, mean of the stages"));
  return el("div", { class: "cards" }, ...list);
}

type Share = [name: string, ps: number]; // mean of the stages

// Returns what a die's time goes to, and how long each exchange is exposed, the longest first.
function shares_of({ step }: StepSection): { classes: Share[]; exposed: Share[] } {
  const sums = (rows: Share[]): Share[] => {
    const sum = new Map<string, number>();
    for (const [name, ps] of rows) sum.set(name, (sum.get(name) ?? 0) + ps / step.stages.length);
    return [...sum].sort((a, b) => b[1] - a[1]);
  };
  return { classes: sums(step.stages.flatMap((stage) => Object.entries(stage.classes_ps))),
    exposed: sums(step.stages.flatMap((stage) => stage.exchanges.map(({ exchange, exposed_ps }): Share => [exchange, exposed_ps]))) };
}

// Says what takes most of a die's time, and which exchange is exposed most.
function limit_of(section: StepSection): string {
  const { classes, exposed } = shares_of(section), share = (ps: number) => `${((100 * ps) / section.facts.step_ps).toFixed(1)} %`;
  if (classes.length === 0) return "";
  const [most, ps] = exposed[0] ?? ["", 0];
  return `Most of a die's time goes to ${classes.slice(0, 3).map(([name, of]) => `${name} (${share(of)})`).join(", ")}.` +
    (ps > 0 ? ` Of all exchanges ${most} is exposed most: ${share(ps)} of the step.` : " No exchange is exposed.");
}

function shares_element(section: StepSection): HTMLElement {
  const { classes, exposed } = shares_of(section), step_ps = section.facts.step_ps;
  const table = (head: string, rows: Share[]) => table_element(table_of(rows.filter(([, ps]) => ps > 0), [
    words(head, ([name]) => name), number("ms", ([, ps]) => ps / 1e9, (ms) => ms.toFixed(3)), number("of the step %", ([, ps]) => (100 * ps) / step_ps, (part) => part.toFixed(1))]));
  return el("details", {}, el("summary", {}, "The same as tables, mean of the stages"), table("a die's time", classes), table("exposed exchanges", exposed));
}

function legend_of(blocks: Blocks): HTMLElement {
  const element = el("div", { class: "legend" }), several = blocks.chunks.some((chunks) => chunks.length > 1);
  const seen = blocks.works.filter((_, work) => blocks.columns.work!.includes(work));
  const fill = () => {
    const idle = el("i", { class: "swatch idle" });
    idle.style.background = series_color(theme(), color_of("state", "idle"));
    element.replaceChildren(...seen.map((name) => {
      const swatch = el("i", { class: "swatch" });
      swatch.style.background = css_fill(theme(), color_of("work", name));
      return el("span", {}, swatch, name === "weights" ? "weight gradients" : name);
    }), el("span", {}, idle, "no kernel runs"), ...(several ? [el("span", {}, "later chunks of a stage are fainter")] : []));
  };
  on_theme(fill);
  fill();
  return element;
}

export class StepView {
  readonly element = el("section", { class: "step" });
  readonly time: TimeAxis;
  pipeline: Pipeline | null = null;
  memory: StepMemory | null = null;

  // `time` is shared by the steps of a page.
  constructor(private section: StepSection, time?: TimeAxis) {
    this.time = time ?? new TimeAxis(section.facts.step_ps);
    const cards = cards_of(section), place = el("div");
    this.element.append(el("h2", {}, section.title), cards, el("p", { class: "verdict" }, limit_of(section)), ...(section.facts.unknown ? [el("p", { class: "verdict" }, section.facts.unknown.split("\n")[0]!)] : []), place);
    this.fill(place, cards).catch((error: unknown) => place.replaceChildren(el("p", { class: "verdict" }, `The step cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
  }

  private async fill(place: HTMLElement, cards: HTMLElement): Promise<void> {
    const { section, time } = this, blocks = await Blocks.read(section), held = await read_columns(section.memory);
    const stages = section.step.stages.length;
    this.pipeline = new Pipeline(blocks, time, section.facts.step_ps);
    this.memory = new StepMemory(held, stages, section.step.capacity_bytes, time, section.facts.step_ps);
    const said = el("p", { class: "note", "aria-live": "polite" }, " "), exchanges = exchanges_figure(section);
    this.pipeline.on_select = (micro_batch) => (said.textContent = micro_batch < 0 ? " " : this.course(blocks, micro_batch));
    const zoom = (factor: number) => time.zoom((time.from + time.to) / 2, factor);
    place.append(el("div", { class: "bar" }, el("h3", {}, stages > 1 ? "Pipeline" : "Micro-batches"), button("+", "zoom in", () => zoom(0.5)), button("−", "zoom out", () => zoom(2)),
      button("all", "show the whole step", () => time.reset()), help_button("Pipeline: keys and pointer", keys)), legend_of(blocks), this.pipeline.element, el("p", { class: "note" }, "The number on a block is its micro-batch; two that share a lane run at the same time."), said,
      this.memory.element, el("p", { class: "note" }, "Weights, gradients, states and what is computed again are there all the time; steps are activations that a micro-batch leaves for its backward pass. A drag zooms; the pipeline follows."),
      el("div", { class: "figures" }, new FigureView(classes_figure(section)).element, exchanges ? new FigureView(exchanges).element : null), shares_element(section));
    const fullest = blocks.first.slice(0, -1).map((_, stage) => stage).reduce((a, b) => (this.memory!.most(b) > this.memory!.most(a) ? b : a), 0);
    const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
    cards.append(card("fullest die", `${gib(this.memory.most(fullest))} GiB`, `of ${gib(section.step.capacity_bytes)}${stages > 1 ? `, stage ${fullest}` : ""}`));
  }

  private course(blocks: Blocks, micro_batch: number): string {
    const { from, to, kernels } = blocks.course(micro_batch);
    return `Micro-batch ${micro_batch}: ${time_text(to - from)} from the start of its first block to the end of its last, from ${time_text(from, to)} to ${time_text(to)}; its kernels run ${time_text(kernels)}.`;
  }

  pointed(): boolean {
    return (this.pipeline?.pointer_x ?? -1) >= 0;
  }
  key(event: KeyboardEvent): boolean {
    return event.key.length === 1 && (this.pipeline?.key(event) ?? false);
  }
}
