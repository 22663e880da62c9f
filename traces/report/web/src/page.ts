import { button, copy, el } from "./dom.js";
import { FigureView } from "./figures.js";
import { findings_section } from "./findings.js";
import { JobView } from "./job.js";
import { open_help } from "./keys_help.js";
import { links_section } from "./links.js";
import { Block, BlocksSection, Finding, Section, Table, read_columns, read_page, read_text } from "./model.js";
import { alike_ranks } from "./alike.js";
import { sums_of } from "./area.js";
import { sent_between } from "./matrix.js";
import { color_of, known, tell_apart } from "./meanings.js";
import { search_section, try_section } from "./orders.js";
import { dark, hatch_of, light, series_color } from "./palette.js";
import { Runs } from "./runs.js";
import { StepView } from "./step.js";
import { bars_between, steps_section } from "./step_difference.js";
import { sweep_section } from "./sweep.js";
import { best_figure, lines_figures } from "./sweep_figures.js";
import { SweepPoints } from "./sweep_points.js";
import { table_element } from "./table.js";
import { Tasks } from "./tasks.js";
import { start_theme, toggle_theme } from "./theme.js";
import { TimeAxis, ticks_of } from "./time_axis.js";
import { spans_of, waterfalls_section } from "./waterfall.js";

function packed_table(id: string): HTMLElement {
  const place = el("div");
  read_text(id).then((text) => place.append(table_element(JSON.parse(text) as Table)))
    .catch((error: unknown) => place.append(el("p", { class: "verdict" }, `A table cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
  return place;
}

function block_element(block: Block): HTMLElement {
  switch (block.kind) {
    case "cards":
      return el("div", { class: "cards" }, ...block.cards.map((card) =>
        el("div", { class: "answer" }, el("span", { class: "label" }, card.label), el("span", { class: "value" }, card.value),
          el("span", { class: "note" }, card.note))));
    case "text":
      return el("p", block.strong ? { class: "verdict" } : {}, block.text);
    case "code": {
      const again = button("copy", "copy this text", () => void copy(block.text, again));
      again.className = "copy";
      return el("div", { class: "code" }, again, el("pre", {}, block.text));
    }
    case "table":
      return table_element(block.table);
    case "packed_table":
      return packed_table(block.packed);
    case "figure":
      return new FigureView(block.figure).element;
  }
}

function blocks_section(section: BlocksSection): HTMLElement {
  // Figures of one section stand side by side where there is room.
  const children: HTMLElement[] = [];
  let row: HTMLElement | null = null, before: Block | null = null, beside: HTMLElement | null = null;
  for (const block of section.blocks) {
    // What follows from a table stands beside it where there is room.
    if (block.kind === "text" && block.strong && (beside || before?.kind === "table")) {
      if (!beside) children.push(el("div", { class: "beside" }, el("div", { class: "answers" }, children.pop()!), (beside = el("div"))));
      beside.append(block_element(block));
      continue;
    }
    [before, beside] = [block, null];
    if (block.kind !== "figure") {
      row = null;
      children.push(block_element(block));
      continue;
    }
    if (!row) children.push((row = el("div", { class: "figures" })));
    row.append(block_element(block));
  }
  if (section.folded) return el("details", {}, el("summary", {}, section.title), ...children);
  return el("section", {}, el("h2", {}, section.title), ...children);
}

function start(): void {
  start_theme();
  const page = read_page(), main = el("main"), parts: Runs[] = [], steps: StepView[] = [], jobs: JobView[] = [], sweeps: SweepPoints[] = [];
  const found: Finding[] = page.sections.flatMap((section) => (section.kind === "findings" ? section.findings : []));
  const of_steps = page.sections.filter((section) => section.kind === "step"), steps_time = of_steps.length > 1 ? new TimeAxis(Math.max(...of_steps.map(({ facts }) => facts.step_ps))) : null;
  const section_element = (section: Section): HTMLElement => {
    switch (section.kind) {
      case "runs": {
        const runs = new Runs(section, found, steps.map((step) => step.time));
        parts.push(runs);
        return runs.element;
      }
      case "step": {
        const step = new StepView(section, steps_time ?? undefined);
        steps.push(step);
        return step.element;
      }
      case "findings":
        return findings_section(section, (finding, evidence) => (finding.parts ? jobs[0]?.show(finding) : void parts.find((runs) => runs.shows(finding))?.show_finding(finding, evidence)));
      case "job": {
        const job = new JobView(section, found);
        jobs.push(job);
        return job.element;
      }
      case "links":
        return links_section(section);
      case "sweep":
        return sweep_section(section, (points) => sweeps.push(points));
      case "search":
        return search_section(section);
      case "try":
        return try_section(section);
      case "waterfalls":
        return waterfalls_section(section);
      case "blocks":
        return blocks_section(section);
    }
  };
  const headings = el("nav", { "aria-label": "sections" });
  if (of_steps.length === 2) { // the difference comes first
    const difference = steps_section(of_steps[0]!, of_steps[1]!, steps_time!);
    difference.id = "difference";
    main.append(difference);
    headings.append(el("a", { href: "#difference" }, "What makes the difference"));
  }
  for (const section of page.sections) if (section.kind === "waterfalls" && of_steps.length === 2) section.title = "The difference along the critical path";
  page.sections.forEach((section, i) => {
    const element = section_element(section);
    element.id = `section-${i}`;
    // The way to the latency stands below the answer's table, so that the timeline begins on the first screen.
    const answer = section.kind === "waterfalls" ? main.lastElementChild?.querySelector(":scope > .beside") : null;
    if (answer) answer.firstElementChild!.append(element);
    else main.append(element);
    headings.append(el("a", { href: `#section-${i}` }, section.title));
  });
  document.body.prepend(
    el("header", {}, el("div", {}, el("h1", {}, page.title), el("p", { class: "subtitle" }, page.subtitle)),
      button("◐", "light or dark", toggle_theme)),
    headings, main, el("footer", {}, page.program));
  // Tests use this, and readers may in a console.
  (window as unknown as { a3sim: unknown }).a3sim = { page, runs: parts, steps, jobs, sweeps, Tasks, sent_between, sums_of, spans_of, bars_between, read_columns, SweepPoints, lines_figures, best_figure, ticks_of, hatch_of, alike_ranks, known, color_of, tell_apart, series_color, themes: { light, dark } };
  // A key goes to the view below the pointer, or else to the first one; '/' always goes to a timeline, where tasks are searched.
  const with_keys = (event: KeyboardEvent) => (event.key !== "/" ? steps.find((step) => step.pointed()) ?? jobs.find((job) => (job.map?.pointer_x ?? -1) >= 0) : undefined) ?? parts[0] ?? steps[0] ?? jobs[0];
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement;
    if (!typing && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]") && ((event.key === "?" && open_help()) || with_keys(event)?.key(event))) event.preventDefault();
  });
}

try {
  start();
} catch (error) {
  document.body.prepend(el("p", { class: "verdict" }, `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
}
