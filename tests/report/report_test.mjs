// The pages that `a3sim export --to html` and `reproduce` write, as a reader uses them.
import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { a3sim, close, open, root, scratch } from "./browser.mjs";

const at = (name) => join(scratch, name);
const pages = { static: at("static.html"), both: at("both.html"), sweep: at("sweep.html"), published: join(at("tables"), "report.html") };
let tasks = []; // of the forward pass, as the program wrote them

function csv(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [head[i], cell])));
}

before(() => {
  a3sim("run", "configs/experiments/ep4.yaml", "--trace", "-o", at("static"));
  a3sim("run", "configs/experiments/ep4.yaml", "--set", "experiment.execution=kernel", "--trace", "-o", at("kernel"));
  a3sim("export", "--to", "html", at("static"), "-o", pages.static);
  a3sim("export", "--to", "html", at("static"), at("kernel"), "-o", pages.both);
  writeFileSync(at("sweep.yaml"), `sweep:
  base: ${join(root, "configs/experiments/ep4.yaml")}
  set: {experiment.pass: forward}
  axes:
    tokens: {key: model.tokens, values: [512, 1024, 2048]}
    execution: {key: experiment.execution, values: [static, kernel]}
`);
  a3sim("sweep", at("sweep.yaml"), "--db", at("sweep.db"));
  a3sim("export", "--to", "html", at("sweep.db"), "-o", pages.sweep);
  a3sim("reproduce", "moe_ffn", "-o", at("tables"));
  tasks = csv(join(at("static"), "tasks_forward.csv"));
});
after(close);

async function canvas_box(page) {
  await page.locator(".timeline canvas").first().scrollIntoViewIfNeeded();
  return page.locator(".timeline canvas").first().boundingBox();
}
const range = (page) => page.evaluate(() => [a3sim.runs[0].time.from, a3sim.runs[0].time.to]);
const selected = (page) => page.evaluate(() => a3sim.runs[0].timelines[0].selected);

test("No page says anything on the console, asks for anything, or is wider than its window", async () => {
  for (const file of Object.values(pages)) {
    for (const width of [400, 900, 1400]) {
      const { page, said, close } = await open(file, { viewport: { width, height: 900 } });
      await page.waitForTimeout(300);
      assert.deepEqual(said, [], file);
      const [needs, has] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(needs <= has, `${file}: ${needs} px at a width of ${width}`);
      await close();
    }
  }
});

test("Figures on the page are those of the result", async () => {
  const { page, close } = await open(pages.static);
  const result = JSON.parse(readFileSync(join(at("static"), "result.json")));
  const cards = await page.$$eval(".answer", (all) => Object.fromEntries(all.map((card) => [card.querySelector(".label").textContent, card.querySelector(".value").textContent])));
  const ms = (ps) => `${(ps / 1e9).toFixed(3)} ms`;
  assert.equal(cards.latency, ms(result.total_ps));
  for (const pass of result.passes) assert.equal(cards[pass.pass], ms(pass.latency_ps));
  const drawn = await page.evaluate(() => {
    const { tasks, path } = a3sim.runs[0].timelines[0], list = [];
    for (let i = 0; i < tasks.count; ++i) list.push([tasks.columns.rank[i], tasks.name(i), tasks.columns.index[i], tasks.start[i], tasks.end[i], tasks.columns.put_bytes[i]]);
    return { list, steps: Array.from(path.from, (from, i) => [from, path.to[i]]) };
  });
  const key = (t) => t.join(" ");
  const written = tasks.map((t) => [t.rank, t.operator, t.index, t.start_ps, t.end_ps, t.src === t.dst ? 0 : t.put_bytes]);
  assert.deepEqual(new Set(drawn.list.map(key)), new Set(written.map(key)));
  const explained = JSON.parse(a3sim("explain", at("static"), "--json")).passes[0];
  assert.deepEqual(drawn.steps, explained.critical_path.map((step) => [step.from_ps, step.to_ps]));
  await page.getByText("Tables", { exact: true }).last().click();
  const text = await page.locator("details", { has: page.getByText("Tables", { exact: true }) }).textContent();
  for (const of of explained.ranks) assert.ok(text.includes((of.exposed_communication_ps / 1e9).toFixed(3)));
  await close();
});

test("A finding leads to its place on the timeline, its evidence to the task, and its flag back", async () => {
  const { page, said, close } = await open(pages.both);
  const findings = await page.evaluate(() => a3sim.page.sections.find((s) => s.kind === "findings").findings);
  const overlap = findings.find((f) => f.run === "kernel" && f.pass === "backward" && f.cause === "parallel.overlap");
  assert.ok(overlap && !overlap.info);
  const flags = page.locator(".flag");
  assert.equal(await flags.count(), findings.filter((f) => f.pass === "forward").length);
  // Its flag lies where it does on the axis of time, also of a part of it.
  const at = async (finding) => {
    const flag = page.locator(`.flag[href="#${finding.id}"]`), [box, strip] = [await flag.boundingBox(), await flag.locator("..").boundingBox()];
    const [from, to] = await range(page), date = (x) => from + ((x - strip.x) / strip.width) * (to - from);
    return [date(box.x), date(box.x + box.width), (to - from) / strip.width, from, to];
  };
  const bound = findings.find((f) => f.run === "static" && f.pass === "forward" && f.cause === "compute.bound");
  for (const zoomed of [false, true]) {
    if (zoomed) await page.evaluate(() => a3sim.runs[0].time.zoom(0, 0.5));
    const [left, right, pixel, from, to] = await at(bound);
    assert.ok(Math.abs(left - Math.max(from, bound.from_ps)) < 2 * pixel && Math.abs(right - Math.min(to, bound.to_ps)) < 2 * pixel);
  }
  await page.locator(`.flag[href="#${bound.id}"]`).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), bound.id);
  assert.ok(await page.locator(`#${bound.id}`).isVisible());
  // Its evidence is a line of the table of tasks, and a task of the timeline.
  const evidence = bound.evidence.find((e) => e.task), [file, line] = evidence.place.split(":");
  await page.locator(`#${bound.id}`).getByRole("button", { name: evidence.place }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines[0].selected >= 0);
  const task = await page.evaluate(() => {
    const { tasks, selected } = a3sim.runs[0].timelines[0], of = (name) => tasks.columns[name][selected];
    return [of("rank"), tasks.name(selected), of("index"), of("start")].join(" ");
  });
  const row = csv(join(scratch, "static", file))[line - 2];
  assert.equal(task, [row.rank, row.operator, row.index, row.start_ps].join(" "));
  // Of another pass: its tab is opened, and the ranks are marked.
  await page.locator(`#${overlap.id}`).getByRole("button", { name: "on the timeline" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines[1]?.tasks.pass.name === "backward" && a3sim.runs[0].timelines[1].marked);
  const marked = await page.evaluate(() => a3sim.runs[0].timelines[1].marked);
  assert.deepEqual([marked.from_ps, marked.to_ps, marked.ranks], [overlap.from_ps, overlap.to_ps, overlap.ranks]);
  assert.deepEqual(said, []);
  await close();
});

test("The wheel, the keys, a drag and a double click move the stretch of time that is shown", async () => {
  const { page, close } = await open(pages.static);
  const whole = await range(page), box = await canvas_box(page);
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(...middle);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  await page.waitForTimeout(50);
  const zoomed = await range(page);
  assert.ok(zoomed[1] - zoomed[0] < 0.5 * whole[1]);
  assert.ok(Math.abs((zoomed[0] + zoomed[1]) / 2 - whole[1] / 2) < 0.02 * whole[1], "the date below the pointer stays there");
  await page.mouse.down();
  await page.mouse.move(middle[0] - 200, middle[1]);
  await page.mouse.up();
  assert.ok((await range(page))[0] > zoomed[0]);
  await page.locator(".timeline canvas").focus();
  await page.keyboard.press("0");
  assert.deepEqual(await range(page), whole);
  await page.keyboard.press("+");
  assert.equal((await range(page))[1] - (await range(page))[0], whole[1] / 2);
  await page.keyboard.press("ArrowRight");
  assert.equal((await range(page))[0], whole[1] / 4 + whole[1] / 16);
  await page.mouse.dblclick(...middle);
  assert.ok((await range(page))[1] - (await range(page))[0] < whole[1] / 7);
  await close();
});

test("A drag in a chart over time zooms the timeline", async () => {
  const { page, close } = await open(pages.static);
  const whole = await range(page);
  await page.locator(".over-time .u-over").first().scrollIntoViewIfNeeded();
  const box = await page.locator(".over-time .u-over").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 45, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  const [from, to] = await range(page);
  assert.ok(Math.abs(from / whole[1] - 0.25) < 0.03 && Math.abs(to / whole[1] - 0.5) < 0.03, `${from} to ${to} of ${whole[1]}`);
  await close();
});

test("The search finds the tasks that have all words, and goes from one to the next", async () => {
  const { page, close } = await open(pages.static);
  await page.keyboard.press("/");
  await page.keyboard.type("gmm1 expert3 rank0");
  const wanted = tasks.filter((t) => t.operator === "GMM1" && t.expert === "3" && t.rank === "0").length;
  assert.equal(await page.textContent(".found"), `${wanted} tasks`);
  assert.ok(wanted > 0);
  const seen = new Set();
  for (let i = 0; i < wanted; ++i) {
    await page.keyboard.press("Enter");
    seen.add(await selected(page));
  }
  assert.equal(seen.size, wanted);
  await close();
});

test("A task says what it did and what it lost, below the pointer and once chosen", async () => {
  const { page, close } = await open(pages.static);
  await page.locator(".timeline canvas").focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("]");
  const task = await page.evaluate(() => {
    const { tasks, selected } = a3sim.runs[0].timelines[0], c = tasks.columns;
    return { name: tasks.name(selected), index: c.index[selected], took: c.end[selected] - c.start[selected], rank: c.rank[selected], ideal: c.ideal[selected], lost: [0, 1, 2, 3, 4].map((i) => c[`lost_${i}`][selected]) };
  });
  const card = await page.textContent(".selected");
  assert.ok(card.includes(`${task.name} ${task.index}`) && card.includes(`rank ${task.rank}`));
  assert.equal(task.ideal + task.lost.reduce((a, b) => a + b, 0), task.took);
  const row = tasks.find((t) => t.operator === task.name && +t.index === task.index && +t.rank === task.rank);
  assert.equal(+row.end_ps - +row.start_ps, task.took);
  const box = await canvas_box(page);
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.waitForSelector(".tip:not([hidden]) .card");
  await page.keyboard.press("Escape");
  assert.equal(await page.textContent(".selected"), "");
  await close();
});

test("Two runs share one axis of time, and the difference of their paths sums to that of their makespans", async () => {
  const { page, close } = await open(pages.both);
  assert.equal(await page.locator(".timeline").count(), 2);
  await page.locator(".timeline canvas").first().focus();
  await page.keyboard.press("+");
  const axes = await page.evaluate(() => a3sim.runs[0].timelines.map((t) => [t.time.from, t.time.to, t.frames.length > 1]));
  assert.deepEqual(axes[0].slice(0, 2), axes[1].slice(0, 2));
  const of = (name) => JSON.parse(readFileSync(join(at(name), "result.json"))).passes[0].latency_ps;
  const rows = await page.$$eval("section", (all) => {
    const section = all.find((s) => s.querySelector("h2")?.textContent === "kernel against static");
    return Array.from(section.querySelector("table").querySelectorAll("tr"), (tr) => Array.from(tr.children, (c) => c.textContent));
  });
  const sum = rows.find((row) => row[0] === "sum");
  assert.equal(sum.at(-1), ((of("kernel") - of("static")) / 1e9).toFixed(3));
  await close();
});

test("The slider shows what goes between ranks around a date, and its stretches sum to the whole", async () => {
  const { page, close } = await open(pages.static);
  const slider = page.locator(".matrix input").first();
  assert.equal(await page.textContent(".matrix output"), "whole pass, MB");
  await slider.focus();
  for (let i = 0; i < 40; ++i) await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent(".matrix output"), /ms to .* ms, GB\/s$/);
  const [whole, parts] = await page.evaluate(() => {
    const { tasks } = a3sim.runs[0].timelines[0], end = tasks.pass.makespan_ps, sum = (list) => list.reduce((a, b) => a + b, 0);
    let parts = 0;
    for (let i = 0; i < 10; ++i) parts += sum(a3sim.sent_between(tasks, (i * end) / 10, ((i + 1) * end) / 10));
    return [sum(a3sim.sent_between(tasks, 0, Infinity)), parts];
  });
  assert.equal(whole, tasks.reduce((sum, t) => sum + (t.src === t.dst ? 0 : +t.put_bytes), 0));
  assert.ok(Math.abs(parts - whole) < 1e-6 * whole);
  await close();
});

test("Ranks, workers and passes can be chosen", async () => {
  const { page, close } = await open(pages.static);
  const height = () => page.locator(".timeline canvas").evaluate((c) => c.clientHeight);
  await page.getByLabel("row", { exact: true }).selectOption("6");
  await page.getByLabel("rank", { exact: true }).selectOption("1");
  const one = await height();
  await page.getByLabel("workers").selectOption("AIC");
  assert.ok((await height()) < one);
  for (const pass of ["backward", "forward", "backward"]) await page.getByRole("tab", { name: pass }).click({ noWaitAfter: true });
  await page.waitForFunction(() => a3sim.runs[0].timelines[0].tasks.pass.name === "backward");
  assert.equal(await page.locator(".timeline").count(), 1);
  await close();
});

test("Bars lie where the pointer finds them, whatever the pixels' size", async () => {
  for (const deviceScaleFactor of [1, 1.25, 1.5, 2]) {
    const { page, close } = await open(pages.static, { deviceScaleFactor });
    const wrong = await page.evaluate(() => {
      const timeline = a3sim.runs[0].timelines[0], { tasks, canvas } = timeline, context = canvas.getContext("2d");
      timeline.shown.path = false;
      timeline.paint();
      let wrong = 0;
      for (let i = 0; i < tasks.count; i += 7) {
        const x = ((tasks.start[i] + tasks.end[i]) / 2 / timeline.time.end) * canvas.clientWidth, lane = tasks.lane_of(i);
        const y = 22 + (lane + 0.5) * timeline.row;
        const found = timeline.task_at(x, y);
        const [r, g, b] = context.getImageData(Math.floor(x * devicePixelRatio), Math.floor(y * devicePixelRatio), 1, 1).data;
        const wanted = timeline.colors.bars[tasks.op[i]], width = ((tasks.end[i] - tasks.start[i]) / timeline.time.end) * canvas.clientWidth;
        if (width > 6 && x > 60 && y < canvas.clientHeight - 1 && (found !== i || (r | (g << 8) | (b << 16)) !== (wanted & 0xffffff))) ++wrong;
      }
      return wrong;
    });
    assert.equal(wrong, 0, `at ${deviceScaleFactor}`);
    await close();
  }
});

test("A name has one colour in the legend, in all timelines and in figures", async () => {
  const { page, close } = await open(pages.both);
  await page.getByRole("tab", { name: "backward" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines[0].tasks.pass.name === "backward");
  const colors = await page.evaluate(() => a3sim.runs[0].timelines.map((t) => Object.fromEntries(t.tasks.pass.operators.map((o, i) => [o.name, t.colors.bars[i]]))));
  for (const [name, color] of Object.entries(colors[1])) assert.equal(color, colors[0][name] ?? color);
  assert.equal(new Set(Object.values({ ...colors[0], ...colors[1] })).size, Object.keys({ ...colors[0], ...colors[1] }).length);
  await close();
});

test("What a search finds is seen, however many tasks share its pixel", async () => {
  const { page, close } = await open(pages.static);
  const seen = await page.evaluate(() => {
    const timeline = a3sim.runs[0].timelines[0], { tasks } = timeline;
    const task = Array.from(tasks.op.keys()).find((i) => tasks.name(i) === "SwiGLU" && tasks.columns.expert[i] === 5);
    timeline.shown.words = `swiglu ${tasks.columns.index[task]} rank${tasks.columns.rank[task]}`;
    timeline.choose();
    timeline.time.set(0, timeline.time.end * 1);
    timeline.paint();
    const color = timeline.colors.bars[tasks.op[task]], pixels = new Uint32Array(timeline.raster.image.data.buffer);
    return pixels.some((pixel) => pixel === color);
  });
  assert.equal(seen, true);
  await close();
});

test("Dark and light follow the system and the button, and paper is light", async () => {
  const { page, close } = await open(pages.static, { colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const pixel = () => page.locator(".timeline canvas").evaluate((c) => [...c.getContext("2d").getImageData(c.width - 3, 3, 1, 1).data.slice(0, 3)]);
  assert.equal(await background(), "rgb(20, 24, 29)");
  await page.waitForTimeout(100);
  assert.deepEqual(await pixel(), [20, 24, 29]);
  await page.getByTitle("light or dark").click();
  await page.waitForTimeout(100);
  assert.equal(await background(), "rgb(255, 255, 255)");
  assert.deepEqual(await pixel(), [255, 255, 255]);
  await page.getByTitle("light or dark").click();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  assert.equal(await background(), "rgb(255, 255, 255)");
  assert.equal(await page.locator(".bar").first().isVisible(), false);
  assert.ok((await page.pdf()).length > 20000);
  await close();
});

test("Tables sort by their heads and copy as CSV with exact values", async () => {
  const { page, close } = await open(pages.both, { permissions: ["clipboard-read", "clipboard-write"] });
  const section = page.locator("section", { hasText: "kernel against static" }).last();
  const table = section.locator(".table").first(), column = () => table.locator("tbody tr td:last-child").allTextContents();
  await table.locator("th button").last().click();
  const sorted = (await column()).map(Number);
  assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
  await page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  await table.getByText("copy CSV").click();
  const text = await page.evaluate(() => window.copied);
  assert.equal(text.trim().split("\n")[0].split(",").length, await table.locator("th").count());
  await close();
});

test("A sweep's lines, heat map and front have the values of its points", async () => {
  const { page, close } = await open(pages.sweep);
  const points = a3sim("results", at("sweep.db"), "--csv", "--pass", "forward").trim().split("\n").map((line) => line.split(","));
  const column = points[0].findIndex((head) => head.startsWith("latency"));
  const values = points.slice(1).map((row) => +row[column]);
  const heat = page.locator("section", { has: page.locator("h2", { hasText: "Heat map" }) });
  await heat.getByLabel("pass").selectOption("forward");
  const cells = await heat.locator("svg rect title").allTextContents();
  assert.equal(cells.length, 6);
  const shown = await page.evaluate(() => window.a3sim.page.sections.find((s) => s.title === "Heat map").figures
    .find((f) => f.of.pass === "forward" && f.of.value === "latency").figure.cells.map((cell) => cell[2]));
  const ordered = (list) => list.map((v) => +v.toPrecision(9)).sort((a, b) => a - b);
  assert.deepEqual(ordered(shown), ordered(values));
  const lines = page.locator("section", { has: page.locator("h2", { hasText: "Lines" }) });
  await lines.getByLabel("a line for each").selectOption("execution");
  assert.ok((await lines.locator("svg").textContent()).includes("kernel"));
  assert.ok((await page.locator("h2", { hasText: "Pareto front" }).count()) > 0);
  await close();
});

test("The published tables' figures have every predicted and published value", async () => {
  const { page, close } = await open(pages.published);
  const points = JSON.parse(readFileSync(join(at("tables"), "points.json"))).points;
  const figure = await page.evaluate(() => a3sim.page.sections.find((s) => s.title === "moe_ffn").blocks.find((b) => b.kind === "figure").figure);
  const wanted = points.filter((p) => p.metric === "latency" && p.case.pass === "total" && !p.variant);
  const drawn = figure.series.flatMap((s) => s.points.map((p) => [s.hollow, p[1]]));
  assert.equal(drawn.filter(([hollow]) => !hollow).length, wanted.length);
  for (const p of wanted) {
    assert.ok(drawn.some(([hollow, y]) => !hollow && y === p.value));
    if (p.reference !== null) assert.ok(drawn.some(([hollow, y]) => hollow && Math.abs(y - p.reference) < 1e-9));
  }
  await close();
});

// The CRC-32 of gzip, as result directories have it.
function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (~sum >>> 0).toString(16).padStart(8, "0");
}

// What was changed gets the checksum that it should have: as whoever means harm would write it.
function sealAgain(directory) {
  const manifest = join(directory, ".a3sim"), lines = readFileSync(manifest, "utf8").trimEnd().split("\n");
  let text = lines[0] + "\n";
  for (const line of lines.slice(1)) {
    const name = line.slice(9);
    text += `${crc32(name === ".a3sim" ? Buffer.from(text) : readFileSync(join(directory, name)))} ${name}\n`;
  }
  writeFileSync(manifest, text);
}

test("Names are text, whatever they say", async () => {
  cpSync(at("static"), at("hostile"), { recursive: true });
  const evil = "</script><img src=x onerror=alert(1)>";
  for (const name of readdirSync(at("hostile"))) {
    const file = join(at("hostile"), name), text = readFileSync(file, "utf8");
    if (/^(result|tasks)/.test(name)) writeFileSync(file, text.replaceAll("GMM1", evil));
  }
  sealAgain(at("hostile"));
  a3sim("export", "--to", "html", at("hostile"), "-o", at("hostile.html"));
  const { page, said, close } = await open(at("hostile.html"));
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.textContent(".legend")).includes(evil));
  assert.deepEqual(said, []);
  await close();
});

test("A page that lacks a part says so, and shows the rest", async () => {
  const text = readFileSync(pages.static, "utf8");
  for (const part of ["packed-0", "packed-1", "packed-2"]) {
    const element = new RegExp(`<script type="text/plain" id="${part}">[^<]*</script>`);
    assert.match(text, element);
    writeFileSync(at("cut.html"), text.replace(element, ""));
    const { page, close } = await open(at("cut.html"), { whole: false });
    await page.getByText(`cut short: '${part}' is missing`).waitFor({ timeout: 5000 });
    assert.ok((await page.locator(".answer .value").count()) > 4);
    await close();
  }
});
