// Bundles the page (dist/page.js, dist/page.css) and what draws figures outside of it (dist/svg.js, lowered to ES5).
import { build } from "esbuild";
import { writeFileSync } from "node:fs";
import ts from "typescript";

const out = process.argv[2] ?? "dist";
const common = { bundle: true, charset: "utf8", legalComments: "inline", logLevel: "warning" };
await build({ ...common, entryPoints: ["src/page.ts"], outfile: `${out}/page.js`, format: "iife", target: "es2022", minify: true });
await build({ ...common, entryPoints: ["src/page.css"], outfile: `${out}/page.css`, minify: true });

const svg = await build({ ...common, entryPoints: ["src/svg.ts"], write: false, format: "iife", globalName: "a3sim", target: "es2015" });
const lowered = ts.transpileModule(svg.outputFiles[0].text, {
  compilerOptions: { target: ts.ScriptTarget.ES5, module: ts.ModuleKind.None, removeComments: true, alwaysStrict: false },
});
writeFileSync(`${out}/svg.js`, lowered.outputText);
