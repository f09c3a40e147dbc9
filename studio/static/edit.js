// The editor's page: drafts stay in this browser until they are saved; a save names the version it was made from.
const place = document.getElementById("editing");
const sheet = document.getElementById("sheet");
const state = document.getElementById("state");
const source = document.getElementById("source").value;
const { token: pass, words: told, book: of } = window.studio;
const draftKey = `studio-draft:${of}:${place.dataset.saveTo}:${place.dataset.kind}`;
let version = Number(place.dataset.version);
let after = place.dataset.after; // the edit that these words replace, or go on from once it was taken in
let kept = source;
let editor = null;
let timer = null;

const draft = JSON.parse(localStorage.getItem(draftKey) || "null");
const hasDraft = draft && draft.text !== source;
if (hasDraft) {
  ({ version, after = "" } = draft); // another version may stand by now: the save finds that out
  document.getElementById("draft-note").classList.remove("hidden");
  state.textContent = told.draft;
}
write(hasDraft ? draft.text : source);

function write(text) {
  editor = window.studioEditor.open(sheet, { text, label: told.edit, changed });
}

function changed(text) {
  state.textContent = told.unsaved;
  offer({});
  clearTimeout(timer);
  timer = setTimeout(() => {
    localStorage.setItem(draftKey, JSON.stringify({ text, version, after }));
    state.textContent = told.draft;
  }, 400);
}

document.getElementById("drop-draft").addEventListener("click", () => {
  localStorage.removeItem(draftKey);
  kept = editor.text(); // leaving it is meant
  location.reload();
});

const saver = document.getElementById("save");
saver.addEventListener("click", async () => {
  saver.disabled = true; // the version that the next save is made from comes with the answer
  try {
    await save();
  } finally {
    saver.disabled = false;
  }
});

async function save() {
  const text = editor.text();
  const fields = new URLSearchParams({ text, version, after, kind: place.dataset.kind });
  clearTimeout(timer);
  localStorage.setItem(draftKey, JSON.stringify({ text, version, after }));
  let answer;
  try {
    answer = await fetch(place.dataset.saveTo, { method: "POST", body: fields, headers: { "X-Studio-Token": pass, "HX-Request": "true" } });
  } catch {
    lost(true);
    return;
  }
  if (answer.status === 409 && answer.headers.get("content-type").includes("json")) return differ(await answer.json(), text);
  if (!answer.ok) {
    document.getElementById("notices").innerHTML = await answer.text();
    htmx.process(document.getElementById("notices"));
    return;
  }
  const made = await answer.json();
  if (made.version) version = made.version;
  after = made.after || "";
  kept = text;
  document.getElementById("notices").replaceChildren();
  document.getElementById("draft-note").classList.add("hidden");
  if (editor.text() !== text) return changed(editor.text()); // typed while it was saved
  localStorage.removeItem(draftKey);
  state.textContent = made.words;
  offer(made);
}

// A save can be undone for a while: what was saved stays among the versions.
const back = document.getElementById("undo");
let offered = null;
function offer(made) {
  offered = made.undo ? made : null;
  back.hidden = !offered;
}
back.addEventListener("click", async () => {
  const fields = new URLSearchParams({ kind: place.dataset.kind, version: offered.before || "" });
  const answer = await fetch(offered.undo, { method: "POST", body: fields, headers: { "X-Studio-Token": pass, "HX-Request": "true" } });
  if (answer.ok) return location.reload();
  document.getElementById("notices").innerHTML = await answer.text();
  htmx.process(document.getElementById("notices"));
});

function differ(standing, mine) {
  version = standing.version;
  after = standing.after || "";
  document.getElementById("conflict-note").classList.remove("hidden");
  sheet.classList.add("wide");
  editor = window.studioEditor.compare(sheet, { theirs: standing.theirs, mine, labels: told, changed });
}

window.addEventListener("beforeunload", (event) => {
  if (editor.text() !== kept && !localStorage.getItem(draftKey)) event.preventDefault();
});
