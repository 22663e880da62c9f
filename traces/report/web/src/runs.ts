// One or more runs: their timelines below each other with one axis of time, and what belongs to a pass.
import { operator_color } from "./colors.js";
import { button, choice, el } from "./dom.js";
import { Flags } from "./findings.js";
import { Matrix } from "./matrix.js";
import type { Evidence, Finding, Pass, RunsSection } from "./model.js";
import { OverTime } from "./over_time.js";
import { task_card } from "./task_card.js";
import { Tasks, read_path } from "./tasks.js";
import { on_theme } from "./theme.js";
import { TimeAxis } from "./time_axis.js";
import { Shown, Timeline } from "./timeline.js";

const tip = el("div", { class: "tip", role: "tooltip", hidden: "" });

function show_tip(tasks: Tasks, task: number, x: number, y: number): void {
  tip.hidden = task < 0;
  if (task < 0) return;
  tip.replaceChildren(task_card(tasks, task));
  const { offsetWidth: w, offsetHeight: h } = tip;
  tip.style.left = `${Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16)}px`;
  tip.style.top = `${Math.max(4, Math.min(innerHeight - h - 8, y + 12))}px`;
}

function legend_of(passes: Pass[]): HTMLElement {
  const element = el("div", { class: "legend" });
  const fill = () => {
    element.replaceChildren();
    const named = new Set<string>();
    for (const pass of passes) {
      pass.operators.forEach((operator) => {
        if (named.has(operator.name)) return;
        named.add(operator.name);
        const swatch = el("i", { class: "swatch" });
        swatch.style.background = operator_color(operator.color);
        element.append(el("span", {}, swatch, operator.name));
      });
    }
    const wait = el("i", { class: "swatch wait" });
    element.append(el("span", {}, wait, "waits"), el("span", {}, el("i", { class: "swatch path" }), "critical path"));
  };
  on_theme(fill);
  fill();
  return element;
}

// What belongs to one pass of all runs; made when it is first looked at, and kept.
interface Opened { element: HTMLElement; timelines: Timeline[]; names: string[]; time: TimeAxis }

export class Runs {
  readonly element = el("section");
  timelines: Timeline[] = []; // of the pass that is shown
  time: TimeAxis | null = null;
  private shown: Shown = { rank: -1, kinds: "all", row: 0, path: true, words: "" };
  private place = el("div");
  private count = el("output", { class: "found" });
  private opened = new Map<string, Promise<Opened>>();
  private wanted = ""; // the pass that was asked for last
  private names_shown: string[] = []; // of the runs, by timeline

  constructor(private section: RunsSection, private found: Finding[] = []) {
    document.body.append(tip);
    const ranks = Math.max(...section.runs.flatMap((run) => run.passes.map((pass) => pass.ranks)));
    this.element.append(el("h2", {}, section.title), this.tabs(), this.controls(ranks), this.place);
    void this.open(this.names()[0] ?? "");
  }

  private names(): string[] {
    return [...new Set(this.section.runs.flatMap((run) => run.passes.map((pass) => pass.name)))];
  }

  private tabs(): HTMLElement {
    const tabs = el("div", { class: "tabs", role: "tablist" });
    for (const name of this.names()) {
      const tab = button(name, `the ${name} pass`, () => void this.open(name));
      tab.setAttribute("role", "tab");
      tab.dataset.pass = name;
      tabs.append(tab);
    }
    return tabs;
  }

  private async open(name: string): Promise<void> {
    this.wanted = name;
    for (const tab of this.element.querySelectorAll<HTMLElement>("[role=tab]"))
      tab.setAttribute("aria-selected", String(tab.dataset.pass === name));
    if (!this.opened.has(name)) this.opened.set(name, this.make(name));
    try {
      const opened = await this.opened.get(name)!;
      if (this.wanted !== name) return; // another tab was clicked meanwhile
      this.timelines = opened.timelines;
      this.names_shown = opened.names;
      this.time = opened.time;
      this.place.replaceChildren(opened.element);
      this.rechoose();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.place.replaceChildren(el("p", { class: "verdict" }, `The ${name} pass cannot be shown: ${why}`));
    }
  }

  private async make(name: string): Promise<Opened> {
    const of = this.section.runs.flatMap((run) => run.passes.filter((pass) => pass.name === name).map((pass) => ({ run, pass })));
    const time = new TimeAxis(Math.max(...of.map(({ pass }) => pass.makespan_ps))), timelines: Timeline[] = [];
    const parts: HTMLElement[] = [legend_of(of.map(({ pass }) => pass))];
    const below: HTMLElement[] = [], matrices = el("div", { class: "figures" });
    for (const { run, pass } of of) {
      const tasks = await Tasks.read(pass), timeline = new Timeline(tasks, await read_path(pass), time, this.shown);
      const card = el("div", { class: "selected", "aria-live": "polite" });
      timeline.on_hover = (task, x, y) => show_tip(tasks, task, x, y);
      timeline.on_select = (task) => card.replaceChildren(...(task < 0 ? [] : [task_card(tasks, task)]));
      timelines.push(timeline);
      const found = this.found.filter((finding) => finding.run === run.name && finding.pass === name);
      parts.push(el("h3", {}, `${run.name}, ${pass.name}: ${(pass.makespan_ps / 1e9).toFixed(3)} ms`));
      if (found.length > 0) parts.push(new Flags(found, time, (finding) => timeline.mark(finding)).element);
      parts.push(timeline.element, card);
      const heading = (text: string) => (of.length > 1 ? `${run.name}: ${text.toLowerCase()}` : text);
      below.push(el("h3", {}, heading("Over time")), new OverTime(pass, time).element,
        el("p", { class: "note" }, "A line is the mean over ranks, its band the least and most of a rank. Drag to zoom; the timeline follows."));
      const sent = tasks.columns.put_bytes!.some((bytes) => bytes > 0);
      matrices.append(el("div", {}, el("h3", {}, heading("Between ranks")),
        sent ? new Matrix(tasks).element : el("p", { class: "note" }, "No bytes are sent between ranks in this pass.")));
    }
    const keys = el("p", { class: "note keys" },
      "Drag pans, Ctrl or Alt with the wheel zooms, a double click zooms in, / searches. With the focus on a timeline: arrows, + and −, 0 for all, [ and ] along the critical path, n for the next that the search found, Esc.");
    return { element: el("div", {}, ...parts, keys, ...below, matrices), timelines, names: of.map(({ run }) => run.name), time };
  }

  // Shows where a finding is, or the task that evidence of it stands at.
  async show_finding(finding: Finding, evidence: Evidence | null): Promise<void> {
    await this.open(finding.pass);
    const timeline = this.timelines[this.names_shown.indexOf(finding.run)];
    if (!timeline || !this.time) return;
    const span = finding.to_ps - finding.from_ps;
    this.time.set(finding.from_ps - 0.02 * span, finding.to_ps + 0.02 * span);
    timeline.mark(finding);
    const task = evidence?.task ? timeline.tasks.at(evidence.task.rank, evidence.task.op, evidence.task.index) : -1;
    if (task >= 0) timeline.go_to(task);
    timeline.element.scrollIntoView({ block: "center" });
    timeline.canvas.focus({ preventScroll: true });
  }

  private rechoose(): void {
    for (const timeline of this.timelines) timeline.choose();
    const found = this.timelines.reduce((sum, timeline) => sum + timeline.found_count(), 0);
    this.count.textContent = this.shown.words ? `${found} tasks` : "";
  }

  private controls(ranks: number): HTMLElement {
    const list: [string, string][] = [["-1", "all"]];
    for (let r = 0; r < ranks; ++r) list.push([String(r), String(r)]);
    const kinds = [...new Set(this.section.runs.flatMap((run) => run.passes.flatMap((pass) => pass.kinds.map((kind) => kind.name))))];
    const several: [string, string][] = kinds.length > 1 ? kinds.map((name) => [name, name]) : [];
    const search = el("input", { type: "search", placeholder: "search: gmm1 expert3 rank0", "aria-label": "search tasks", value: this.shown.words }) as HTMLInputElement;
    search.addEventListener("input", () => {
      this.shown.words = search.value;
      this.rechoose();
    });
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") for (const timeline of this.timelines) timeline.next_found();
    });
    const path = el("input", { type: "checkbox" }) as HTMLInputElement;
    path.checked = this.shown.path;
    path.addEventListener("change", () => {
      this.shown.path = path.checked;
      for (const timeline of this.timelines) timeline.draw();
    });
    const again = (change: () => void) => (change(), this.rechoose());
    return el("div", { class: "bar" },
      choice("rank", list, String(this.shown.rank), (v) => again(() => (this.shown.rank = Number(v)))),
      choice("workers", [["all", kinds.join(" and ")], ...several], this.shown.kinds, (v) => again(() => (this.shown.kinds = v))),
      choice("row", [["0", "fit"], ["3", "3 px"], ["6", "6 px"], ["14", "14 px"], ["20", "20 px"]], String(this.shown.row), (v) => again(() => (this.shown.row = Number(v)))),
      el("label", {}, path, " critical path"), search, this.count,
      button("+", "zoom in", () => this.zoom(0.5)), button("−", "zoom out", () => this.zoom(2)),
      button("all", "show the whole pass", () => this.time?.reset()));
  }

  private zoom(factor: number): void {
    if (this.time) this.time.zoom((this.time.from + this.time.to) / 2, factor);
  }

  // What the page answers to keys that are pressed anywhere.
  focus_search(): void {
    this.element.querySelector<HTMLInputElement>("input[type=search]")?.focus();
  }
}
