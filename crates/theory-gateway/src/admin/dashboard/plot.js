// Plots over time: stacked areas, lines on a logarithmic scale, and bars. They are drawn again when data or width change; a
// pointer or the arrow keys show what stands at a moment.

import { clock, draw, el, say } from "./dom.js";

const HEIGHT = 190;
const EDGE = { top: 10, right: 12, bottom: 22, left: 44 };

export class Plot {
  // `kind` is "areas", "lines" or "bars". `series` are `{ key, label, mark }`, where the mark is a class of colours.
  constructor(figure, { kind, format, tick = format }) {
    this.figure = figure;
    this.kind = kind;
    this.format = format;
    this.tick = tick;
    this.series = [];
    this.points = [];
    this.chosen = null;
    this.svg = draw("svg", { class: "plot", height: HEIGHT, role: "img", tabindex: "0" });
    this.legend = el("ul", { class: "legend" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.heard = el("p", { class: "hidden", "aria-live": "polite" });
    figure.append(this.svg, this.legend, this.tip, this.heard);
    this.svg.addEventListener("pointermove", (event) => this.choose(this.nearest(event.offsetX)));
    this.svg.addEventListener("pointerleave", () => this.choose(null));
    this.svg.addEventListener("blur", () => this.choose(null));
    this.svg.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.render()).observe(figure);
  }

  // `points` are `{ at, from, to, values: { key: number or null } }`, oldest first.
  update(series, points, from, to) {
    Object.assign(this, { series, points, from, to });
    this.render();
  }

  render() {
    const width = Math.floor(this.figure.clientWidth - 2 * parseFloat(getComputedStyle(this.figure).paddingLeft));
    if (!this.points || width < 120) return;
    this.width = width;
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const scale = this.kind === "lines" ? powers(this.tops()) : steps(this.tops());
    this.y = (value) => HEIGHT - EDGE.bottom - scale.place(value) * (HEIGHT - EDGE.top - EDGE.bottom);
    this.x = (at) => EDGE.left + ((at - this.from) / Math.max(1, this.to - this.from)) * (width - EDGE.left - EDGE.right);
    this.cross = draw("g", { class: "cross" });
    const parts = [this.grid(scale), this.times(), ...this.shapes(), this.cross];
    this.svg.replaceChildren(...parts);
    this.explain();
    if (this.chosen !== null) this.choose(Math.min(this.chosen, this.points.length - 1));
  }

  tops() {
    const sum = (point) => this.series.reduce((sum, { key }) => sum + (point.values[key] ?? 0), 0);
    if (this.kind !== "lines") return this.points.map(sum);
    return this.points.flatMap((point) => this.series.map(({ key }) => point.values[key])).filter((value) => value > 0);
  }

  grid(scale) {
    const group = draw("g", { class: "grid" });
    for (const tick of scale.ticks) {
      const y = Math.round(this.y(tick)) + 0.5;
      group.append(
        draw("line", { x1: EDGE.left, x2: this.width - EDGE.right, y1: y, y2: y }),
        draw("text", { x: EDGE.left - 6, y: y + 4, "text-anchor": "end", text: this.tick(tick) }),
      );
    }
    return group;
  }

  times() {
    const group = draw("g", { class: "grid" });
    const minutes = [1, 2, 5, 10, 15, 30, 60].find((step) => (this.to - this.from) / (step * 60000) <= this.width / 70) ?? 60;
    const step = minutes * 60000;
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = this.x(at);
      if (x < EDGE.left + 12 || x > this.width - EDGE.right - 12) continue;
      group.append(draw("text", { x, y: HEIGHT - 6, "text-anchor": "middle", text: clock(at, false) }));
    }
    return group;
  }

  shapes() {
    if (this.points.length === 0) {
      return [draw("text", { class: "nothing", x: this.width / 2, y: HEIGHT / 2, "text-anchor": "middle", text: "Nothing yet" })];
    }
    return { areas: () => this.areas(), lines: () => this.lines(), bars: () => this.bars() }[this.kind]();
  }

  areas() {
    const below = this.points.map(() => 0);
    return this.series.map(({ key, mark }) => {
      const floor = this.points.map((point, place) => `${this.x(point.at).toFixed(1)},${this.y(below[place]).toFixed(1)}`);
      const roof = this.points.map((point, place) => {
        below[place] += point.values[key] ?? 0;
        return `${this.x(point.at).toFixed(1)},${this.y(below[place]).toFixed(1)}`;
      });
      return draw("path", { class: `area ${mark}`, d: `M${roof.join("L")}L${floor.reverse().join("L")}Z` });
    });
  }

  lines() {
    return this.series.map(({ key, mark }) => {
      let path = "";
      let pen = "M";
      for (const point of this.points) {
        const value = point.values[key];
        if (value === null || value === undefined) {
          pen = "M";
          continue;
        }
        path += `${pen}${this.x(point.at).toFixed(1)},${this.y(value).toFixed(1)}`;
        pen = "L";
      }
      return draw("path", { class: `line ${mark}`, d: path });
    });
  }

  bars() {
    const group = draw("g");
    for (const point of this.points) {
      let below = 0;
      const left = this.x(point.from);
      const width = Math.max(1, (this.x(point.to) - left) * 0.82);
      for (const { key, mark } of this.series) {
        const value = point.values[key] ?? 0;
        const y = this.y(below + value);
        const height = this.y(below) - y;
        if (height > 0) group.append(draw("rect", { class: `area ${mark}`, x: left.toFixed(1), y: y.toFixed(1), width: width.toFixed(1), height: height.toFixed(1) }));
        below += value;
      }
    }
    return [group];
  }

  explain() {
    const last = this.points.at(-1);
    const items = this.series.map((series) => ({ ...series, value: last ? this.format(last.values[series.key]) : "–" }));
    this.legend.replaceChildren(
      ...items.map(({ label, mark, value }) => el("li", {}, swatch(mark), el("span", { text: label }), el("b", { text: value }))),
    );
    const title = this.figure.querySelector("figcaption").textContent;
    this.svg.setAttribute("aria-label", `${title}. Latest: ${items.map(({ label, value }) => `${label} ${value}`).join(", ") || "nothing yet"}. Arrow keys walk through time.`);
  }

  nearest(x) {
    let best = null;
    this.points.forEach((point, place) => {
      const distance = Math.abs(this.x(point.at) - x);
      if (best === null || distance < best.distance) best = { place, distance };
    });
    return best?.place ?? null;
  }

  walk(event) {
    const last = this.points.length - 1;
    const moves = { ArrowLeft: (this.chosen ?? last + 1) - 1, ArrowRight: (this.chosen ?? last - 1) + 1, Home: 0, End: last };
    if (event.key === "Escape") this.choose(null);
    if (!(event.key in moves) || last < 0) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(last, moves[event.key])));
    say(this.heard, this.tip.textContent);
  }

  choose(place) {
    this.chosen = place;
    const point = place === null ? undefined : this.points[place];
    this.tip.hidden = !point;
    this.cross.replaceChildren();
    if (!point) return;
    const x = this.x(point.at);
    this.cross.append(draw("line", { x1: x, x2: x, y1: EDGE.top, y2: HEIGHT - EDGE.bottom }));
    const rows = this.series.filter(({ key }) => (point.values[key] ?? 0) > 0 || this.kind === "lines");
    this.tip.replaceChildren(
      el("b", { text: `${clock(point.from)} – ${clock(point.to)} ` }),
      ...rows.map(({ key, label, mark }) => el("div", {}, swatch(mark), el("span", { text: `${label} ` }), el("b", { text: `${this.format(point.values[key])} ` }))),
    );
    const left = x > this.width / 2 ? x - this.tip.offsetWidth - 2 : x + 22;
    this.tip.style.left = `${Math.max(4, left)}px`;
  }
}

// A line without axes, for what stands above the plots.
export function spark(svg, values) {
  const [width, height] = [96, 22];
  const top = Math.max(...values.filter((value) => value !== null), 0) || 1;
  const points = values.map((value, place) => `${((place / Math.max(1, values.length - 1)) * width).toFixed(1)},${(height - 2 - ((value ?? 0) / top) * (height - 4)).toFixed(1)}`);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(draw("polyline", { points: points.join(" ") }));
}

function swatch(mark) {
  return draw("svg", { class: `swatch ${mark}`, viewBox: "0 0 14 10", width: 14, height: 10, "aria-hidden": "true" }, draw("line", { class: `line ${mark}`, x1: 0, x2: 14, y1: 5, y2: 5 }), draw("rect", { class: `area ${mark}`, width: 14, height: 10, rx: 2 }));
}

// From nothing to a round number above all.
function steps(values) {
  const top = Math.max(...values, 0) || 1;
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  const end = Math.ceil(top / step) * step;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, place) => place * step);
  return { ticks, place: (value) => value / end };
}

// From a power of ten to another.
function powers(values) {
  const low = Math.floor(Math.log10(Math.min(...values, 1)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values, 10))), low + 1);
  const ticks = Array.from({ length: high - low + 1 }, (_, place) => 10 ** (low + place));
  return { ticks, place: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low) };
}
