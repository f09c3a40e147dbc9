"""A book as a folder of plain files, for tools that read files: text, tree, documents, log."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from bookwright.exports.journal import journal_of
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import body
from bookwright.models.document import DocumentKind
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage

_FOLDERS = {DocumentKind.DESIGN: "designs", DocumentKind.FINDINGS: "findings", DocumentKind.SUMMARY: "summaries"}
_SINGLE = {DocumentKind.BOOK_DESIGN: "book-design.txt", DocumentKind.GLOBAL_STATE: "state.txt"}


def write_reading_copy(storage: BookStorage, folder: Path) -> None:
    """Write a book's files over those of an earlier copy, named by the labels of their nodes: `text/1.2.txt`."""
    manuscript, outline = Manuscript(storage), []
    for node in _nodes(storage):
        amount = f", {node.written} of {node.length or 0}" if node.is_unit else ""
        outline.append(f"{'  ' * node.depth}{node.name} ({node.status}{amount}): {node.goal}")
        _write_documents(node, storage, folder)
    _write(folder / "outline.txt", "\n".join(outline))
    for chapter in manuscript.chapters():
        text = "".join(body(manuscript, chapter.unit.label))
        _write(folder / "text" / f"{chapter.unit.label}.txt", text.strip())
    for kind, name in _SINGLE.items():
        with storage.read() as stores:
            document = stores.documents.latest(kind)
        if document is not None:
            _write(folder / name, document.text)
    _write(folder / "log.txt", "\n".join(_log(storage)))


def _write_documents(node: TaskNode, storage: BookStorage, folder: Path) -> None:
    with storage.read() as stores:
        documents = stores.documents.of_nodes([node.key], *_FOLDERS)
    for document in documents:
        heading = f"{node.label} {node.title or node.goal}".strip()
        _write(folder / _FOLDERS[document.kind] / f"{node.label}.txt", f"{heading}\n\n{document.text}")


def _nodes(storage: BookStorage) -> Iterator[TaskNode]:
    """Yield the living nodes in reading order, parents first; a look for each, as one for all would hold the log back.

    A node is held no longer than it is worked on.
    """
    with storage.read() as stores:
        stack = [stores.nodes.root()]
    while stack:
        node = stack.pop()
        yield node
        with storage.read() as stores:
            stack.extend(reversed(stores.nodes.children(node.key)))


def _log(storage: BookStorage) -> Iterator[str]:
    for line in journal_of(storage):
        failure = f" {line.failure}: {' '.join(line.detail.split())}" if line.failure else ""
        bill = f"{line.input_tokens} > {line.output_tokens} tokens, {line.duration_millis} ms"
        when = datetime.fromtimestamp(line.recorded_at).isoformat(sep=" ", timespec="seconds")
        yield f"{line.id} {when} {line.label} {line.activity}/{line.step} {line.model} {bill}{failure}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", errors="replace", newline="\n")
