"""The text of a unit of a book, read and changed beside the studio."""

from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.storage.stores import BookStorage


def rewrite(book: BookStorage, label: str, text: str) -> None:
    """Give a unit other words."""
    with book.write() as stores:
        node = stores.nodes.by_label(label)
        old = stores.documents.current(node.key, DocumentKind.PROSE)
        assert old is not None
        stores.documents.add(
            NewDocument(node=node.key, kind=DocumentKind.PROSE, text=text, origin=DocumentOrigin.AUTHOR,
                        base=old.version), None,
        )  # fmt: skip


def text(book: BookStorage, label: str) -> str:
    """The text of a unit."""
    with book.read() as stores:
        found = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
        assert found is not None
        return found.text
