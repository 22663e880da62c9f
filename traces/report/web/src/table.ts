// Tables sort by a click on a head, filter by what is typed beside them, and copy as CSV.
import { button, copy, el } from "./dom.js";
import { head_notes } from "./head_notes.js";
import type { Table } from "./model.js";

const filtered_from = 21; // rows from which on a table gets a filter

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

export type Column<Row> = [head: string, value: (row: Row) => string, text: (value: string) => string] | [head: string, value: (row: Row) => number, text: (value: number) => string];

export const words = <Row>(head: string, value: (row: Row) => string, text = (value: string) => value): Column<Row> => [head, value, text];
// Returns a cell's number, or NaN if it has none.
export const number = <Row>(head: string, value: (row: Row) => number, text: (value: number) => string): Column<Row> => [head, value, (v: number) => (isNaN(v) ? "-" : text(v))];

// Builds a table of values that the page computes. CSV has the exact values.
export function table_of<Row>(rows: Row[], columns: Column<Row>[]): Table {
  const values = rows.map((row) => columns.map(([, value]) => value(row)));
  const texts = values.map((of) => of.map((value, c) => (columns[c]![2] as (value: string | number) => string)(value)));
  const exact = values.map((of) => of.map((value) => (typeof value === "number" && isNaN(value) ? null : value)));
  const cell = (value: string | number | null) => (/[",\n]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  const csv = [columns.map(([head]) => head), ...exact].map((line) => line.map(cell).join(",") + "\n").join("");
  return { heads: columns.map(([head]) => head), numbers: columns.map((_, c) => typeof values[0]?.[c] === "number"), rows: texts, values: exact, csv };
}

export interface TableOptions {
  filter?: boolean; // if absent, only long tables have one
  cell?: (row: number, column: number, text: string) => HTMLElement | null; // returns the content of a cell; null stands for its text
}

export function table_element(table: Table, options: TableOptions = {}): HTMLElement {
  const body = el("tbody"), cells = (row: number) => table.rows[row]!.map((text, c) =>
    el("td", table.numbers[c] ? { class: "number" } : {}, options.cell?.(row, c, text) ?? text));
  let sorted = -1, falling = false, words: string[] = [];
  const fill = () => {
    const order = sorted < 0 ? table.rows.map((_, row) => row) : order_by(table, sorted, falling);
    const wanted = order.filter((row) => words.every((word) => table.rows[row]!.some((text) => text.toLowerCase().includes(word))));
    body.replaceChildren(...wanted.map((row) => el("tr", {}, ...cells(row))));
  };
  const heads = table.heads.map((head, c) => {
    const note = head_notes[head], sort = button(head, note ? `${head}: ${note}. A click sorts.` : `sort by ${head}`, () => {
      falling = sorted === c ? !falling : table.numbers[c]!;
      sorted = c;
      fill();
      heads.forEach((h, i) => h.setAttribute("aria-sort", i !== c ? "none" : falling ? "descending" : "ascending"));
    });
    if (note) sort.classList.add("noted");
    return el("th", table.numbers[c] ? { class: "number" } : {}, sort);
  });
  fill();
  const csv = button("copy CSV", "this table with its exact values, as CSV", () => void copy(table.csv, csv));
  csv.className = "copy";
  const filter = el("input", { type: "search", class: "filter", placeholder: "filter rows", "aria-label": "filter rows" }) as HTMLInputElement;
  filter.addEventListener("input", () => {
    words = filter.value.toLowerCase().split(/\s+/).filter((word) => word);
    fill();
  });
  const has_filter = options.filter ?? table.rows.length >= filtered_from;
  const scroll = el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
  const element = el("div", { class: "table" }, has_filter ? filter : null, el("div", { class: "scrolled" }, scroll), csv);
  // A shadow at the right edge says that there is more.
  const more = () => element.classList.toggle("more", scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 2);
  scroll.addEventListener("scroll", more);
  new ResizeObserver(more).observe(scroll);
  return element;
}
