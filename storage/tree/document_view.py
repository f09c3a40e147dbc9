"""A cache of the documents that a book's holder has just read or written."""

from collections import OrderedDict
from collections.abc import Iterable

from bookwright.models.document import Document, DocumentKind

_KEPT = 256
"""Documents, or places where there is none; many times what one unit's activities look at."""
_KEPT_DATA = 64


class DocumentView:
    """The current documents of some nodes and kinds, with their texts, and the newest of some kinds.

    It holds for as long as a `NodeView` does, and for the same reason.
    """

    def __init__(self) -> None:
        self._current: OrderedDict[tuple[int, DocumentKind], Document | None] = OrderedDict()
        self._latest: dict[DocumentKind, Document | None] = {}
        self._data: OrderedDict[str, str] = OrderedDict()

    def knows(self, node: int, kind: DocumentKind) -> bool:
        """Whether it is known which document a node has of a kind, or that it has none."""
        return (node, kind) in self._current

    def current(self, node: int, kind: DocumentKind) -> Document | None:
        """Return the document of a node and kind, if one is known."""
        if (node, kind) in self._current:
            self._current.move_to_end((node, kind))
        return self._current.get((node, kind))

    def find(self, identity: int) -> Document | None:
        """Return a current document by its id, if it is known."""
        return next((own for own in self._current.values() if own is not None and own.id == identity), None)

    def keep(self, node: int, kind: DocumentKind, document: Document | None) -> Document | None:
        """Remember what a node has of a kind; return it."""
        self._current[node, kind] = document
        _bound(self._current, _KEPT)
        return document

    def knows_latest(self, kind: DocumentKind) -> bool:
        """Whether it is known which document of a kind is the newest of the book, or that there is none."""
        return kind in self._latest

    def latest(self, kind: DocumentKind) -> Document | None:
        """Return the newest document of a kind, if one is known."""
        return self._latest.get(kind)

    def keep_latest(self, kind: DocumentKind, document: Document | None) -> Document | None:
        """Remember the newest document of a kind; return it."""
        self._latest[kind] = document
        return document

    def data(self, key: str) -> str | None:
        """Return a document's structure by its hash, if it is known."""
        return self._data.get(key)

    def keep_data(self, key: str, data: str) -> str:
        """Remember the structure with a hash; return it."""
        self._data[key] = data
        _bound(self._data, _KEPT_DATA)
        return data

    def take_in(self, added: Iterable[tuple[Document, str]]) -> None:
        """Take in documents that were written, each with its structure."""
        for document, data in added:
            self.keep(document.node, document.kind, document)
            if document.kind in self._latest:
                self._latest[document.kind] = document
            if document.data_hash:
                self.keep_data(document.data_hash, data)

    def clear(self) -> None:
        """Forget everything, as when nobody can say what was written."""
        self._current.clear()
        self._latest.clear()


def _bound(kept: OrderedDict, size: int) -> None:  # type: ignore[type-arg]
    while len(kept) > size:
        kept.popitem(last=False)
