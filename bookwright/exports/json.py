"""The whole book as JSON: brief, sums, tree and current documents, written node by node."""

import json
from collections.abc import Iterator
from typing import Any

from bookwright.models.document import Document, DocumentKind
from bookwright.models.findings import Findings
from bookwright.models.task import TaskNode
from bookwright.storage.stores import BookStorage

FORMAT = "bookwright-book/1"

_BOOK_FIELDS = {
    "id", "title", "state", "reason", "created_at", "updated_at", "brief", "brief_version",
    "calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "unpriced_calls",
}  # fmt: skip


def whole_book(storage: BookStorage) -> Iterator[str]:
    """Yield one JSON object piece by piece: `format`, `book`, and `nodes` in reading order."""
    with storage.read() as stores:
        book = stores.books.get(storage.book)
        root = stores.nodes.root()
    yield "{\n"
    yield f'"format": {_encoded(FORMAT)},\n'
    yield f'"book": {_encoded(book.model_dump(mode="json", include=_BOOK_FIELDS))},\n'
    yield '"nodes": ['
    separator = "\n"
    for node in _nodes(root, storage):
        yield separator + _encoded(_node(node, storage))
        separator = ",\n"
    yield "\n]\n}\n"


def _nodes(root: TaskNode, storage: BookStorage) -> Iterator[TaskNode]:
    """Yield all living nodes, parents first; each look into the database is short."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        with storage.read() as stores:
            stack.extend(reversed(stores.nodes.children(node.key)))


def _node(node: TaskNode, storage: BookStorage) -> dict[str, Any]:
    with storage.read() as stores:
        documents = [
            _document(document, stores.documents.findings_of(document))
            for document in stores.documents.of_nodes([node.key], *DocumentKind)
        ]
    values = node.model_dump(mode="json", exclude={"book", "key", "parent", "unit"})
    return {"label": node.label, **values, "documents": documents}


def _document(document: Document, findings: Findings | None) -> dict[str, Any]:
    """A document; one for which something was to be looked up with its `sources` and whether it `is_verified`."""
    told = findings.model_dump(mode="json") if findings else {}
    return document.model_dump(mode="json", include={"kind", "version", "length", "text"}) | told


def _encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
