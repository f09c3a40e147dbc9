// What every page does: brings the token, hears what changes, shows what went wrong, knows the keys.
const body = document.body;
const token = document.querySelector("meta[name=studio-token]").content;
const book = body.dataset.book;
const words = JSON.parse(document.getElementById("words").textContent);

body.addEventListener("htmx:configRequest", (event) => { event.detail.headers["X-Studio-Token"] = token; });
// A second click in haste, or before the first is answered, gives no second order; what is open for the person stays.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("[hx-post], form[hx-post] button, [data-save], [data-send]")?.closest("button")) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);
const isOpen = (piece) => piece.querySelector("[data-stays]:not(details:not([open]))");
const held = new Map(); // pieces of the page that have heard news while something in them was open, and how each asks
body.addEventListener("htmx:confirm", (event) => {
  const { elt, verb, triggeringEvent, issueRequest } = event.detail;
  const isNews = triggeringEvent?.type.startsWith("studio-");
  if (isNews && isOpen(elt)) held.set(elt, issueRequest);
  if (isNews ? held.has(elt) : verb !== "get" && elt.matches("button.htmx-request, form.htmx-request")) event.preventDefault();
  else if (verb !== "get") for (const note of document.querySelectorAll("#notices .trouble")) if (!note.contains(elt)) note.remove();
});
new MutationObserver(() => {
  for (const [piece, ask] of held) if (!isOpen(piece)) { held.delete(piece); if (piece.isConnected) ask(true); }
}).observe(body, { childList: true, subtree: true, attributeFilter: ["open"] });
body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status < 400) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
  event.detail.target = document.getElementById("notices");
  event.detail.swapOverride = "innerHTML";
});
// What was done is told for a while, long enough to be undone.
new MutationObserver(() => {
  for (const note of document.querySelectorAll("#notices .note.done:not([data-fades])")) {
    note.dataset.fades = "1";
    setTimeout(() => note.remove(), 30_000);
  }
}).observe(document.getElementById("notices"), { childList: true, subtree: true });
body.addEventListener("htmx:sendError", () => lost(true));
document.addEventListener("click", (event) => {
  const closer = event.target.closest("[data-close]");
  if (closer) closer.closest(closer.dataset.close).remove();
  const chooser = event.target.closest("[data-choose]");
  if (chooser) for (const one of (chooser.closest(chooser.dataset.within || "form")).querySelectorAll(`input[type=radio][value=${chooser.dataset.choose}]`)) one.checked = true;
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
});

// The server tells what has changed; pieces of the page that live on it ask for themselves anew.
const waiting = new Set();
function hear(news) {
  lost(Boolean(news.lost));
  const changed = news.changed || [], said = news.said || [];
  if (news.hello) { tell("studio-shelf"); tell("studio-book"); }
  if (changed.length) tell("studio-shelf");
  if (book && changed.includes(book)) tell("studio-book");
  if (book && (said.includes(book) || changed.includes(book))) tell("studio-text");
}
function tell(name) {
  if (document.hidden) waiting.add(name);
  else body.dispatchEvent(new CustomEvent(name));
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const name of waiting) body.dispatchEvent(new CustomEvent(name));
  waiting.clear();
});
function lost(is) { document.getElementById("lost").hidden = !is; }

if (window.SharedWorker) {
  const worker = new SharedWorker("/static/worker.js", { name: "studio" });
  worker.port.onmessage = (event) => hear(event.data);
  worker.port.start();
  window.addEventListener("pagehide", () => worker.port.postMessage("leaves"));
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
} else { // a phone's browser: the page that is seen listens by itself
  let source = null;
  const listen = () => {
    if (document.hidden) { source?.close(); source = null; return; }
    source = new EventSource("/live");
    source.onmessage = (event) => hear(JSON.parse(event.data));
    source.onerror = () => lost(true);
  };
  document.addEventListener("visibilitychange", listen);
  listen();
}

// On a phone the tabs are a strip: the one that is open is to be seen.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });

// Dark or light, and the language of the page.
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = getComputedStyle(root).colorScheme === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("studio-theme", root.dataset.theme);
});
document.getElementById("language").addEventListener("change", (event) => {
  document.cookie = `studio_language=${event.target.value}; path=/; max-age=31536000; samesite=strict`;
  location.reload();
});

// Keys of a person who keeps their hands on them.
const isTyping = (target) => target.closest("input, textarea, select, [contenteditable=true]") || target.shadowRoot;
document.addEventListener("keydown", (event) => {
  if ((event.metaKey || event.ctrlKey) && event.key === "Enter") {
    const save = document.querySelector("[data-save]");
    if (save) { event.preventDefault(); save.click(); }
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "?") document.getElementById("keys").showModal();
  const place = { j: "[data-next]", k: "[data-previous]", e: "[data-edit]", g: "[data-shelf]" }[event.key];
  const link = place && document.querySelector(place);
  if (link) { event.preventDefault(); link.click(); }
  else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
});
// In a list j and k go from one to the next.
function step(way) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const at = rows.indexOf(document.activeElement?.closest("[data-row]"));
  const row = rows[at < 0 ? (way > 0 ? 0 : rows.length - 1) : at + way];
  if (!row) return;
  row.scrollIntoView({ block: "start", behavior: "instant" });
  (row.querySelector("a, button") || row).focus({ preventScroll: true });
}

window.studio = { token, words, book };
