"""One book from its first open step to its last page, as a plain function; Prefect is not needed."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.flows import gates, walk_steps, webhook
from bookwright.flows.activities.prompt_sizes import condense
from bookwright.flows.deps import Deps
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.edit_queue import take_in_waiting
from bookwright.flows.walk import look_over, write_unit
from bookwright.models.book import Book, BookState
from bookwright.models.errors import BookPaused, DatabaseUnreachable, GateWaiting, OrderChanged
from bookwright.models.gate import Gate
from bookwright.storage.repositories.books import BookRepository

_BREAKS_AT_ONE_STEP = 3
"""How often the database may go away before a further step is recorded, until the book rests."""


@dataclass
class BookRun:
    """A run of a book: its parameters, who hears how it goes, and who is asked where it waits for a human."""

    around: RunConfig
    heard: Callable[[], AbstractContextManager[EventBus]]
    """Opens what the walk speaks on, with whoever listens, for as long as the book is written."""
    decides: Callable[[Gate], bool]
    """Has a gate decided; False if that is left for later."""

    def write(self, book_id: str) -> Book:
        """Write a book, or go on with it, and return it finished; raises what `run_book` does where nobody decides."""
        while True:
            try:
                with self.heard() as events:
                    return run_book(book_id, replace(self.around, events=events))
            except GateWaiting as waiting:
                if not self.decides(waiting.gate):
                    raise


def run_book(book_id: str, around: RunConfig) -> Book:
    """Write a book, or go on with it, and return it finished.

    Raises:
        BookHeld: Another worker writes it; nothing was paid.
        GateWaiting: It rests until a human decides.
        BookPaused: It rests, with a reason and what to do.
    """
    is_written_now, settings = False, around.settings
    while (book := _stored(book_id, around)).state is not BookState.FINISHED:
        is_written_now = True
        try:
            with hold_book(book.id, around) as deps:
                _write(book, deps)
        except OrderChanged:
            continue
        except GateWaiting as waiting:
            gate = webhook.tell(waiting.gate, book, around.database, around.webhook_hosts)
            if gates.still_waits(gate, around.database):  # else somebody decided while the book was left
                webhook.run_command(settings.notify_command, webhook.news_of(gate, book))
                raise GateWaiting(gate) from None
        except BookPaused:
            with suppress(DatabaseUnreachable):  # it may rest for want of the database
                webhook.tell_rest(_stored(book_id, around), around.webhook_hosts, settings.notify_command)
            raise
    if is_written_now:
        webhook.tell_rest(book, around.webhook_hosts, settings.notify_command)
    return book


def _stored(book_id: str, around: RunConfig) -> Book:
    with around.database.read() as connection:
        return BookRepository(connection).get(book_id)


def _write(book: Book, deps: Deps) -> None:
    """Walk the whole book; once a lost database is back, walk it again: the walk finds what is recorded."""
    breaks: Counter[int] = Counter()
    deps.observer.began(deps)
    try:
        while True:
            try:
                return _walk(deps)
            except DatabaseUnreachable:
                with deps.stores() as stores:
                    calls = stores.books.get(book.id).calls
                breaks[calls] += 1
                if breaks[calls] == _BREAKS_AT_ONE_STEP:
                    raise
    finally:
        deps.observer.ended(deps)


def _walk(deps: Deps) -> None:
    gates.settle(deps)
    with deps.stores() as stores:
        root = stores.nodes.root()
        deps.limits.check(root, stores, deps.desk.journal.way_on)
    condense(deps)
    write_unit(root, deps)
    look_over(root, deps)
    walk_steps.publish(root, deps)
    take_in_waiting(deps.storage, deps.desk.journal, deps)
