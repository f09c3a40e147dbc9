"""A call about a book that is no part of its walk: under its lease and on its bill where it rests.

Where a worker holds the book, the call is made all the same, within what its caps leave, and is on no record.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.steps.recording import record_surely
from bookwright.flows.lease import held_aside
from bookwright.flows.open_book import open_ledger
from bookwright.models.book import Book
from bookwright.models.errors import BookHeld
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, StepKey
from bookwright.storage.engine.condition import check_after_unclean_stop
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.studio import Studio


@dataclass(frozen=True)
class SideCall:
    """What a side call is made with: its step, its budget and where its attempts are recorded."""

    key: StepKey
    """Of the book itself, with the next round of its activity."""
    budget: BudgetLedger
    keep: Callable[[Attempt], None]
    holder: str = ""
    """Who holds the book, so that nothing is recorded; empty where it rests."""


@contextmanager
def side_call(
    storage: BookStorage, settings: Settings, activity: Activity, cancel: Callable[[], None]
) -> Iterator[SideCall]:
    """Prepare a call about a book that rests or is being written; the book's state stays what it is.

    Raises:
        DatabaseDamaged: The book's last worker died and the file is broken; nothing was paid.
    """
    check_after_unclean_stop(storage.database, storage.book)
    with ExitStack() as stack:
        try:
            held = held_aside(storage, settings.lease_seconds, cancel, "the same command")
            _, journal = stack.enter_context(held)
        except BookHeld as other:
            left = _what_is_left(storage, settings)
            call = SideCall(_key(storage, activity), left, lambda _: None, other.owner)
        else:
            call = _recorded(storage, settings, activity, journal)
        yield call


def _recorded(storage: BookStorage, settings: Settings, activity: Activity, journal: Journal) -> SideCall:
    with storage.read() as stores:
        book = stores.books.get(storage.book)

    def keep(attempt: Attempt) -> None:
        record_surely(journal, attempt, None, book.intent, patience=settings.record_seconds)

    return SideCall(_key(storage, activity), open_ledger(book, journal, settings), keep)


def _key(storage: BookStorage, activity: Activity) -> StepKey:
    with storage.read() as stores:
        root = stores.nodes.root()
        number = stores.steps.last_round(root.key, activity) + 1
    return StepKey(
        book=storage.book, node=root.key, revision=root.revision, activity=activity, round=number, step="chief_editor"
    )


def _what_is_left(storage: BookStorage, settings: Settings) -> BudgetLedger:
    """Open a ledger by what is on record now, of the book's caps below the studio's; it settles nothing there."""
    with storage.read() as stores:
        book: Book = stores.books.get(storage.book)
        used = Studio(stores.connection).standing().total
    studio = BudgetLedger(
        settings.studio_usd, settings.studio_tokens, spent_cost=used.cost, spent_tokens=used.tokens,
        title="the studio's cap",
    )  # fmt: skip
    caps = book.brief.budget
    return BudgetLedger(
        caps.usd, caps.tokens, spent_cost=book.cost, spent_tokens=book.tokens, parent=studio,
        title=f"the budget of {book.id}",
    )  # fmt: skip
