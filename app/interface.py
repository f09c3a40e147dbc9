"""Bookwright from Python: a library of books, and what can be done with one of them.

    from bookwright import Brief, Library

    library = Library()
    book = library.write(Brief(premise="A keeper finds a wet coat behind a locked door.", length=900))
    print(book.read())

Everything here is what the command line does, too, on the same data folder: a book that was begun there goes on here,
and the other way round. Nothing is printed. What goes wrong is raised, as `BookwrightError` or a kind of it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bookwright.app.access import OpenBook, existing_library, library, open_book
from bookwright.app.branching_book import BranchingBook
from bookwright.app.ends import end_in, end_in_book_of
from bookwright.app.orders.wishes import with_new_wishes
from bookwright.app.places import find_node
from bookwright.app.status.shelf import ask_to_rest, begin_anew
from bookwright.exports.files import check_formats, export, export_path
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import body
from bookwright.flows.library import find_or_create, setting_of
from bookwright.flows.limits import Limits
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.settings import load_settings
from bookwright.models.talk.event import Event
from bookwright.models.tree.task import TaskNode
from bookwright.storage.holders import is_dead
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.app.estimates.rehearsal import BookEstimate

Hearer = Callable[[Event], None]
"""Is called with each event, on a thread of its own, while a book is written."""

_LOOK_SECONDS = 1.0


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

    def books(self) -> list["LibraryBook"]:
        """Return all books that are not put away, the one that was worked on last first."""
        with existing_library(self._settings) as database:
            if database is None:
                return []
            with database.read() as connection:
                return [LibraryBook(self, book.id) for book in BookRepository(connection).all()]

    def book(self, name: str) -> "LibraryBook":
        """Return a book by its id or a beginning of it.

        Raises:
            BookNotFound: No book, or more than one, answers to that.
        """
        with self._opened(name) as opened:
            return LibraryBook(self, opened.book.id)

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
    ) -> "LibraryBook":
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
        from bookwright.app.orders.checks import check_writable  # these bring the engine
        from bookwright.flows.blueprints.reach import check_reach

        limits = Limits.parse(end_in_book_of(brief, until, self._settings, is_new=is_new), words_today)
        check_writable(brief, self._settings)
        with library(self._settings) as database:
            brief, setting = setting_of(brief, database, self._settings, is_new=is_new)
            check_reach(brief, self._settings)
            book = find_or_create(database, brief, is_new=is_new, setting=setting)
            storage = BookStorage(database, book.id, brief.language)
            with_new_wishes(book, brief, storage, _unheard)
            self._run(storage, limits, on_event)
        return LibraryBook(self, book.id)

    def _opened(self, name: str) -> AbstractContextManager[OpenBook]:
        return open_book(name, _unheard, self._settings)

    def _run(self, storage: BookStorage, limits: Limits, on_event: Hearer | None) -> None:
        from bookwright.agents.backends.service import ModelService
        from bookwright.agents.backends.spending.pace import DatabasePacer
        from bookwright.agents.runtime.events.bus import EventBus
        from bookwright.flows.open_book import RunConfig
        from bookwright.flows.run_book import run_book

        begin_anew(storage)
        models = ModelService(self._settings, pacer=DatabasePacer(storage.database, self._settings))
        with closing(models), closing(EventBus()) as events:
            if on_event:
                events.on("*", on_event)
            around = RunConfig(
                self._settings, storage.database, models, events=events, limits=limits, cancel=models.cancel
            )
            run_book(storage.book, around)


class LibraryBook(BranchingBook):
    """One book of a library; what it tells is looked up anew each time."""

    def __init__(self, library: Library, identity: str) -> None:
        self._library = library
        self.id = identity

    def _opened(self) -> AbstractContextManager[OpenBook]:
        return self._library._opened(self.id)

    def _sibling(self, identity: str) -> Self:
        return type(self)(self._library, identity)

    def __repr__(self) -> str:
        return f"LibraryBook({self.id!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LibraryBook) and (self.id, self._library.home) == (other.id, other._library.home)

    def __hash__(self) -> int:
        return hash((self.id, self._library.home))

    @property
    def facts(self) -> Book:
        """What the library knows of it: brief, state, calls, tokens, cost, why it rests."""
        with self._library._opened(self.id) as opened:
            return opened.book

    @property
    def title(self) -> str:
        """Its title."""
        return self.facts.title

    @property
    def state(self) -> BookState:
        """`writing`, `paused`, `waiting`, `finished` or `cancelled`."""
        return self.facts.state

    @property
    def written(self) -> int:
        """How many words are written, or characters in Chinese, Japanese and Korean."""
        with self._library._opened(self.id) as opened, opened.storage.read() as stores:
            return stores.nodes.root().written

    def units(self) -> list[TaskNode]:
        """Return the book's parts in reading order, itself first: chapters, scenes and what is above them.

        >>> book.units()[0].label
        '1'
        """
        with self._library._opened(self.id) as opened, opened.storage.read() as stores:
            return [node for node in stores.nodes.walk() if node.is_unit]

    def read(self, place: str = "book") -> str:
        """Return the text, or that of a place: `"chapter 3"`, a label or a title.

        >>> len(book.read().split()) > 500
        True

        Raises:
            NodeNotFound: Nothing is called that.
        """
        with self._library._opened(self.id) as opened:
            with opened.storage.read() as stores:
                node = find_node(place, stores)
            return "".join(body(Manuscript(opened.storage), node.label))

    def resume(
        self, *, until: str | None = None, words_today: int | None = None, on_event: Hearer | None = None
    ) -> "LibraryBook":
        """Go on with the book from where it rests; see `Library.write`. A finished one is left as it is.

        Raises:
            BookHeld: Another worker writes it.
            GateWaiting: It waits until a human decides.
            BookPaused: It rests again.
        """
        from bookwright.app.orders.checks import check_writable  # brings the engine

        with self._library._opened(self.id) as opened:
            limits = Limits.parse(end_in(opened.storage, until), words_today)
            check_writable(opened.book.brief, opened.settings)
            self._library._run(opened.storage, limits, on_event)
        return self

    def pause(self) -> bool:
        """Ask whoever writes the book, or begins to, to rest before the next step; False if nobody writes it."""
        with self._library._opened(self.id) as opened:
            asked = ask_to_rest(opened)
        return asked.is_asked and asked.holder is not None

    def events(self, *, follow: bool = False) -> Iterator[Event]:
        """Yield what was told of the book while it was written, the oldest that is kept first.

        >>> {event.type.value for event in book.events()} >= {"agent:event", "agent:completed"}
        True

        Args:
            follow: Go on with what whoever writes it tells from now on, until the book rests.
        """
        from bookwright.agents.runtime.events.event_file import EventReader, event_path

        with EventReader(event_path(self._library.home, self.id)) as reader:
            yield from reader.follow(self._rests()) if follow else reader.read()

    def _rests(self) -> Callable[[], bool]:
        """Return what tells, by a look once a second, whether nobody writes the book."""
        looked, rests = float("-inf"), False

        def is_over() -> bool:
            nonlocal looked, rests
            if time.monotonic() - looked >= _LOOK_SECONDS:
                owner = self.facts.lease_owner
                looked, rests = time.monotonic(), owner is None or is_dead(owner)
            return rests

        return is_over

    def export(self, form: str = "epub", path: str | Path | None = None) -> Path:
        """Write the book to a file and return its path: epub, docx, html, md, txt or json.

        >>> book.export("md", folder / "story.md").name
        'story.md'

        Raises:
            InvalidSetting: There is no such format.
            InvalidInput: Nothing is written yet.
        """
        [name] = check_formats([form])
        with self._library._opened(self.id) as opened:
            return export(opened.storage, name, Path(path) if path else export_path(self.id, name, opened.settings))


def _unheard(line: str) -> None:
    """Nobody listens."""
