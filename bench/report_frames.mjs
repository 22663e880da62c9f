// How long the timeline takes to paint a frame, with 100,000 and 1,000,000 bars: tasks of a run, each cut into as many
// pieces as are needed, while the time shown is panned and zoomed. Prints milliseconds a frame; 16.7 are 60 a second.
import { a3sim, close, open, scratch } from "../tests/report/browser.mjs";

a3sim("run", "configs/experiments/ep8.yaml", "--trace", "-o", `${scratch}/ep8`);
a3sim("export", "--to", "html", `${scratch}/ep8`, "-o", `${scratch}/ep8.html`);
const { page } = await open(`${scratch}/ep8.html`);
console.log("bars       painted  paint ms: median  95 %  most   between frames ms: median  95 %");
for (const bars of [9216, 100_000, 1_000_000]) {
  const row = await page.evaluate(async (bars) => {
    const timeline = a3sim.runs[0].timelines[0], { pass, columns } = timeline.tasks, pieces = Math.ceil(bars / pass.tasks.rows);
    const rows = pass.tasks.rows * pieces, cut = {};
    for (const [name, values] of Object.entries(columns)) {
      cut[name] = new Float64Array(rows);
      for (let i = 0; i < rows; ++i) cut[name][i] = values[Math.floor(i / pieces)];
    }
    for (let i = 0; i < rows; ++i) {
      const task = Math.floor(i / pieces), start = columns.start[task], length = (columns.end[task] - start) / pieces;
      cut.start[i] = cut.taken[i] = start + (i % pieces) * length;
      cut.end[i] = cut.start[i] + length;
    }
    const kept = timeline.tasks;
    timeline.tasks = new a3sim.Tasks({ ...pass, tasks: { ...pass.tasks, rows } }, cut);
    timeline.choose();
    const paints = [], between = [], end = timeline.time.end;
    let painted = 0, before = 0;
    for (let frame = 0; frame < 180; ++frame) {
      const zoom = 1 + 8 * Math.abs(Math.sin(frame / 30)), span = end / zoom, from = (end - span) * (0.5 + 0.5 * Math.sin(frame / 17));
      timeline.time.set(from, from + span);
      await new Promise((next) => requestAnimationFrame(next));
      const now = performance.now();
      if (frame > 20) between.push(now - before), paints.push(timeline.frames.at(-1)), (painted = Math.max(painted, timeline.painted));
      before = now;
    }
    timeline.tasks = kept;
    timeline.choose();
    const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))].toFixed(1).padStart(6);
    return `${String(rows).padEnd(9)} ${String(painted).padStart(8)}  ${at(paints, 0.5).padStart(16)}${at(paints, 0.95)}${at(paints, 1)}   ${at(between, 0.5).padStart(25)}${at(between, 0.95)}`;
  }, bars);
  console.log(row);
}
await close();
