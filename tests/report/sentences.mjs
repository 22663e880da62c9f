// Holds what a page says against what it shows: each number with a unit in a sentence stands in a table or card of the page,
// digit for digit, or is the change or ratio of two numbers that the sentence itself names.

const number = /(?<![A-Za-z0-9_.])\d+(?:\.\d+)?(?![A-Za-z0-9_])/g;
const with_unit = /(?<![A-Za-z0-9_.])(\d+(?:\.\d+)?)(?: (%|ms|us|µs|s|GB\/s|GB|MB|GiB|MiB)(?![A-Za-z]))/g;

// Of rules that sentences state themselves: by how much a part is better, from which share on it is named, what counts as
// nothing in a search, and which part of random runs an interval has.
const stated = new Set(["0.1", "0.5", "1", "10", "95", "100"]);

// Returns the sentences of a page, and what it shows, folded parts included.
export function read(page) {
  return page.evaluate(() => {
    const text = (element) => element.textContent.trim(), all = (root, css) => Array.from(root.querySelectorAll(css));
    const tables = all(document, "table").map((table) => Array.from(table.rows, (row) => Array.from(row.children, text)));
    const cards = all(document, ".cards").map((list) => all(list, ".value, .note").map(text));
    const findings = all(document, ".finding").map((finding) => ({ said: text(finding.querySelector("p")), evidence: all(finding, "li").map(text) }));
    const sentences = all(document, "section p").filter((p) => !p.closest(".finding")).map(text);
    return { sentences: sentences.filter((sentence) => sentence !== ""), tables, cards, findings, configuration: all(document, ".code pre").map(text).join("\n") };
  });
}

const digits = (text) => (text.includes(".") ? text.length - text.indexOf(".") - 1 : 0);
const near = (text, value) => Math.abs(value - Number(text)) <= 0.51 * 10 ** -digits(text) + 0.001 * Math.abs(value);
const changes_to = (values, text) => values.some((a) => values.some((b) => a !== b && b !== 0 && (near(text, 100 * Math.abs(a / b - 1)) || near(text, (100 * a) / b))));

// What every rank sends every other, from the tables of operators.
function sent_to_each({ tables }, ranks) {
  return tables.filter((rows) => rows[0].includes("sent MB")).map((rows) => {
    const column = rows[0].indexOf("sent MB");
    return rows.slice(1).reduce((sum, row) => sum + Number(row[column]), 0) / ranks / (ranks - 1);
  });
}

// Returns the numbers that nothing shows, each with its sentence. `ranks` are those of the page's runs.
export function contradictions(shown, ranks) {
  const { sentences, tables, cards, findings, configuration } = shown, told = new Set();
  for (const text of [...tables.flat(2), ...cards.flat(), ...findings.flatMap(({ evidence }) => evidence)]) for (const found of text.match(number) ?? []) told.add(found);
  // A finding's loss is its own; its share is of a time that the answer has.
  const times = [...(tables[0] ?? []).flat(), ...cards.flat()].flatMap((text) => text.match(number) ?? []).map(Number), wrong = [];
  for (const { said } of findings) {
    const [, ms, part] = /([\d.]+) ms[^(]*\(([\d.]+) %\)/.exec(said) ?? [];
    if (ms && !times.some((time) => near(part, (100 * Number(ms)) / time))) wrong.push(`${part} %: ${said}`);
  }
  const of_first = (sentence, text) => sentence.startsWith("First finding: ") && [findings[0].said, ...findings[0].evidence].some((line) => (line.match(number) ?? []).includes(text));
  for (const sentence of sentences) {
    const named = (sentence.match(number) ?? []).filter((text) => told.has(text)).map(Number);
    for (const [whole, text, unit] of sentence.matchAll(with_unit)) {
      // An assumed value is one of the configuration.
      const is_assumed = sentence.startsWith("The answer rests on values that are assumed") && configuration.includes(whole);
      const is_known = is_assumed || told.has(text) || stated.has(text) || (unit === "%" && changes_to(named, text)) || of_first(sentence, text) ||
        (sentence.startsWith("Every rank sends every other") && sent_to_each(shown, ranks).some((value) => near(text, value)));
      if (!is_known) wrong.push(`${whole}: ${sentence}`);
    }
  }
  return wrong;
}

// Returns which of the numbers in sentences, made larger by a fifth one at a time, nobody would notice.
export function unnoticed(shown, ranks) {
  const missed = [];
  shown.sentences.forEach((sentence, s) => {
    for (const found of sentence.matchAll(with_unit)) {
      const [, text] = found, wrong = (1.2 * Number(text)).toFixed(digits(text));
      if (stated.has(text) || stated.has(wrong) || wrong === text) continue;
      const sentences = shown.sentences.with(s, sentence.slice(0, found.index) + wrong + sentence.slice(found.index + text.length));
      missed.push({ text: `${wrong} for ${text}: ${sentence}`, seen: contradictions({ ...shown, sentences }, ranks).length > 0 });
    }
  });
  return missed;
}
