// Elements are made of text nodes and attributes alone: nothing that a file says becomes HTML.

type Child = Node | string | null;

export function el(name: string, attributes: { [key: string]: string } = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function button(text: string, title: string, action: () => void): HTMLButtonElement {
  const element = el("button", { type: "button", title }, text) as HTMLButtonElement;
  element.addEventListener("click", action);
  return element;
}

export function choice(label: string, values: [string, string][], chosen: string, action: (value: string) => void): HTMLElement {
  const select = el("select", { "aria-label": label }) as HTMLSelectElement;
  for (const [value, text] of values) {
    const option = el("option", { value }, text) as HTMLOptionElement;
    option.selected = value === chosen;
    select.append(option);
  }
  select.addEventListener("change", () => action(select.value));
  return el("label", {}, label + " ", select);
}

// SVG text as an element, parsed as XML: scripts in it would not run, and there are none.
export function svg_element(text: string): Element {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(parsed, true);
}

export function save(name: string, type: string, text: string): void {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) }) as HTMLAnchorElement;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function copy(text: string, said: HTMLElement): Promise<void> {
  const before = said.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from disk may not be allowed to use the clipboard's interface.
    const area = el("textarea", {}) as HTMLTextAreaElement;
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  said.textContent = "copied";
  setTimeout(() => (said.textContent = before), 1200);
}
