// The stretch of time that is looked at: one for all that shares it.
export class TimeAxis {
  from = 0;
  to: number;
  private listeners: (() => void)[] = [];

  constructor(readonly end: number) {
    this.to = end;
  }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(from: number, to: number): void {
    const least = Math.min(this.end, 1000); // a nanosecond
    const span = Math.min(this.end, Math.max(least, to - from));
    this.from = Math.max(0, Math.min(this.end - span, from));
    this.to = this.from + span;
    for (const listener of this.listeners) listener();
  }

  // Keeps the date `at` in its place.
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

// Picoseconds for people, with digits that fit a stretch of `span`.
export function time_text(ps: number, span = ps): string {
  if (span >= 1e9) return `${(ps / 1e9).toFixed(span >= 1e10 ? 2 : 3)} ms`;
  if (span >= 1e6) return `${(ps / 1e6).toFixed(2)} µs`;
  return `${(ps / 1e3).toFixed(1)} ns`;
}

// A date that tells the ends of something this long apart.
export function date_text(ps: number, length: number): string {
  const decimals = Math.min(7, Math.max(3, Math.ceil(Math.log10(1e11 / Math.max(1, length)))));
  return `${(ps / 1e9).toFixed(decimals)} ms`;
}

export function round_dates(from: number, to: number, most: number): number[] {
  const rough = (to - from) / most, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * decade).find((s) => s >= rough)!;
  const dates: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) dates.push(i * step);
  return dates;
}
