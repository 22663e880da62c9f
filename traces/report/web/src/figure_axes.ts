// Chooses axes for given values.
import type { Axis } from "./axes.js";

const log_span = 8, padding = 0.04;

// Returns whether there are three or more values, each a power of two times the least, as sizes and numbers of ranks often are.
function are_doublings(values: number[]): boolean {
  const sorted = [...new Set(values)].sort((a, b) => a - b), least = sorted[0]!;
  return sorted.length >= 3 && least > 0 && sorted.every((value) => Number.isInteger(Math.log2(value / least)));
}

// Returns a logarithmic axis if all values are positive and span a factor of eight or more, or are doublings. Other axes
// begin at zero if that is near; else they are marked as truncated.
export function values_axis(name: string, values: number[]): Axis {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low > 0 && (high / low >= log_span || are_doublings(values))) {
    const room = (high / low) ** padding;
    return { name, log: true, truncated: false, low: low / room, high: high * room, places: [], names: [] };
  }
  // Values that differ by their last digits alone are one.
  const size = Math.max(Math.abs(low), Math.abs(high)), span = high - low > 1e-9 * size ? high - low : Math.max(1e-12, size / 5);
  const truncated = low > 0 && low >= high / 2;
  return { name: truncated ? `${name}; does not begin at 0` : name, log: false, truncated, low: low >= 0 && !truncated ? 0 : low - padding * span, high: high + padding * span, places: [], names: [] };
}

// A place for each name: 0, 1, 2, …
export function names_axis(name: string, names: string[]): Axis {
  return { name, log: false, truncated: false, low: -0.5, high: names.length - 0.5, places: names.map((_, i) => i), names };
}

export const no_axis: Axis = { name: "", log: false, truncated: false, low: 0, high: 1, places: [], names: [] };
