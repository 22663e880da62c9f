// Shows a job of many steps: the map of its steps and ranks, with flags of the findings above it.
import { button, choice, el } from "./dom.js";
import { Flags } from "./findings.js";
import { JobData, JobSection } from "./job_data.js";
import { Keys, help_button } from "./keys_help.js";
import type { Finding } from "./model.js";
import { beside_usual, viridisAt } from "./palette.js";
import { StepMap, column_ps } from "./step_map.js";
import { Column, number, table_element, table_of } from "./table.js";
import { on_theme, theme } from "./theme.js";

const help = "Above: how long each step takes; the dashed line is the usual step, a dot marks steps that were recorded in full. Below: each rank.";
const keys: Keys = [
  ["W S + −", "zoom; so does Ctrl or Alt with the wheel"],
  ["A D ← →", "pan; so does a drag"],
  ["0", "show all steps"],
  ["a click on a step", "lists its ranks"],
  ["[ ]", "the step before or after it"],
  ["Esc", "let go"],
];
const fewest = 3; // with fewer steps than this, a map would say nothing

export class JobView {
  readonly element = el("section", { class: "job" });
  map: StepMap | null = null;
  private place = el("div");
  private ranks = el("div", { class: "selected", "aria-live": "polite" });

  constructor(readonly section: JobSection, private found: Finding[]) {
    this.element.append(el("h2", {}, section.title), this.place);
    this.load().catch((error: unknown) => this.place.replaceChildren(el("p", { class: "verdict" }, error instanceof Error ? error.message : String(error))));
  }

  private async load(): Promise<void> {
    const data = await JobData.read(this.section);
    if (data.columns < fewest) {
      for (let column = 0; column < data.columns; ++column) this.place.append(this.ranks_table(data, column));
      return;
    }
    const map = (this.map = new StepMap(data)), { measures } = this.section;
    const about = el("p", { class: "note" }), key = el("div", { class: "legend scale" });
    const choose = (measure: number, beside: boolean) => {
      map.choose(measure, beside);
      about.textContent = `${measures[measure]!.name}: ${measures[measure]!.about}${this.section.together > 1 ? `. A column is ${this.section.together} steps: the longest of them` : ""}.`;
      this.fill_scale(map, key);
    };
    map.on_select = (column) => this.ranks.replaceChildren(...(column < 0 ? [] : [this.ranks_table(data, column)]));
    const zoom = (factor: number) => map.time.zoom((map.time.from + map.time.to) / 2, factor);
    this.place.append(
      el("div", { class: "bar" },
        choice("show", measures.map((measure, i) => [String(i), measure.name]), "0", (v) => choose(Number(v), map.beside)),
        choice("colours", [["beside", "relative to the rank's usual"], ["value", "values"]], "beside", (v) => choose(map.measure, v === "beside")),
        button("+", "zoom in", () => zoom(0.5)), button("−", "zoom out", () => zoom(2)), button("all", "show all steps", () => map.time.reset()), help_button("Steps: keys and pointer", keys)),
      key, ...this.flags(data, map), map.element, this.ranks, about, el("p", { class: "note" }, help));
    on_theme(() => this.fill_scale(map, key));
    choose(0, true);
  }

  // Draws a bar above the map for each stretch of steps that a finding concerns. Findings of every step have no bar.
  private flags(data: JobData, map: StepMap): HTMLElement[] {
    const flagged = this.found.filter((finding) => finding.parts && !finding.steady && !finding.info).map((finding) => {
      const [from, to] = data.between(Math.min(...finding.parts!.map((part) => part.first)), Math.max(...finding.parts!.map((part) => part.last)));
      return { ...finding, from_ps: from * column_ps, to_ps: to * column_ps };
    });
    return flagged.length > 0 ? [new Flags(flagged, map.time, (finding) => map.mark(finding), () => map.gutter).element] : [];
  }

  private fill_scale(map: StepMap, key: HTMLElement): void {
    const { least, most } = map.scale, bar = el("i", { class: "gradient" }), stops = Array.from({ length: 9 }, (_, i) => i / 8);
    bar.style.background = `linear-gradient(to right, ${stops.map((part) => (map.beside ? beside_usual(theme(), 2 * part - 1) : viridisAt(part))).join(", ")})`;
    key.replaceChildren(el("span", {}, map.text(least)), bar, el("span", {}, map.text(most)),
      ...(map.beside ? [el("span", {}, "relative to what is usual for the rank")] : []),
      el("span", {}, this.swatch("slow"), "slow step"));
  }
  private swatch(name: "slow"): HTMLElement {
    return el("i", { class: `swatch ${name}` });
  }

  private ranks_table(data: JobData, column: number): HTMLElement {
    const ranks = Array.from({ length: this.section.ranks }, (_, rank) => rank);
    const columns: Column<number>[] = [number<number>("rank", (rank) => rank, String)];
    this.section.measures.forEach((measure, m) => {
      const usual = data.usual(m);
      const text = (value: number) => (measure.time ? (value / 1e9).toFixed(3) : String(Math.round(value)));
      columns.push(number<number>(measure.time ? `${measure.name} ms` : measure.name, (rank) => data.value(m, rank, column), text));
      if (data.columns >= fewest && m === 0) columns.push(number<number>("usually ms", (rank) => usual[rank]!, text));
    });
    return el("div", {}, el("h3", {}, `${data.name(column)}: ${(data.steps.took![column]! / 1e9).toFixed(3)} ms`), table_element(table_of(ranks, columns)));
  }

  show(finding: Finding): void {
    this.map?.show(finding);
  }
  key(event: KeyboardEvent): boolean {
    return event.key.length === 1 && (this.map?.key(event) ?? false);
  }
}
