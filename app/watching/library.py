"""Looks into the database for the screen: short, read-only, and tried again when they fail."""

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, replace

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from bookwright.app.access import OpenBook
from bookwright.app.status.books import queued_books
from bookwright.app.status.progress import BookProgress, progress_of
from bookwright.app.watching.fisheye import Folds, TreeRow, fisheye
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookNotFound, StorageError
from bookwright.models.gate import Gate
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database, database_file
from bookwright.storage.monitoring import BookStatus, open_read_only, statuses
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tree.outline import ChildReader

STEPS = 12
_QUEUE_SECONDS = 5.0
"""Between two questions to Prefect's server, which may be slow, or away."""


@dataclass(frozen=True)
class BookSight:
    """A book as it stands, with its tree as rows."""

    progress: BookProgress
    rows: tuple[TreeRow, ...]
    steps: tuple[StepLine, ...]
    """The last ones, oldest first."""
    gates: tuple[Gate, ...]
    """Those that wait for a decision."""
    worked_seconds: float
    """How long was worked on the book so far."""
    last_answer: str
    """What the last step was answered."""


class WatchedLibrary:
    """The database of an installation, opened when it is there and opened again when it was replaced.

    Every look may raise StorageError or DBAPIError: what lies under it may be away, and come back.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._database: Database | None = None
        self._file: object = None
        self._was_there = False
        self._worked: dict[str, tuple[int, float]] = {}
        self._queued: Collection[str] = ()
        self._next_queue = 0.0

    def statuses(self) -> list[BookStatus]:
        """Return every book's status; none where there is no database yet.

        Raises:
            StorageError: The database cannot be used now.
        """
        database = self._required() if self._was_there else self.database()
        if database is None:
            return []
        self._was_there = True
        try:
            with database.read() as connection:
                found, queued = statuses(connection), self.queued()
            return [replace(status, is_queued=status.id in queued) for status in found]
        except (DBAPIError, StorageError):
            self.close()  # what is there when it comes back may be another
            raise

    def queued(self) -> Collection[str]:
        """Return the books that wait for a worker, as was found last; who has to be asked is asked beside it."""
        with self._lock:
            if time.monotonic() >= self._next_queue:
                self._next_queue = float("inf")
                threading.Thread(target=self._ask_queue, name="bookwright-queue", daemon=True).start()
            return self._queued

    def _ask_queue(self) -> None:
        found: Collection[str] = ()
        try:
            found = queued_books(self._settings)
        finally:  # whatever ails Prefect, it is asked again
            with self._lock:
                self._queued, self._next_queue = found, time.monotonic() + _QUEUE_SECONDS

    def sight(self, book: str, folds: Folds, *, shows_planning: bool = False) -> BookSight:
        """Return a book as it stands; its tree with its planning where that is wanted or all that there is yet.

        Raises:
            StorageError: The database cannot be used now.
            BookNotFound: The book is gone.
        """
        with self._required().read() as connection:
            stores = _stores(connection, book)
            progress = progress_of(stores, book)
            steps = tuple(stores.steps.last(STEPS))
            return BookSight(
                progress=progress,
                rows=tuple(_rows(connection, progress, folds, shows_planning=shows_planning)),
                steps=steps,
                gates=tuple(stores.gates.waiting()),
                worked_seconds=self._worked_seconds(stores, book, steps[-1].id if steps else 0),
                last_answer=stores.steps.reply(steps[-1].id) if steps else "",
            )

    def opened(self, book: str) -> OpenBook:
        """Return one book with what it takes to look at it, for reading.

        Raises:
            StorageError: The database cannot be used now.
            BookNotFound: There is no book of that id.
        """
        database = self.database()
        if database is None:
            raise BookNotFound(f"there is no book {book!r}; no book was begun here")
        with database.read() as connection:
            found = BookRepository(connection).find(book)
        if found is None:
            raise BookNotFound(f"there is no book {book!r}")
        return OpenBook(self._settings, BookStorage(database, found.id, found.brief.language), found)

    def document(self, book: str, node: int) -> tuple[str, str]:
        """Return a node's name, and its goal with its current documents."""
        with self._required().read() as connection:
            stores = _stores(connection, book)
            found = stores.nodes.get(node)
            documents = stores.documents.of_nodes([node], *DocumentKind)
        parts = [f"{found.status}, revision {found.revision}\n{found.goal}"]
        parts += [f"=== {each.kind}, version {each.version} ===\n\n{each.text}" for each in documents]
        if not documents:
            parts.append("There is no document of this node" + (" itself." if found.written else " yet."))
        return found.name, "\n\n".join(parts)

    def asked(self, book: str, label: str | None, step: int | None = None, by: int = 0) -> tuple[StepLine, str] | None:
        """Return a step with what was asked and answered; None if there is none.

        By default the last one of a node, or of the book; else a step, or the one `by` earlier (-1) or later (1).
        """
        with self._required().read() as connection:
            stores = _stores(connection, book)
            line = _step(stores, label, step, by)
            if line is None:
                return None
            prompt = "\n\n".join(stores.steps.prompt(line.id))
            return line, f"{prompt}\n\n=== answer ===\n\n{stores.steps.reply(line.id)}"

    def close(self) -> None:
        """Let go of the database; the next look opens it again."""
        with self._lock:
            if self._database is not None:
                self._database.dispose()
            self._database = None

    def database(self) -> Database | None:
        """Return the database, for reading; None where there is none yet.

        Raises:
            StorageError: It cannot be used now.
        """
        file = _identity(self._settings)
        if file != self._file:
            self.close()  # another was put in its place
        with self._lock:
            if self._database is None:
                self._database = open_read_only(self._settings)
                self._file = _identity(self._settings)
            return self._database

    def _required(self) -> Database:
        database = self.database()
        if database is None:
            raise StorageError("the database is not there any more")
        return database

    def _worked_seconds(self, stores: Stores, book: str, last: int) -> float:
        """Sum up; only what is new is read."""
        known, seconds = self._worked.get(book, (0, 0.0))
        seconds += stores.steps.worked_seconds(known, last)
        self._worked[book] = (last, seconds)
        return seconds


def _rows(connection: Connection, progress: BookProgress, folds: Folds, *, shows_planning: bool) -> list[TreeRow]:
    units = ChildReader(connection, units_only=True)
    if shows_planning or not units.line(progress.root.key).has_parts:
        return fisheye(ChildReader(connection), progress.path, folds, progress.names)
    return fisheye(units, [node for node in progress.path if node.is_unit], folds, progress.names)


def _stores(connection: Connection, book: str) -> Stores:
    found = BookRepository(connection).find(book)
    if found is None:
        raise BookNotFound(f"book {book!r} was deleted")
    return Stores(connection, book, found.brief.language.measure)


def _step(stores: Stores, label: str | None, step: int | None, by: int) -> StepLine | None:
    if step is None or by < 0:
        found = stores.steps.last(1, label, before=step)
    elif label is None:
        found = list(stores.steps.lines(after=step, limit=1))
    else:
        found = [line for line in stores.steps.lines(label, after=step) if line.label == label][:1]
    return found[0] if found else None


def _identity(settings: Settings) -> object:
    """What tells a SQLite file from one that was put in its place."""
    file = database_file(settings)
    if file is None or not file.exists():
        return None
    stat = file.stat()
    return stat.st_dev, stat.st_ino
