// Tables that sort by a click on a head and copy as CSV.
import { button, copy, el } from "./dom.js";
import type { Table } from "./model.js";

function order_by(table: Table, column: number, falling: boolean): number[] {
  const order = table.rows.map((_, row) => row);
  const of = (row: number) => table.values[row]![column] ?? null;
  order.sort((a, b) => {
    const x = of(a), y = of(b);
    if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
    const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return (falling ? -less : less) || a - b;
  });
  return order;
}

export function table_element(table: Table): HTMLElement {
  const body = el("tbody");
  const fill = (order: number[]) => {
    body.replaceChildren(
      ...order.map((row) =>
        el("tr", {}, ...table.rows[row]!.map((text, c) => el("td", table.numbers[c] ? { class: "number" } : {}, text)))),
    );
  };
  let sorted = -1, falling = false;
  const heads = table.heads.map((head, c) => {
    const sort = button(head, `sort by ${head}`, () => {
      falling = sorted === c ? !falling : table.numbers[c]!;
      sorted = c;
      fill(order_by(table, c, falling));
      heads.forEach((h, i) => h.setAttribute("aria-sort", i !== c ? "none" : falling ? "descending" : "ascending"));
    });
    return el("th", table.numbers[c] ? { class: "number" } : {}, sort);
  });
  fill(table.rows.map((_, row) => row));
  const csv = button("copy CSV", "this table with its exact values, as CSV", () => void copy(table.csv, csv));
  csv.className = "copy";
  return el("div", { class: "table" }, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)), csv);
}
