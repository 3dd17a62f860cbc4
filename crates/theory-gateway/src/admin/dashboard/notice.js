// Words to the operator: a dialog that must be answered, and short notes that go by themselves.

import { $, el } from "./dom.js";

// Opens the dialog. It closes with Escape, and focus goes back to where it was.
export function dialog(title, content, buttons = [el("button", { type: "button", class: "plain", text: "Close", onclick: () => $("dialog").close() })]) {
  $("dialog").replaceChildren(el("h2", { id: "dialog-title", text: title }), ...content, el("div", { class: "buttons" }, ...buttons));
  $("dialog").showModal();
}

// Asks before something is done that cannot be undone.
export function confirm(title, text, verb, act) {
  const done = (event) => {
    $("dialog").close();
    act(event);
  };
  dialog(title, [el("p", { text })], [
    el("button", { type: "button", class: "plain", text: "Cancel", autofocus: true, onclick: () => $("dialog").close() }),
    el("button", { type: "button", class: "primary danger", text: verb, "data-testid": "confirm", onclick: done }),
  ]);
}

// Says something.
export function tell(text, isWrong = false) {
  const note = el("div", { class: `toast${isWrong ? " is-wrong" : ""}` }, el("span", { text }), el("button", { type: "button", class: "plain", "aria-label": "Dismiss", text: "×", onclick: () => note.remove() }));
  $("toasts").append(note);
  while ($("toasts").children.length > 4) $("toasts").firstElementChild.remove();
  setTimeout(() => note.remove(), isWrong ? 15000 : 6000);
}
