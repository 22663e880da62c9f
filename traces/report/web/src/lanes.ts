// Which lanes a timeline shows, and where: those of pinned ranks stay at the top, the others scroll below them.
import { alike_ranks } from "./alike.js";
import type { Tasks } from "./tasks.js";

const most_pinned = 0.7; // part of the height that pinned lanes may take

export const one_of_each = -2;

export interface Shown {
  rank: number; // the only rank to show beside pinned ones; -1: all; one_of_each: the slowest of those that are alike, unless something is searched for
  unfolded: Set<number>; // slowest ranks whose like are shown
  kinds: string;
  row: number; // height of a lane in pixels; 0: as fits
  most_height: number; // largest height of a timeline, pixels
  path: boolean;
  words: string; // what is searched for
  pinned: Set<number>; // ranks
}

export class Lanes {
  private pinned: number[] = [];
  private rest: number[] = [];
  private place_of = new Map<number, number>(); // position of each lane in the list of all shown
  private scroll = 0;
  private height = 0; // height of the area below the axis
  private wanted_row = 0;
  private most_height: number;

  readonly groups: number[][]; // of ranks that do alike, each with its slowest first

  // Lanes begin at the height `top`.
  constructor(private readonly tasks: Tasks, readonly top: number) {
    this.groups = alike_ranks(tasks);
    this.most_height = top;
  }

  // Returns the group whose slowest rank this is, if others are alike.
  group_of(rank: number): number[] | null {
    return this.groups.find((group) => group[0] === rank && group.length > 1) ?? null;
  }
  get any_alike(): boolean {
    return this.groups.some((group) => group.length > 1);
  }

  choose(shown: Shown): void {
    const { pass, workers } = this.tasks, pinned: number[] = [], rest: number[] = [];
    const folded = new Set(shown.rank === one_of_each && !shown.words ? this.groups.filter((group) => !shown.unfolded.has(group[0]!)).flatMap((group) => group.slice(1)) : []);
    for (let rank = 0; rank < pass.ranks; ++rank) {
      if (!shown.pinned.has(rank) && ((shown.rank >= 0 && rank !== shown.rank) || folded.has(rank))) continue;
      for (let w = 0; w < workers; ++w)
        if (shown.kinds === "all" || this.tasks.of_kind(w).kind.name === shown.kinds) (shown.pinned.has(rank) ? pinned : rest).push(rank * workers + w);
    }
    this.wanted_row = shown.row;
    this.most_height = shown.most_height;
    this.scroll = 0;
    const all = [...pinned, ...rest];
    this.place_of = new Map(all.map((lane, i) => [lane, i]));
    // Pinned lanes that would hide all others scroll with them.
    const stay = rest.length === 0 ? 0 : Math.min(pinned.length, Math.floor((most_pinned * (this.most_height - this.top)) / this.row_for(all.length)));
    this.pinned = all.slice(0, stay);
    this.rest = all.slice(stay);
  }

  get all(): number[] {
    return [...this.pinned, ...this.rest];
  }
  get count(): number {
    return this.pinned.length + this.rest.length;
  }
  get row(): number {
    return this.row_for(this.count);
  }

  // Returns a lane's height. It is a whole number of device pixels, so that the painted bars lie where clicks expect them.
  private row_for(count: number): number {
    const ratio = devicePixelRatio || 1;
    const wanted = this.wanted_row > 0 ? this.wanted_row : Math.max(1, Math.min(14, Math.floor((this.most_height - this.top) / count)));
    return Math.max(1, Math.floor(wanted * ratio)) / ratio;
  }

  get wanted_height(): number {
    return Math.min(this.most_height, this.top + this.count * this.row);
  }
  set_height(height: number): void {
    this.height = height - this.top;
    this.scroll_by(0);
  }

  get pinned_height(): number {
    return this.pinned.length * this.row;
  }

  // Scrolls the lanes. Returns whether anything moved.
  scroll_by(by: number): boolean {
    const before = this.scroll, most = Math.max(0, this.count * this.row - this.height);
    this.scroll = Math.max(0, Math.min(most, Math.round(this.scroll + by)));
    return this.scroll !== before;
  }
  reveal(lane: number): void {
    const place = this.place_of.get(lane);
    if (place === undefined || place < this.pinned.length) return;
    const y = place * this.row - this.scroll;
    if (y < this.pinned_height || y + this.row > this.height) this.scroll_by(y - (this.pinned_height + this.height) / 2);
  }

  has(lane: number): boolean {
    return this.place_of.has(lane);
  }
  // Returns the middle of a lane, or null if the lane is not shown or lies behind pinned ones.
  y(lane: number): number | null {
    const place = this.place_of.get(lane);
    if (place === undefined) return null;
    const middle = (place + 0.5) * this.row;
    if (place < this.pinned.length) return this.top + middle;
    return middle - this.scroll < this.pinned_height ? null : this.top + middle - this.scroll;
  }
  at(y: number): number | undefined {
    const place = this.place_at(y);
    return place === undefined ? undefined : place < this.pinned.length ? this.pinned[place] : this.rest[place - this.pinned.length];
  }
  private place_at(y: number): number | undefined {
    const below = y - this.top;
    if (below < 0) return undefined;
    const place = Math.floor((below < this.pinned_height ? below : below + this.scroll) / this.row);
    return place < this.count ? place : undefined;
  }
  // Returns the lanes between two heights, as far as there are any.
  between(y0: number, y1: number): number[] {
    const first = this.place_at(Math.max(this.top, Math.min(y0, y1))), last = this.place_at(Math.max(y0, y1)) ?? this.count - 1;
    return first === undefined ? [] : this.all.slice(first, last + 1);
  }
  // Returns the visible lanes from the top, each with its upper edge.
  seen(): { lane: number; y: number }[] {
    const { row } = this, list = this.pinned.map((lane, i) => ({ lane, y: this.top + i * row })), first = Math.floor((this.scroll + this.pinned_height) / row);
    for (let place = Math.max(this.pinned.length, first); place < this.count; ++place) {
      const y = this.top + place * row - this.scroll;
      if (y > this.top + this.height) break;
      list.push({ lane: this.rest[place - this.pinned.length]!, y });
    }
    return list;
  }

  // Returns what to paint, in device pixels: pinned lanes, and those that scroll below them.
  bands(ratio: number): { lanes: number[]; top: number; from: number }[] {
    const high = Math.round(this.row * ratio) * this.pinned.length;
    const scrolled = { lanes: this.rest, top: high - Math.round(this.scroll * ratio), from: high };
    return high > 0 ? [{ lanes: this.pinned, top: 0, from: 0 }, scrolled] : [scrolled];
  }
}
