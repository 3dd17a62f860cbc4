// Takes the picture of the dashboard that README shows. With `theory demo` running for half an hour, so that its plots are full:
//
//   THEORY_BROWSER_NODE_MODULES=… node docs/images/dashboard.mjs LINK docs/images/dashboard.png
//
// LINK is the dashboard's as the demo prints it, with its token. `cargo xtask test` says where the modules are, and installs them.
// Debian's chromium draws.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [link, picture] = process.argv.slice(2);
const modules = process.env.THEORY_BROWSER_NODE_MODULES;
if (!link || !picture || !modules) {
  console.error("usage: THEORY_BROWSER_NODE_MODULES=FOLDER node docs/images/dashboard.mjs LINK PICTURE");
  process.exit(2);
}
const puppeteer = createRequire(join(modules, "here.js"))("puppeteer-core");
const executablePath = process.env.PATH.split(":").map((folder) => join(folder, "chromium")).find(existsSync);
const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args: [...root, "--force-color-profile=srgb"], headless: true });
try {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1280, height: 915 });
  await tab.goto(link);
  await tab.waitForSelector("#main:not([hidden])");
  for (const name of ["served", "latency", "renders"]) await tab.waitForSelector(`#plot-${name} svg path, #plot-${name} svg rect`);
  await tab.waitForFunction(() => document.querySelectorAll("[data-testid=page]").length > 3);
  await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await tab.screenshot({ path: picture });
} finally {
  await browser.close();
}
