// Bundles the page into dist/page.js and dist/page.css, or into the folder given.
import { build } from "esbuild";

const out = process.argv[2] ?? "dist";
const common = { bundle: true, charset: "utf8", legalComments: "inline", logLevel: "warning" };
await build({ ...common, entryPoints: ["src/page.ts"], outfile: `${out}/page.js`, format: "iife", target: "es2022", minify: true });
await build({ ...common, entryPoints: ["src/page.css"], outfile: `${out}/page.css`, minify: true });
