"""A book's lease: taken, renewed during long calls, and released with the book's state set."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book, BookState
from bookwright.models.errors import (
    BackendError,
    BookFailed,
    BookHeld,
    BookPaused,
    BudgetExceeded,
    DatabaseDamaged,
    DatabaseUnreachable,
    GateWaiting,
    InvalidInput,
    LeaseLost,
    OrderChanged,
    StorageError,
)
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import Lease, owner_name
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.gates import GateRepository
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.studio import Studio

_HEARTBEATS_A_LEASE = 3


def take(
    database: Database, book_id: str, seconds: float, *, wished_since: float | None = None,
    is_second_try: bool = False, unsure: Lease | None = None,
) -> tuple[Book, Lease]:  # fmt: skip
    """Take a book's lease, once more if the connection broke: the commit may have arrived, and then it is ours.

    The book that is returned knows whether it was asked to rest before it was taken, but after `wished_since`.
    """
    lease = unsure
    try:
        with database.write(Failpoint.TAKE_LEASE) as connection:
            books = BookRepository(connection)
            found = books.get(book_id).id
            lease = Lease.take(connection, found, owner_name(), seconds, unsure, wished_since=wished_since)
            book = books.get(lease.book)  # not before: until now another worker could add to what it has spent
            books.set_state(book.id, BookState.WRITING)
        return book, lease
    except DatabaseUnreachable:
        if is_second_try:
            raise
        return take(database, book_id, seconds, wished_since=wished_since, is_second_try=True, unsure=lease)


@contextmanager
def leave_after_walk(database: Database, lease: Lease, way_on: str) -> Iterator[None]:
    """Leave a book finished, or paused with the reason and the `way_on`, whatever ends the walk.

    Raises:
        LeaseLost: A newer worker holds the book; its state is not ours to set.
        BookPaused: It rests, also where that could not be written.
    """
    try:
        yield
        _leave(database, lease, BookState.FINISHED)
    except (LeaseLost, BookHeld, DatabaseDamaged):
        raise  # the book is another worker's now, or its file is broken: its state is not ours to set
    except BookPaused as rest:
        _rest(database, lease, rest, has_failed=isinstance(rest, BookFailed))
        raise
    except (BackendError, StorageError, InvalidInput) as error:
        paused = BookPaused(str(error), f"{_remedy(error)}{way_on} goes on from here")
        _rest(database, lease, paused, has_failed=not isinstance(error, BudgetExceeded))
        raise paused from error
    except BaseException as error:
        is_stopped = isinstance(error, KeyboardInterrupt)
        reason = "stopped" if is_stopped else f"a fault of the program: {error!r}"[:500]
        paused = BookPaused(reason, f"{way_on} goes on from here")
        with suppress(LeaseLost):
            _rest(database, lease, paused, has_failed=not is_stopped)
        raise


@contextmanager
def leave_as_found(database: Database, book: Book, lease: Lease, way_on: str) -> Iterator[None]:
    """Leave a book as it was found, resting if its worker died; raise `BookPaused` if what was begun is not done."""
    was_left, has_failed = book.state is BookState.WRITING, book.has_failed
    found = BookPaused("its worker died", f"`bookwright resume {book.id}` goes on from here") if was_left else book
    state = BookState.PAUSED if was_left else book.state
    gate: int | None = None
    try:
        if state is BookState.WAITING:
            with database.read() as connection:
                gate = next((own.id for own in reversed(GateRepository(connection, book.id).waiting())), None)
        yield
    except (LeaseLost, BookHeld, DatabaseDamaged):
        raise
    except (BackendError, StorageError) as error:
        raise BookPaused(str(error), f"{_remedy(error)}{way_on} goes on from here") from error
    finally:
        with suppress(StorageError, LeaseLost):
            _leave(database, lease, state, found.reason, found.advice, gate, intent=book.intent, has_failed=has_failed)


def _leave(
    database: Database,
    lease: Lease,
    state: BookState,
    reason: str = "",
    advice: str = "",
    gate: int | None = None,
    *,
    has_failed: bool = False,
    goes_on: bool = False,
    **kept: str,
) -> None:
    """Set the book's state and what of its row is `kept`, and let it go; once more where the connection broke.

    At a `gate` that was decided meanwhile the book does not wait any more. Where the walk only opens the book anew
    and `goes_on`, a wish that the book rest stands until it is heard.

    Raises:
        LeaseLost: A newer worker holds the book.
        StorageError: The database could not take it; the lease runs out by itself.
    """
    for is_last in (False, True):
        try:
            with database.write(Failpoint.LEAVE_BOOK) as connection:
                lease.fence(connection, state=state.value, reason=reason, advice=advice, has_failed=has_failed, **kept)
                if gate is not None:  # the fence keeps whoever decides out until this is committed
                    GateRepository(connection, lease.book).pass_if_decided(gate)
                Studio(connection).give_back(lease.book)
                lease.release(connection, keeps_wish=goes_on)
            return
        except DatabaseUnreachable:
            if is_last:
                raise


def _rest(database: Database, lease: Lease, rest: BookPaused, *, has_failed: bool) -> None:
    """Leave the book paused, or waiting at a gate; if that cannot be written, who raised the reason still tells it."""
    gate = rest.gate.id if isinstance(rest, GateWaiting) else None
    state = BookState.PAUSED if gate is None else BookState.WAITING
    with suppress(StorageError):
        _leave(
            database, lease, state, rest.reason, rest.advice, gate,
            has_failed=has_failed, goes_on=isinstance(rest, OrderChanged),
        )  # fmt: skip


@contextmanager
def held_aside(
    storage: BookStorage, seconds: float, cancel: Callable[[], None] = lambda: None, way_on: str = ""
) -> Iterator[tuple[Lease, Journal]]:
    """Hold a book without writing it, its state and a wish staying as they are; raise `BookHeld` if a worker holds it.

    Where it cannot be let go again the lease runs out by itself.
    """
    with storage.write(Failpoint.TAKE_LEASE) as stores:
        lease = Lease.take(stores.connection, storage.book, owner_name(), seconds, wished_since=0.0)
    journal = Journal(storage, lease, way_on)
    try:
        with heartbeat(journal, seconds, cancel):
            yield lease, journal
    finally:
        with suppress(LeaseLost, StorageError), storage.write(Failpoint.LEAVE_BOOK) as stores:
            lease.fence(stores.connection)
            Studio(stores.connection).give_back(storage.book)
            lease.release(stores.connection, keeps_wish=True)


def _remedy(error: BaseException) -> str:
    return f"{error.remedy}; then " if isinstance(error, BudgetExceeded) and error.remedy else ""


@contextmanager
def heartbeat(journal: Journal, lease_seconds: float, cancel: Callable[[], None]) -> Iterator[None]:
    """Renew the lease while a call is long; a lost lease ends the call."""
    done = threading.Event()
    period = lease_seconds / _HEARTBEATS_A_LEASE

    def beat() -> None:
        while not done.wait(period):
            if time.monotonic() - journal.last_renewed < period:
                continue
            try:
                journal.renew()
            except LeaseLost:
                cancel()
                return
            except StorageError:
                continue  # the next step's own transaction will tell

    thread = threading.Thread(target=beat, name="bookwright-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
