// Shows the table of a pass's operators, over the ranks and workers that the timeline shows.
import { button, el } from "./dom.js";
import type { Shown } from "./lanes.js";
import { color_of } from "./meanings.js";
import { operator_stats, operator_table } from "./operators.js";
import { series_color } from "./palette.js";
import { table_element } from "./table.js";
import type { Tasks } from "./tasks.js";
import { on_theme, theme } from "./theme.js";

export class OperatorsView {
  readonly element = el("div", { class: "operators" });
  private of = ""; // the choice of ranks and workers that is shown

  // A click on an operator's name searches for its tasks.
  constructor(private tasks: Tasks, private shown: Shown, private search: (words: string) => void) {
    on_theme(() => this.fill(true));
    this.fill();
  }

  fill(again = false): void {
    const { rank, kinds } = this.shown, of = `${rank} ${kinds}`;
    if (of === this.of && !again) return;
    this.of = of;
    const { rank: ranks, worker } = this.tasks.columns;
    const stats = operator_stats(this.tasks, (task) => (rank < 0 || ranks![task] === rank) && (kinds === "all" || this.tasks.of_kind(worker![task]!).kind.name === kinds));
    const table = operator_table(this.tasks, stats);
    this.element.replaceChildren(table_element(table, { filter: true, cell: (_, c, text) => (c === 0 ? this.name(text) : null) }));
  }

  private name(operator: string): HTMLElement {
    const key = el("i", { class: "swatch" }), link = button(operator, `show the tasks of ${operator}`, () => this.search(operator));
    key.style.background = series_color(theme(), color_of("operator", operator));
    link.className = "link";
    return el("span", {}, key, link);
  }
}
