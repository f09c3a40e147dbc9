"""All books with where they stand, and what is done to one of them from outside, deleting it for good, too."""

import math
import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from bookwright.app.access import OpenBook, at_rest
from bookwright.exports.report.verdict import BookVerdict, verdict_on
from bookwright.failpoints import Failpoint
from bookwright.models.amount import Cap
from bookwright.models.book import Book, BookState, standing_of
from bookwright.models.settings import Settings
from bookwright.models.wording import dollars, money, tokens
from bookwright.storage.branches.repository import BranchRepository, Fork
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import holder_of, is_dead
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.gates import waiting_gates
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.studio import StudioStanding
from bookwright.storage.tables import books

if TYPE_CHECKING:
    from bookwright.flows.prefect.pool import NewestRun


@dataclass(frozen=True)
class ListedBook:
    """A book as it stands among the others."""

    book: Book
    written: int
    """In the book's unit."""
    gates: int
    """How many of its gates wait for a decision."""
    verdict: BookVerdict | None = None
    """What the verification of a finished book came to; None where its blueprint has none."""
    branch: str = ""
    """The name of a branch; empty for a book that is none."""
    branches: int = 0
    """How many branches there are of the book that it comes from, or is."""
    is_queued: bool = False
    """A run of it waits for a worker."""

    @property
    def standing(self) -> str:
        """Where it stands in one word."""
        return state_of(self.book, is_queued=self.is_queued)

    @property
    def is_to_rest(self) -> bool:
        """Whoever takes it next is to let it rest at once."""
        return self.book.stop_requested and self.standing in ("queued", "interrupted")

    @property
    def words(self) -> str:
        """The standing, with a verdict that is none to be pleased with."""
        is_failed = self.verdict is not None and self.verdict.is_failed
        return f"{self.standing}, verdict: failed" if is_failed else self.standing

    @property
    def share(self) -> float:
        """What is written of what was asked for, 0 to 1."""
        return min(self.written / self.book.brief.length, 1.0)


@dataclass(frozen=True)
class RestAsked:
    """Whether a book was asked to rest, and of whom."""

    is_asked: bool
    holder: str | None
    """Who writes it; where nobody does, whoever takes it next is asked."""
    dead: str = ""
    """Who held it and lives no more."""


@dataclass(frozen=True)
class Deleted:
    """What is left of a book that was deleted."""

    files: tuple[str, ...] = ()
    """Files of its folder that are the author's own."""
    trouble: str = ""
    """Why its folder could not be removed."""


def list_books(database: Database, with_archived: bool = False, queued: Collection[str] = ()) -> list[ListedBook]:
    """Return the books, those that were put away only if asked for; `queued` are those that wait for a worker."""
    with database.read() as connection:
        books = BookRepository(connection).all(with_archived)
        gates = [gate.book for gate in waiting_gates(connection)]
        forks = {fork.book: fork for fork in BranchRepository(connection).all()}
    families = Counter(_root_of(book, forks) for book in forks)
    lines = []
    for book in books:
        with BookStorage(database, book.id, book.brief.language).read() as stores:
            verdict = verdict_of(book, stores)
            name = forks[book.id].name if book.id in forks else ""
            count = families[_root_of(book.id, forks)]
            written, is_queued = stores.nodes.root().written, book.id in queued
            lines.append(ListedBook(book, written, gates.count(book.id), verdict, name, count, is_queued))
    return lines


def _root_of(book: str, forks: Mapping[str, Fork]) -> str:
    while book in forks:
        book = forks[book].origin
    return book


def studio_runs(settings: Settings) -> "list[NewestRun]":
    """Return the newest runs that wait or have failed on a known server, one a book.

    Raises:
        NoPrefectServer: The server does not answer.
    """
    if not os.environ.get("PREFECT_API_URL") and not (settings.home / "prefect" / "api-url").exists():
        return []
    from bookwright.flows.prefect.pool import handed_in  # Prefect takes a second to import
    from bookwright.flows.prefect.server import known_server

    api = known_server(settings)
    return handed_in(api) if api else []


def queued_in(runs: "Iterable[NewestRun]") -> frozenset[str]:
    """Return the ids of the books that wait for a worker."""
    return frozenset(one.book for one in runs if one.state == "queued")


def queued_books(settings: Settings) -> frozenset[str]:
    """Return the same, by what a known server tells; none where it does not answer."""
    with suppress(Exception):  # whatever its client makes of an answer, a look at books does not end by it
        return queued_in(studio_runs(settings))
    return frozenset()


def verdict_of(book: Book, stores: Stores) -> BookVerdict | None:
    """Return the verdict on a finished book; None for one whose blueprint verifies nothing."""
    return verdict_on(stores) if book.brief.blueprint and book.state is BookState.FINISHED else None


def state_of(book: Book, *, is_queued: bool = False) -> str:
    """Say in one word where a book stands.

    The lease runs by the database's clock and this looks at our own: good enough to be shown.
    """
    return standing_of(book.state, is_held=is_held(book), is_to_rest=book.stop_requested, is_queued=is_queued)


def is_held(book: Book) -> bool:
    """True while a worker that may be alive holds the book."""
    owner = book.lease_owner
    return owner is not None and book.lease_expires > time.time() and not is_dead(owner)


def studio_words(standing: StudioStanding, cap: Cap) -> str:
    """Say what all books have spent of the studio's cap, and what running ones hold of it."""
    spent, held = standing.spent, standing.handed_out
    parts = []
    if cap.cost is not None:
        parts.append(f"{money(spent.cost)} of {dollars(cap.usd)} spent, {money(held.cost)} handed to running books")
    if cap.tokens is not None:
        parts.append(f"{tokens(spent.tokens)} of {tokens(cap.tokens)} tokens spent, {tokens(held.tokens)} handed out")
    return "; ".join(parts)


def ask_to_rest(opened: OpenBook) -> RestAsked:
    """Ask whoever writes a book, or takes it next, to rest before the next step."""
    with opened.storage.write() as stores:
        is_asked = stores.books.get(opened.book.id).state is not BookState.FINISHED
        if is_asked:
            stores.books.ask_to_rest(opened.book.id)
        holder = holder_of(stores.connection, opened.book.id)
    if holder is None:
        return RestAsked(is_asked, None)
    return RestAsked(is_asked, holder.owner) if holder.is_alive else RestAsked(is_asked, None, holder.owner)


def begin_anew(database: Database, book: str, known_wish: float = math.inf) -> None:
    """Forget that a book was to rest, for whoever has handed it in, unless it is a living worker that was asked.

    A wish that is newer than the one they knew of stays for the run that they have handed in.
    """
    with database.write(Failpoint.EDIT_BOOK) as connection:
        asked = select(books.c.stop_requested_at).where(books.c.id == book)
        wished_at = connection.execute(asked.with_for_update()).scalar() or 0.0  # nobody takes the book meanwhile
        holder = holder_of(connection, book)
        if wished_at <= known_wish and (holder is None or not holder.is_alive):
            BookRepository(connection).change(book, stop_requested=False)


def put_away(opened: OpenBook, is_archived: bool) -> None:
    """Put a book that rests away, or take it out of the archive.

    Raises:
        BookHeld: A worker writes it.
    """
    with at_rest(opened.storage) as stores:
        stores.books.change(opened.book.id, is_archived=is_archived)


def delete_book(opened: OpenBook) -> Deleted:
    """Remove a book with its journal, its index and its folder; exports and files of the author's own stay.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: It has branches that share its texts.
    """
    from bookwright.agents.runtime.events.event_file import remove_events  # whose models no look needs
    from bookwright.flows.vault.rendering import Vault
    from bookwright.storage.index.embedding import make_embedder  # numpy, for this alone
    from bookwright.storage.index.knowledge import KnowledgeIndex

    with at_rest(opened.storage) as stores:
        stores.books.delete(opened.book.id)
    KnowledgeIndex(opened.storage, make_embedder(opened.settings), opened.settings).drop()
    remove_events(opened.settings.home, opened.book.id)
    vault = Vault(opened.storage, opened.book, opened.settings)
    try:
        return Deleted(tuple(str(vault.folder.root / path) for path in vault.delete()))
    except OSError as error:
        return Deleted(trouble=f"the folder {str(vault.folder.root)!r} cannot be removed ({error.strerror or error})")
