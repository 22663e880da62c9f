// Colours of figures and timelines, light and dark.

export interface Theme {
  text: string;
  muted: string;
  grid: string;
  frame: string;
  background: string;
  flag: string; // what costs time: findings, slow steps and links, exposed exchange; no series has it
  palette: string[];
}

// Colours that colour-blind readers tell apart (Okabe and Ito, "Color Universal Design", 2008).
// The last colour is the text's; it draws what is no series, such as roofs and fronts.
const okabeIto = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800", "#000000"];
export const light: Theme = {
  text: "#1b1f24", muted: "#5f6873", grid: "#e6e8eb", frame: "#8a929c", background: "#ffffff", flag: "#b00020", palette: okabeIto,
};
export const dark: Theme = {
  text: "#e7eaee", muted: "#a2abb6", grid: "#333a43", frame: "#6d7680", background: "#14181d", flag: "#ff7a85",
  palette: ["#4aa8e0", "#f0803c", "#35c79c", "#e3a3c6", "#f0b93a", "#8fd0f5", "#d8cc3c", "#e7eaee"],
};

// Viridis (Smith and van der Walt, matplotlib, CC0) at ninths.
const viridis = ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"];

export function viridisAt(share: number): string {
  const at = Math.max(0, Math.min(1, share)) * 8, low = Math.min(7, Math.floor(at)), part = at - low;
  return mixed(viridis[low]!, viridis[low + 1]!, part);
}

// Returns a colour between two: `part` is the way from the first to the second.
export function mixed(from: string, to: string, part: number): string {
  let text = "#";
  for (let i = 1; i < 7; i += 2) {
    const a = parseInt(from.slice(i, i + 2), 16), b = parseInt(to.slice(i, i + 2), 16);
    text += Math.round(a + (b - a) * part).toString(16).padStart(2, "0");
  }
  return text;
}

// The palette's places are seven hues, the same hues paler and darker, the text's colour and two greys.
export const hues = 7, places = 3 * hues;
export const text_color = 1000, grey = 1001, faint_grey = 1002;

// Inks: tones from the text's colour to the background's, plain or hatched. They are for what has no hue of its own: causes,
// states, quantities over time, blocks of a pipeline.
export const tones = 8;
const first_ink = 2000;
export const hatches = ["", "diagonal", "dots", "upright"] as const;
export type Hatch = (typeof hatches)[number];
export const ink = (tone: number, hatch: Hatch = "") => first_ink + tone + tones * hatches.indexOf(hatch);

export function hatch_of(color: number): Hatch {
  return color < first_ink ? "" : hatches[Math.floor((color - first_ink) / tones)] ?? "";
}

export function series_color(theme: Theme, color: number): string {
  if (color >= first_ink) return mixed(theme.text, theme.background, 0.08 + 0.76 * ((color - first_ink) % tones) / (tones - 1));
  if (color === text_color) return theme.palette[hues]!;
  if (color === grey) return mixed(theme.frame, theme.background, 0.5);
  if (color === faint_grey) return mixed(theme.frame, theme.background, 0.8);
  const base = theme.palette[color % hues]!, shade = Math.floor(color / hues) % 3;
  return shade === 0 ? base : mixed(base, shade === 1 ? theme.background : theme.text, 0.45);
}

// Returns black or white, whichever is easier to read on a colour, by its relative luminance (WCAG 2).
export function ink_on(color: string): string {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(color.slice(i, i + 2), 16) / 255) ** 2.2) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

// Returns the colour as a pixel of ImageData. Assumes a little-endian machine, as all that run browsers are.
export function pixel(color: string, background: string, faded = 0): number {
  const c = faded ? mixed(color, background, faded) : color;
  const r = parseInt(c.slice(1, 3), 16), g = parseInt(c.slice(3, 5), 16), b = parseInt(c.slice(5, 7), 16);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// Returns a colour for a distance from the usual value, as part of the farthest: grey if less, red if more.
export function beside_usual(t: Theme, part: number): string {
  const far = Math.min(1, Math.abs(part));
  return mixed(mixed(t.grid, t.background, 0.35), part < 0 ? series_color(t, ink(2)) : t.flag, far);
}
