// The theme is what the system says until the reader chooses another. Print is always light.
import { dark, light, Theme } from "./palette.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen: "light" | "dark" | null = null;
let printing = false;

export function is_dark(): boolean {
  if (printing) return false;
  return chosen ? chosen === "dark" : system.matches;
}

export function theme(): Theme {
  return is_dark() ? dark : light;
}

function changed(): void {
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function on_theme(listener: () => void): void {
  listeners.push(listener);
}

export function toggle_theme(): void {
  chosen = is_dark() ? "light" : "dark";
  changed();
}

export function start_theme(): void {
  system.addEventListener("change", changed);
  addEventListener("beforeprint", () => {
    printing = true;
    changed();
  });
  addEventListener("afterprint", () => {
    printing = false;
    changed();
  });
  changed();
}
