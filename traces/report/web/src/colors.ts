// Colours of operators: those that their figures have too.
import { mixed, series_color } from "./palette.js";
import { theme } from "./theme.js";

export function operator_color(op: number): string {
  return series_color(theme(), op);
}

// As a pixel of ImageData, on machines that store the lowest byte first, as all that run browsers do.
export function pixel(color: string, faded = 0): number {
  const c = faded ? mixed(color, theme().background, faded) : color;
  const r = parseInt(c.slice(1, 3), 16), g = parseInt(c.slice(3, 5), 16), b = parseInt(c.slice(5, 7), 16);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
