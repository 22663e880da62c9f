// A window that says what keys and pointer do, opened by a button or by '?'.
import { button, el } from "./dom.js";

export type Keys = [keys: string, what: string][];

export function help_button(title: string, keys: Keys): HTMLButtonElement {
  const list = el("dl", {}), window_of = el("dialog", { class: "help", "aria-label": title }) as HTMLDialogElement;
  for (const [names, what] of keys) list.append(el("dt", {}, ...names.split(" ").map((name) => (/^(and|or|with|a|on)$/.test(name) ? ` ${name} ` : el("kbd", {}, name)))), el("dd", {}, what));
  const close = button("close", "Esc closes it, too", () => window_of.close());
  window_of.append(el("h2", {}, title), list, close);
  window_of.addEventListener("click", (event) => event.target === window_of && window_of.close());
  const open = button("?", "keys and pointer", () => window_of.showModal());
  open.classList.add("ask");
  open.append(window_of);
  window_of.addEventListener("click", (event) => event.stopPropagation());
  window_of.addEventListener("keydown", (event) => event.stopPropagation());
  return open;
}

// Opens the first help of the page. Returns whether there is one.
export function open_help(): boolean {
  const found = document.querySelector<HTMLDialogElement>("dialog.help");
  if (found && !found.open) found.showModal();
  return found !== null;
}
