// Axes of figures say where values lie and which places get labels.

export interface Axis {
  name: string;
  log: boolean;
  truncated: boolean; // the axis is linear and does not begin at zero, as all values lie far above zero
  low: number;
  high: number;
  places: number[]; // values that get labels; if empty, round numbers do
  names: string[];
}

// Formats a number with at least four significant digits; whole digits are all kept.
export function significant(value: number): string {
  if (value === 0 || !isFinite(value)) return String(value);
  const digits = Math.floor(Math.log(Math.abs(value)) / Math.LN10 + 1e-9);
  return digits >= 15 || digits < -6 ? value.toPrecision(4) : value.toFixed(Math.max(0, 3 - digits));
}

export function shortest(value: number): string {
  return String(Number(value.toPrecision(6)));
}

// Returns where a value lies along an axis: 0 is its low end, 1 its high end.
export function share(axis: Axis, value: number): number {
  return axis.log
    ? Math.log(value / axis.low) / Math.log(axis.high / axis.low)
    : (value - axis.low) / (axis.high - axis.low);
}

function roundPlaces(axis: Axis, most: number): number[] {
  const places: number[] = [];
  if (axis.log) {
    // Powers of two beyond this have labels that nobody knows by heart.
    const base = axis.high / axis.low > 4096 ? 10 : 2;
    const first = Math.ceil(Math.log(axis.low) / Math.log(base) - 1e-9);
    const last = Math.floor(Math.log(axis.high) / Math.log(base) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let power = first; power <= last; power += step) places.push(Math.pow(base, power));
    return places;
  }
  const rough = (axis.high - axis.low) / most, decade = Math.pow(10, Math.floor(Math.log(rough) / Math.LN10));
  let step = decade * 10;
  for (const factor of [1, 2, 5]) {
    if (factor * decade >= rough) {
      step = factor * decade;
      break;
    }
  }
  const first = Math.ceil(axis.low / step - 1e-9), count = Math.floor(axis.high / step + 1e-9) - first;
  for (let i = 0; i <= Math.min(count, 100); ++i) places.push((first + i) * step);
  return places;
}

export interface Tick { at: number; text: string }

const longest_name = 40; // characters of a label; if any label is longer, places are numbered

export function ticks(axis: Axis, most: number): Tick[] {
  const list: Tick[] = [];
  if (axis.places.length > 0) {
    let longest = 0;
    for (const name of axis.names) longest = Math.max(longest, name.length);
    const numbered = longest > longest_name || axis.places.length > 30, counted = axis.names.every((name, i) => name === String(i + 1));
    const every = numbered || counted ? Math.ceil(axis.places.length / (2.5 * most)) : 1;
    for (let i = 0; i < axis.places.length; i += every)
      list.push({ at: axis.places[i]!, text: numbered ? String(i + 1) : axis.names[i]! });
    return list;
  }
  for (const at of roundPlaces(axis, most)) list.push({ at, text: shortest(at) });
  return list;
}
