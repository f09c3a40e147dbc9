"""Opening books for an assistant, and the bill of going on with one."""

from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any

from bookwright.app.access import OpenBook, open_book, unheard
from bookwright.app.commands import cost_of
from bookwright.app.estimates.bill import Confirmable
from bookwright.app.orders.starting import end_in
from bookwright.flows.stopping import Limits
from bookwright.models.settings import Settings
from bookwright.models.talk.command import Resume

Facts = dict[str, Any]
"""What a tool answers, as JSON takes it."""


@dataclass(frozen=True)
class GoingOn(Confirmable):
    """What going on with a book is likely to take, as it stands now."""

    subject = "The book"

    book: str
    until: str
    """As `--until` takes it; empty for to its end."""
    cost: str
    """In words."""
    cap_usd: float | None
    """Of the whole book; None where nobody has set one."""
    usd: float
    """What it has cost so far."""

    def shown(self) -> tuple[object, ...]:
        """Return all of it: another state of the book, or another end, has another hash."""
        return (asdict(self),)

    def facts(self) -> Facts:
        """Return it with its hash."""
        return asdict(self) | {"bill_hash": self.hash}


@dataclass(frozen=True)
class BookAccess:
    """Where an assistant works: the books of one installation."""

    settings: Settings

    def opened(self, book: str) -> AbstractContextManager[OpenBook]:
        """Open a book by its id or a beginning of it.

        Raises:
            BookNotFound: No book, or more than one, answers to that.
        """
        return open_book(book, unheard, self.settings)

    def going_on(self, opened: OpenBook, until: str) -> GoingOn:
        """Return the bill of going on with a book.

        Raises:
            InvalidSetting: `until` names no place to rest at.
        """
        end = end_in(opened.storage, until or None)
        Limits.parse(end, None)
        book = opened.book
        return GoingOn(
            book.id, end or "", cost_of(Resume(verb="resume"), opened), book.brief.budget.usd, book.dollars
        )  # fmt: skip
