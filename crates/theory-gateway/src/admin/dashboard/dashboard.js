// The dashboard: signs in, asks for news every two seconds, listens to what happens, and rests while nobody looks.

import { ask, listen, Refused, token } from "./api.js";
import { $, clock, count, draw, el, milliseconds, percent, power, rate, say, span } from "./dom.js";
import * as pages from "./pages.js";
import * as panels from "./panels.js";
import { Plot, spark } from "./plot.js";

const OVERVIEW_MS = 2000;
const LISTS_MS = 5000;

const OUTCOMES = ["hit", "stale", "miss", "wait-hit", "stale-error", "uncached", "passed", "replayed", "limited", "refused", "failed"];
const plots = {
  served: new Plot($("plot-served"), { kind: "areas", format: rate }),
  latency: new Plot($("plot-latency"), { kind: "lines", format: milliseconds, tick: power }),
  renders: new Plot($("plot-renders"), { kind: "bars", format: rate }),
};
const RANGES = { short: 30 * 60000, long: 180 * 60000 };

let run = 0; // What was begun by an earlier sign-in, or before the tab was hidden, stops when this has moved on.
let heardAt = null;

function range() {
  return document.querySelector("input[name=range]:checked").value;
}

// Does something again and again, as long as this run lasts.
async function repeat(mine, every, work) {
  while (mine === run) {
    try {
      await work();
      if (mine === run) connected();
    } catch (error) {
      if (mine === run) failed(error);
    }
    await new Promise((wake) => setTimeout(wake, every));
  }
}

function begin() {
  const mine = (run += 1);
  if (!token.get()) {
    shut();
    return;
  }
  $("door").hidden = true;
  if ($("main").hidden) connection("asking", "Connecting…");
  // One question first: with a wrong token there is no need to ask all of them.
  let isFirst = true;
  repeat(mine, OVERVIEW_MS, async () => {
    await overview(mine);
    if (!isFirst || mine !== run) return;
    isFirst = false;
    repeat(mine, LISTS_MS, lists);
    hear(mine);
  });
}

async function hear(mine) {
  const stop = new AbortController();
  const watch = setInterval(() => mine !== run && stop.abort(), 500);
  while (mine === run) {
    try {
      panels.events((await ask("/api/events?limit=100")).events);
      await listen(stop.signal, (kind, data) => {
        if (mine !== run) return;
        if (kind === "happening") panels.happened(data);
        else if (kind === "pulse") panels.underway(data.underway);
      });
    } catch {
      // The overview says whether the gateway answers; this only tries again.
    }
    await new Promise((wake) => setTimeout(wake, 3000));
  }
  clearInterval(watch);
}

async function overview(mine = run) {
  const chosen = range();
  const news = await ask(`/api/overview?series=${chosen === "short" ? "short" : "all"}`);
  if (mine !== run || chosen !== range()) return;
  if ($("main").hidden) {
    $("main").hidden = false;
    $("sign-out").hidden = false;
  }
  say($("facts"), `version ${news.version} · up ${span(news.uptime_s)} · ${count(news.totals.requests)} requests`);
  const points = (news.series[chosen] ?? []).map(point);
  const [from, to] = [news.now_ms - RANGES[chosen], news.now_ms];
  const seen = points.filter(({ at }) => at >= from);
  const marks = (keys) => keys.map((key) => ({ key, label: key, mark: `s-${key}` }));
  const used = OUTCOMES.filter((key, place) => place < 3 || seen.some(({ values }) => values[key] > 0));
  plots.served.update(marks(used), seen, from, to);
  plots.latency.update(marks(["p50", "p95", "p99"]), seen, from, to);
  plots.renders.update([{ key: "rendered", label: "rendered", mark: "s-miss" }, { key: "render-failed", label: "failed", mark: "s-failed" }], seen, from, to);
  figures(news, (news.series.short ?? []).map(point));
  panels.underway(news.underway);
  panels.sites(news.sites);
  panels.store(news);
}

function point(sample) {
  const seconds = sample.span_ms / 1000;
  const values = Object.fromEntries(OUTCOMES.map((key, place) => [key, sample.served[place] / seconds]));
  Object.assign(values, { p50: sample.p50_ms, p95: sample.p95_ms, p99: sample.p99_ms, errors: sample.errors / seconds });
  Object.assign(values, { rendered: sample.rendered / seconds, "render-failed": sample.render_failed / seconds });
  return { at: sample.start_ms + sample.span_ms / 2, from: sample.start_ms, to: sample.start_ms + sample.span_ms, values };
}

function figures({ now, totals }, points) {
  const of = (keys) => ({ values }) => keys.reduce((sum, key) => sum + values[key], 0);
  const cached = of(["hit", "stale", "stale-error", "wait-hit"]);
  const all = of(["hit", "stale", "stale-error", "wait-hit", "miss", "uncached"]);
  const shown = [
    ["hit ratio", "Hit ratio", percent(now.hit_ratio), (it) => (all(it) ? cached(it) / all(it) : null), `${percent(totals.outcomes && hitRatio(totals.outcomes))} since the start`],
    ["requests", "Requests a second", rate(now.requests_per_s), of(OUTCOMES), `${rate(now.bytes_per_s / 1e6)} MB/s`],
    ["p99", "p99 latency", milliseconds(now.p99_ms), ({ values }) => values.p99, `p50 ${milliseconds(now.p50_ms)}`],
    ["renders", "Renders a second", rate(now.renders_per_s), of(["rendered", "render-failed"]), `p50 ${milliseconds(totals.render_p50_ms)}`],
    ["errors", "Errors a second", rate(now.errors_per_s), ({ values }) => values.errors, `${count(totals.errors)} since the start`],
  ];
  if ($("figures").children.length === 0) {
    $("figures").append(...shown.map(([key, name]) => el("div", { class: "card figure", "data-testid": `figure-${key.replace(" ", "-")}` }, el("dt", { text: name }), el("dd"), el("dd", { class: "quiet small" }), draw("svg", { class: "spark", "aria-hidden": "true" }))));
  }
  shown.forEach(([key, , value, of, note], place) => {
    const card = $("figures").children[place];
    say(card.children[1], value);
    say(card.children[2], note);
    card.classList.toggle("is-wrong", key === "errors" && now.errors_per_s > 0);
    spark(card.children[3], points.slice(-60).map(of));
  });
}

function hitRatio(outcomes) {
  const cached = outcomes.hit + outcomes.stale + outcomes["stale-error"] + outcomes["wait-hit"];
  const all = cached + outcomes.miss + outcomes.uncached;
  return all ? cached / all : null;
}

async function lists() {
  const again = () => lists().catch(failed);
  const done = await Promise.allSettled([pages.update(), panels.leases(), panels.limits(again), panels.requests(again)]);
  const wrong = done.find(({ status }) => status === "rejected");
  if (wrong) throw wrong.reason;
}

function connected() {
  heardAt = Date.now();
  connection("well", "Live");
  $("lost").hidden = true;
  document.body.classList.remove("is-old");
}

function failed(error) {
  if (error instanceof Refused && error.status === 401) {
    token.forget();
    shut(error.message);
    return;
  }
  const since = heardAt ? ` What you see is of ${clock(heardAt)}.` : "";
  const told = error instanceof Refused ? `The gateway says: ${error.message}.` : "The gateway does not answer.";
  connection("lost", "No connection");
  say($("lost"), `${told}${since} Trying again.`);
  $("lost").hidden = false;
  document.body.classList.add("is-old");
}

function connection(state, text) {
  $("connection").dataset.state = state;
  say($("connection-text"), text);
}

// Nobody is signed in.
function shut(why = "") {
  run += 1;
  const isNew = $("door").hidden;
  $("main").hidden = true;
  $("sign-out").hidden = true;
  $("lost").hidden = true;
  $("door").hidden = false;
  say($("facts"), "");
  say($("door-wrong"), why);
  connection("out", "Not signed in");
  if (isNew) $("token").focus();
}

$("door").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = $("token").value.trim();
  $("token").value = "";
  if (!given) return;
  token.set(given);
  begin();
});
$("sign-out").addEventListener("click", () => {
  token.forget();
  shut();
});
$("range").addEventListener("change", () => overview().catch(failed));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) begin();
  else if (token.get()) {
    run += 1;
    connection("resting", "Paused while hidden");
  }
});
addEventListener("hashchange", () => token.take() && begin());

pages.start(() => lists().catch(failed));
token.take();
begin();
