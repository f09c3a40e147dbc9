// Notes on words of the text: a button at what is selected, and the words of notes marked in the text.
const around = 60;
const text = document.querySelector("[data-comments]");
const opener = document.getElementById("comment-on");
const box = document.getElementById("comment");
let picked = null;

function selected() {
  const place = text.shadowRoot?.querySelector(".cm-content") || text; // the editor's words stand in a root of their own
  const found = text.shadowRoot?.getSelection?.() || getSelection();
  if (!found.rangeCount || found.isCollapsed) return null;
  const range = found.getRangeAt(0);
  if (!place.contains(range.commonAncestorContainer) || !range.toString().trim()) return null;
  const before = range.cloneRange(), after = range.cloneRange();
  before.setStart(place, 0);
  before.setEnd(range.startContainer, range.startOffset);
  after.setEnd(place, place.childNodes.length);
  after.setStart(range.endContainer, range.endOffset);
  return { quote: range.toString(), before: before.toString().slice(-around), after: after.toString().slice(0, around) };
}

document.addEventListener("selectionchange", () => {
  const found = selected();
  if (found) picked = found;
  opener.hidden = !found;
});
opener.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
opener.addEventListener("click", write);
document.addEventListener("keydown", (event) => {
  if (event.key !== "m" || event.metaKey || event.ctrlKey || event.altKey || text.shadowRoot || event.target.closest("input, textarea, select")) return; // in the editor it is a letter
  if (selected()) { event.preventDefault(); write(); }
});

function write() {
  const form = box.querySelector("form");
  form.reset();
  for (const name of ["quote", "before", "after"]) form.elements[name].value = picked[name];
  document.getElementById("comment-quote").textContent = picked.quote;
  box.showModal();
  form.elements.words.focus();
}
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (box.contains(event.detail.elt) && event.detail.xhr.status === 200) box.close();
});
document.querySelector("[data-shut=comment]").addEventListener("click", () => box.close());

// The words of notes are marked without touching the text, where the browser can.
function mark() {
  if (!window.Highlight || !text.matches(".prose")) return;
  const marks = new Highlight();
  for (const note of document.querySelectorAll("[data-quote]")) {
    const range = find(note.dataset.before, note.dataset.quote);
    if (range) marks.add(range);
  }
  CSS.highlights.set("notes", marks);
}
function find(before, quote) {
  const bare = (words) => words.replace(/\s+/g, "");
  const letters = [];
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let place = 0; place < node.length; place++) if (/\S/.test(node.data[place])) letters.push([node, place]);
  }
  const whole = letters.map(([node, place]) => node.data[place]).join("");
  const wanted = bare(quote);
  const near = whole.indexOf(bare(before) + wanted);
  const start = near < 0 ? whole.indexOf(wanted) : near + bare(before).length;
  if (start < 0) return null;
  const range = new Range();
  range.setStart(...letters[start]);
  const [last, place] = letters[start + wanted.length - 1];
  range.setEnd(last, place + 1);
  return range;
}
document.body.addEventListener("htmx:afterSettle", mark);
