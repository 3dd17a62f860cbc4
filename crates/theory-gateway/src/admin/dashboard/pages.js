// The table of pages, with what can be done about them.

import { ask } from "./api.js";
import { $, bytes, clock, count, el, keyed, say, span } from "./dom.js";
import { confirm, dialog, tell } from "./notice.js";

const PART = 50;

let wanted = PART;
let refresh = () => {};

// `again` is called when something was changed.
export function start(again) {
  refresh = again;
  const form = $("filter");
  let later = 0;
  form.addEventListener("input", () => {
    clearTimeout(later);
    wanted = PART;
    later = setTimeout(refresh, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    refresh();
  });
  $("pages-more").addEventListener("click", () => {
    wanted = Math.min(500, wanted + 100);
    refresh();
  });
  const tag = () => form.elements.tag.value.trim();
  const group = () => (tag() ? { tag: tag() } : { all: true });
  const named = () => (tag() ? `all pages with the tag “${tag()}”` : "all pages of all sites");
  $("group-actions").append(
    el("button", { type: "button", class: "plain", text: "Mark all stale…", "data-testid": "revalidate-all", onclick: () => confirm("Mark stale", `Each of ${named()} will be rendered again when it is asked for next. Until then it is served as it is.`, "Mark stale", () => change("revalidate", group())) }),
    el("button", { type: "button", class: "plain danger", text: "Purge all…", "data-testid": "purge-all", onclick: () => confirm("Purge", `None of ${named()} will be served again before it is rendered anew. Visitors wait for it.`, "Purge", () => change("purge", { ...group(), hard: true })) }),
  );
}

export async function update() {
  const query = new URLSearchParams({ limit: wanted });
  for (const [name, value] of new FormData($("filter"))) if (value.trim()) query.set(name, value.trim());
  const list = await ask(`/api/pages?${query}`);
  list.pages.sort((one, other) => (one.url ?? one.id).localeCompare(other.url ?? other.id));
  keyed($("pages-rows"), list.pages, (page) => page.id, make, show);
  say($("pages-count"), list.pages.length ? `${count(list.pages.length)}${list.cursor ? "+" : ""}` : "");
  const isFiltered = query.size > 1;
  $("pages-empty").hidden = list.pages.length > 0;
  say($("pages-empty"), isFiltered ? "No page fits the filter." : "Nothing is kept yet. Visit a page of a page route, and it will be here.");
  $("pages-more").hidden = !list.cursor || wanted >= 500;
}

function make(page) {
  const cell = (label, name, ...children) => el("td", { "data-label": label, class: name }, ...children);
  return el(
    "tr",
    { "data-testid": "page" },
    cell("Page", "name", el("span", { class: "url" }), el("span", { class: "tenant quiet" })),
    cell("State", "state", el("span", { class: "chip" })),
    cell("Age", "age", el("div", { class: "meter", "aria-hidden": "true" }, el("div")), el("span", { class: "words" })),
    cell("Size", "number size"),
    cell("Tags", "tags"),
    cell("", "buttons"),
  );
}

function show(row, page) {
  const name = page.url ?? page.id;
  const find = (selector) => row.querySelector(selector);
  say(find(".url"), name);
  find(".url").title = `${name}\nstatus ${page.status}, generation ${page.generation ?? "–"}, etag ${page.etag ?? "–"}`;
  say(find(".tenant"), page.tenant ?? "");
  const chip = find(".chip");
  say(chip, page.status === 200 ? page.state : `${page.state} · ${page.status}`);
  chip.className = `chip is-${page.state}`;
  const part = page.state === "fresh" ? Math.min(1, page.age_s / Math.max(1, page.fresh_for_s)) : 1;
  const meter = find(".meter > div");
  meter.style.width = `${(part * 100).toFixed(1)}%`;
  find(".meter").className = `meter is-${page.state}`;
  say(find(".words"), page.state === "fresh" ? `${span(page.age_s)} of ${span(page.fresh_for_s)}` : span(page.age_s));
  find(".age").title = `rendered ${page.generated_at ?? "–"}`;
  say(find(".size"), bytes(page.bytes));
  const tags = page.tags.join("\n");
  if (find(".tags").dataset.tags !== tags) {
    find(".tags").dataset.tags = tags;
    find(".tags").replaceChildren(...page.tags.map((tag) => el("button", { type: "button", class: "tag", text: tag, title: "Show pages with this tag", onclick: () => filterBy(tag) })));
  }
  if (row.dataset.name === name) return;
  row.dataset.name = name;
  const button = (text, testid, onclick, more = "") => el("button", { type: "button", class: `plain ${more}`, text, "data-testid": testid, "aria-label": `${text}: ${name}`, onclick });
  find(".buttons").replaceChildren(
    button("Revalidate", "revalidate", (event) => busy(event.currentTarget, () => change("revalidate", { id: page.id }))),
    button("Versions", "versions", () => versions(page.id, name)),
    button("Purge", "purge", () => confirm("Purge", `“${name}” will not be served again before it is rendered anew.`, "Purge", () => change("purge", { id: page.id, hard: true })), "danger"),
  );
}

function filterBy(tag) {
  $("filter").elements.tag.value = tag;
  wanted = PART;
  refresh();
}

async function busy(button, work) {
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  await work();
  button.disabled = false;
  button.removeAttribute("aria-busy");
  button.focus({ preventScroll: true });
}

const WORDS = {
  published: "rendered and published",
  "left-to-others": "another process is rendering it",
  "not-kept": "rendered, but its answer may not be kept",
  "not-stored": "rendered, but could not be stored; what was kept stays",
  unkeepable: "what is there is no page: it is too long, or has no end",
  failed: "the render failed; what was kept stays",
  "store-failed": "the store failed",
  "marked-stale": "marked stale; rendered when asked for next",
  purged: "purged",
  "purged-with-variants": "purged, with all its variants",
  "no-page": "nothing was kept; a render under way will not be published",
  shown: "an older version is shown",
};

async function change(verb, body) {
  try {
    const done = await ask(`/api/pages/${verb}`, { method: "POST", body, wait: 120000 });
    const what = done.url ?? (done.tag ? `Tag “${done.tag}”` : "All pages");
    const took = done.ms === undefined ? "" : ` in ${done.ms} ms`;
    tell(`${what}: ${WORDS[done.outcome] ?? done.outcome}${took}.`, ["failed", "store-failed"].includes(done.outcome));
  } catch (error) {
    tell(`Not done: ${error.message}`, true);
  }
  refresh();
}

async function versions(id, name) {
  let list;
  try {
    list = await ask(`/api/pages/versions?${new URLSearchParams({ id })}`);
  } catch (error) {
    tell(`The versions could not be read: ${error.message}`, true);
    return;
  }
  const hold = el("select", { "data-testid": "hold" }, ...[["600", "10 minutes"], ["3600", "an hour"], ["86400", "a day"], ["604800", "a week"]].map(([value, text]) => el("option", { value, text, selected: value === "3600" })));
  const back = (version) => el("button", {
    type: "button", class: "plain", text: "Roll back", "data-testid": "rollback",
    "aria-label": `Roll back to the version of ${version.generated_at}`,
    onclick: () => {
      $("dialog").close();
      change("rollback", { id, version: version.id, hold_s: Number(hold.value) });
    },
  });
  const row = (version) => el(
    "tr", { "data-testid": "version" },
    el("td", { "data-label": "Rendered", text: version.generated_at === null ? "–" : `${version.generated_at.slice(0, 10)} ${clock(Date.parse(version.generated_at))}` }),
    el("td", { "data-label": "Size", class: "number", text: bytes(version.bytes) }),
    el("td", { "data-label": "Status", class: "number", text: String(version.status) }),
    el("td", { "data-label": "Entity tag", class: "etag", text: version.etag ?? "–" }),
    el("td", { class: "buttons" }, version.is_shown ? el("span", { class: "chip is-fresh", text: "shown" }) : back(version)),
  );
  const head = ["Rendered", "Size", "Status", "Entity tag"].map((text) => el("th", { scope: "col", text, class: ["Size", "Status"].includes(text) ? "number" : "" }));
  const table = el("table", { class: "versions" }, el("thead", {}, el("tr", {}, ...head, el("th", { scope: "col" }, el("span", { class: "hidden", text: "Actions" })))), el("tbody", {}, ...list.versions.map(row)));
  const content = list.versions.length
    ? [el("p", {}, el("label", {}, "Show an older version for ", hold), ", after which the page is rendered again as ever."), el("div", { class: "scroll" }, table)]
    : [el("p", { text: "No versions are kept of this page: its route does not ask for them." })];
  dialog(`Versions of ${name}`, content);
}
