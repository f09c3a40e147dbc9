"""Opening what is there for a look: the database without creating it, one book in it."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book
from bookwright.models.errors import BookNotFound, StorageError
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, database_file, opened_database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores

if TYPE_CHECKING:
    from bookwright.agents.backends.service import ModelService

_EDIT_SECONDS = 60.0


def unheard(line: str) -> None:
    """Tell nobody: for what can be heard while a book is opened or rehearsed."""


@dataclass(frozen=True)
class OpenBook:
    """One book with what it takes to look at it."""

    settings: Settings
    storage: BookStorage
    book: Book
    known_wish: float = 0.0
    """When it was asked to rest last, as it was opened: who goes on with it does so in spite of that."""


@contextmanager
def library(settings: Settings) -> Iterator[Database]:
    """Open the database, creating or upgrading it first if need be, and close it again.

    Raises:
        UnwritableFolder: The data folder cannot be written to.
        DatabaseTooNew: A newer version wrote it.
        StorageError: It cannot be reached, or is no database.
    """
    with opened_database(settings) as database:
        try:
            migrate.upgrade(database)
        except DBAPIError as error:
            raise StorageError(f"the database cannot be opened: {error.orig}") from error
        yield database


@contextmanager
def existing_library(settings: Settings) -> Iterator[Database | None]:
    """Open the database if there is one; None, and nothing created, if there is not."""
    file = database_file(settings)
    if file is not None and not file.exists():
        yield None
    else:
        with library(settings) as database:
            yield database


@contextmanager
def open_book(identity: str, note: Callable[[str], None], settings: Settings | None = None) -> Iterator[OpenBook]:
    """Open one book by its id or a beginning of it; `note` hears what is worth telling beside the facts.

    The settings are those of the installation if none are given.

    Raises:
        BookNotFound: No book, or more than one, answers to that.
    """
    settings = settings or load_settings()
    with existing_library(settings) as database:
        if database is None:
            raise BookNotFound(f"there is no book {identity!r}; no book was begun in {str(settings.home)!r}")
        with database.read() as connection:
            book = BookRepository(connection).get(identity)
        storage = BookStorage(database, book.id, book.brief.language)
        opened = OpenBook(settings, storage, book, book.stop_requested_at)
        yield opened
        if opened.storage.has_written:
            _bring_up_vault(opened, note)


def _bring_up_vault(opened: OpenBook, note: Callable[[str], None]) -> None:
    """Let the book's folder tell what was changed; whoever writes the book, or has deleted it, sees to it alone."""
    from bookwright.flows.vault.keeper import bring_up  # brings the engine, which a look does not need

    with opened.storage.database.read() as connection:
        found = BookRepository(connection).find(opened.book.id)
    if found is not None and found.lease_owner is None:
        bring_up(opened.storage, found, opened.settings, note)


@contextmanager
def paced_models(database: Database, settings: Settings) -> "Iterator[ModelService]":
    """What asks models, at a pace that all workers on the database share."""
    from bookwright.agents.backends.service import ModelService  # brings the engine
    from bookwright.agents.backends.spending.pace import DatabasePacer

    with closing(ModelService(settings, pacer=DatabasePacer(database, settings))) as models:
        yield models


@contextmanager
def at_rest(storage: BookStorage, point: Failpoint = Failpoint.EDIT_BOOK) -> Iterator[Stores]:
    """A write transaction on a book that nobody else is writing, by the database's own word.

    Raises:
        BookHeld: A worker holds the book; nothing was changed.
    """
    with storage.write(point) as stores:
        lease = Lease.take(stores.connection, storage.book, "the command line", _EDIT_SECONDS, wished_since=0.0)
        yield stores
        lease.release(stores.connection, keeps_wish=True)
