// Shows figures in the page, drawn at the available width, and draws them again when the width or the theme changes.
import { button, save, svg_element } from "./dom.js";
import { draw, Figure } from "./drawing.js";
import { light } from "./palette.js";
import { on_theme, theme } from "./theme.js";
import { el } from "./dom.js";

export class FigureView {
  readonly element = el("figure");
  private place = el("div", { class: "drawing" });

  constructor(private figure: Figure, private height = 380) {
    const saver = button("SVG", "save this figure as SVG", () =>
      save("figure.svg", "image/svg+xml", draw(this.figure, 760, 460, light)));
    saver.className = "copy";
    this.element.append(this.place, saver);
    new ResizeObserver(() => this.redraw()).observe(this.element);
    on_theme(() => this.redraw());
  }

  show(figure: Figure): void {
    this.figure = figure;
    this.redraw();
  }

  redraw(): void {
    const width = Math.max(300, Math.min(1000, Math.floor(this.element.clientWidth)));
    if (this.element.clientWidth === 0) return;
    this.place.replaceChildren(svg_element(draw(this.figure, width, this.height, theme())));
  }
}
