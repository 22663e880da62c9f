// What `--svg` calls: the figure as JSON in, SVG text out.
import { draw, Figure } from "./drawing.js";
import { light } from "./palette.js";

export function figure_to_svg(json: string): string {
  return draw(JSON.parse(json) as Figure, 760, 460, light);
}
