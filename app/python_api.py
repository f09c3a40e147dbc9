"""Bookwright from Python: a library of books, and what can be done with one of them.

    from bookwright import Brief, Library

    library = Library()
    book = library.write(Brief(premise="A keeper finds a wet coat behind a locked door.", length=900))
    print(book.read())

Everything here is what the command line does, too, on the same data folder: a book that was begun there goes on here,
and the other way round. Nothing is printed. What goes wrong is raised, as `BookwrightError` or a kind of it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookwright.app.access import existing_library, library, open_book, unheard
from bookwright.app.library_book import Hearer, LibraryBook, write_book
from bookwright.app.orders.brief_changes import update_brief
from bookwright.flows.library import find_or_create, setting_of
from bookwright.flows.stopping import Limits
from bookwright.models.brief import Brief
from bookwright.models.settings import load_settings
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.app.estimates.rehearsal import BookEstimate


class Library:
    """The books of a data folder.

    >>> library = Library(folder, model="rehearsal:exact", embedding="hashing")
    >>> library.books()
    []

    Args:
        home: The data folder; the one of the command line if not given.
        settings: What `config.toml` may say, too, such as `model="openai:gpt-5.6-luna"`; it wins over file and
            environment.

    Raises:
        InvalidSetting: A setting is unknown or impossible.
    """

    def __init__(self, home: str | Path | None = None, **settings: Any) -> None:
        self._settings = load_settings(**(settings if home is None else {"home": Path(home), **settings}))

    @property
    def home(self) -> Path:
        """The data folder."""
        return self._settings.home

    def books(self) -> list[LibraryBook]:
        """Return all books that are not put away, the one that was worked on last first."""
        with existing_library(self._settings) as database:
            if database is None:
                return []
            with database.read() as connection:
                return [LibraryBook(self._settings, book.id) for book in BookRepository(connection).all()]

    def book(self, name: str) -> LibraryBook:
        """Return a book by its id or a beginning of it.

        Raises:
            BookNotFound: No book, or more than one, answers to that.
        """
        with open_book(name, unheard, self._settings) as opened:
            return LibraryBook(self._settings, opened.book.id)

    def estimate(self, brief: Brief) -> "BookEstimate":
        """Rehearse a book without a model: calls, tokens, price and hours, low and high. Nothing is kept or paid.

        >>> brief = Brief(premise="A clerk finds a letter in her own hand.", length=600)
        >>> found = library.estimate(brief)
        >>> (found.length, found.unit, found.total.low.cost_micros)
        (600, 'words', 0)
        """
        from bookwright.app.estimates.rehearsal import estimate_book  # brings the engine

        return estimate_book(brief, self._settings)

    def write(
        self,
        brief: Brief,
        *,
        until: str | None = None,
        words_today: int | None = None,
        on_event: Hearer | None = None,
        is_new: bool = False,
    ) -> LibraryBook:
        """Write a book, or go on with it: the same brief means the same book, and a finished one is not paid again.

        >>> book = library.write(brief)
        >>> book.state.value
        'finished'
        >>> library.write(brief) == book
        True

        Args:
            brief: What is to be written.
            until: Where to rest: `"3"`, `"chapter 3"`, a label, `"scene:12"`.
            words_today: Rest once so much was written in the last 24 hours.
            on_event: Hears what happens; a slow one slows nothing and may miss increments of text.
            is_new: Begin another book although this one is there.

        Raises:
            InvalidInput: It cannot be written as things are set; nothing was paid.
            BookHeld: Another worker writes it.
            GateWaiting: It waits until a human decides.
            BookPaused: It rests, with a reason and advice; `resume` goes on.
        """
        from bookwright.app.orders.starting import check_writable, end_in_book_of  # these bring the engine
        from bookwright.flows.book_models import check_reach

        limits = Limits.parse(end_in_book_of(brief, until, self._settings, is_new=is_new), words_today)
        check_writable(brief, self._settings)
        with library(self._settings) as database:
            brief, setting = setting_of(brief, database, self._settings, is_new=is_new)
            check_reach(brief, self._settings)
            book = find_or_create(database, brief, is_new=is_new, setting=setting)
            storage = BookStorage(database, book.id, brief.language)
            update_brief(book, brief, storage, unheard)
            write_book(storage, self._settings, limits, on_event, book.stop_requested_at)
        return LibraryBook(self._settings, book.id)
