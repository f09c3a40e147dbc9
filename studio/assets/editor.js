// The editor of the studio: CodeMirror without markup or colours, and two versions side by side.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap } from "@codemirror/view";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "6px", borderRadius: "2px" },
  ".cm-content": {
    fontFamily: "var(--serif)", fontSize: "var(--page-size)", lineHeight: "var(--page-leading)",
    caretColor: "var(--ink)", padding: "0",
  },
  ".cm-line": { padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--mark) !important" },
  ".cm-panels": { backgroundColor: "var(--paper-2)", color: "var(--ink)", border: "none" },
  ".cm-panel input, .cm-panel button": {
    font: "inherit", color: "var(--ink)", background: "var(--paper)", border: "1px solid var(--rule)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--mark)", color: "var(--ink)" },
  ".cm-changedLine": { backgroundColor: "transparent !important" },
  "&.cm-merge-a .cm-changedText, .cm-deletedText": { background: "var(--gone) !important", color: "var(--ink)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--come) !important", color: "var(--ink)" },
  ".cm-changeGutter": { display: "none" },
});

const shared = (label) => [
  history(), drawSelection(), search({ top: true }), highlightSelectionMatches(),
  EditorView.lineWrapping, theme, EditorState.tabSize.of(4),
  EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocorrect: "on" }),
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
];

// CodeMirror writes styles; within a shadow root it adopts sheets, which a strict policy allows.
function shadow(place) {
  const root = place.shadowRoot || place.attachShadow({ mode: "open" });
  root.replaceChildren();
  const holder = document.createElement("div");
  root.append(holder);
  return [root, holder];
}

function open(place, { text, label, changed }) {
  const [root, parent] = shadow(place);
  const heard = EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()));
  const view = new EditorView({ parent, root, state: EditorState.create({ doc: text, extensions: [shared(label), heard] }) });
  return {
    text: () => view.state.doc.toString(),
    replace: (words) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: words } }),
    focus: () => view.focus(),
  };
}

function compare(place, { theirs, mine, labels, changed }) {
  const [root, parent] = shadow(place);
  const style = new CSSStyleSheet();
  style.replaceSync(`
    .cm-mergeViewEditors { display: flex; align-items: stretch; gap: 2rem }
    .cm-mergeViewEditor { flex: 1 1 0; min-width: 0; overflow: hidden }
    .cm-merge-revert { width: 2rem; flex: none; position: relative }
    .cm-merge-revert button { position: absolute; width: 100%; border: 0; cursor: pointer; font: inherit;
      font-size: 1.2rem; color: var(--accent); background: var(--paper) }
    @media (max-width: 640px) { .cm-mergeViewEditors { flex-direction: column } .cm-merge-revert { display: none } }`);
  root.adoptedStyleSheets = [style];
  const heard = EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()));
  const view = new MergeView({
    parent, root, revertControls: "a-to-b", gutter: false, diffConfig: { scanLimit: 500, timeout: 300 },
    renderRevertControl: () => {
      const button = document.createElement("button");
      button.textContent = "→";
      button.setAttribute("aria-label", labels.take);
      return button;
    },
    a: { doc: theirs, extensions: [shared(labels.theirs), EditorState.readOnly.of(true)] },
    b: { doc: mine, extensions: [shared(labels.mine), heard] },
  });
  return { text: () => view.b.state.doc.toString(), focus: () => view.b.focus() };
}

window.studioEditor = { open, compare };
