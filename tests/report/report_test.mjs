// The pages that `a3sim export --to html` and `reproduce` write, as a reader uses them.
import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { a3sim, close, open, root, scratch } from "./browser.mjs";
import { paint_many } from "./many_bars.mjs";
import { difference, from_stored, grid_of, grid_of_png, recording, store } from "./pictures.mjs";
import { draw_pictures, picture_file } from "./screenshots.mjs";
import { contradictions, read, unnoticed } from "./sentences.mjs";

const at = (name) => join(scratch, name);
const pages = { static: at("static.html"), both: at("both.html"), sweep: at("sweep.html"), untraced: at("untraced.html"), streams: at("streams.html"), measured: at("measured.html"), profile: at("profile.html"), job: at("job.html"), step: at("step.html"), inference: at("inference.html"), search: at("search.html"), found: at("found.html"), orders: at("orders.html"), tried: at("tried.html"), published: join(at("tables"), "report.html") };
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
  a3sim("run", "configs/experiments/ep4.yaml", "-o", at("untraced"));
  a3sim("export", "--to", "html", at("untraced"), "-o", pages.untraced);
  a3sim("run", "configs/experiments/feplb_ep4.yaml", "--trace", "-o", at("streams"));
  a3sim("export", "--to", "html", at("streams"), "-o", pages.streams);
  a3sim("export", "--to", "ascend", at("static"), "-o", at("profiles"));
  a3sim("import", at("profiles"), "-o", at("measured"));
  a3sim("export", "--to", "html", at("measured"), at("static"), "-o", pages.measured);
  a3sim("export", "--to", "html", at("profiles"), "-o", pages.profile);
  a3sim("run", "ep4", "--steps", "16", "--set", "noise={durations: 2 %, rates: 1 %, seed: 7}",
    "--set", "faults=[{kind: port, ranks: [1], side: egress, factor: 0.5, steps: [8, 15]}]", "-o", at("job"));
  a3sim("export", "--to", "html", at("job"), "-o", pages.job);
  writeFileSync(at("sweep.yaml"), `sweep:
  base: ${join(root, "configs/experiments/ep4.yaml")}
  set: {experiment.pass: forward}
  axes:
    tokens: {key: model.tokens, values: [512, 1024, 2048]}
    execution: {key: experiment.execution, values: [static, kernel]}
`);
  a3sim("sweep", at("sweep.yaml"), "--db", at("sweep.db"));
  a3sim("export", "--to", "html", at("sweep.db"), "-o", pages.sweep);
  a3sim("run", "configs/experiments/step_deepseek_v3.yaml", "--set", "step.global_batch=640", "-o", at("step"));
  a3sim("export", "--to", "html", at("step"), "-o", pages.step);
  a3sim("run", "configs/experiments/decode_deepseek_v3.yaml", "-o", at("inference"));
  a3sim("export", "--to", "html", at("inference"), "-o", pages.inference);
  a3sim("search", "configs/experiments/swiglu_add.yaml", "--budget", "40", "--json", at("search.json"), "--page", pages.search);
  a3sim("export", "--to", "html", at("search.json"), "-o", pages.found);
  a3sim("try", "ratr", "--config", "ep4", "--as-configured", "--json", at("tried.json"), "--page", pages.tried);
  a3sim("export", "--to", "html", at("tried.json"), "-o", pages.orders);
  a3sim("reproduce", "moe_ffn", "-o", at("tables"));
  tasks = csv(join(at("static"), "tasks_forward.csv"));
});
after(close);

async function canvas_box(page) {
  await page.locator(".timeline canvas").first().scrollIntoViewIfNeeded();
  return page.locator(".timeline canvas").first().boundingBox();
}
const range = (page) => page.evaluate(() => [a3sim.runs[0].time.from, a3sim.runs[0].time.to]);
// Ranks that do alike are folded at first.
const show_all_ranks = (page) => page.getByLabel("rank", { exact: true }).selectOption("-1");
const selected = (page) => page.evaluate(() => a3sim.runs[0].timelines[0].selected);

// Words of figures that do not lie inside their figure.
const cut_words = (page) => page.$$eval("figure svg", (all) => all.flatMap((svg) => {
  const whole = svg.getBoundingClientRect();
  return Array.from(svg.querySelectorAll("text")).filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width > 0 && (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1);
  }).map((text) => `${svg.querySelector("title").textContent}: ${text.textContent}`);
}));

const most_different = 7; // of 255, on average over a picture's cells: other fonts make 2, the other theme more than 150

// A machine under load may not have painted all at once.
async function picture_of(page, name) {
  let apart = await from_stored(page, name);
  for (let again = 0; again < 4 && apart > most_different; ++again) {
    await page.waitForTimeout(700);
    apart = await from_stored(page, name);
  }
  return apart;
}

// Labels of an axis that lie on one another: their boxes, where they are not tilted, or their feet else.
const crowded_labels = (page) => page.$$eval("figure svg", (all) => all.flatMap((svg) => {
  const level = Array.from(svg.querySelectorAll("text")).filter((text) => !text.hasAttribute("transform")).map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() })).filter(({ box, text }) => box.width > 0 && text.trim() !== "");
  return level.flatMap((a, i) => level.slice(i + 1).filter((b) => Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 2 && Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 5)
    .map((b) => `${svg.querySelector("title").textContent}: ${a.text} on ${b.text}`));
}));

test("No page says anything on the console, asks for anything, is wider than its window, cuts words, or looks other than stored, light and dark", async () => {
  for (const [kind, file] of Object.entries(pages)) {
    for (const width of [420, 900, 1400]) {
      for (const colorScheme of ["light", "dark"]) {
        const { page, said, close } = await open(file, { viewport: { width, height: 900 }, colorScheme });
        await page.waitForTimeout(300);
        assert.deepEqual(said, [], file);
        const [needs, has] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(needs <= has, `${file}: ${needs} px at a width of ${width}`);
        assert.deepEqual(await cut_words(page), [], `${file} at a width of ${width}`);
        assert.deepEqual(await crowded_labels(page), [], `${file} at a width of ${width}`);
        const apart = await picture_of(page, `${kind} ${width} ${colorScheme}`);
        assert.ok(apart <= most_different, `${kind}, ${width} px, ${colorScheme}: ${apart.toFixed(1)} from the stored picture (A3SIM_RECORD_PICTURES=1 stores it anew)`);
        await close();
      }
    }
  }
  store();
});

test("A picture tells a page from another, from itself without its styles, and from itself in the dark", async () => {
  const grids = [];
  for (const [file, colorScheme] of [[pages.static, "light"], [pages.static, "dark"], [pages.job, "light"]]) {
    const { page, close } = await open(file, { colorScheme });
    grids.push(await grid_of(page));
    if (grids.length === 1) {
      await page.evaluate(() => document.querySelector("style").remove());
      grids.push(await grid_of(page));
    }
    await close();
  }
  for (const other of grids.slice(1)) assert.ok(difference(grids[0], other) > most_different, String(difference(grids[0], other)));
});

test("The pictures in README and docs are what pages look like", async () => {
  await draw_pictures(async (name, png) => {
    if (recording) writeFileSync(picture_file(name), png);
    const apart = difference(await grid_of_png(png), await grid_of_png(readFileSync(picture_file(name))));
    assert.ok(apart <= most_different, `${name}.png: ${apart.toFixed(1)} from what the page looks like ('./dev screenshots' draws it anew)`);
  });
});

test("Every number in a sentence of a page stands in its tables and cards, and another number would be noticed", async () => {
  const ranks = 4, noticed = [];
  for (const kind of ["static", "both", "measured", "profile", "job", "step", "inference", "search", "tried", "sweep", "published"]) {
    const { page, close } = await open(pages[kind]);
    await page.waitForFunction(() => a3sim.jobs.every((job) => job.map ?? job.element.querySelector("table")) && a3sim.steps.every((step) => step.memory));
    const shown = await read(page);
    assert.ok(shown.sentences.length > 0, kind);
    assert.deepEqual(contradictions(shown, ranks), [], kind);
    noticed.push(...unnoticed(shown, ranks));
    await close();
  }
  assert.ok(noticed.length > 100);
  const missed = noticed.filter(({ seen }) => !seen).map(({ text }) => text);
  assert.ok(missed.length < 0.3 * noticed.length, missed.join("\n")); // a table may have the wrong number elsewhere
});

// The table of the answer, by pass and head.
const answer_rows = (page) => page.evaluate(() => {
  const table = document.querySelector("#section-0 table"), heads = Array.from(table.querySelectorAll("th"), (th) => th.textContent);
  return Object.fromEntries(Array.from(table.querySelectorAll("tbody tr"), (tr) => {
    const cells = Array.from(tr.children, (td) => td.textContent);
    return [cells[0], Object.fromEntries(heads.map((head, i) => [head, cells[i]]))];
  }));
});

test("The answer and the timeline are on the first screen, and what costs little is folded", async () => {
  const { page, close } = await open(pages.static, { viewport: { width: 1400, height: 900 } });
  assert.equal(await page.locator("#section-0 table").count(), 1);
  assert.equal(await page.locator(".answer").count(), 0);
  const sentences = await page.locator("#section-0 .verdict").allTextContents();
  assert.equal(sentences.length, 2);
  for (const sentence of sentences) assert.match(sentence, /^(forward|backward): (Limited by|No part gains|On the critical path).* Another order gains at most [\d.]+ %/);
  assert.ok((await page.locator(".timeline canvas").boundingBox()).y < 660);
  assert.ok(await page.locator(".finding.info").first().isHidden());
  await close();
});

test("Figures on the page are those of the result", async () => {
  const { page, close } = await open(pages.static);
  const result = JSON.parse(readFileSync(join(at("static"), "result.json")));
  const rows = await answer_rows(page), ms = (ps) => (ps / 1e9).toFixed(3);
  assert.equal(rows["all passes"]["latency ms"], ms(result.total_ps));
  for (const pass of result.passes) {
    const bound = pass.bounds_ps[pass.binding], row = rows[pass.pass];
    assert.deepEqual([row["latency ms"], row["bound ms"], row["bound by"]], [ms(pass.latency_ps), ms(bound), pass.binding]);
    assert.equal(row["gain at most %"], (100 * (1 - bound / pass.latency_ps)).toFixed(1));
  }
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
  const overlap = findings.find((f) => f.run === "kernel" && f.pass === "forward" && f.cause === "parallel.overlap");
  assert.ok(overlap && !overlap.info);
  const flags = page.locator(".flag");
  assert.equal(await flags.count(), findings.filter((f) => f.pass === "forward").length);
  await page.getByRole("tab", { name: "backward" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines[0].tasks.pass.name === "backward");
  // Its flag lies where it does on the axis of time, also of a part of it.
  const at = async (finding) => {
    const flag = page.locator(`.flag[href="#${finding.id}"]`), [box, strip] = [await flag.boundingBox(), await flag.locator("..").boundingBox()];
    const [from, to] = await range(page), time = (x) => from + ((x - strip.x) / strip.width) * (to - from);
    return [time(box.x), time(box.x + box.width), (to - from) / strip.width, from, to];
  };
  const bound = findings.find((f) => f.run === "static" && f.pass === "backward" && f.cause === "compute.underused");
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
  await page.waitForFunction(() => a3sim.runs[0].timelines.some((timeline) => timeline.selected >= 0));
  const task = await page.evaluate(() => {
    const { tasks, selected } = a3sim.runs[0].timelines.find((timeline) => timeline.selected >= 0), of = (name) => tasks.columns[name][selected];
    return [of("rank"), tasks.name(selected), of("index"), of("start")].join(" ");
  });
  const row = csv(join(scratch, bound.run, file))[line - 2];
  assert.equal(task, [row.rank, row.operator, row.index, row.start_ps].join(" "));
  // Of another pass: its tab is opened, and the ranks are marked.
  await page.locator(`#${overlap.id}`).getByRole("button", { name: "on the timeline" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines[1]?.tasks.pass.name === "forward" && a3sim.runs[0].timelines[1].marked);
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
  const time = await page.evaluate(() => a3sim.runs[0].timelines[0].time_at(a3sim.runs[0].timelines[0].pointer_x));
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  await page.waitForTimeout(50);
  const zoomed = await range(page);
  assert.ok(zoomed[1] - zoomed[0] < 0.5 * whole[1]);
  assert.ok(Math.abs((time - zoomed[0]) / (zoomed[1] - zoomed[0]) - time / whole[1]) < 1e-9, "the time below the pointer stays there");
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
  await page.keyboard.type("gmm1 expert 3 rank 1");
  const wanted = tasks.filter((t) => t.operator === "GMM1" && t.expert === "11" && t.rank === "1").length; // 8 experts per rank
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

test("A search tells ranks, experts of a rank and of all, workers, operators and numbers of tasks apart", async () => {
  const { page, close } = await open(pages.static);
  const found = (words) => page.getByLabel("search tasks").fill(words).then(() => page.textContent(".found"));
  const count = (test) => `${tasks.filter(test).length} tasks`;
  const cases = {
    "rank 2": (t) => t.rank === "2",
    "rank2": (t) => t.rank === "2",
    "gexpert 19": (t) => t.expert === "19",
    "expert 3": (t) => t.expert !== "" && +t.expert % 8 === 3,
    "gmm gexpert 19 rank 2": (t) => t.operator.startsWith("GMM") && t.expert === "19" && t.rank === "2",
    "dispatch to 3": (t) => t.operator === "Dispatch" && t.dst === "3" && t.src !== t.dst,
    "swiglu 7": (t) => t.operator === "SwiGLU" && t.index === "7",
  };
  for (const [words, test] of Object.entries(cases)) {
    assert.ok(tasks.some(test), words);
    assert.equal(await found(words), count(test), words);
  }
  await found("aic 5");
  const workers = await page.evaluate(() => {
    const { tasks, found } = a3sim.runs[0].timelines[0];
    return [...new Set(Array.from(found, (task) => tasks.lane_name(tasks.lane_of(task)).split(", ")[1]))];
  });
  assert.deepEqual(workers, ["AIC 5"]);
  await close();
});

test("W, A, S and D move as in Perfetto, wherever the focus is but in a field", async () => {
  const { page, close } = await open(pages.static);
  const whole = await range(page), box = await canvas_box(page);
  await page.mouse.move(box.x + box.width * 0.75, box.y + 100);
  const time = await page.evaluate(() => a3sim.runs[0].timelines[0].time_at(a3sim.runs[0].timelines[0].pointer_x));
  await page.keyboard.press("w");
  const near = await range(page), share = (at) => (time - at[0]) / (at[1] - at[0]);
  assert.ok(near[1] - near[0] < 0.8 * whole[1] && Math.abs(share(near) - share(whole)) < 1e-9, "the time below the pointer stays");
  await page.keyboard.press("a");
  assert.ok((await range(page))[0] < near[0]);
  await page.keyboard.press("d");
  await page.keyboard.press("s");
  const back = await range(page);
  assert.ok(Math.abs(back[0] - whole[0]) < 1 && Math.abs(back[1] - whole[1]) < 1);
  await page.getByLabel("search tasks").focus();
  await page.keyboard.type("swad");
  assert.deepEqual(await range(page), back);
  await close();
});

test("'?' opens a window that names every key, and Esc closes it", async () => {
  for (const file of [pages.static, pages.step]) {
    const { page, close } = await open(file);
    if (file === pages.step) await page.waitForFunction(() => a3sim.steps[0].memory);
    const help = page.locator("dialog.help").first();
    assert.ok(await help.isHidden());
    await page.keyboard.press("?");
    assert.ok(await help.isVisible());
    const text = await help.textContent(), own = file === pages.static ? ["N", "P", "M", "/", "Enter", "↑", "alike"] : ["block"];
    for (const name of ["W", "A", "S", "D", "+", "−", "0", "[", "]", "←", "→", "Esc", "Shift", "Ctrl", "double click", "wheel", "drag", ...own]) assert.ok(text.includes(name), name);
    await page.keyboard.press("Escape");
    assert.ok(await help.isHidden());
    await close();
  }
});

test("The subtitle says what was simulated", async () => {
  for (const [file, own] of [[pages.static, [/schedule static/]], [pages.both, [/^static: .*schedule static/m, /^kernel: .*schedule kernel/m]]]) {
    const { page, close } = await open(file);
    const text = await page.textContent(".subtitle");
    for (const part of [/EP4, 4096 tokens/, /hidden 7168/, /routing balanced/, /machine a3_24_48/, /program hyperparallel/, /simulated by a3sim [\d.]+/, ...own]) assert.match(text, part);
    assert.equal(text.match(/routing balanced/g).length, 1);
    await close();
  }
});

test("Waterfalls go from the bound to the latency, and from one run's latency to the other's, and their bars are as long as they say", async () => {
  const latency = (name) => JSON.parse(readFileSync(join(at(name), "result.json"))).passes.map((pass) => pass.latency_ps);
  for (const [file, firsts, lasts] of [[pages.static, JSON.parse(readFileSync(join(at("static"), "result.json"))).passes.map((pass) => pass.bounds_ps[pass.binding]), latency("static")], [pages.both, latency("static"), latency("kernel")]]) {
    const { page, close } = await open(file);
    const list = await page.evaluate(() => a3sim.page.sections.find((s) => s.kind === "waterfalls").list.map(({ bars }) => ({ bars, spans: a3sim.spans_of(bars) })));
    assert.equal(list.length, lasts.length);
    list.forEach(({ bars, spans }, i) => {
      assert.ok(bars.length > 3 && bars[0].whole && bars.at(-1).whole);
      assert.deepEqual([bars[0].ps, bars.at(-1).ps], [firsts[i], lasts[i]]);
      assert.equal(spans.at(-2)[1], lasts[i], "the parts lead to the latency");
    });
    // What is drawn has the lengths of the first one's numbers.
    const drawn = await page.$$eval(".waterfall", ([first]) => Array.from(first.querySelectorAll(".step"), (step) => {
      const [bar, track] = [step.querySelector("i").getBoundingClientRect(), step.querySelector(".track").getBoundingClientRect()];
      return [bar.width / track.width, +step.querySelector(".value").textContent.replace("−", "-")];
    }));
    const scale = drawn.at(-1)[0] / drawn.at(-1)[1];
    if (file === pages.static) for (const [wide, ms] of drawn.filter(([wide]) => wide > 0.02)) assert.ok(Math.abs(wide - ms * scale) < 0.005, `${wide} for ${ms}`);
    await close();
  }
});

test("The strip of overlap has the exposed time of the answer, and the ribbon is the critical path", async () => {
  const { page, close } = await open(pages.static);
  const exposed = +(await answer_rows(page)).forward["exposed ms"];
  const { parts, makespan, covered, place } = await page.evaluate(() => {
    const timeline = a3sim.runs[0].timelines[0], { head, tasks, path } = timeline, end = tasks.pass.makespan_ps;
    const step = Array.from(path.from.keys()).reduce((a, b) => (path.to[b] - path.from[b] > path.to[a] - path.from[a] ? b : a));
    return { parts: head.overlap.between(0, end), makespan: end, covered: head.stretches.every((of, i) => of.from === (i === 0 ? 0 : head.stretches[i - 1].to)) && head.stretches.at(-1).to === end,
      place: { x: timeline.x((path.from[step] + path.to[step]) / 2), y: head.ribbon_top + 5, task: path.task[step], name: tasks.name(path.task[step]) } };
  });
  assert.ok(Math.abs(parts[2] / 1e9 - exposed) < 6e-4, `${parts[2]} and ${exposed}`);
  assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) / makespan - 1) < 1e-9);
  assert.ok(covered, "stretches follow one another from the start to the end");
  const box = await canvas_box(page);
  await page.mouse.move(box.x + place.x, box.y + place.y);
  assert.match(await page.textContent(".tip:not([hidden])"), new RegExp(`critical path: ${place.name} of rank \\d, .* most of it `));
  await page.mouse.click(box.x + place.x, box.y + place.y);
  assert.equal(await selected(page), place.task);
  await close();
});

test("Ranks that are alike are one row, which a click unfolds and folds", async () => {
  const { page, close } = await open(pages.static);
  const shown = () => page.evaluate(() => {
    const { lanes, tasks } = a3sim.runs[0].timelines[0];
    return { ranks: [...new Set(lanes.all.map((lane) => Math.floor(lane / tasks.workers)))].sort(), groups: lanes.groups, y: lanes.y(lanes.all[0]), ends: [0, 1, 2, 3].map((rank) => Math.max(...Array.from(tasks.end).filter((_, i) => tasks.columns.rank[i] === rank))) };
  });
  const { ranks, groups, y, ends } = await shown();
  assert.deepEqual(groups.flat().sort(), [0, 1, 2, 3]);
  assert.deepEqual(ranks, groups.map((group) => group[0]).sort());
  assert.ok(groups.some((group) => group.length > 1));
  for (const group of groups) assert.equal(ends[group[0]], Math.max(...group.map((rank) => ends[rank])), "the slowest one is shown");
  const box = await canvas_box(page);
  await page.mouse.click(box.x + 20, box.y + y);
  assert.deepEqual((await shown()).ranks, [...new Set([...ranks, ...groups.find((group) => group[0] === ranks[0]) ?? groups[0]])].sort());
  await page.mouse.click(box.x + 20, box.y + y);
  assert.deepEqual((await shown()).ranks, ranks);
  await close();
});

test("A rank that does other work than the rest has a row of its own", async () => {
  const { page, close } = await open(pages.static);
  const groups = await page.evaluate(() => {
    const timeline = a3sim.runs[0].timelines[0], { pass, columns } = timeline.tasks, end = Float64Array.from(columns.end);
    for (let i = 0; i < end.length; ++i) if (columns.rank[i] === 2 && timeline.tasks.name(i) === "SwiGLU") end[i] += (end[i] - columns.start[i]) * 3;
    return a3sim.alike_ranks(new a3sim.Tasks(pass, { ...columns, end }));
  });
  assert.deepEqual(groups.filter((group) => group.includes(2)), [[2]]);
  assert.equal(groups.length, 2);
  await close();
});

test("A table that is wider than its place says so until its end is seen", async () => {
  const { page, close } = await open(pages.static, { viewport: { width: 420, height: 900 } });
  const table = page.locator("#section-0 .table");
  await page.waitForFunction(() => document.querySelector("#section-0 .table").classList.contains("more"));
  await table.locator(".scroll").evaluate((scroll) => (scroll.scrollLeft = scroll.scrollWidth));
  await page.waitForFunction(() => !document.querySelector("#section-0 .table").classList.contains("more"));
  assert.match(await table.getByRole("button", { name: "gain at most %" }).getAttribute("title"), /above the bound/);
  await close();
});

test("Ticks have few digits: a short stretch late in the pass has offsets to a time that it says", async () => {
  const { page, close } = await open(pages.static);
  const times = await page.evaluate(() => [[0, 10e9], [5.2e9, 5.2618e9], [5261.8e6, 5261.9e6], [5_261_800_000, 5_261_800_400], [0, 1000], [9.9e9, 10.2e9]]
    .map(([from, to]) => ({ from, to, ticks: a3sim.ticks_of(from, to, 8) })));
  const value = (text) => text === "" ? 0 : parseFloat(text) * { ms: 1e9, "µs": 1e6, ns: 1e3, ps: 1 }[text.split(" ")[1]];
  for (const { from, to, ticks } of times) {
    assert.ok(ticks.list.length >= 2 && ticks.list.length <= 10, `${from} to ${to}: ${ticks.list.length}`);
    for (const { at, text } of ticks.list) {
      assert.ok(at >= from && at <= to);
      assert.ok(Math.abs(value(ticks.base) + value(text) - at) < (to - from) / 1000, `${ticks.base} ${text} is not ${at}`);
      assert.ok(text.length <= 10, text);
    }
  }
  await close();
});

test("Shift and a drag select an area; the sums of the whole pass are those of explain", async () => {
  const { page, close } = await open(pages.static);
  await show_all_ranks(page);
  const box = await canvas_box(page);
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 220, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const { area, sums, row } = await page.evaluate(() => {
    const timeline = a3sim.runs[0].timelines[0];
    return { area: timeline.area, sums: a3sim.sums_of(timeline.tasks, timeline.area), row: timeline.row };
  });
  const time = Object.values(sums.states).reduce((a, b) => a + b, 0), wanted = area.lanes.length * (area.to - area.from);
  assert.ok(Math.abs(time - wanted) < 1e-9 * wanted, "all of the workers' time has a state");
  assert.ok(Math.abs(area.lanes.length - 140 / row) <= 1.5);
  assert.match(await page.textContent(".selected"), /of \d+ workers/);
  assert.ok((await page.locator(".selected .area table").count()) === 2);
  await page.keyboard.press("Escape");
  assert.equal(await page.textContent(".selected"), "");
  await page.getByLabel("workers").selectOption("AIC");
  await page.keyboard.press("m");
  const states = await page.evaluate(() => a3sim.sums_of(a3sim.runs[0].timelines[0].tasks, a3sim.runs[0].timelines[0].area).states);
  const explained = JSON.parse(a3sim("explain", at("static"), "--json")).passes[0];
  for (const state of ["run", "memory", "puts", "wait", "scheduling", "idle"]) {
    const ps = explained.ranks.reduce((sum, rank) => sum + rank.aic_time_ps[state], 0);
    assert.ok(Math.abs(states[state] - ps) < 1, `${state}: ${states[state]}, not ${ps}`);
  }
  await close();
});

test("A pinned rank stays at the top while the others scroll", async () => {
  const { page, close } = await open(pages.static);
  await show_all_ranks(page);
  await page.getByLabel("row", { exact: true }).selectOption("14");
  await page.getByLabel("workers").selectOption("AIC");
  const box = await canvas_box(page), top = await page.evaluate(() => a3sim.runs[0].timelines[0].lanes.top);
  const y = (rank) => page.evaluate((rank) => a3sim.runs[0].timelines[0].lanes.y(rank * a3sim.runs[0].timelines[0].tasks.workers), rank);
  await page.mouse.click(box.x + 20, box.y + (await y(1)));
  assert.equal(await y(1), top + 7);
  const before = await y(0);
  await page.mouse.move(box.x + 300, box.y + 460);
  await page.mouse.wheel(0, 100);
  await page.waitForTimeout(50);
  assert.equal(await y(1), top + 7);
  assert.ok((await y(0)) === null || (await y(0)) < before);
  const wrong = await page.evaluate(() => {
    // Whatever the painter draws is what the pointer finds.
    const timeline = a3sim.runs[0].timelines[0], { tasks, canvas } = timeline, context = canvas.getContext("2d");
    timeline.shown.path = false;
    timeline.paint();
    let wrong = 0, seen = 0;
    for (let i = 0; i < tasks.count; ++i) {
      const y = timeline.y(i), x = timeline.x((tasks.start[i] + tasks.end[i]) / 2);
      if (y === null || y + timeline.row / 2 > canvas.clientHeight || timeline.x(tasks.end[i]) - timeline.x(tasks.start[i]) < 8) continue;
      ++seen;
      const [r, g, b] = context.getImageData(Math.round(x), Math.floor(y + timeline.row / 2 - 2), 1, 1).data;
      if (timeline.task_at(x, y) !== i || (r | (g << 8) | (b << 16)) !== (timeline.colors.bars[tasks.op[i]] & 0xffffff)) ++wrong;
    }
    return [wrong, seen > 20];
  });
  assert.deepEqual(wrong, [0, true]);
  await page.mouse.move(box.x + 300, box.y + top + 18);
  await page.keyboard.press("p");
  assert.equal(await y(0), top + 7, "P lets the rank below the pointer go");
  await close();
});

test("A hint beside the pointer does not cover the lane that it explains", async () => {
  const { page, close } = await open(pages.static);
  const box = await canvas_box(page);
  for (const part of [0.02, 0.3, 0.6, 0.97]) {
    await page.mouse.move(box.x + 95 + (box.width - 96) * part, box.y + 70 + (box.height - 76) * part);
    if (!(await page.locator(".tip").isVisible())) continue;
    const tip = await page.locator(".tip").boundingBox();
    const [top, bottom] = await page.evaluate(() => {
      const timeline = a3sim.runs[0].timelines[0], y = timeline.lanes.y(timeline.lanes.at(timeline.pointer_y)), edge = timeline.canvas.getBoundingClientRect().top;
      return [edge + y - timeline.row / 2, edge + y + timeline.row / 2];
    });
    assert.ok(tip.y + tip.height <= top || tip.y >= bottom, `${tip.y} to ${tip.y + tip.height} over ${top} to ${bottom}`);
    assert.ok(tip.x >= 0 && tip.x + tip.width <= 1400);
  }
  await close();
});

test("The table of operators has the minimum, median and p95 of their tasks, filters and sorts", async () => {
  const { page, close } = await open(pages.static);
  const table = page.locator(".operators .table").first(), heads = await table.locator("th").allTextContents();
  const rows = async () => (await table.locator("tbody tr").all()).length;
  const cells = Object.fromEntries(await table.locator("tbody tr").evaluateAll((all) => all.map((tr) => [tr.children[0].textContent, Array.from(tr.children, (td) => td.textContent)])));
  for (const operator of new Set(tasks.map((t) => t.operator))) {
    const lengths = tasks.filter((t) => t.operator === operator).map((t) => t.end_ps - t.start_ps).sort((a, b) => a - b);
    const at = (part) => (lengths[Math.ceil(part * lengths.length) - 1] / 1e6).toFixed(2), cell = (head) => cells[operator][heads.indexOf(head)];
    assert.deepEqual([cell("tasks"), cell("minimum µs"), cell("median µs"), cell("p95 µs")],
      [String(lengths.length), (lengths[0] / 1e6).toFixed(2), at(0.5), at(0.95)], operator);
  }
  await table.getByLabel("filter rows").fill("gmm");
  assert.equal(await rows(), 2);
  await table.getByLabel("filter rows").fill("");
  await table.getByRole("button", { name: "p95 µs" }).click();
  const p95 = (await table.locator(`tbody tr td:nth-child(${heads.indexOf("p95 µs") + 1})`).allTextContents()).map(Number);
  assert.deepEqual(p95, [...p95].sort((a, b) => b - a));
  await page.getByLabel("rank", { exact: true }).selectOption("1");
  const of_one = await table.locator("tbody tr", { hasText: "GMM1" }).locator("td").nth(heads.indexOf("tasks")).textContent();
  assert.equal(+of_one, tasks.filter((t) => t.operator === "GMM1" && t.rank === "1").length);
  await table.getByRole("button", { name: "GMM1", exact: true }).click();
  assert.equal(await page.getByLabel("search tasks").inputValue(), "GMM1");
  await close();
});

test("Charts over time have the machine's limits, which nothing exceeds; those of two runs lie over one another", async () => {
  for (const file of [pages.static, pages.both]) {
    const { page, close } = await open(file);
    const seen = await page.evaluate(async () => {
      const { runs } = a3sim.page.sections.find((s) => s.kind === "runs"), list = [];
      for (const { passes: [{ counters }] } of runs) {
        const columns = await a3sim.read_columns(counters.packed);
        list.push(counters.names.map((name, i) => ({ name, limit: counters.limits[i], most: Math.max(...columns[`most_${i}`]) / 1000 })));
      }
      return { list, charts: document.querySelectorAll(".over-time .uplot").length, legends: Array.from(document.querySelectorAll(".over-time .values"), (values) => values.textContent) };
    });
    for (const counters of seen.list) {
      for (const { name, limit, most } of counters) if (name === "link out" || name.endsWith("running")) assert.ok(most <= 1.001 * limit, `${name}: ${most} of ${limit}`);
      for (const name of ["HBM", "L2 reads", "link out", "AIC running"]) assert.ok(counters.find((of) => of.name === name).limit > 0, name);
    }
    if (file === pages.both) for (const text of seen.legends.filter((text) => text)) assert.match(text, /static: .*kernel: |^(static|kernel): /);
    await close();
  }
});

test("Charts over time have values in their legends without a pointer, and those at its time with one", async () => {
  const { page, close } = await open(pages.static);
  const legends = page.locator(".over-time .values");
  for (const text of await legends.allTextContents()) assert.match(text, /mean [\d.]+, most [\d.]+/);
  await page.locator(".over-time .u-over").first().hover();
  await page.waitForFunction(() => document.querySelector(".over-time .values").textContent.includes(" at "));
  await close();
});

// CIE Lab of a colour as it is seen without red or without green cones (Machado, Oliveira and Fernandes, 2009, severity 1),
// or with all.
const cones = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
};
function lab(color, seen) {
  const linear = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const [r, g, b] = [0, 3, 6].map((row) => Math.max(0, Math.min(1, seen[row] * linear[0] + seen[row + 1] * linear[1] + seen[row + 2] * linear[2])));
  const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("A thing has one colour wherever it is drawn, and colour-blind readers tell those of one chart apart", async () => {
  const { page, close } = await open(pages.both);
  const charts = await page.evaluate(() => {
    const names = {
      state: ["run", "memory", "puts", "wait", "scheduling", "idle"], execution: ["static", "kernel", "dynamic", "streams", "fused"],
      class: ["grouped products", "other products", "attention", "vector alone", "EP", "TP", "DP", "PP and CP", "bubble", "host", "optimizer", "exposed"],
      work: ["forward", "backward", "weights", "update"],
      cause: ["cube", "vector", "core", "put", "link", "hop", "HBM", "L2 misses", "L2 read", "poll", "scheduling", "launch", "unknown"], overlap: ["both", "products alone"],
      operator: a3sim.page.sections.find((s) => s.kind === "runs").runs[0].passes[0].operators.map((operator) => operator.name),
    };
    return Object.entries(a3sim.themes).flatMap(([theme, of]) =>
      Object.keys(names).map((kind) => ({ kind, theme, colors: names[kind].map((name) => ({ color: a3sim.series_color(of, a3sim.color_of(kind, name)), hatch: a3sim.hatch_of(a3sim.color_of(kind, name)) })) })));
  });
  assert.equal(charts.length, 14);
  for (const { kind, theme, colors } of charts) {
    for (const [who, seen] of Object.entries(cones)) {
      colors.forEach((a, i) => colors.slice(0, i).forEach((b) => {
        if (a.hatch !== b.hatch) return; // lines and dots need no colour
        const [p, q] = [lab(a.color, seen), lab(b.color, seen)], away = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        assert.ok(away > 10, `${kind}, ${theme}: ${a.color} and ${b.color} differ by ${away.toFixed(1)} with ${who}`);
      }));
    }
  }
  // Hues are the operators' alone: what else stands on their pages is grey, plain or hatched.
  const hueless = await page.evaluate(() => ["cause", "state", "counter", "overlap"].flatMap((kind) => ["cube", "HBM", "put", "poll", "run", "memory", "wait", "idle", "HBM", "L2 reads", "link out", "AIC running", "both"]
    .filter((name) => a3sim.known(kind, name)).map((name) => a3sim.series_color(a3sim.themes.light, a3sim.color_of(kind, name)))));
  assert.ok(hueless.length > 10);
  for (const color of hueless) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
    assert.ok(Math.max(r, g, b) - Math.min(r, g, b) < 16, color);
  }
  // Of two runs every chart draws a cause, a state and an operator alike.
  const drawn = await page.evaluate(() => {
    const of = {};
    for (const svg of document.querySelectorAll("figure svg")) {
      for (const rect of svg.querySelectorAll("rect")) {
        const title = rect.querySelector("title")?.textContent ?? "", name = /(?:^|, )([^,:]+): [-\d.]+$/.exec(title)?.[1];
        if (name && svg.querySelector("title").textContent.includes("ritical path")) ((of[name] ??= new Set()).add(rect.getAttribute("fill").replace(/ink-\d+-/, "")));
      }
    }
    return Object.entries(of).map(([name, fills]) => [name, fills.size]);
  });
  assert.ok(drawn.length > 5);
  for (const [name, fills] of drawn) assert.equal(fills, 1, name);
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
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  await page.waitForSelector(".tip:not([hidden]) .hint");
  await page.keyboard.press("Escape");
  assert.equal(await page.textContent(".selected"), "");
  await close();
});

test("Two runs have one table, whose differences are B less A", async () => {
  const { page, close } = await open(pages.both);
  const [heads, ...rows] = await page.$$eval("#section-0 table tr", (all) => all.map((tr) => Array.from(tr.children, (cell) => cell.textContent)));
  assert.deepEqual(heads, ["pass", "quantity", "static", "kernel", "kernel − static", "change"]);
  const of = (name) => JSON.parse(readFileSync(join(at(name), "result.json"))), [a, b] = [of("static"), of("kernel")];
  const check = (pass, x, y) => {
    const row = rows.find((cells) => cells[0] === pass && cells[1] === "latency ms"), ms = (ps) => (ps / 1e9).toFixed(3);
    assert.deepEqual(row.slice(2), [ms(x), ms(y), ms(y - x), `+${(100 * (y / x - 1)).toFixed(1)} %`]);
  };
  check("all passes", a.total_ps, b.total_ps);
  a.passes.forEach((pass, i) => check(pass.pass, pass.latency_ps, b.passes[i].latency_ps));
  const hits = rows.find((cells) => cells[0] === "forward" && cells[1] === "L2 read hits %");
  assert.equal(hits[5], `${hits[4] >= 0 ? "+" : ""}${(+hits[4]).toFixed(1)} pp`);
  const verdict = await page.textContent("#section-0 .verdict");
  assert.equal(verdict, `kernel takes ${(b.total_ps / 1e9).toFixed(3)} ms, static ${(a.total_ps / 1e9).toFixed(3)} ms (+${(100 * (b.total_ps / a.total_ps - 1)).toFixed(1)} %): static is ${(b.total_ps / a.total_ps).toFixed(2)} times faster.`);
  assert.equal(await page.textContent("h1"), "kernel against static");
  assert.ok(Math.abs(+hits[4] - (+hits[3] - +hits[2])) < 0.0015);
  await close();
});

test("Two runs share one axis of time, and the difference of their paths sums to that of their latencies", async () => {
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

test("The slider shows what goes between ranks around a time, and its stretches sum to the whole", async () => {
  const { page, close } = await open(pages.static);
  assert.match(await page.locator("section", { hasText: "Between ranks" }).textContent(), /Every rank sends every other 234\.9 MB\./);
  await page.getByText("matrix, also over time").first().click();
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

test("Where all ranks send each other the same, a sentence says it, and the matrix is folded", async () => {
  const { page, close } = await open(pages.static);
  const bytes = tasks.reduce((sum, t) => sum + (t.src === "0" && t.dst === "1" ? +t.put_bytes : 0), 0);
  assert.ok(await page.getByText(`Every rank sends every other ${(bytes / 1e6).toFixed(1)} MB.`).isVisible());
  assert.ok(await page.locator(".matrix canvas").first().isHidden());
  await close();
});

test("The L2 over time is a stack of what it holds of tensors, never higher than the L2 is large", async () => {
  const { page, close } = await open(pages.static);
  const figures = await page.evaluate(() => a3sim.page.sections.filter((s) => s.kind === "blocks").flatMap((s) => s.blocks).filter((b) => b.kind === "figure" && b.figure.title.startsWith("L2 by tensor")).map((b) => b.figure));
  assert.deepEqual(figures.map(({ title }) => title), ["L2 by tensor, ep4, forward", "L2 by tensor, ep4, backward"]);
  for (const { series } of figures) {
    const size = series.find(({ kind }) => kind === "plain").points[0][1], areas = series.filter(({ kind }) => kind === "line");
    const heights = areas[0].points.map((_, i) => areas.reduce((sum, { points }) => sum + points[i][1], 0));
    assert.equal(size, 192);
    assert.ok(heights.every((height) => height <= size + 1e-9) && Math.max(...heights) > 0.95 * size);
    assert.ok(areas.some(({ name }) => name.startsWith("Dispatch")) && areas.some(({ name }) => name.startsWith("read by")));
  }
  // As it is drawn: no area reaches above the line.
  const drawn = await page.$$eval("figure svg", (all) => all.filter((svg) => svg.querySelector("title").textContent.startsWith("L2 by tensor")).map((svg) => ({
    areas: Array.from(svg.querySelectorAll("path"), (path) => path).filter((path) => path.querySelector("title")).map((path) => path.getBBox().y),
    line: svg.querySelector("path[fill=none]").getBBox().y,
  })));
  assert.equal(drawn.length, 2);
  for (const { areas, line } of drawn) assert.ok(areas.length > 3 && Math.min(...areas) >= line - 0.6);
  await close();
});

test("Each roof of a roofline has its name and its value", async () => {
  const { page, close } = await open(pages.static);
  const words = await page.$$eval("figure svg", (all) => all.filter((svg) => svg.querySelector("title").textContent.startsWith("Roofline")).map((svg) => svg.textContent));
  assert.ok(words.length > 0);
  for (const text of words) for (const roof of [/cubes' peak, [0-9.]+ T\/s/, /vector cores' peak, [0-9.]+ T\/s/, /(HBM|L2), [0-9.]+ TB\/s/]) assert.match(text, roof);
  await close();
});

test("A frame of 100,000 bars is painted within a sixtieth of a second", async () => {
  const { page, said, close } = await open(pages.static, { viewport: { width: 1400, height: 900 } });
  await show_all_ranks(page);
  const { rows, painted, paints } = await page.evaluate(paint_many, 100_000);
  assert.ok(rows >= 100_000 && painted > 1000, `${painted} of ${rows} bars were painted`);
  const quick = paints[Math.floor(paints.length / 10)]; // others wait for a busy machine
  assert.ok(quick < 1000 / 60, `${quick} ms`);
  assert.deepEqual(said, []);
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
    await show_all_ranks(page);
    const wrong = await page.evaluate(() => {
      const timeline = a3sim.runs[0].timelines[0], { tasks, canvas } = timeline, context = canvas.getContext("2d");
      timeline.shown.path = false;
      timeline.paint();
      let wrong = 0;
      for (let i = 0; i < tasks.count; i += 7) {
        const x = timeline.x((tasks.start[i] + tasks.end[i]) / 2), lane = tasks.lane_of(i);
        const y = timeline.lanes.top + (lane + 0.5) * timeline.row;
        const found = timeline.task_at(x, y);
        const [r, g, b] = context.getImageData(Math.floor(x * devicePixelRatio), Math.floor(y * devicePixelRatio), 1, 1).data;
        const wanted = timeline.colors.bars[tasks.op[i]], width = timeline.x(tasks.end[i]) - timeline.x(tasks.start[i]);
        if (width > 6 && y < canvas.clientHeight - 1 && (found !== i || (r | (g << 8) | (b << 16)) !== (wanted & 0xffffff))) ++wrong;
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

test("Operators that the table of colours does not know differ from each other, in whatever order they come", async () => {
  const names = ["Zeta", "Alpha", "Attention", "RouterGate", "Norm", "LayerEnd"], seen = [];
  for (const order of [names, [...names].reverse()]) {
    const { page, close } = await open(pages.static);
    seen.push(await page.evaluate(([names, order]) => {
      a3sim.tell_apart("operator", order);
      return names.map((name) => a3sim.color_of("operator", name));
    }, [names, order]));
    await close();
  }
  assert.deepEqual(seen[0], seen[1]);
  assert.equal(new Set(seen[0]).size, names.length);
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

// A sweep's points as `results` prints them.
const sweep_rows = () => {
  const [heads, ...rows] = a3sim("results", at("sweep.db"), "--csv", "--pass", "forward").trim().split("\n").map((line) => line.split(","));
  const latency = heads.findIndex((head) => head.startsWith("latency"));
  return rows.map((row) => ({ tokens: row[heads.indexOf("tokens")], execution: row[heads.indexOf("execution")], latency: +row[latency] }));
};
const part = (page, title) => page.locator("section.choices", { has: page.locator("h2", { hasText: title }) });
const cell_values = async (page) => (await part(page, "Heat map").locator("svg rect title").allTextContents()).map((text) => [text.split(": ")[0], +text.split(": ")[1]]);

test("A sweep's lines, heat map and front have the values of its points", async () => {
  const { page, close } = await open(pages.sweep);
  await page.getByLabel("pass").selectOption("forward");
  const rows = sweep_rows(), cells = await cell_values(page);
  assert.equal(cells.length, 6);
  for (const [place, value] of cells) {
    const [execution, tokens] = place.split(", "), row = rows.find((of) => of.tokens === tokens && of.execution === execution);
    assert.ok(Math.abs(value / row.latency - 1) < 1e-3, `${place}: ${value}, not ${row.latency}`);
  }
  // Doublings lie evenly on their axis.
  const ticks = await part(page, "Lines").locator("svg text").evaluateAll((all) => all.filter((t) => ["512", "1024", "2048"].includes(t.textContent)).map((t) => +t.getAttribute("x")));
  assert.ok(Math.abs(ticks[0] + ticks[2] - 2 * ticks[1]) < 1);
  assert.ok((await part(page, "Lines").locator("svg").textContent()).includes("kernel"));
  await part(page, "Lines").getByLabel("one line per").selectOption("-1");
  // A figure that is new is drawn when the browser knows its width, a frame later.
  await part(page, "Lines").locator("svg > title").nth(1).waitFor({ state: "attached" });
  const panels = await part(page, "Lines").locator("svg > title").allTextContents();
  assert.deepEqual(panels, ["execution=static", "execution=kernel"]);
  assert.equal(await part(page, "Pareto front").count(), 1);
  await close();
});

test("Beside a baseline every value is that of the baseline's own point over it, and selectors leave points out", async () => {
  const { page, close } = await open(pages.sweep);
  await page.getByLabel("pass").selectOption("forward");
  await page.getByLabel("speed-up over").selectOption({ label: "execution = kernel" });
  const rows = sweep_rows(), latency = (tokens, execution) => rows.find((of) => of.tokens === tokens && of.execution === execution).latency;
  for (const [place, value] of await cell_values(page)) {
    const [execution, tokens] = place.split(", "), wanted = latency(tokens, "kernel") / latency(tokens, execution);
    assert.ok(Math.abs(value / wanted - 1) < 1e-3, `${place}: ${value}, not ${wanted}`);
  }
  const speedups = ["512", "1024", "2048"].map((tokens) => latency(tokens, "kernel") / latency(tokens, "static"));
  const mean = Math.exp(speedups.reduce((sum, of) => sum + Math.log(of), 0) / 3);
  assert.ok((await page.textContent(".sweep .verdict")).includes(`: ${mean.toFixed(3)} as the geometric mean of 3 points`));
  // The baseline's points need not be among those that are shown.
  await page.getByLabel("only execution").selectOption({ label: "static" });
  await page.getByLabel("only tokens").selectOption({ label: "1024" });
  const table = await page.$$eval(".sweep .table tbody tr", (all) => all.map((tr) => Array.from(tr.children, (cell) => cell.textContent)));
  assert.equal(table.length, 1);
  assert.ok(table[0].includes(speedups[1].toFixed(3)));
  await close();
});

test("A sweep's figures never average points that differ: other axes have panels on shared axes, the axis that matters most is across", async () => {
  const { page, close } = await open(pages.sweep);
  const seen = await page.evaluate(() => {
    // Tokens matter most, then hidden; a third axis doubles all.
    const axes = [["twice", ["no", "yes"]], ["hidden", ["2048", "4096"]], ["tokens", ["512", "1024", "2048"]]].map(([name, values]) => ({ name, unit: "", values, numbers: values.every((v) => !isNaN(v)) ? values.map(Number) : null }));
    const levels = [[], [], []], values = [];
    for (const a of [0, 1]) for (const b of [0, 1]) for (const c of [0, 1, 2]) {
      [a, b, c].forEach((level, axis) => levels[axis].push(level));
      values.push((a + 1) * (1 + 1.5 * b) * 4 ** c);
    }
    const section = { axes, metrics: [{ pass: "total", name: "latency", unit: "ms", better: "smaller" }], points: 14, done: 12 };
    const points = new a3sim.SweepPoints(section, levels, [values]), all = points.where([-1, -1, -1]), quantity = points.quantity(0);
    const figures = a3sim.lines_figures(points, all, quantity, 2, 1), near = points.quantity(0);
    near.values = values.map((value, i) => (levels[0][i] === 0 ? value : values[i - 6] * 1.05));
    return { figures: figures.map((f) => ({ title: f.title, y: f.y.high, points: f.series.flatMap((s) => s.points) })), merged: a3sim.lines_figures(points, all, near, 2, 1).length, values };
  });
  assert.deepEqual(seen.figures.map((f) => f.title), ["twice=no", "twice=yes"]);
  assert.equal(seen.figures[0].y, seen.figures[1].y);
  for (const { points } of seen.figures) for (const [, y, low, high] of points) assert.ok(low === high && seen.values.includes(y), "each dot is a point");
  assert.equal(seen.figures.flatMap((f) => f.points).length, 12);
  assert.equal(seen.merged, 1, "what differs by 5 % is one line");
  // The program says which axis matters most: the page shows its sentence, as the terminal does, and that axis across.
  const said = (text) => /What matters most for latency of all passes: (\w+) \(a factor of [\d.]+\)/.exec(text)?.[1];
  assert.equal(said(a3sim("results", at("sweep.db"))), "tokens");
  assert.equal(said((await page.textContent(".sweep")).replace(/\s+/g, " ")), "tokens");
  assert.equal(await part(page, "Lines").getByLabel("over").evaluate((of) => of.selectedOptions[0].textContent), "tokens");
  await page.getByLabel("only execution").selectOption({ label: "static" });
  assert.equal(said(await page.textContent(".sweep > div")), undefined, "of some points it says nothing");
  await close();
});

test("The best points of a sweep are bars, best first; a step's time is made of its parts", async () => {
  const { page, close } = await open(pages.sweep);
  const seen = await page.evaluate(() => {
    const values = Array.from({ length: 15 }, (_, i) => 20000 + 1000 * ((7 * i) % 15)), bubble = values.map((ms, i) => 100 * i), products = values.map((ms, i) => ms - bubble[i]);
    const axis = (name, levels) => ({ name, unit: "", values: levels.map(String), numbers: levels });
    const metrics = [["latency", "smaller"], ["step.bubble", ""], ["step.grouped_products", ""]].map(([name, better]) => ({ pass: "total", name, unit: "ms", better }));
    const section = { axes: [axis("tp", [1, 2, 3]), axis("pp", [1, 2, 3, 4, 5]), axis("same", [7])], metrics, points: 100, done: 15, best: 3 };
    const levels = [values.map((_, i) => i % 3), values.map((_, i) => i % 5), values.map(() => 0)], points = new a3sim.SweepPoints(section, levels, [values, bubble, products]);
    const all = values.map((_, i) => i), quantity = (m) => points.quantity(m);
    return { unit: quantity(0).unit, plain: a3sim.best_figure(points, all, quantity(0), []), parts: a3sim.best_figure(points, all, quantity(0), [quantity(1), quantity(2)]), values };
  });
  const best = [...seen.values].sort((a, b) => a - b).slice(0, 12).map((ms) => ms / 1000);
  assert.equal(seen.unit, "s", "ten seconds and more are no milliseconds");
  assert.deepEqual(seen.plain.series[0].points.map(([, y]) => y), best);
  assert.deepEqual(seen.parts.series.map(({ name }) => name), ["grouped products", "bubble"]);
  best.forEach((whole, i) => assert.ok(Math.abs(seen.parts.series.reduce((sum, { points }) => sum + points[i][1], 0) - whole) < 1e-9));
  await close();
});

test("A sweep that was interrupted says how many points are missing", async () => {
  const text = readFileSync(pages.sweep, "utf8");
  writeFileSync(at("half.html"), text.replace(/"points":6,"done":6/, '"points":9,"done":6'));
  writeFileSync(at("best.html"), text.replace(/"points":6,"done":6,"best":0/, '"points":9,"done":6,"best":2'));
  const asked = await open(at("best.html"));
  assert.match(await asked.page.textContent(".sweep"), /of the 3 missing none is among the 2 best/);
  assert.equal(await asked.page.locator(".sweep .warning").count(), 0);
  await asked.close();
  const { page, close } = await open(at("half.html"));
  assert.match(await page.textContent(".sweep .warning"), /^6 of 9 points are done: among the 3 missing/);
  assert.match(await page.textContent(".sweep .verdict"), /of 6 of 9 points: /);
  await close();
});

test("Bytes that go to several ranks at once are no cell of the matrix, but said", async () => {
  const { page, close } = await open(pages.streams);
  const { own, several, ranks, said } = await page.evaluate(() => {
    const { tasks } = a3sim.runs[0].timelines[0], { rank, dst, put_bytes } = tasks.columns, { ranks } = tasks.pass;
    const sent = a3sim.sent_between(tasks, 0, Infinity);
    let several = 0;
    for (let i = 0; i < tasks.count; ++i) if (rank[i] === dst[i]) several += put_bytes[i];
    return { own: Array.from({ length: ranks }, (_, r) => sent[r * ranks + r]), several, ranks, said: document.body.textContent };
  });
  assert.ok(several > 0 && own.every((bytes) => bytes === 0));
  assert.ok(said.includes(`${(several / ranks / 1e6).toFixed(1)} MB per rank, to several ranks at once`));
  await close();
});

test("A part of an operator has its operator's hue, and waiting is one grey in charts and on timelines", async () => {
  const { page, close } = await open(pages.static);
  const same = await page.evaluate(() => {
    const { color_of, series_color, themes } = a3sim, wait = series_color(themes.light, color_of("state", "wait"));
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(wait.slice(i, i + 2), 16));
    return [color_of("operator", "GMM1_b0") === color_of("operator", "GMM1"), color_of("operator", "GMM2_c3") === color_of("operator", "GMM2") + 7,
      a3sim.runs[0].timelines[0].colors.wait === (((255 << 24) | (b << 16) | (g << 8) | r) >>> 0)];
  });
  assert.deepEqual(same, [true, true, true]);
  await close();
});

test("A thousand points of a sweep make a page below 2 MB, whose figures are drawn from them", async () => {
  const html = readFileSync(pages.sweep, "utf8"), section = /"packed":"(packed-\d+)"/.exec(html)[1];
  const packed = new RegExp(`id="${section}">([^<]*)<`).exec(html)[1].length;
  assert.ok(html.length - packed + (packed / 6) * 1000 < 2e6);
  assert.ok(!html.includes('"kind":"choices"'));
});

test("A step's pipeline has a block for each micro-batch in each chunk, forward and backward, and its classes sum to the step", async () => {
  const { page, said, close } = await open(pages.step);
  await page.waitForFunction(() => a3sim.steps[0].memory);
  const result = JSON.parse(readFileSync(join(at("step"), "result.json"))), blocks = csv(join(at("step"), "blocks.csv"));
  const chunks = 16, micro_batches = 20; // 8 stages of 2; 640 samples of 32 DP ranks
  for (const work of ["forward", "backward"]) {
    const of = blocks.filter((block) => block.work === work);
    assert.equal(new Set(of.map((block) => `${block.chunk} ${block.micro_batch}`)).size, chunks * micro_batches);
    assert.equal(of.length, chunks * micro_batches);
  }
  const drawn = await page.evaluate(() => {
    const { section, pipeline, memory } = a3sim.steps[0], { columns, count } = pipeline.blocks;
    return { list: Array.from({ length: count }, (_, i) => [columns.stage[i], pipeline.blocks.work(i), columns.micro_batch[i], columns.from[i], columns.to[i]].join(" ")),
      classes: section.step.stages.map((stage) => Object.values(stage.classes_ps).reduce((a, b) => a + b, 0)),
      most: section.step.stages.map((_, stage) => memory.most(stage)) };
  });
  assert.deepEqual(new Set(drawn.list), new Set(blocks.map((b) => [b.stage, b.work, b.micro_batch || -1, b.from_ps, b.to_ps].join(" "))));
  for (const sum of drawn.classes) assert.equal(sum, result.step_ps);
  drawn.most.forEach((bytes, stage) => assert.ok(Math.abs(bytes / 2 ** 30 - result.memory[stage].total_gib) < 1e-6));
  // A forward block of a micro-batch ends before the next chunk's begins; kernels of a stage never overlap.
  const forward = new Map(blocks.filter((b) => b.work === "forward").map((b) => [`${b.chunk} ${b.micro_batch}`, b]));
  for (const b of forward.values()) {
    const next = forward.get(`${+b.chunk + 1} ${b.micro_batch}`);
    assert.ok(!next || +next.from_ps >= +b.to_ps);
  }
  for (let stage = 0; stage < 8; ++stage)
    assert.ok(blocks.filter((b) => +b.stage === stage).reduce((sum, b) => sum + +b.kernels_ps, 0) <= result.step_ps);
  assert.match(await page.textContent(".step .cards"), new RegExp((result.step_ps / 1e12).toFixed(3)));
  assert.equal(await page.getByRole("heading", { name: "Answer" }).count(), 0); // the cards have it
  assert.deepEqual(said, []);
  await close();
});

test("Two steps: the difference stands first and sums to it, and their pipelines share an axis", async () => {
  a3sim("run", "configs/experiments/step_deepseek_v3.yaml", "--set", "step.global_batch=640", "--set", "step.overlap=none", "-o", at("step_b"));
  a3sim("export", "--to", "html", at("step"), at("step_b"), "-o", at("steps.html"));
  const { page, said, close } = await open(at("steps.html"));
  await page.waitForFunction(() => a3sim.steps.every((step) => step.memory));
  const time = (name) => JSON.parse(readFileSync(join(at(name), "result.json"))).step_ps, [a, b] = [time("step"), time("step_b")];
  const { bars, ends, spans } = await page.evaluate(() => {
    const sections = a3sim.page.sections.filter((s) => s.kind === "step"), bars = a3sim.bars_between(...sections);
    return { bars, spans: a3sim.spans_of(bars), ends: a3sim.steps.map((step) => step.time.end) };
  });
  assert.deepEqual([bars[0].ps, bars.at(-1).ps], [a, b]);
  assert.ok(Math.abs(spans.at(-2)[1] - b) < 1);
  assert.ok(bars.some(({ name }) => name === "EP"));
  assert.deepEqual(ends, [Math.max(a, b), Math.max(a, b)]);
  assert.equal(await page.textContent("main h2"), "What makes the difference");
  assert.match(await page.textContent("main .verdict"), /^step_b takes [\d.]+ s, step [\d.]+ s \(\+[\d.]+ %\): most of it is EP \+[\d.]+ s/);
  // Both steps' bars stand on one axis, and sum to the steps.
  const stacks = await page.$$eval("#difference figure svg", (all) => all.map((svg) => Array.from(svg.querySelectorAll("rect > title"), (title) => title.textContent)));
  assert.equal(stacks.length, 2);
  for (const [name, ps] of [["step", a], ["step_b", b]]) {
    const sum = stacks[0].filter((text) => text.startsWith(`${name}, `)).reduce((all, text) => all + Number(text.split(": ")[1]), 0);
    assert.ok(Math.abs(sum / (ps / 1e12) - 1) < 0.01, `${name}: ${sum} of ${ps / 1e12}`);
  }
  // Both steps' memory is in one chart: the shorter step's line ends with it.
  await page.waitForFunction(() => document.querySelector("#difference .both-memories canvas"));
  const memories = await page.textContent("#difference .both-memories .values");
  assert.match(memories, /a die has 64.*step, stage \d: [\d.]+ at most.*step_b, stage \d: [\d.]+ at most/);
  await page.locator("#difference").getByLabel("die").selectOption({ label: "stage 0" });
  assert.match(await page.textContent("#difference .both-memories .values"), /step, stage 0: .*step_b, stage 0: /);
  const terminal = a3sim("compare", at("step"), at("step_b"));
  assert.match(terminal, /B takes [\d.]+ s \([\d.]+ %\) longer than A, from one run of each; most of it is EP \+[\d.]+ s.*\.\n\nA takes [\d.]+ % less time than B\..*measure both\.\n$/);
  assert.deepEqual(said, []);
  await close();
});

test("A block lies where the pointer finds it; a click shows its micro-batch alone, and keys zoom the pipeline", async () => {
  const { page, close } = await open(pages.step);
  await page.waitForFunction(() => a3sim.steps[0].memory);
  await page.locator(".pipeline canvas").scrollIntoViewIfNeeded();
  await page.waitForTimeout(100);
  const seen = await page.evaluate(() => {
    const { pipeline } = a3sim.steps[0], { columns, count } = pipeline.blocks, context = pipeline.canvas.getContext("2d");
    pipeline.paint();
    let wrong = 0, tested = 0, place = null;
    for (let i = 0; i < count; ++i) {
      const [left, right] = [pipeline.x(columns.from[i]), pipeline.x(columns.to[i])], [top, height] = pipeline.across(i);
      if (right - left < 6) continue;
      ++tested;
      if (pipeline.block_at((left + right) / 2, top + height / 2) !== i) ++wrong;
      const [r, g, b] = context.getImageData(Math.round(left + 2), Math.round(top + 2), 1, 1).data, color = pipeline.color(i);
      if (color !== "#" + [r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")) ++wrong;
      place ??= { x: (left + right) / 2, y: top + height / 2, micro_batch: columns.micro_batch[i] };
    }
    return { wrong, tested, place, end: a3sim.steps[0].time.to };
  });
  assert.ok(seen.tested > 100);
  assert.equal(seen.wrong, 0);
  const box = await page.locator(".pipeline canvas").boundingBox();
  await page.mouse.click(box.x + seen.place.x, box.y + seen.place.y);
  assert.equal(await page.evaluate(() => a3sim.steps[0].pipeline.selected), seen.place.micro_batch);
  assert.match(await page.textContent(".step"), new RegExp(`Micro-batch ${seen.place.micro_batch}: `));
  await page.keyboard.press("w");
  const [from, to] = await page.evaluate(() => [a3sim.steps[0].time.from, a3sim.steps[0].time.to]);
  assert.ok(to - from < 0.8 * seen.end);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => a3sim.steps[0].pipeline.selected), -1);
  await close();
});

test("Pages of a search and of a tried order say what their JSON says", async () => {
  const search = JSON.parse(readFileSync(at("search.json"))), tried = JSON.parse(readFileSync(at("tried.json")));
  {
    const { page, said, close } = await open(pages.search);
    const text = await page.textContent("main");
    assert.ok(text.includes(search.best.yaml.trim().split("\n")[1].trim()) && text.includes(`${search.candidates}`));
    assert.ok(text.includes(search.headline.split("\n")[0]));
    assert.equal(text.includes("none claimed"), !search.holds);
    if (search.holds) assert.ok(text.includes(`${(100 * search.gain.claimed).toFixed(2)} %`));
    // Before and after on one axis. What is faster in training need not be so as configured.
    const ends = await page.evaluate(() => (a3sim.runs[0]?.timelines ?? []).map(({ tasks }) => tasks.pass.makespan_ps));
    assert.equal(ends.length, search.gain.trained > 0 ? 2 : 0);
    if (ends.length > 0) assert.ok(Math.abs(ends[1] / ends[0] - (1 - search.gain.trained)) < 0.01, `${ends}`);
    assert.deepEqual(said, []);
    await close();
  }
  const { page, said, close } = await open(pages.tried);
  const rows = await page.$$eval("table tbody tr", (all) => all.map((tr) => Array.from(tr.children, (cell) => cell.textContent)));
  assert.ok(rows.length >= tried.orders.length);
  for (const [at, of] of tried.orders.entries()) {
    if (of.refused) continue;
    const name = at === 0 ? `${of.order} (tried)` : of.order;
    assert.ok(rows.some((row) => row[0] === name && row[3] === (of.total_ps / 1e9).toFixed(3)), name);
  }
  assert.ok((await page.textContent("#section-0")).includes(`Times are medians of ${tried.jitter.runs} runs with random task times and rates`));
  for (const text of await page.locator("h3", { hasText: /: \d+\.\d+ ms$/ }).allTextContents()) assert.match(text, /^\S+ \((best shipped|tried)\), (forward|backward): /);
  assert.deepEqual(rows.map((row) => row[0]).filter((name) => name.endsWith(" (tried)")), ["ratr (tried)"]);
  // The pass in which they differ is shown.
  const [lengths, chosen] = await page.evaluate(() => [a3sim.page.sections.find((s) => s.kind === "runs").runs.map(({ passes }) => passes.map((pass) => pass.makespan_ps)), a3sim.runs[0].timelines[0].tasks.pass.name]);
  const apart = lengths[0].map((ps, i) => Math.abs(ps - lengths[1][i]));
  assert.equal(chosen, apart[0] >= apart[1] / 2 ? "forward" : "backward");
  assert.equal(await page.evaluate(() => a3sim.runs[0].timelines.length), 2);
  assert.match(await page.textContent(".verdict"), /^ratr (is [\d.]+ % (slower|faster) than|is as fast as|does not differ by more than noise from) naive, /);
  assert.deepEqual(said, []);
  await close();
});

test("Of many runs some are shown at first, and each has a button that shows or hides its timeline", async () => {
  const text = readFileSync(pages.both, "utf8"), copies = text.replace(/"kind":"runs","title":"Timeline","runs":\[(.*?)\]\}\]\}/s, (whole) => whole);
  const section = JSON.parse(/<script type="application\/json" id="a3sim-page">([^<]*)<\/script>/.exec(copies)[1].replaceAll("\\u003c", "<"));
  const runs = section.sections.find((s) => s.kind === "runs");
  runs.runs.push({ ...runs.runs[1], name: "third" }, { ...runs.runs[1], name: "fourth" });
  writeFileSync(at("many.html"), text.replace(/(<script type="application\/json" id="a3sim-page">)[^<]*/, (_, head) => head + JSON.stringify(section).replaceAll("<", "\\u003c")));
  const { page, close } = await open(at("many.html"));
  const shown = () => page.evaluate(() => a3sim.runs[0].names_shown);
  assert.deepEqual(await shown(), ["static"]); // the first one is the fastest, too
  await page.locator(".choose-runs").getByRole("button", { name: "fourth" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines.length === 2);
  assert.deepEqual(await shown(), ["static", "fourth"]);
  await page.locator(".choose-runs").getByRole("button", { name: "static" }).click();
  await page.waitForFunction(() => a3sim.runs[0].timelines.length === 1);
  assert.deepEqual(await shown(), ["fourth"]);
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
    assert.equal(await page.locator("#section-0 tbody tr").count(), 3);
    await close();
  }
});

test("A job's page marks slow steps and the rank that slows them, and leads from a finding to its steps", async () => {
  const { page, said, close } = await open(pages.job);
  await page.waitForFunction(() => a3sim.jobs[0].map);
  const advice = JSON.parse(a3sim("advise", at("job"), "--json"));
  const seen = await page.evaluate(() => {
    const { map } = a3sim.jobs[0], { data } = map, mean = (rank, from, to) => {
      let sum = 0;
      for (let column = from; column < to; ++column) sum += map.shown(rank, column) / (to - from);
      return sum;
    };
    return { slow: Array.from(data.steps.slow).flatMap((slow, i) => (slow ? [i] : [])), ranks: [0, 1, 2, 3].map((rank) => mean(rank, 9, 16)), before: mean(1, 0, 8) };
  });
  assert.deepEqual(seen.slow, advice.slow);
  // Half the rate of its port: rank 1 loses more than all others, and nothing before the fault.
  for (const rank of [0, 2, 3]) assert.ok(seen.ranks[1] > 1.5 * seen.ranks[rank], String(seen.ranks));
  assert.ok(Math.abs(seen.before) < 0.01);
  const flag = await page.locator(".job .flag").first().textContent();
  assert.equal(flag, `1 ${advice.findings[0].cause}`);
  await page.locator(".finding button.link").first().click();
  const [from, to] = await page.evaluate(() => { const { from, to } = a3sim.jobs[0].map.time; return [from / 1e6, to / 1e6]; });
  assert.ok(from > 0 && from <= advice.findings[0].steps[0] && to >= advice.findings[0].steps[1] + 1, `${from} to ${to}`);
  assert.match(await page.locator(".links").textContent(), /3 of 12 links are below 0.9/);
  const box = await page.locator(".step-map canvas").boundingBox();
  await page.mouse.click(box.x + box.width - 20, box.y + 60);
  assert.equal(await page.locator(".job .selected tbody tr").count(), 4);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".job .selected tbody tr").count(), 0);
  assert.deepEqual(said, []);
  await close();
});

test("A profile has its own timeline, and simulated kernels stand beside it on one axis", async () => {
  for (const file of [pages.profile, pages.measured]) {
    const { page, close } = await open(file);
    const shown = await page.evaluate(() => {
      const runs = a3sim.runs[0];
      return { names: runs.names_shown, kernels: runs.timelines.map(({ tasks }) => Array.from(tasks.start, (start, i) => [tasks.columns.rank[i], tasks.name(i), start, tasks.end[i]])), end: runs.time.end };
    });
    assert.equal(shown.names.length, file === pages.measured ? 2 : 1);
    for (const kernels of shown.kernels) assert.equal(kernels.length, 12 * 4); // operators of both passes, of each rank
    // The first rank's GMM1 begins when its first rows are there, which the simulation wrote.
    const written = tasks.filter((t) => t.operator === "GMM1" && t.rank === "0").map((t) => Number(t.start_ps));
    const first = shown.kernels[0].find(([rank, name]) => rank === 0 && name === "GMM1");
    const begin = Math.min(...tasks.map((t) => Number(t.start_ps)));
    assert.ok(Math.abs(first[2] - (Math.min(...written) - begin)) < 1e8, `${first[2]}`); // profiles have microseconds, and clocks differ
    assert.ok(shown.kernels.flat().every(([, , start, end]) => start >= 0 && end <= shown.end));
    await close();
  }
});
