"""Why a book rests: because something of it failed, or because somebody wanted it to."""

from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookPaused, BudgetExceeded, RequestRejected
from bookwright.models.step import Reply
from bookwright.storage.repositories.books import BookRepository
from tests.support.books import make_settings, new_library


class Refusing:
    """Answers nothing, and says why in its own way."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Raise what it was made with."""
        raise self.error


def rested(home: Path, error: BaseException) -> Book:
    """A book that was begun and rests for that."""
    settings = make_settings(home)
    database = new_library(settings)
    book = find_or_create(database, make_brief({"premise": "A keeper counts ships.", "length": 900}))
    with pytest.raises((BookPaused, KeyboardInterrupt)):
        run_book(book.id, RunConfig(settings, database, Refusing(error)))
    with database.read() as connection:
        found = BookRepository(connection).get(book.id)
    database.dispose()
    return found


@pytest.mark.parametrize(
    ("error", "has_failed"),
    [
        (RequestRejected("no such model"), True),
        (BudgetExceeded("the budget is used up"), False),
        (BookPaused("asked to rest"), False),
        (KeyboardInterrupt(), False),
    ],
)
def test_a_book_says_whether_it_failed(tmp_path: Path, error: BaseException, has_failed: bool) -> None:
    book = rested(tmp_path, error)

    assert (book.state, book.has_failed) == (BookState.PAUSED, has_failed)
