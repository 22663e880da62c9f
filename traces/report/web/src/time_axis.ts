// Holds the visible stretch of time for all views that share it.
export class TimeAxis {
  from = 0;
  to: number;
  private listeners: (() => void)[] = [];

  // `shortest` is the shortest visible stretch; a nanosecond without it.
  constructor(readonly end: number, private shortest = 1000) {
    this.to = end;
  }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(from: number, to: number): void {
    const least = Math.min(this.end, this.shortest);
    const span = Math.min(this.end, Math.max(least, to - from));
    this.from = Math.max(0, Math.min(this.end - span, from));
    this.to = this.from + span;
    for (const listener of this.listeners) listener();
  }

  // Zooms and keeps the time `at` in its place.
  zoom(at: number, factor: number): void {
    this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(by: number): void {
    const span = this.to - this.from;
    const from = Math.max(0, Math.min(this.end - span, this.from + by));
    this.set(from, from + span);
  }

  reset(): void {
    this.set(0, this.end);
  }
}

// Formats picoseconds with as many digits as a stretch of `span` needs.
export function time_text(ps: number, span = ps): string {
  if (span >= 1e12) return `${(ps / 1e12).toFixed(3)} s`;
  if (span >= 1e9) return `${(ps / 1e9).toFixed(span >= 1e10 ? 2 : 3)} ms`;
  if (span >= 1e6) return `${(ps / 1e6).toFixed(2)} µs`;
  return `${(ps / 1e3).toFixed(1)} ns`;
}

// Formats a point in time with enough digits to tell the ends of something this long apart.
export function timestamp_text(ps: number, length: number): string {
  const decimals = Math.min(7, Math.max(3, Math.ceil(Math.log10(1e11 / Math.max(1, length)))));
  return `${(ps / 1e9).toFixed(decimals)} ms`;
}

export interface Ticks {
  base: string; // time to which the labels are offsets; if empty, labels are whole times
  list: { at: number; text: string }[];
}

const units: [string, number][] = [["s", 1e12], ["ms", 1e9], ["µs", 1e6], ["ns", 1e3], ["ps", 1]];

// Labels of a span that is short against its start are offsets to a round time: "5.2 ms", "+61.8 µs".
export function ticks_of(from: number, to: number, most: number): Ticks {
  const span = to - from, rough = span / most, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * decade).find((s) => s >= rough)!;
  const round = 10 ** Math.ceil(Math.log10(span)), base = span * 8 < from ? Math.floor(from / round) * round : 0;
  const [unit, size] = units.find(([, size]) => (base > 0 ? to - base : to) >= size) ?? units.at(-1)!;
  const decimals = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)), list = [];
  for (let i = Math.ceil((from - base) / step - 1e-9); base + i * step <= to; ++i)
    list.push({ at: base + i * step, text: `${base > 0 ? "+" : ""}${((i * step) / size).toFixed(decimals)} ${unit}` });
  return { base: base > 0 ? `${(base / 1e9).toFixed(Math.max(0, 9 - Math.round(Math.log10(round))))} ms` : "", list };
}
