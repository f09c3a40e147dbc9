"""A finished book with branches, and what of two books can be compared."""

from contextlib import closing
from dataclasses import dataclass

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.branches.forks import fork
from bookwright.exports.files import export
from bookwright.flows.open_book import RunConfig
from bookwright.flows.revision.revise import take_in
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings
from bookwright.storage.branches.merge_rows import Snapshot, snapshot
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores

NEWS = "\n\nAnd the lamp was blue all along."


@dataclass(frozen=True)
class Grove:
    """A data folder with a book and its branches."""

    database: Database
    settings: Settings

    def book(self, identity: str) -> Book:
        """A book as it stands now."""
        with self.database.read() as connection:
            return BookRepository(connection).get(identity)

    def open(self, identity: str) -> OpenBook:
        """A book, opened."""
        book = self.book(identity)
        return OpenBook(self.settings, BookStorage(self.database, book.id, book.brief.language), book)

    def fork(self, origin: str, at: str | None = None, name: str | None = None) -> str:
        """Make a branch and return its id."""
        return fork(self.open(origin), at, name).book

    def write(self, identity: str) -> None:
        """Write a book to its end."""
        with closing(ModelService(self.settings)) as models:
            run_book(identity, RunConfig(self.settings, self.database, models))

    def text(self, identity: str, form: str = "md") -> bytes:
        """The exported manuscript."""
        return export(self.open(identity).storage, form, self.settings.home / f"text.{form}").read_bytes()

    def rows(self, identity: str) -> Snapshot:
        """All rows of a book that a merge may change."""
        with self.database.read() as connection:
            return snapshot(connection, identity)


def resting(stores: Stores) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """What each current document rests on, by places."""
    nodes = {node.key: node.label for node in stores.nodes.walk()}
    found = [(one.id, nodes[one.node], one.kind.value) for one in stores.documents.of_nodes(nodes, *DocumentKind)]
    by_key = {key: (label, kind) for key, label, kind in found}
    return sorted(
        (label, kind, sorted(by_key[one] for one in stores.documents.inputs_of(key) if one in by_key))
        for key, label, kind in found
    )


def prose(grove: Grove, book: str, label: str) -> str:
    """The text of a unit."""
    with grove.open(book).storage.read() as stores:
        found = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
        assert found is not None
        return found.text


def rewrite(grove: Grove, book: str, label: str, text: str, kind: DocumentKind = DocumentKind.PROSE) -> None:
    """Put an author's words in the place of a document."""
    with grove.open(book).storage.write() as stores:
        node = stores.nodes.by_label(label)
        old = stores.documents.current(node.key, kind)
        assert old is not None
        take_in(stores, node, old, text)
