// Making elements and words. Data becomes text and never markup, so that no page's name can do anything here.

export const $ = (id) => document.getElementById(id);

// An element. `text` is text; names that begin with `on` are listeners; everything else is an attribute.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// An element of a drawing.
export function draw(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, properties);
  element.append(...children);
  return element;
}

function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// Changes a text only if it is another one, so that nothing is read aloud or selected away for nothing.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Brings the children of `parent` in line with `items`. What stays keeps its element, and with it focus and selection.
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = old.get(name);
    if (child) old.delete(name);
    else {
      child = make(item);
      child.dataset.key = name;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of old.values()) child.remove();
}

const whole = new Intl.NumberFormat("en");

export function count(number) {
  return number === null || number === undefined ? "–" : whole.format(number);
}

export function rate(number) {
  if (number === null || number === undefined) return "–";
  if (number === 0) return "0";
  if (number < 10) return number.toFixed(number < 0.1 ? 2 : 1);
  return whole.format(Math.round(number));
}

export function percent(part) {
  if (part === null || part === undefined) return "–";
  const hundredths = Math.floor(part * 1000) / 10;
  return `${hundredths === 100 ? "100" : hundredths.toFixed(1)} %`;
}

export function milliseconds(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// A power of ten in milliseconds, as short as it gets.
export function power(ms) {
  if (ms >= 1000) return `${ms / 1000} s`;
  return ms >= 1 ? `${ms} ms` : `${Math.round(ms * 1000)} µs`;
}

export function bytes(number) {
  if (number === null || number === undefined) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}

export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function clock(ms, withSeconds = true) {
  const options = { hour: "2-digit", minute: "2-digit", hour12: false };
  if (withSeconds) options.second = "2-digit";
  return new Date(ms).toLocaleTimeString("en-GB", options);
}
