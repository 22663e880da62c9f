// How long the timeline takes to paint a frame, with 100,000 and 1,000,000 bars: tasks of a run, each cut into as many
// pieces as are needed, while the time shown is panned and zoomed. Prints milliseconds a frame; 16.7 are 60 a second.
import { a3sim, close, open, scratch } from "../tests/report/browser.mjs";
import { paint_many } from "../tests/report/many_bars.mjs";

a3sim("run", "configs/experiments/ep8.yaml", "--trace", "-o", `${scratch}/ep8`);
a3sim("export", "--to", "html", `${scratch}/ep8`, "-o", `${scratch}/ep8.html`);
const { page } = await open(`${scratch}/ep8.html`);
await page.getByLabel("rank", { exact: true }).selectOption("-1"); // all ranks, also those that are alike
console.log("bars       painted  paint ms: median  95 %  most   between frames ms: median  95 %");
const at = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1).padStart(6);
for (const bars of [9216, 100_000, 1_000_000]) {
  const { rows, painted, paints, between } = await page.evaluate(paint_many, bars);
  console.log(`${String(rows).padEnd(9)} ${String(painted).padStart(8)}  ${at(paints, 0.5).padStart(16)}${at(paints, 0.95)}${at(paints, 1)}   ${at(between, 0.5).padStart(25)}${at(between, 0.95)}`);
}
await close();
