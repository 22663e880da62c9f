// Shows findings: each cause with its evidence and remedies, and with a flag above the timeline on which it is visible.
import { el } from "./dom.js";
import type { Evidence, Finding, FindingsSection } from "./model.js";
import type { TimeAxis } from "./time_axis.js";

// Shows a finding on its timeline: all of it, or the task that a piece of evidence names.
export type ShowFinding = (finding: Finding, evidence: Evidence | null) => void;

function link(text: string, title: string, action: () => void): HTMLElement {
  const element = el("button", { type: "button", class: "link", title }, text);
  element.addEventListener("click", action);
  return element;
}

function evidence_element(finding: Finding, evidence: Evidence, show: ShowFinding): HTMLElement {
  const place = !evidence.place ? null
    : evidence.task ? link(evidence.place, "this task on the timeline", () => show(finding, evidence))
    : el("span", { class: "note" }, evidence.place);
  return el("li", {}, evidence.text, place ? " " : null, place);
}

function list(name: string, items: HTMLElement[]): HTMLElement | null {
  return items.length > 0 ? el("div", {}, el("span", { class: "label" }, name), el("ul", {}, ...items)) : null;
}

function finding_element(finding: Finding, several: boolean, show: ShowFinding): HTMLElement {
  const words = (items: string[]) => items.map((text) => el("li", {}, text));
  const head = el("h3", {}, el("span", { class: finding.info ? "number info" : "number" }, String(finding.number)), finding.cause, finding.what ? el("span", { class: "what" }, `: ${finding.what}`) : null);
  const where = [several ? finding.run : "", finding.pass, finding.where].filter((part) => part !== "").join(", ");
  return el("article", { id: finding.id, class: finding.info ? "finding info" : "finding", tabindex: "-1" },
    head, el("p", {}, `${where}: ${finding.lost}${finding.info ? ", for information. " : ". "}`,
      link(finding.parts ? "on the map of steps" : "on the timeline", `show where ${finding.cause} is`, () => show(finding, null))),
    list("evidence", finding.evidence.map((item) => evidence_element(finding, item, show))),
    list("remedies", words(finding.remedies)), list("ruled out", words(finding.ruled_out)), list("missing", words(finding.missing)));
}

export function findings_section(section: FindingsSection, show: ShowFinding): HTMLElement {
  const several = new Set(section.findings.map((finding) => finding.run)).size > 1;
  const info = section.findings.filter((finding) => finding.info);
  const elements = (of: Finding[]) => of.map((finding) => finding_element(finding, several, show));
  const real = section.findings.filter((finding) => !finding.info);
  const element = el("section", { class: "findings" }, el("h2", {}, section.title),
    real.length > 0 ? null : el("p", {}, `Nothing was found that costs 1 % of a ${section.whole ?? "pass"}.`), ...elements(real));
  if (info.length > 0)
    element.append(el("details", {}, el("summary", {}, `For information: ${info.length}`), ...elements(info)));
  return element;
}

// Scrolls to a finding and opens the folds around it.
export function go_to_finding(finding: Finding): void {
  const element = document.getElementById(finding.id), hidden = element?.closest("details");
  if (hidden) hidden.open = true;
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}

// Draws the flags above a timeline: each is a bar from a finding's first time to its last, and links to the finding.
export class Flags {
  readonly element = el("div", { class: "flags" });
  private bars: { finding: Finding; bar: HTMLElement }[] = [];

  constructor(findings: Finding[], private time: TimeAxis, mark: (finding: Finding | null) => void, gutter: () => number) {
    findings.forEach((finding, row) => {
      const title = `${finding.cause}, ${finding.where}: ${finding.lost}`;
      const bar = el("a", { class: finding.info ? "flag info" : "flag", href: `#${finding.id}`, title }, `${finding.number} ${finding.cause}`);
      bar.style.top = `${row * 18}px`;
      bar.addEventListener("click", (event) => {
        event.preventDefault();
        mark(finding);
        go_to_finding(finding);
      });
      for (const [name, on] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]] as const)
        bar.addEventListener(name, () => mark(on ? finding : null));
      this.element.append(bar);
      this.bars.push({ finding, bar });
    });
    this.element.style.height = `${findings.length * 18}px`;
    time.on_change(() => this.place());
    // They stand above the timeline's bars, not above the names of its lanes.
    new ResizeObserver(() => (this.element.style.marginLeft = `${gutter()}px`)).observe(this.element);
    this.place();
  }

  private place(): void {
    const { from, to } = this.time, part = (time: number) => Math.max(0, Math.min(1, (time - from) / (to - from)));
    for (const { finding, bar } of this.bars) {
      const left = part(finding.from_ps), right = part(finding.to_ps);
      bar.hidden = finding.to_ps < from || finding.from_ps > to;
      bar.style.left = `${100 * left}%`;
      bar.style.width = `${100 * (right - left)}%`;
    }
  }
}
