// Draws a place of the palette as SVG, CSS or canvas: its colour, with the hatching that it may have.
import { Hatch, Theme, hatch_of, series_color } from "./palette.js";

const apart = 6; // pixels between lines of a hatching

// Returns the lines of one tile of a hatching, as SVG.
function lines(hatch: Hatch, color: string): string {
  const a = apart;
  if (hatch === "dots") return `<circle cx="${a / 2}" cy="${a / 2}" r="1.3" fill="${color}"/>`;
  const path = hatch === "upright" ? `M${a / 2} 0V${a}` : `M-1 1L1 -1M0 ${a}L${a} 0M${a - 1} ${a + 1}L${a + 1} ${a - 1}`;
  return `<path d="${path}" stroke="${color}" stroke-width="1.5" fill="none"/>`;
}

let drawings = 0;

// The fills of one SVG. Hatched ones refer to patterns, which `defs` defines.
export class SvgFills {
  private readonly prefix = `ink-${drawings++}-`;
  private hatched = new Set<number>();

  constructor(private readonly theme: Theme) {}

  of(color: number): string {
    if (!hatch_of(color)) return series_color(this.theme, color);
    this.hatched.add(color);
    return `url(#${this.prefix}${color})`;
  }
  defs(): string {
    const pattern = (color: number) => `<pattern id="${this.prefix}${color}" width="${apart}" height="${apart}" patternUnits="userSpaceOnUse">` +
      `<rect width="${apart}" height="${apart}" fill="${series_color(this.theme, color)}"/>${lines(hatch_of(color), this.theme.background)}</pattern>`;
    return this.hatched.size === 0 ? "" : `<defs>${[...this.hatched].map(pattern).join("")}</defs>`;
  }
}

export function css_fill(theme: Theme, color: number): string {
  const base = series_color(theme, color), line = theme.background;
  switch (hatch_of(color)) {
    case "diagonal": return `repeating-linear-gradient(-45deg, ${base} 0 3px, ${line} 3px 4.3px)`;
    case "upright": return `repeating-linear-gradient(90deg, ${base} 0 4px, ${line} 4px 5.5px)`;
    case "dots": return `radial-gradient(circle at center, ${line} 1.2px, transparent 1.6px) 0 0 / 6px 6px, ${base}`;
    default: return base;
  }
}

const tiles = new Map<string, OffscreenCanvas>();

export function canvas_fill(context: CanvasRenderingContext2D, theme: Theme, color: number): string | CanvasPattern {
  const base = series_color(theme, color), hatch = hatch_of(color);
  if (!hatch) return base;
  const key = `${color} ${theme.background}`;
  let tile = tiles.get(key);
  if (!tile) {
    tile = new OffscreenCanvas(apart, apart);
    const on = tile.getContext("2d")!;
    on.fillStyle = base;
    on.fillRect(0, 0, apart, apart);
    on.strokeStyle = on.fillStyle = theme.background;
    on.lineWidth = 1.4;
    on.beginPath();
    if (hatch === "dots") {
      on.arc(apart / 2, apart / 2, 1.3, 0, 7);
      on.fill();
    } else if (hatch === "upright") {
      on.moveTo(apart / 2, 0);
      on.lineTo(apart / 2, apart);
    } else {
      for (const shift of [-apart, 0, apart]) {
        on.moveTo(shift, apart);
        on.lineTo(shift + apart, 0);
      }
    }
    on.stroke();
    tiles.set(key, tile);
  }
  return context.createPattern(tile, "repeat") ?? base;
}
