// A headless browser for the tests of pages: whatever it says on its console is an error of the page.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const scratch = mkdtempSync(join(tmpdir(), "a3sim-report-"));
const { chromium } = createRequire(join(root, "traces/report/web/package.json"))("playwright-core");
const program = process.env.A3SIM ?? join(root, "build", "release", "a3sim");

export function a3sim(...words) {
  return execFileSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}

let shared = null;
export async function browser() {
  shared ??= await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  return shared;
}
export async function close() {
  await (await shared)?.close();
}

// Opens a file; `said` gathers what the page says and whatever it asks for.
export async function open(file, options = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1400, height: 900 }, ...options, whole: undefined });
  context.setDefaultTimeout(180_000); // crowded machines take long
  const page = await context.newPage(), said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => (said.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("blob:") || said.push(`request: ${request.url()}`));
  await page.goto(file.includes("://") ? file : `file://${file}`);
  if (options.whole ?? true) {
    await page.waitForFunction(() => window.a3sim && window.a3sim.runs.every((runs) => runs.timelines.length > 0));
    await page.waitForTimeout(150);
  }
  return { page, said, close: () => context.close() };
}
