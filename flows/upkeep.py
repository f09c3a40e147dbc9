"""Maintenance of a book at rest: rebuilding its index, deleting old prompts."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from bookwright.flows.lease import held_aside
from bookwright.models.book import Book
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.passages import KINDS, PassageRepository
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


def reindex(
    database: Database, book: Book, settings: Settings, told: Callable[[int, int], None] = lambda done, total: None
) -> Reindexed:
    """Build a book's index anew from its documents; `told` hears how many of how many are taken in.

    Raises:
        BookHeld: A worker holds the book; nothing was changed.
        BackendError: The embedding server did not deliver; another try goes on from here.
    """
    embedder = make_embedder(settings)
    storage = BookStorage(database, book.id, book.brief.language)
    with held_aside(storage, settings.lease_seconds) as (_, journal):
        with storage.read() as stores:
            total = PassageRepository(stores.connection, book.id, embedder.name).count_documents(KINDS)
        done = 0

        def count(documents: int) -> None:
            nonlocal done
            done += documents
            told(done, total)

        with closing(KnowledgeIndex(storage, embedder, settings)) as index:
            embedded = index.reindex(journal, count)
        with storage.read() as stores:
            passages = PassageRepository(stores.connection, book.id, embedder.name).count()
    return Reindexed(embedder.name, total, passages, embedded)


def prune(database: Database, book: Book, settings: Settings, keep: Keep) -> Freed:
    """Let go of a book's old prompts; replies, bills and documents stay. Raises `BookHeld` if a worker has it."""
    storage = BookStorage(database, book.id, book.brief.language)
    with held_aside(storage, settings.lease_seconds) as (lease, _):
        return let_go(database, lease, keep)
