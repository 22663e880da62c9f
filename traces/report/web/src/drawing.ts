// Draws a figure as SVG text, for the page and for the file that it saves.
import { Axis, share, shortest, significant, ticks } from "./axes.js";
import { SvgFills } from "./hatching.js";
import { series_place } from "./meanings.js";
import { Theme, hues, series_color, text_color, viridisAt } from "./palette.js";

// A point has x, y, and the low and the high end of y's range.
export type FigurePoint = [number, number, number, number];

export interface Series {
  name: string; // if empty, the legend leaves it out
  kind: "line" | "points" | "bars" | "steps" | "plain" | "spans"; // plain: a line without points; spans: from the least to the most of a point along x
  color: number; // a place in the palette
  hollow: boolean; // drawn as an outline: published values beside predicted ones
  points: FigurePoint[];
}

export interface Figure {
  title: string;
  origin: string; // says where the values come from
  legend: string;
  x: Axis;
  y: Axis;
  color: Axis; // of the cells and links
  stacked: boolean; // bars stand on those of the series before, and so do lines, as areas
  series: Series[];
  cells: [number, number, number][];
  links: { from: [number, number]; to: [number, number]; value: number; name: string }[]; // lines, coloured by their values
  marks: { x: number; y: number; text: string }[];
  key: string[];
}

export function escaped(text: string): string {
  // Characters that XML does not allow at all become a replacement character.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function tag(name: string, attributes: { [key: string]: string | number }, inside = ""): string {
  let text = "<" + name;
  for (const key of Object.keys(attributes)) text += " " + key + '="' + attributes[key] + '"';
  return inside ? text + ">" + inside + "</" + name + ">" : text + "/>";
}

interface Box { left: number; right: number; top: number; bottom: number }

const letter = 7; // about the width of a letter at 12 px; wide fonts need 7.2
const width_of = (text: string) => text.length * letter;
const line_high = 15, title_high = 18, title_scale = 1.3; // a title's letters are larger by this factor

// Breaks words into as many lines as they need.
function lines_of(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && width_of(line + " " + word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? line + " " + word : word;
    }
  }
  lines.push(line);
  return lines;
}

interface Entry { text: string; series: Series | null }

function legend_entries(figure: Figure, width: number): Entry[] {
  const entries: Entry[] = [];
  if (figure.legend) entries.push({ text: figure.legend, series: null });
  for (const series of figure.series) if (series.name) entries.push({ text: series.name, series });
  for (const text of figure.key) for (const [i, line] of lines_of(text, width - 40).entries()) entries.push({ text: (i > 0 ? "    " : "") + line, series: null });
  return entries.length > 1 ? entries : [];
}

// Dashes tell a series apart beside its paler or darker colour.
function dashes(series: Series, place: number): string {
  if (place >= text_color) return "";
  return series.hollow ? "5 3" : ["", "6 4", "2 3"][Math.floor(place / hues) % 3]!;
}

class Drawing {
  private out = "";
  private fills: SvgFills;
  private box: Box;
  private height: number;
  private entries: Entry[];
  private beside: boolean; // the legend stands beside the plot, not below it
  private legend_width = 0;
  private title_lines: string[];
  private text_lines: string[];
  private x_lines: string[]; // name of the x axis, by line
  private y_lines: string[];
  private y_words: number; // width of the longest label of the y axis
  private aslant = 0; // degrees by which labels below the axis are tilted, if they do not fit side by side
  private below: number; // height of what stands below the plot
  private marked: { left: number; right: number; line: number }[] = []; // where marks have been written

  constructor(private figure: Figure, private width: number, least: number, private theme: Theme) {
    this.fills = new SvgFills(theme);
    this.entries = legend_entries(figure, width);
    for (const entry of this.entries) this.legend_width = Math.max(this.legend_width, width_of(entry.text) + 34);
    this.beside = this.legend_width > 0 && this.legend_width < width * 0.4 && width >= 560;
    this.title_lines = lines_of(figure.title, (width - 70) / title_scale); // beside the button that saves the figure
    this.text_lines = figure.origin ? lines_of(figure.origin, width - 24) : [];
    let widest = 0;
    for (const tick of ticks(figure.y, 6)) widest = Math.max(widest, width_of(tick.text));
    if (figure.y.names.length > 0) widest *= 1.12; // names have wide letters
    this.y_words = widest;
    const top = 24 + title_high * this.title_lines.length + line_high * this.text_lines.length;
    let right = 22;
    if (this.beside) right = this.legend_width + 20;
    if (this.coloured()) right += 78;
    this.y_lines = lines_of(figure.y.name, Math.max(120, least - top - 52));
    const upright = widest + 27 + line_high * this.y_lines.length;
    this.aslant = this.slant(width - right - Math.min(width * 0.4, upright));
    // A tilted label takes a part of its length below the axis, and another to the left of its place.
    const reach = this.aslant ? Math.min(190, this.longest_below()) : 0, angle = (this.aslant * Math.PI) / 180;
    const left = Math.min(width * 0.4, Math.max(upright, reach * Math.cos(angle) - 16));
    this.x_lines = lines_of(figure.x.name, width - right - left);
    this.below = 37 + line_high * this.x_lines.length + (this.aslant ? Math.max(0, reach * Math.sin(angle) - 8) : 0);
    this.box = { left, right: width - right, top, bottom: Math.max(least - this.below, top + 120) };
    this.height = this.box.bottom + this.below;
    if (!this.beside) this.height += this.below_rows().length * 17;
  }

  draw(): string {
    this.heading();
    this.axes();
    if (this.figure.cells.length > 0) this.cells();
    this.links();
    if (this.coloured()) this.color_bar(this.box.right + 16, this.box.top, this.box.bottom);
    this.bands();
    this.areas();
    for (let i = 0; i < this.figure.series.length; ++i) this.series(this.figure.series[i]!);
    this.bars();
    for (const mark of this.figure.marks) this.mark(mark.text, this.x(mark.x), this.y(mark.y));
    this.legend();
    const { width, height, theme } = this;
    return tag("svg", {
      xmlns: "http://www.w3.org/2000/svg", width, height: round(height), viewBox: "0 0 " + width + " " + round(height),
      "font-family": "system-ui, Helvetica, Arial, sans-serif", "font-size": 12, fill: theme.text, role: "img",
    }, tag("title", {}, escaped(this.figure.title)) +
      this.fills.defs() + tag("rect", { width, height: round(height), fill: theme.background }) + this.out);
  }

  private x(value: number): number {
    return this.box.left + share(this.figure.x, value) * (this.box.right - this.box.left);
  }
  private y(value: number): number {
    return this.box.bottom - share(this.figure.y, value) * (this.box.bottom - this.box.top);
  }
  private place(series: Series): number {
    return series_place(this.figure.legend, series.name, series.color);
  }
  private color(series: Series): string {
    return series_color(this.theme, this.place(series));
  }
  // Bars without a series' name stand for what the axis names below them.
  private bar_place(series: Series, below: string | undefined): number {
    return series_place(this.figure.legend, series.name || below || "", series.color);
  }

  private text(x: number, y: number, text: string, more: { [key: string]: string | number } = {}): void {
    const attributes: { [key: string]: string | number } = { x: round(x), y: round(y) };
    for (const key of Object.keys(more)) attributes[key] = more[key]!;
    this.out += tag("text", attributes, escaped(text) || " ");
  }
  private line(x1: number, y1: number, x2: number, y2: number, stroke: string, more: { [key: string]: string | number } = {}): void {
    const attributes: { [key: string]: string | number } = { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), stroke };
    for (const key of Object.keys(more)) attributes[key] = more[key]!;
    this.out += tag("line", attributes);
  }

  private heading(): void {
    this.title_lines.forEach((line, i) => this.text(12, 22 + title_high * i, line, { "font-size": 15, "font-weight": 600 }));
    const first = 22 + title_high * this.title_lines.length;
    this.text_lines.forEach((line, i) => this.text(12, first + line_high * i, line, { "font-size": 11, fill: this.theme.muted }));
  }

  // Writes words beside a point: at its left if there is no room at its right, and lower or higher where other marks are in
  // the way. Leaves them out if they fit nowhere.
  private mark(text: string, x: number, y: number): void {
    const size = width_of(text) * (11 / 12), fits = x + 6 + size <= (this.beside ? this.box.right + 16 : this.width - 4), left = fits ? x + 6 : x - 6 - size;
    for (const offset of [-6, 14, -19, 27]) {
      const line = y + offset;
      if (line < 12 || line > this.height - 4) continue;
      if (this.marked.some((other) => left < other.right + 2 && other.left < left + size + 2 && Math.abs(other.line - line) < 12)) continue;
      this.marked.push({ left, right: left + size, line });
      this.text(fits ? x + 6 : x - 6, line, text, fits ? { "font-size": 11 } : { "font-size": 11, "text-anchor": "end" });
      return;
    }
  }

  private longest_below(): number {
    let longest = 0;
    for (const tick of ticks(this.figure.x, 8)) longest = Math.max(longest, 1.08 * width_of(tick.text));
    return longest;
  }

  // Returns by how many degrees labels are tilted on an axis of this width: the closer they stand, the steeper.
  private slant(room: number): number {
    const { x } = this.figure, least_apart = 21; // pixels between lines of text at 32 degrees
    if (x.places.length === 0) return 0;
    const list = ticks(x, 8);
    let closest = room, fits = true;
    for (let i = 1; i < list.length; ++i) {
      const apart = room * Math.abs(share(x, list[i]!.at) - share(x, list[i - 1]!.at));
      closest = Math.min(closest, apart);
      fits = fits && (width_of(list[i]!.text) + width_of(list[i - 1]!.text)) / 2 + 10 <= apart;
    }
    return fits || list.length < x.places.length ? 0 : closest >= least_apart ? 32 : 60;
  }

  private axes(): void {
    const { box, figure, theme, aslant } = this;
    const room = Math.max(2, Math.floor((box.right - box.left) / 70));
    for (const tick of ticks(figure.x, room)) {
      const x = this.x(tick.at);
      if (x < box.left - 0.5 || x > box.right + 0.5) continue;
      if (!this.coloured()) this.line(x, box.top, x, box.bottom, theme.grid);
      if (aslant)
        this.text(x, box.bottom + 14, tick.text,
          { "text-anchor": "end", "font-size": 11, transform: "rotate(-" + aslant + " " + round(x) + " " + round(box.bottom + 14) + ")" });
      else this.text(x, box.bottom + 16, tick.text, { "text-anchor": "middle" });
    }
    for (const tick of ticks(figure.y, 6)) {
      const y = this.y(tick.at);
      if (y < box.top - 0.5 || y > box.bottom + 0.5) continue;
      if (!this.coloured()) this.line(box.left, y, box.right, y, theme.grid);
      this.text(box.left - 6, y + 4, tick.text, { "text-anchor": "end" });
    }
    this.out += tag("rect", {
      x: round(box.left), y: round(box.top), width: round(box.right - box.left), height: round(box.bottom - box.top),
      fill: "none", stroke: theme.frame,
    });
    if (figure.y.truncated) this.text(box.left, box.bottom - 8, "≈", { "text-anchor": "middle", "font-size": 18 });
    const lowest = box.bottom + this.below - 14 - line_high * (this.x_lines.length - 1);
    this.x_lines.forEach((line, i) => this.text((box.left + box.right) / 2, lowest + line_high * i, line, { "text-anchor": "middle" }));
    const middle = (box.top + box.bottom) / 2;
    this.y_lines.forEach((line, i) => {
      const x = Math.round(box.left - 14 - this.y_words - line_high * (this.y_lines.length - 1 - i));
      this.text(x, middle, line, { "text-anchor": "middle", transform: "rotate(-90 " + x + " " + round(middle) + ")" });
    });
  }

  private bands(): void {
    for (const series of this.figure.series) {
      if (series.kind === "bars" || series.kind === "spans" || this.is_area(series)) continue;
      const points = series.points;
      let ranged = false;
      for (const p of points) ranged = ranged || p[2] < p[3];
      if (!ranged) continue;
      if (series.kind === "points" || series.hollow) {
        for (const p of points) this.whisker(this.x(p[0]), p[2], p[3], this.color(series));
        continue;
      }
      let path = "";
      for (let i = 0; i < points.length; ++i) path += (i ? "L" : "M") + round(this.x(points[i]![0])) + " " + round(this.y(points[i]![3]));
      for (let i = points.length - 1; i >= 0; --i) path += "L" + round(this.x(points[i]![0])) + " " + round(this.y(points[i]![2]));
      this.out += tag("path", { d: path + "Z", fill: this.color(series), "fill-opacity": 0.15 });
    }
  }

  private whisker(x: number, low: number, high: number, stroke: string): void {
    const top = this.y(high), bottom = this.y(low);
    this.line(x, top, x, bottom, stroke, { "stroke-width": 1.3 });
    this.line(x - 3, top, x + 3, top, stroke, { "stroke-width": 1.3 });
    this.line(x - 3, bottom, x + 3, bottom, stroke, { "stroke-width": 1.3 });
  }

  private path_of(series: Series): string {
    let path = "";
    for (let i = 0; i < series.points.length; ++i) {
      const p = series.points[i]!, x = round(this.x(p[0]));
      if (i === 0) path = "M";
      else if (series.kind === "steps") path += "H" + x + "V" + round(this.y(p[1]));
      else path += "L";
      if (i === 0 || series.kind !== "steps") path += x + " " + round(this.y(p[1]));
    }
    return path;
  }

  private series(series: Series): void {
    if (series.kind === "spans") return this.spans(series);
    if (series.kind === "bars" || this.is_area(series) || series.points.length === 0) return;
    const stroke = this.color(series);
    if (series.kind !== "points" && series.points.length > 1) {
      const attributes: { [key: string]: string | number } = { d: this.path_of(series), fill: "none", stroke, "stroke-width": series.kind === "plain" ? 1.5 : 2 };
      const dash = dashes(series, this.place(series));
      if (dash) attributes["stroke-dasharray"] = dash;
      this.out += tag("path", attributes);
    }
    if (series.kind === "plain") return;
    for (const p of series.points) this.dot(this.x(p[0]), this.y(p[1]), series, p);
  }

  private is_area(series: Series): boolean {
    return this.figure.stacked && series.kind === "line";
  }

  // Areas stand on one another; all have the same places along x.
  private areas(): void {
    let below: number[] = [];
    for (const series of this.figure.series) {
      if (!this.is_area(series)) continue;
      const tops = series.points.map((p, i) => (below[i] ?? 0) + p[1]), place = this.place(series), most = series.points.reduce((a, p) => Math.max(a, p[1]), 0);
      const at = (i: number, y: number) => round(this.x(series.points[i]![0])) + " " + round(this.y(y));
      const path = "M" + tops.map((y, i) => at(i, y)).join("L") + "L" + tops.map((_, i) => at(tops.length - 1 - i, below[tops.length - 1 - i] ?? 0)).join("L") + "Z";
      this.out += tag("path", { d: path, fill: this.fills.of(place), stroke: this.theme.background, "stroke-width": 0.4 },
        tag("title", {}, escaped(`${series.name}: ${significant(most)} ${this.figure.y.name} at most`)));
      below = tops;
    }
  }

  // What was published is an outline around what is predicted.
  private spans(series: Series): void {
    const high = series.hollow ? 0.72 : 0.5;
    for (const [, place, from, to] of series.points) {
      const left = this.x(from), top = this.y(place + high / 2), color = series.hollow ? this.theme.text : this.color(series);
      this.out += tag("rect", {
        x: round(left), y: round(top), width: round(Math.max(1, this.x(to) - left)), height: round(this.y(place - high / 2) - top),
        fill: series.hollow ? "none" : color, stroke: color, "stroke-width": series.hollow ? 1.4 : 0.5, "pointer-events": "all",
      }, tag("title", {}, escaped(`${this.figure.y.names[place]}, ${series.name}: ${significant(from)} to ${significant(to)}`)));
    }
  }

  private dot(x: number, y: number, series: Series, p: FigurePoint | null): void {
    const open = series.hollow || series.kind === "steps", stroke = this.color(series);
    const what = (series.name ? series.name + ": " : "") + (p ? shortest(p[0]) + ", " + significant(p[1]) : "");
    this.out += tag("circle", {
      cx: round(x), cy: round(y), r: open ? 4 : 3.5, fill: open ? this.theme.background : stroke, stroke, "stroke-width": open ? 1.8 : 1,
    }, p ? tag("title", {}, escaped(what)) : "");
  }

  private bars(): void {
    const series: Series[] = [];
    for (const one of this.figure.series) if (one.kind === "bars") series.push(one);
    if (series.length === 0) return;
    const group = 0.8, stacked = this.figure.stacked, each = group / (stacked ? 1 : series.length);
    const ends: { [place: string]: number } = {}; // where the bars so far end, above zero and below it
    for (let i = 0; i < series.length; ++i) {
      const one = series[i]!;
      for (const p of one.points) {
        const side = (p[1] < 0 ? "-" : "+") + p[0], base = stacked ? ends[side] || 0 : Math.max(0, this.figure.y.low);
        const left = p[0] - group / 2 + (stacked ? 0 : i * each);
        const x = this.x(left) + 1, w = Math.max(1, this.x(left + each) - this.x(left) - 2);
        const top = this.y(base + p[1] - (stacked ? 0 : base)), bottom = this.y(base);
        if (stacked) ends[side] = base + p[1];
        const where = this.figure.x.names[p[0]], place = this.bar_place(one, where);
        this.out += tag("rect", {
          x: round(x), y: round(Math.min(top, bottom)), width: round(w), height: round(Math.abs(bottom - top)),
          fill: one.hollow ? this.theme.background : this.fills.of(place), stroke: series_color(this.theme, place), "stroke-width": one.hollow ? 1.6 : 0.5,
        }, tag("title", {}, escaped([where, one.name].filter((part) => part).join(", ") + ": " + significant(p[1]))));
        if (p[2] < p[3]) this.whisker(x + w / 2, p[2], p[3], this.theme.text);
      }
    }
  }

  private cells(): void {
    // As many decimals as the largest value needs, so that values can be read against each other.
    const largest = this.figure.cells.reduce((most, cell) => Math.max(most, Math.abs(cell[2])), 0), decimals = Math.max(0, 3 - Math.floor(Math.log10(largest || 1) + 1e-9));
    const { figure } = this, w = (this.x(1) - this.x(0)) * 0.98, h = (this.y(0) - this.y(1)) * 0.98;
    for (const cell of figure.cells) {
      const part = share(figure.color, cell[2]), x = this.x(cell[0]), y = this.y(cell[1]);
      const what = figure.x.names[cell[0]] + ", " + figure.y.names[cell[1]] + ": " + significant(cell[2]);
      this.out += tag("rect", {
        x: round(x - w / 2), y: round(y - h / 2), width: round(w), height: round(h), fill: viridisAt(part),
      }, tag("title", {}, escaped(what)));
      const text = cell[2].toFixed(decimals);
      // Black is read better than white on the brighter half of the colours.
      if (width_of(text) + 4 < w && h > 12)
        this.text(x, y + 4, text, { "text-anchor": "middle", "pointer-events": "none", fill: part > 0.5 ? "#000" : "#fff" });
    }
  }

  private coloured(): boolean {
    return this.figure.cells.length > 0 || this.figure.links.length > 0;
  }

  // What is used most lies above the others.
  private links(): void {
    for (const link of [...this.figure.links].sort((a, b) => a.value - b.value))
      this.out += tag("line", {
        x1: round(this.x(link.from[0])), y1: round(this.y(link.from[1])), x2: round(this.x(link.to[0])), y2: round(this.y(link.to[1])),
        stroke: viridisAt(share(this.figure.color, link.value)), "stroke-width": this.figure.links.length > 200 ? 1.2 : 2.2,
      }, tag("title", {}, escaped(link.name + ": " + significant(link.value))));
  }

  private color_bar(x: number, top: number, bottom: number): void {
    const { color } = this.figure, steps = 40;
    for (let i = 0; i < steps; ++i)
      this.out += tag("rect", {
        x: round(x), y: round(bottom - ((i + 1) / steps) * (bottom - top)), width: 12,
        height: round((bottom - top) / steps + 0.6), fill: viridisAt((i + 0.5) / steps),
      });
    for (const tick of ticks(color, 5)) {
      const at = share(color, tick.at);
      if (at >= -0.001 && at <= 1.001) this.text(x + 16, bottom - at * (bottom - top) + 4, tick.text, { "font-size": 11 });
    }
  }

  // Returns the rows of legend entries below the plot.
  private below_rows(): Entry[][] {
    const rows: Entry[][] = [];
    let left = this.width;
    for (const entry of this.entries) {
      const needs = width_of(entry.text) + 40;
      if (rows.length === 0 || needs > left) {
        rows.push([]);
        left = this.width - 24;
      }
      rows[rows.length - 1]!.push(entry);
      left -= needs;
    }
    return rows;
  }

  private entry(entry: Entry, x: number, y: number): void {
    const series = entry.series;
    if (!series) {
      this.text(x, y + 4, entry.text, { fill: this.theme.muted });
      return;
    }
    const stroke = series.kind === "spans" && series.hollow ? this.theme.text : this.color(series);
    if (series.kind === "bars" || series.kind === "spans" || this.is_area(series)) {
      this.out += tag("rect", {
        x: round(x), y: round(y - 5), width: 16, height: 10, fill: series.hollow ? this.theme.background : this.fills.of(this.place(series)), stroke,
      });
    } else {
      const more: { [key: string]: string | number } = { "stroke-width": 2 };
      const dash = dashes(series, this.place(series));
      if (dash) more["stroke-dasharray"] = dash;
      if (series.kind !== "points") this.line(x, y, x + 18, y, stroke, more);
      if (series.kind !== "plain") this.dot(x + 9, y, series, null);
    }
    this.text(x + 24, y + 4, entry.text);
  }

  private legend(): void {
    if (this.beside) {
      const x = this.width - this.legend_width - 4;
      for (let i = 0; i < this.entries.length; ++i) this.entry(this.entries[i]!, x, this.box.top + 8 + 18 * i);
      return;
    }
    const rows = this.below_rows();
    for (let i = 0; i < rows.length; ++i) {
      let x = 12;
      for (const entry of rows[i]!) {
        this.entry(entry, x, this.height - 10 - 17 * (rows.length - 1 - i));
        x += width_of(entry.text) + 40;
      }
    }
  }
}

export function draw(figure: Figure, width: number, height: number, theme: Theme): string {
  return new Drawing(figure, width, height, theme).draw();
}
