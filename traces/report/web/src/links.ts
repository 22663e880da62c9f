// Shows rates between ranks in steps that were recorded in full, beside usual rates.
import { choice, el } from "./dom.js";
import { Columns, Packed, read_columns } from "./model.js";
import { beside_usual, ink_on } from "./palette.js";
import { number, table_element, table_of } from "./table.js";
import { on_theme, theme } from "./theme.js";

export interface LinksSection { kind: "links"; title: string; ranks: number; beside: string; steps: { step: number; slow: boolean; links: Packed }[] }

interface Link { src: number; dst: number; rate: number; part: number; bytes: number; puts: number }

const slow_part = 0.9, listed = 20, most_ranks = 256;

function links_of(columns: Columns): Link[] {
  const of = (name: string, i: number) => columns[name]![i]!;
  return Array.from(columns.src!, (src, i) => ({ src, dst: of("dst", i), rate: of("rate", i) * 1e6, part: of("part", i) / 1e3, bytes: of("bytes", i), puts: of("puts", i) }));
}

export function links_section(section: LinksSection): HTMLElement {
  const place = el("div"), known = new Map<number, Promise<Link[]>>();
  const show = async (index: number) => {
    if (!known.has(index)) known.set(index, read_columns(section.steps[index]!.links).then(links_of));
    place.replaceChildren(...parts_of(section, await known.get(index)!));
  };
  const steps = section.steps.map((step, i): [string, string] => [String(i), `${step.step}${step.slow ? ", slow" : ""}`]);
  const first = Math.max(0, section.steps.findIndex((step) => step.slow));
  void show(first);
  return el("section", { class: "links" }, el("h2", {}, section.title),
    el("div", { class: "bar" }, choice("step", steps, String(first), (v) => void show(Number(v))), el("span", { class: "note" }, `Rates of single puts against ${section.beside}. Several puts share a port at the same time, so a port carries a multiple.`)), place);
}

function parts_of(section: LinksSection, links: Link[]): HTMLElement[] {
  const slow = links.filter((link) => link.part < slow_part), of = `${slow.length} of ${links.length} links`;
  const sentence = slow.length === 0 ? `No link is below ${slow_part} of its usual rate.` : `${of} ${slow.length === 1 ? "is" : "are"} below ${slow_part} of ${slow.length === 1 ? "its" : "their"} usual rate.`;
  const table = table_of([...links].sort((a, b) => a.part - b.part).slice(0, listed), [
    number<Link>("from rank", (link) => link.src, String), number<Link>("to rank", (link) => link.dst, String),
    number<Link>("of usual", (link) => link.part, (part) => part.toFixed(3)), number<Link>("one put GB/s", (link) => link.rate, (rate) => (rate / 1e9).toFixed(2)),
    number<Link>("puts", (link) => link.puts, String), number<Link>("sent MB", (link) => link.bytes, (bytes) => (bytes / 1e6).toFixed(1))]);
  const both = el("div", { class: "beside" });
  if (section.ranks <= most_ranks) both.append(new LinkMatrix(section.ranks, links).element);
  both.append(table_element(table));
  return [el("p", {}, sentence), both];
}

class LinkMatrix {
  readonly element = el("div", { class: "matrix" });
  private canvas = el("canvas", { role: "img", "aria-label": "rates between ranks compared with usual ones" }) as HTMLCanvasElement;
  private tip = el("output", { class: "tip-line" }, " ");
  private cells = new Map<number, Link>();
  private farthest: number;

  constructor(private ranks: number, links: Link[]) {
    for (const link of links) this.cells.set(link.src * ranks + link.dst, link);
    this.farthest = Math.max(0.1, ...links.map((link) => Math.min(1, Math.abs(link.part - 1))));
    this.element.append(this.canvas, this.tip);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    on_theme(() => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.element);
    queueMicrotask(() => this.paint());
  }

  private get geometry(): { left: number; top: number; cell: number; size: number } {
    const size = Math.max(160, Math.min(420, this.ranks * 44, (this.element.parentElement?.clientWidth ?? 480) - 60));
    return { left: 46, top: 34, size, cell: size / this.ranks };
  }

  private paint(): void {
    const { left, top, size, cell } = this.geometry, ratio = devicePixelRatio || 1, t = theme(), context = this.canvas.getContext("2d")!;
    this.canvas.width = (left + size + 8) * ratio;
    this.canvas.height = (top + size + 4) * ratio;
    this.canvas.style.width = `${left + size + 8}px`;
    this.canvas.style.height = `${top + size + 4}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = t.muted;
    context.fillText("to rank", left, 11);
    context.fillText("from", 2, top - 8);
    context.textAlign = "center";
    const every = Math.ceil(16 / cell);
    for (let src = 0; src < this.ranks; ++src) {
      context.fillStyle = t.muted;
      if (src % every === 0) {
        context.fillText(String(src), left + (src + 0.5) * cell, top - 8);
        context.fillText(String(src), left - 14, top + (src + 0.5) * cell + 4);
      }
      for (let dst = 0; dst < this.ranks; ++dst) {
        const link = this.cells.get(src * this.ranks + dst);
        // A slow link has the colour of what hurts, as a long time has.
        const color = link ? beside_usual(t, (1 - link.part) / this.farthest) : t.grid;
        context.fillStyle = color;
        context.fillRect(left + dst * cell, top + src * cell, Math.max(1, cell - 1), Math.max(1, cell - 1));
        if (!link || cell < 34) continue;
        context.fillStyle = ink_on(color);
        context.fillText(link.part.toFixed(2), left + (dst + 0.5) * cell, top + (src + 0.5) * cell + 4);
      }
    }
    context.textAlign = "left";
  }

  private hover(event: PointerEvent): void {
    const { left, top, cell } = this.geometry, dst = Math.floor((event.offsetX - left) / cell), src = Math.floor((event.offsetY - top) / cell);
    const link = src >= 0 && dst >= 0 && dst < this.ranks ? this.cells.get(src * this.ranks + dst) : undefined;
    this.tip.textContent = link ? `rank ${src} to rank ${dst}: a put goes at ${(link.rate / 1e9).toFixed(2)} GB/s beside others on the same port, ${link.part.toFixed(3)} of the usual` : " ";
  }
}
