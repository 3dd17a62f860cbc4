// Asking the gateway. The token lives in this tab alone; it comes from the form, or from the address, from which it is
// removed at once.

const KEY = "theory-token";
const WAIT_MS = 10000;

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (text) => sessionStorage.setItem(KEY, text),
  forget: () => sessionStorage.removeItem(KEY),
  // Takes the token out of `#token=…`.
  take() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given === null) return false;
    history.replaceState(null, "", location.pathname);
    if (given) this.set(given);
    return Boolean(given);
  },
};

// Asks, and gives what was answered, or throws `Refused` with what the gateway says, or the browser's error.
export async function ask(path, { method = "GET", body = undefined, wait = WAIT_MS } = {}) {
  const response = await fetch(path, {
    method,
    headers: headers(body),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(wait),
    cache: "no-store",
  });
  if (!response.ok) throw await refusal(response);
  return response.json();
}

// Reads the stream of events until it ends or `signal` says so, and tells each to `heard(kind, data)`.
export async function listen(signal, heard) {
  const response = await fetch("/api/live", { headers: headers(), signal, cache: "no-store" });
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n");
      const field = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length);
      const data = field("data: ");
      if (data !== undefined) heard(field("event: ") ?? "message", JSON.parse(data));
    }
  }
}

function headers(body) {
  const headers = { authorization: `Bearer ${token.get() ?? ""}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  return headers;
}

async function refusal(response) {
  const problem = await response.json().catch(() => ({}));
  return new Refused(response.status, problem.detail ?? `the gateway answered with status ${response.status}`);
}
