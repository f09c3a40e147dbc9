"""Maintenance of a book at rest: rebuilding its index, deleting old prompts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from bookwright.failpoints import Failpoint
from bookwright.flows.lease import heartbeat
from bookwright.models.book import Book
from bookwright.models.errors import LeaseLost, StorageError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.passages import KINDS, PassageRepository
from bookwright.storage.lease import Lease, owner_name
from bookwright.storage.steps.journal import Journal
from bookwright.storage.steps.retention import Freed, Keep, let_go
from bookwright.storage.stores import BookStorage


@dataclass(frozen=True)
class Reindexed:
    """What building a book's index took."""

    model: str
    documents: int
    passages: int
    embedded: int
    """Texts whose vector was not stored yet."""


@contextmanager
def _kept(database: Database, book: Book, settings: Settings) -> Iterator[tuple[BookStorage, Lease, Journal]]:
    """Hold a book without writing it, its state staying as it is; raise `BookHeld` if a worker holds it."""
    with database.write(Failpoint.TAKE_LEASE) as connection:
        lease = Lease.take(connection, book.id, owner_name(), settings.lease_seconds)
    storage = BookStorage(database, book.id, book.brief.language)
    journal = Journal(storage, lease)
    try:
        with heartbeat(journal, settings.lease_seconds, lambda: None):
            yield storage, lease, journal
    finally:
        with suppress(LeaseLost, StorageError), database.write(Failpoint.LEAVE_BOOK) as connection:
            lease.release(connection)


def reindex(
    database: Database, book: Book, settings: Settings, told: Callable[[int, int], None] = lambda done, total: None
) -> Reindexed:
    """Build a book's index anew from its documents; `told` hears how many of how many are taken in.

    Raises:
        BookHeld: A worker holds the book; nothing was changed.
        BackendError: The embedding server did not deliver; another try goes on from here.
    """
    embedder = make_embedder(settings)
    with _kept(database, book, settings) as (storage, _, journal):
        with storage.read() as stores:
            total = PassageRepository(stores.connection, book.id, embedder.name).count_documents(KINDS)
        done = 0

        def count(documents: int) -> None:
            nonlocal done
            done += documents
            told(done, total)

        index = KnowledgeIndex(storage, embedder, settings)
        try:
            embedded = index.reindex(journal, count)
        finally:
            index.close()
        with storage.read() as stores:
            passages = PassageRepository(stores.connection, book.id, embedder.name).count()
    return Reindexed(embedder.name, total, passages, embedded)


def prune(database: Database, book: Book, settings: Settings, keep: Keep) -> Freed:
    """Let go of a book's old prompts; replies, bills and documents stay. Raises `BookHeld` if a worker has it."""
    with _kept(database, book, settings) as (_, lease, _journal):
        return let_go(database, lease, keep)
