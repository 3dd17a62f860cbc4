// The panels below the pages: renders, leases, limits, requests, sites, the store, and what happened.

import { ask } from "./api.js";
import { $, bytes, clock, count, el, keyed, milliseconds, percent, say, span } from "./dom.js";
import { confirm, tell } from "./notice.js";

const EVENTS_SHOWN = 200;

export function underway(state) {
  say($("live-count"), state.count ? count(state.count) : "");
  const renders = state.renders.map((render, place) => ({ ...render, key: `${place} ${render.page}` }));
  list($("live"), renders, (it) => it.key, "No render is under way.", (it) => ({ name: it.page, words: milliseconds(it.for_ms), part: Math.min(1, it.for_ms / 30000) }));
}

export async function leases() {
  const { leases: held, cursor } = await ask("/api/leases?limit=50");
  say($("leases-count"), held.length ? `${count(held.length)}${cursor ? "+" : ""}` : "");
  list($("leases"), held, (it) => it.id, "Nobody holds a lease.", (it) => {
    const failed = it.failures ? `${it.failures} failed, ` : "";
    const next = it.next_attempt_in_s === null ? "" : `next attempt in ${span(it.next_attempt_in_s)}`;
    return { name: it.url ?? it.id, words: it.is_held ? `${failed}ends in ${span(it.expires_in_s)}` : `${failed}${next}`, isWrong: it.failures > 0 };
  });
}

export async function limits(again) {
  const { consumers, policies, counts } = await ask("/api/limits/top?limit=12");
  const most = Math.max(1, ...consumers.map((it) => it.asked));
  list($("limits"), consumers, (it) => `${it.policy} ${it.id}`, policies.length ? "Nobody was counted lately." : "No route has limits.", (it) => ({
    name: it.id,
    note: it.policy,
    words: it.denied ? `${count(it.asked)}, ${count(it.denied)} refused` : count(it.asked),
    part: it.asked / most,
    second: it.denied / most,
    button: ["Reset", () => confirm("Reset", `What “${it.policy}” has counted of “${it.id}” will be forgotten, and it begins anew.`, "Reset", () => act(() => ask("/api/limits/reset", { method: "POST", body: { policy: it.policy, id: it.id } }), `“${it.id}” begins anew.`, again))],
  }));
  const alone = counts.counted_alone + counts.failed_open + counts.failed_closed;
  const trouble = alone ? ` ${count(alone)} were decided without the store.` : "";
  say($("limits-note"), counts.allowed + counts.denied ? `${count(counts.allowed)} allowed, ${count(counts.denied)} denied since the start.${trouble}` : "");
}

export async function requests(again) {
  const { requests: found, cursor } = await ask("/api/requests?limit=20");
  say($("requests-count"), found.length ? `${count(found.length)}${cursor ? "+" : ""}` : "");
  list($("requests"), found, (it) => it.id, "No request with an idempotency key was kept.", (it) => ({
    name: it.route ?? it.id,
    title: it.id,
    note: it.tenant ?? "",
    words: `${it.status}${it.code ? ` · ${it.code}` : ""} · ${span(it.age_s)}`,
    isWrong: ["orphaned", "failed-for-good", "unreadable"].includes(it.status),
    button: ["Forget", () => confirm("Forget", "The next who sends this request again will have it done again.", "Forget", () => act(() => ask(`/api/requests?${new URLSearchParams({ id: it.id })}`, { method: "DELETE" }), "The request is forgotten.", again))],
  }));
}

export function sites(found) {
  keyed($("sites"), found, (site) => site.name, () => el("div", { class: "site" }, el("h3"), el("p", { class: "quiet small origin" }), el("table", { class: "routes" }, el("thead", {}, el("tr", {}, ...["Route", "Requests", "Hits", "p99"].map((text, place) => el("th", { scope: "col", text, class: place ? "number" : "" })))), el("tbody"))), (element, site) => {
    const isWell = site.health === "well";
    const title = element.querySelector("h3");
    if (title.dataset.state !== `${site.name} ${site.health}`) {
      title.dataset.state = `${site.name} ${site.health}`;
      title.replaceChildren(el("span", { text: site.name }), el("span", { class: `chip ${isWell ? "is-fresh" : "is-wrong"}`, text: isWell ? "well" : site.health.replace("-", " ") }));
    }
    say(element.querySelector(".origin"), `${site.hosts.join(", ")} → ${site.origin}${site.tenant ? `, tenant ${site.tenant}` : ""}${site.detail ? `. ${site.detail}` : ""}`);
    const row = () => el("tr", {}, el("th", { scope: "row" }, el("code"), el("span", { class: "quiet small" })), el("td", { class: "number" }), el("td", { class: "number" }), el("td", { class: "number" }));
    keyed(element.querySelector("tbody"), site.routes, (route) => route.pattern, row, (line, route) => {
      say(line.querySelector("code"), route.pattern);
      say(line.querySelector("span"), route.kind.replace("-", " "));
      [count(route.requests), percent(route.hit_ratio), milliseconds(route.p99_ms)].forEach((text, place) => say(line.children[place + 1], text));
    });
  });
}

export function store(state) {
  const { store: rows, bodies, http_cache: httpCache, process } = state;
  const files = process.open_files_max ? `${count(process.open_files)} of ${count(process.open_files_max)}` : count(process.open_files);
  const facts = [
    ["Rows", rows.place],
    ...rows.tables.map((table) => [`  ${table.name}`, table.items === null ? "does not answer" : `${count(table.items)} rows, ${bytes(table.bytes)}`]),
    ...(rows.disk_bytes === null ? [] : [["  on disk", bytes(rows.disk_bytes)]]),
    ["Bodies", bodies.place],
    ...(bodies.bytes === null ? [] : [["  on disk", bytes(bodies.bytes)]]),
    ["  in memory", `${count(bodies.hot_bodies)}, ${bytes(bodies.hot_bytes)}`],
    ["HTTP cache", `${count(httpCache.addresses)} addresses, ${bytes(httpCache.bytes)} of ${bytes(httpCache.bytes_max)}`],
    ["Memory", bytes(process.memory_bytes)],
    ["Open files", files],
    ["Threads", count(process.threads)],
  ].map(([name, value], place) => ({ name, value, place }));
  keyed($("store"), facts, (fact) => `${fact.place} ${fact.name}`, (fact) => el("div", { class: fact.name.startsWith(" ") ? "below" : "" }, el("dt", { text: fact.name.trim() }), el("dd")), (line, fact) => {
    say(line.querySelector("dd"), fact.value);
    line.querySelector("dd").title = fact.value;
  });
}

const WRONG = ["render-failed", "store-failed", "body-failed", "body-missing", "publish-lost", "publish-unknown", "lease-lost", "malformed", "backed-off", "served"];

export function events(found) {
  $("events").replaceChildren();
  for (const event of found.toReversed()) happened(event);
}

export function happened(event) {
  const line = el(
    "li", { class: WRONG.includes(event.kind) ? "is-wrong" : "", "data-testid": "event" },
    el("time", { datetime: event.at ?? "", text: clock(event.at_ms) }),
    el("b", { text: event.kind.replaceAll("-", " ") }),
    el("span", { class: "what", text: event.page ?? "" }),
    el("span", { class: "quiet", text: event.detail }),
  );
  $("events").prepend(line);
  while ($("events").children.length > EVENTS_SHOWN) $("events").lastElementChild.remove();
}

// A list of names with words, a bar behind them, and perhaps a button.
function list(parent, items, key, empty, view) {
  if (items.length === 0) {
    if (parent.dataset.empty !== empty) parent.replaceChildren(el("li", { class: "empty", text: empty }));
    parent.dataset.empty = empty;
    return;
  }
  if (parent.dataset.empty) parent.replaceChildren();
  delete parent.dataset.empty;
  const make = (item) => {
    const { button, name } = view(item);
    return el("li", {}, el("div", { class: "track", "aria-hidden": "true" }, el("div"), el("div", { class: "second" })), el("span", { class: "what" }), el("span", { class: "quiet small note" }), el("span", { class: "words" }), button ? el("button", { type: "button", class: "plain", text: button[0], "aria-label": `${button[0]}: ${name}`, "data-testid": button[0].toLowerCase(), onclick: button[1] }) : null);
  };
  keyed(parent, items, key, make, (line, item) => {
    const { name, title = name, note = "", words, part = 0, second = 0, isWrong = false } = view(item);
    say(line.querySelector(".what"), name);
    line.querySelector(".what").title = title;
    say(line.querySelector(".note"), note);
    say(line.querySelector(".words"), words);
    line.classList.toggle("is-wrong", isWrong);
    line.querySelector(".track > div").style.width = `${part * 100}%`;
    line.querySelector(".track > .second").style.width = `${second * 100}%`;
  });
}

async function act(work, done, again) {
  try {
    await work();
    tell(done);
  } catch (error) {
    tell(`Not done: ${error.message}`, true);
  }
  again();
}
