// Pictures of pages, stored as coarse grids of colours: what a reader sees from afar, whatever the fonts of a machine.
// With A3SIM_RECORD_PICTURES=1 they are stored anew.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, root } from "./browser.mjs";

const file = join(root, "tests", "report", "pictures.json"), columns = 28, rows = 18;
export const recording = process.env.A3SIM_RECORD_PICTURES === "1";
const stored = existsSync(file) ? JSON.parse(readFileSync(file)) : {}, taken = {};
let paper = null; // a page that turns pictures into grids

// The mean colour of each cell of what is on the first screen, as base64 of rows of RGB.
export async function grid_of(page) {
  return grid_of_png(await page.screenshot());
}

// The same of a picture.
export async function grid_of_png(picture) {
  paper ??= await (await browser()).newPage();
  const png = picture.toString("base64");
  return paper.evaluate(async ([png, columns, rows]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height), sums = new Float64Array(columns * rows * 4);
    for (let y = 0; y < image.height; ++y) {
      for (let x = 0; x < image.width; ++x) {
        const cell = 4 * (Math.floor((y * rows) / image.height) * columns + Math.floor((x * columns) / image.width)), at = 4 * (y * image.width + x);
        for (let c = 0; c < 3; ++c) sums[cell + c] += data[at + c];
        ++sums[cell + 3];
      }
    }
    let bytes = "";
    for (let cell = 0; cell < sums.length; cell += 4) for (let c = 0; c < 3; ++c) bytes += String.fromCharCode(Math.round(sums[cell + c] / sums[cell + 3]));
    return btoa(bytes);
  }, [png, columns, rows]);
}

// The mean difference of two grids, of 255.
export function difference(a, b) {
  const [x, y] = [Buffer.from(a, "base64"), Buffer.from(b, "base64")];
  if (x.length !== y.length) return 255;
  return x.reduce((sum, value, i) => sum + Math.abs(value - y[i]), 0) / x.length;
}

// How far a page is from its stored picture; while recording it is taken, and as it should be.
export async function from_stored(page, name) {
  const grid = await grid_of(page);
  taken[name] = grid;
  return recording ? 0 : difference(grid, stored[name] ?? "");
}

export function store() {
  if (recording) writeFileSync(file, JSON.stringify(taken, null, 1) + "\n");
}
