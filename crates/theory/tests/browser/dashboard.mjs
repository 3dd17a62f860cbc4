// A person with a browser in front of the dashboard: signs in, reads, renders a page again, shows an older version, purges.
// What is drawn is kept as pictures, and looked at by axe for those who cannot see it.
//
// dashboard.mjs --link URL#token=… --page ADDRESS --pictures FOLDER     ends with 0 if everything was as it should be
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

const MODULES = process.env.THEORY_BROWSER_NODE_MODULES;
const CHROMIUM = process.env.PATH.split(":").map((folder) => join(folder, "chromium")).find(existsSync);
const require = createRequire(join(MODULES, "here.js"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(join(MODULES, "axe-core/axe.min.js"), "utf8");

const { link, page: address, pictures } = parseArgs({
  options: { link: { type: "string" }, page: { type: "string" }, pictures: { type: "string" } },
}).values;
mkdirSync(pictures, { recursive: true });
const WRONG_TOKEN = "not the token";

const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: [...root, "--force-color-profile=srgb"], headless: true });
try {
  const complaints = [];
  const tab = await browser.newPage();
  // The browser tells of a refusal when it likes, also after the person has signed in: whose refusal it was, the request tells.
  tab.on("console", (message) => message.type() === "error" && !message.text().includes("401") && complaints.push(message.text()));
  tab.on("response", (response) => {
    const { authorization } = response.request().headers();
    if (response.status() === 401 && authorization !== `Bearer ${WRONG_TOKEN}`) complaints.push(`refused: ${response.url()}`);
  });
  tab.on("pageerror", (error) => complaints.push(error.message));
  tab.on("dialog", (dialog) => {
    complaints.push(`a page's name was run: ${dialog.message()}`);
    dialog.dismiss();
  });
  await wrongToken(tab);
  await signIn(tab);
  await look(tab);
  await revalidate(tab);
  await rollBack(tab);
  await purge(tab);
  await filter(tab);
  await signOut(tab);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}

async function wrongToken(tab) {
  await tab.setViewport({ width: 1400, height: 1000 });
  await tab.goto(new URL("/", link));
  await tab.waitForSelector("#door:not([hidden])");
  assert.equal(await tab.evaluate(() => document.activeElement.id), "token");
  await tab.keyboard.type(WRONG_TOKEN);
  await tab.keyboard.press("Enter");
  await until(tab, "the token is said to be wrong", () => document.getElementById("door-wrong").textContent.includes("wrong"));
  await tab.screenshot({ path: join(pictures, "sign-in.png") });
}

async function signIn(tab) {
  await tab.goto(link);
  await tab.waitForSelector("#main:not([hidden])");
  assert.equal(await tab.evaluate(() => location.hash), "", "the token stays in the address bar");
  await row(tab, address);
  await until(tab, "the connection is live", () => document.getElementById("connection").textContent.trim() === "Live");
  await until(tab, "events are listed", () => document.querySelectorAll("[data-testid=event]").length > 0);
  // What is drawn, not the marks of the legend, which are there before anything has been counted.
  for (const name of ["served", "latency", "renders"]) await tab.waitForSelector(`#plot-${name} .plot path, #plot-${name} .plot rect`);
  assert.equal(await tab.evaluate(() => document.querySelectorAll("main script, main img, main iframe").length), 0);
}

// Light and dark, wide and narrow: pictures, nothing wider than the window, nothing that axe objects to.
async function look(tab) {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1400, 420]) {
      await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await tab.setViewport({ width, height: width > 1000 ? 2000 : 1000 });
      await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      await tab.screenshot({ path: join(pictures, `${scheme}-${width}.png`), fullPage: true });
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => globalThis.axe.run(document));
      const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target).join("; ")}`);
      assert.deepEqual(told, [], `${scheme}, ${width}`);
    }
  }
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await tab.setViewport({ width: 1400, height: 1200 });
  await tab.evaluate(() => document.querySelector("#plot-served svg").focus());
  await tab.keyboard.press("End");
  await until(tab, "keys show what stands at a moment", () => !document.querySelector("#plot-served .tip").hidden);
  await tab.keyboard.press("Escape");
}

async function revalidate(tab) {
  await press(await row(tab, address), "revalidate");
  await toast(tab, "rendered and published");
}

async function rollBack(tab) {
  await press(await row(tab, address), "versions");
  await tab.waitForSelector("dialog[open] [data-testid=rollback]");
  await tab.screenshot({ path: join(pictures, "versions.png") });
  await press(await tab.$("dialog[open]"), "rollback");
  await toast(tab, "an older version is shown");
  await press(await row(tab, address), "versions");
  await tab.waitForSelector("dialog[open] [data-testid=version]");
  const shown = await tab.$$eval("[data-testid=version]", (rows) => rows.map((row) => row.textContent.includes("shown")));
  assert.ok(!shown[0] && shown.includes(true), `which version is shown: ${shown}`);
  await tab.keyboard.press("Escape");
  await until(tab, "Escape closes the dialog", () => !document.querySelector("dialog[open]"));
}

async function purge(tab) {
  await press(await row(tab, address), "purge");
  await tab.waitForSelector("dialog[open] [data-testid=confirm]");
  assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Cancel", "what cannot be undone is not one key away");
  await tab.screenshot({ path: join(pictures, "purge.png") });
  await press(await tab.$("dialog[open]"), "confirm");
  await toast(tab, ": purged");
  await until(tab, "the page is gone", (name) => [...document.querySelectorAll("[data-testid=page]")].some((row) => row.querySelector(".url").textContent === name && row.querySelector(".chip").textContent.startsWith("gone")), address);
}

async function filter(tab) {
  await tab.type("[data-testid=filter-prefix]", "no such page anywhere");
  await until(tab, "a filter that fits nothing says so", () => !document.getElementById("pages-empty").hidden);
}

async function signOut(tab) {
  await tab.click("#sign-out");
  await tab.waitForSelector("#door:not([hidden])");
  assert.equal(await tab.evaluate(() => sessionStorage.length), 0);
}

async function row(tab, name) {
  const handle = await tab.waitForFunction((name) => [...document.querySelectorAll("[data-testid=page]")].find((row) => row.querySelector(".url").textContent === name), {}, name);
  return handle.asElement();
}

async function press(parent, testid) {
  const button = await parent.$(`[data-testid=${testid}]`);
  assert.ok(button, `there is no button ${testid}`);
  await button.evaluate((button) => button.click());
}

async function toast(tab, text) {
  await until(tab, `a note says “${text}”`, (text) => document.getElementById("toasts").textContent.includes(text), text);
}

async function until(tab, what, holds, argument) {
  await tab.waitForFunction(holds, { timeout: 20000 }, argument).catch((error) => {
    throw new Error(`it is not so that ${what}`, { cause: error });
  });
}
