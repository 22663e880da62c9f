// Runs in a page: gives its first timeline as many bars as are asked for, tasks cut into pieces, pans and zooms it, and
// returns what each frame took to paint, what was between two frames, and how many bars were painted at most.
export async function paint_many(bars) {
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
  const sorted = (list) => list.sort((a, b) => a - b);
  return { rows, painted, paints: sorted(paints), between: sorted(between) };
}
