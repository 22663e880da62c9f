// Draws the pictures that the README and the docs show, from runs of the shipped configurations. `report_test.mjs` holds
// them against what pages look like, in the browser of the tests; called alone ('./dev screenshots'), this writes them anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { a3sim, close, open, root, scratch } from "./browser.mjs";

const at = (name) => join(scratch, "pictures", name);
export const picture_file = (name) => join(root, "traces", "report", "web", "screenshots", `${name}.png`);

const heading = (text) => (page) => page.evaluate((text) => {
  const found = Array.from(document.querySelectorAll("h1, h2, h3, summary")).find((h) => h.textContent.startsWith(text));
  return Math.max(0, found.getBoundingClientRect().top + scrollY - 12);
}, text);
const start = () => 0;

// Calls `take` with the name and the PNG of each picture.
export async function draw_pictures(take) {
  mkdirSync(join(scratch, "pictures"));
  a3sim("run", "configs/experiments/ep8.yaml", "--trace", "-o", at("static"));
  a3sim("run", "configs/experiments/ep8.yaml", "--set", "experiment.execution=kernel", "--trace", "-o", at("kernel"));
  a3sim("export", "--to", "html", at("static"), "-o", at("static.html"));
  a3sim("export", "--to", "html", at("kernel"), at("static"), "-o", at("both.html"));
  a3sim("reproduce", "moe_ffn", "swiglu_add", "-o", at("tables"));
  a3sim("run", "configs/experiments/step_deepseek_v3.yaml", "--set", "step.global_batch=1024", "-o", at("step"));
  a3sim("export", "--to", "html", at("step"), "-o", at("step.html"));
  a3sim("run", "ep4", "--steps", "24", "--set", "noise={durations: 2 %, rates: 1 %, seed: 7}",
    "--set", "faults=[{kind: port, ranks: [1], side: egress, factor: 0.5, steps: [12, 23]}]", "-o", at("job"));
  a3sim("export", "--to", "html", at("job"), "-o", at("job.html"));
  const shoot = async (file, name, width, from, to) => {
    const { page, close } = await open(file, { viewport: { width, height: 900 } });
    await page.waitForTimeout(400);
    const top = await from(page), bottom = await to(page);
    await take(name, await page.screenshot({ fullPage: true, clip: { x: 0, y: top, width, height: bottom - top } }));
    await close();
  };
  await shoot(at("static.html"), "report", 1200, start, heading("Between ranks"));
  await shoot(at("static.html"), "l2_and_roofline", 1200, heading("L2"), heading("Tables"));
  await shoot(at("both.html"), "kernel_against_static", 1200, start, heading("kernel: operators"));
  await shoot(join(at("tables"), "report.html"), "published", 1200, heading("moe_ffn"), heading("Points of moe_ffn"));
  await shoot(at("step.html"), "training_step", 1200, start, heading("Tasks"));
  await shoot(at("job.html"), "job", 1200, start, heading("Timeline"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await draw_pictures((name, png) => writeFileSync(picture_file(name), png));
  await close();
}
