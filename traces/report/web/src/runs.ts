// Shows one or more runs: their timelines one below the other on one axis of time, and all that belongs to a pass.
import { area_card } from "./area.js";
import { button, choice, el } from "./dom.js";
import { Flags } from "./findings.js";
import { css_fill } from "./hatching.js";
import { help_button } from "./keys_help.js";
import { Shown, one_of_each } from "./lanes.js";
import { matrix_element } from "./matrix.js";
import { color_of, tell_apart } from "./meanings.js";
import type { Evidence, Finding, Pass, Run, RunsSection } from "./model.js";
import { OperatorsView } from "./operators_view.js";
import { OverTime } from "./over_time.js";
import { series_color } from "./palette.js";
import { search_words } from "./search.js";
import { task_card, task_hint } from "./task_card.js";
import { Tasks, read_path } from "./tasks.js";
import { on_theme, theme } from "./theme.js";
import { TimeAxis } from "./time_axis.js";
import { overlap_names } from "./overlap.js";
import { Timeline } from "./timeline.js";
import { overlap_colors } from "./timeline_head.js";
import { key, keys, pointer_help } from "./timeline_input.js";

const tip = el("div", { class: "tip", role: "tooltip", hidden: "" });

// Places the tooltip above the task's lane, or below it if there is no room, so that it never covers the task.
function show_tip(timeline: Timeline, task: number, x: number): void {
  const y = task < 0 ? null : timeline.y(task);
  tip.hidden = y === null;
  if (y === null) return;
  tip.replaceChildren(task_hint(timeline.tasks, task));
  const { offsetWidth: w, offsetHeight: h } = tip, lane = timeline.canvas.getBoundingClientRect().top + y, half = timeline.row / 2;
  const above = lane - half - h - 6;
  tip.style.left = `${Math.max(4, Math.min(innerWidth - w - 8, x - w / 2))}px`;
  tip.style.top = `${above >= 4 ? above : lane + half + 8}px`;
}

// Shows words above the head of a timeline.
function show_words(timeline: Timeline, words: string, x: number): void {
  tip.hidden = false;
  tip.replaceChildren(el("div", { class: "hint" }, words));
  const { offsetWidth: w, offsetHeight: h } = tip, { top } = timeline.canvas.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(innerWidth - w - 8, x - w / 2))}px`;
  tip.style.top = `${Math.max(4, top - h)}px`;
}

// Returns the causes that take at least a fiftieth of some critical path, the largest first.
function causes_of(timelines: Timeline[]): string[] {
  const parts = new Map<string, number>();
  for (const { path, tasks } of timelines) {
    for (let i = 0; i < path.steps; ++i) {
      const name = tasks.pass.blames[path.blame[i]!]!;
      parts.set(name, (parts.get(name) ?? 0) + (path.to[i]! - path.from[i]!) / tasks.pass.makespan_ps);
    }
  }
  return [...parts].filter(([, part]) => part >= 0.02).sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function legend_of(passes: Pass[], timelines: Timeline[]): HTMLElement {
  const element = el("div", { class: "legend" });
  const names = [...new Set(passes.flatMap((pass) => pass.operators.map((operator) => operator.name)))];
  const fill = () => {
    element.replaceChildren(...names.map((name) => {
      const swatch = el("i", { class: "swatch" });
      swatch.style.background = series_color(theme(), color_of("operator", name));
      return el("span", {}, swatch, name);
    }));
    const wait = el("i", { class: "swatch wait" });
    wait.style.background = series_color(theme(), color_of("state", "wait"));
    element.append(el("span", {}, wait, "waits"));
    if (!passes.some((pass) => pass.path)) return;
    element.append(el("span", {}, el("i", { class: "swatch path" }), "on the critical path"));
    const key = (text: string, background: string) => {
      const swatch = el("i", { class: "swatch" });
      swatch.style.background = background;
      element.append(el("span", {}, swatch, text));
    };
    element.append(el("span", { class: "note" }, "path spent on:"));
    for (const name of causes_of(timelines)) key(name, css_fill(theme(), color_of("cause", name)));
    if (timelines.every(({ head }) => head.overlap === null)) return;
    const colors = overlap_colors();
    element.append(el("span", { class: "note" }, "overlap:"));
    overlap_names.forEach((name, kind) => key(name, colors[kind]!));
  };
  on_theme(fill);
  fill();
  return element;
}

const most_shown = 3;

// Returns the runs that are shown at first: all of a few; of many the first one and the fastest.
function some_of(runs: Run[]): Run[] {
  if (runs.length <= most_shown) return runs;
  const time = (run: Run) => run.passes.reduce((sum, pass) => sum + pass.makespan_ps, 0), fastest = runs.reduce((a, b) => (time(b) < time(a) ? b : a));
  return [...new Set([runs[0]!, fastest])];
}

const least_apart = 0.001; // parts of a pass that a timeline shows

// Returns the pass in which two runs differ most; undefined for other numbers of runs, and if all passes take about as long.
function pass_that_differs(runs: Run[]): string | undefined {
  if (runs.length !== 2) return undefined;
  const apart = runs[0]!.passes.flatMap(({ name, makespan_ps }) => {
    const other = runs[1]!.passes.find((pass) => pass.name === name);
    return other ? [{ name, ps: Math.abs(other.makespan_ps - makespan_ps), part: Math.abs(other.makespan_ps / makespan_ps - 1) }] : [];
  });
  // The first of those that differ about as much as the most.
  const most = Math.max(...apart.map(({ ps }) => ps));
  return apart.find(({ ps, part }) => ps >= 0.5 * most && part >= least_apart)?.name;
}

// Holds what belongs to one pass of all runs. It is built when first shown, and kept.
interface Opened { element: HTMLElement; timelines: Timeline[]; operators: OperatorsView[]; names: string[]; time: TimeAxis }

export class Runs {
  readonly element = el("section");
  timelines: Timeline[] = []; // the timelines of the pass that is shown
  time: TimeAxis | null = null;
  private shown: Shown = { rank: one_of_each, unfolded: new Set(), kinds: "all", row: 0, most_height: 480, path: true, words: "", pinned: new Set() };
  private operators: OperatorsView[] = []; // the tables of the pass that is shown
  private place = el("div");
  private search = el("input", { type: "search", placeholder: "rank 2 gexpert 19", "aria-label": "search tasks", title: search_words }) as HTMLInputElement;
  private count = el("output", { class: "found" });
  private opened = new Map<string, Promise<Opened>>();
  private wanted = ""; // the last pass that the reader asked for
  private names_shown: string[] = []; // name of the run of each timeline
  private chosen: Set<string>; // names of the runs that are shown

  // `axes` are those of other views of the same runs. A timeline as long as one of them moves with it.
  constructor(private section: RunsSection, private found: Finding[] = [], private axes: TimeAxis[] = []) {
    document.body.append(tip);
    this.chosen = new Set(some_of(section.runs).map((run) => run.name));
    if (section.runs.length > 1) this.shown.most_height = 360; // so that two are seen at once
    const ranks = Math.max(...section.runs.flatMap((run) => run.passes.map((pass) => pass.ranks)));
    for (const run of section.runs) for (const pass of run.passes) tell_apart("operator", pass.operators.map((operator) => operator.name));
    this.element.append(el("div", { class: "bar heading" }, el("h2", {}, section.title), this.tabs(), ...this.controls(ranks)), ...(section.runs.length > most_shown ? [this.choices()] : []), this.place);
    void this.open(pass_that_differs(section.runs.filter((run) => this.chosen.has(run.name))) ?? this.names()[0] ?? "");
  }

  // Returns whether all passes shown were recorded kernel by kernel.
  private get recorded(): boolean {
    return this.section.runs.every((run) => run.passes.every((pass) => pass.recorded));
  }

  private names(): string[] {
    return [...new Set(this.section.runs.flatMap((run) => run.passes.map((pass) => pass.name)))];
  }

  // Builds a button for each run, by which it is shown or left out.
  private choices(): HTMLElement {
    const bar = el("div", { class: "bar choose-runs" }, el("span", { class: "note" }, "shown:"));
    for (const run of this.section.runs) {
      const times = run.passes.map((pass) => (pass.makespan_ps / 1e9).toFixed(3)).join(" + ");
      const toggle = button(run.name, `${run.name}: ${times} ms`, () => {
        if (!this.chosen.delete(run.name)) this.chosen.add(run.name);
        toggle.setAttribute("aria-pressed", String(this.chosen.has(run.name)));
        void this.open(this.wanted);
      });
      toggle.setAttribute("aria-pressed", String(this.chosen.has(run.name)));
      bar.append(toggle);
    }
    return bar;
  }

  private tabs(): HTMLElement {
    const tabs = el("div", { class: "tabs", role: "tablist" });
    for (const name of this.names()) {
      const tab = button(name, this.recorded ? name : `the ${name} pass`, () => void this.open(name));
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
    const key = () => [name, ...this.chosen].join("\n"), of = key();
    if (!this.opened.has(of)) {
      this.opened.set(of, this.make(name));
      if (this.opened.size === 1) this.place.replaceChildren(el("p", { class: "note" }, "The timelines are being read …"));
    }
    try {
      const opened = await this.opened.get(of)!;
      if (this.wanted !== name || key() !== of) return; // something else was chosen meanwhile
      this.timelines = opened.timelines;
      this.operators = opened.operators;
      this.names_shown = opened.names;
      this.time = opened.time;
      this.place.replaceChildren(opened.element);
      this.rechoose();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.place.replaceChildren(el("p", { class: "verdict" }, `${this.recorded ? name : `The ${name} pass`} cannot be shown: ${why}`));
    }
  }

  private async make(name: string): Promise<Opened> {
    const of = this.section.runs.filter((run) => this.chosen.has(run.name)).flatMap((run) => run.passes.filter((pass) => pass.name === name).map((pass) => ({ run, pass })));
    if (of.length === 0) throw new Error("no run is chosen");
    const end = Math.max(...of.map(({ pass }) => pass.makespan_ps)), time = this.axes.find((axis) => axis.end === end) ?? new TimeAxis(end);
    const opened: Opened = { element: el("div"), timelines: [], operators: [], names: of.map(({ run }) => run.name), time };
    const below: HTMLElement[] = [], operators: HTMLElement[] = [], matrices = el("div", { class: "figures" });
    for (const { run, pass } of of) {
      const timeline = await this.timeline_of(run, pass, time);
      opened.timelines.push(timeline);
      const title = `${run.name}, ${pass.name}: ${(pass.makespan_ps / 1e9).toFixed(3)} ms`;
      const missing = pass.recorded ? timeline.tasks.empty_ranks() : [];
      const note = missing.length > 0 ? [el("p", { class: "note" }, `Not recorded kernel by kernel: rank${missing.length > 1 ? "s" : ""} ${missing.join(", ")}. A job records some of its ranks so in some of its steps, and a profile holds the ranks that were profiled.`)] : [];
      const named = of.length > 1 || this.recorded ? [el("h3", {}, title)] : [];
      opened.element.append(...named, ...note, ...this.timeline_parts(run, timeline));
      const heading = (text: string) => el("h3", {}, of.length > 1 ? `${run.name}: ${text.toLowerCase()}` : text);
      const view = new OperatorsView(timeline.tasks, this.shown, (words) => this.search_for(words));
      opened.operators.push(view);
      operators.push(heading("Operators"), view.element);
      if (!pass.recorded) matrices.append(el("div", {}, heading("Between ranks"), matrix_element(timeline.tasks)));
    }
    opened.element.prepend(legend_of(of.map(({ pass }) => pass), opened.timelines));
    const quantities = of.flatMap(({ run, pass }) => (pass.counters ? [{ name: run.name, counters: pass.counters }] : []));
    const over_time = quantities.length > 0 ? new OverTime(name, quantities, time) : null;
    if (over_time) below.push(el("h3", {}, "Over time"), over_time.element);
    opened.element.append(...operators);
    if (below.length > 0) opened.element.append(...below, el("p", { class: "note" }, ["A line is the mean over ranks, its band the least and most of a rank. A drag zooms; the timeline follows.", ...(over_time?.notes ?? [])].join(" ")), matrices);
    return opened;
  }

  private async timeline_of(run: Run, pass: Pass, time: TimeAxis): Promise<Timeline> {
    const tasks = await Tasks.read(pass, run.experts_per_rank), timeline = new Timeline(tasks, await read_path(pass), time, this.shown);
    timeline.on_hover = (task, x) => show_tip(timeline, task, x);
    timeline.on_head = (words, x) => show_words(timeline, words, x);
    timeline.on_path = (task) => {
      this.reveal(timeline, task);
      timeline.go_to(task);
    };
    timeline.on_fold = (rank) => {
      if (!this.shown.unfolded.delete(rank)) this.shown.unfolded.add(rank);
      this.rechoose();
    };
    timeline.on_pin = (rank) => {
      if (!this.shown.pinned.delete(rank)) this.shown.pinned.add(rank);
      this.rechoose();
    };
    return timeline;
  }

  // Builds the flags of findings, the timeline, and the card of a selected task or area.
  private timeline_parts(run: Run, timeline: Timeline): HTMLElement[] {
    const { tasks, time } = timeline, card = el("div", { class: "selected", "aria-live": "polite" });
    timeline.on_select = (task) => card.replaceChildren(...(task < 0 ? [] : [task_card(tasks, task)]));
    timeline.on_area = (area) => card.replaceChildren(...(area ? [area_card(tasks, area)] : []));
    const found = this.found.filter((finding) => finding.run === run.name && finding.pass === tasks.pass.name);
    const flags = found.length > 0 ? [new Flags(found, time, (finding) => timeline.mark(finding), () => timeline.gutter).element] : [];
    return [...flags, timeline.element, card];
  }

  // Returns whether this section has the run and the pass of a finding.
  shows(finding: Finding): boolean {
    return this.section.runs.some((run) => run.name === finding.run && run.passes.some((pass) => pass.name === finding.pass));
  }

  // Shows the place of a finding, or the task that its evidence names.
  async show_finding(finding: Finding, evidence: Evidence | null): Promise<void> {
    this.chosen.add(finding.run);
    await this.open(finding.pass);
    const timeline = this.timelines[this.names_shown.indexOf(finding.run)];
    if (!timeline || !this.time) return;
    const span = finding.to_ps - finding.from_ps;
    this.time.set(finding.from_ps - 0.02 * span, finding.to_ps + 0.02 * span);
    timeline.mark(finding);
    if (finding.ranks.some((rank) => !timeline.lanes.has(rank * timeline.tasks.workers))) this.show_rank(-1);
    const task = evidence?.task ? timeline.tasks.at(evidence.task.rank, evidence.task.op, evidence.task.index) : -1;
    if (task >= 0) {
      this.reveal(timeline, task);
      timeline.go_to(task);
    }
    timeline.element.scrollIntoView({ block: "center" });
    timeline.canvas.focus({ preventScroll: true });
  }

  // Shows all ranks if a task's lane is folded away.
  private reveal(timeline: Timeline, task: number): void {
    if (!timeline.lanes.has(timeline.tasks.lane_of(task))) this.show_rank(-1);
  }

  private show_rank(rank: number): void {
    this.shown.rank = rank;
    const select = this.element.querySelector<HTMLSelectElement>("select[aria-label=rank]");
    if (select) select.value = String(rank);
    this.rechoose();
  }

  private rechoose(): void {
    for (const timeline of this.timelines) timeline.choose();
    for (const view of this.operators) view.fill();
    const found = this.timelines.reduce((sum, timeline) => sum + timeline.found_count(), 0);
    this.count.textContent = this.shown.words ? `${found} tasks` : "";
  }

  private controls(ranks: number): HTMLElement[] {
    const list: [string, string][] = [[String(one_of_each), "one of those alike"], ["-1", "all"]];
    for (let r = 0; r < ranks; ++r) list.push([String(r), String(r)]);
    const kinds = [...new Set(this.section.runs.flatMap((run) => run.passes.flatMap((pass) => pass.kinds.map((kind) => kind.name))))];
    const several: [string, string][] = kinds.length > 1 ? kinds.map((name) => [name, name]) : [];
    this.search.addEventListener("input", () => this.search_for(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") for (const timeline of this.timelines) timeline.next_found();
      if (event.key === "Escape") this.timelines[0]?.canvas.focus({ preventScroll: true });
    });
    const path = el("input", { type: "checkbox" }) as HTMLInputElement;
    path.checked = this.shown.path;
    path.addEventListener("change", () => {
      this.shown.path = path.checked;
      for (const timeline of this.timelines) timeline.draw();
    });
    const again = (change: () => void) => (change(), this.rechoose());
    const zooms = el("span", {}, button("+", "zoom in", () => this.zoom(0.5)), " ", button("−", "zoom out", () => this.zoom(2)), " ",
      button("all", this.recorded ? "show the whole step" : "show the whole pass", () => this.time?.reset()), " ", help_button("Timeline: keys and pointer", [...keys, ...pointer_help]));
    return [choice("rank", list, String(this.shown.rank), (v) => again(() => (this.shown.rank = Number(v)))),
      choice("workers", [["all", kinds.length > 2 ? "all" : kinds.join(" and ")], ...several], this.shown.kinds, (v) => again(() => (this.shown.kinds = v))),
      choice("row", [["0", "fit"], ["3", "3 px"], ["6", "6 px"], ["14", "14 px"], ["20", "20 px"]], String(this.shown.row), (v) => again(() => (this.shown.row = Number(v)))),
      ...(this.recorded ? [] : [el("label", {}, path, " critical path")]), this.search, this.count, zooms];
  }

  private zoom(factor: number): void {
    if (this.time) this.time.zoom((this.time.from + this.time.to) / 2, factor);
  }

  private search_for(words: string): void {
    this.search.value = this.shown.words = words;
    this.rechoose();
  }

  // Keys that are pressed anywhere go to the timeline below the pointer, or else to the first.
  key(event: KeyboardEvent): boolean {
    if (event.key === "/") {
      this.search.focus();
      return true;
    }
    const timeline = this.timelines.find((of) => of.pointer_y >= 0) ?? this.timelines[0];
    return timeline !== undefined && event.key.length === 1 && key(timeline, event);
  }
}
