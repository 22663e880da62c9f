// Colours of operators: the palette, then the same colours lighter and darker.
import { theme } from "./theme.js";

function mixed(color: string, with_color: string, part: number): string {
  let text = "#";
  for (let i = 1; i < 7; i += 2) {
    const a = parseInt(color.slice(i, i + 2), 16), b = parseInt(with_color.slice(i, i + 2), 16);
    text += Math.round(a + (b - a) * part).toString(16).padStart(2, "0");
  }
  return text;
}

export function operator_color(op: number): string {
  const { palette, text, background } = theme();
  const usable = palette.filter((_, i) => i !== 6); // near the text's colour
  const base = usable[op % usable.length]!, round = Math.floor(op / usable.length);
  if (round === 0) return base;
  return round % 2 === 1 ? mixed(base, background, 0.45) : mixed(base, text, 0.4);
}

// As a pixel of ImageData, on machines that store the lowest byte first, as all that run browsers do.
export function pixel(color: string, faded = 0): number {
  const c = faded ? mixed(color, theme().background, faded) : color;
  const r = parseInt(c.slice(1, 3), 16), g = parseInt(c.slice(3, 5), 16), b = parseInt(c.slice(5, 7), 16);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
