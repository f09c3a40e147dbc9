"""One book from Python: what is known of it, writing and reading it, its branches."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bookwright.app.access import OpenBook, open_book, paced_models, unheard
from bookwright.app.node_lookup import find_node
from bookwright.app.status.books import ask_to_rest
from bookwright.exports.files import check_formats, export, export_path
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import body
from bookwright.flows.stopping import Limits
from bookwright.models.book import Book, BookState
from bookwright.models.settings import Settings
from bookwright.models.talk.event import Event
from bookwright.models.tree.task import TaskNode
from bookwright.storage.lease import is_dead
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.app.branches.comparing import BranchComparison
    from bookwright.app.branches.forks import BranchTree
    from bookwright.app.branches.merging import MergePreview

Hearer = Callable[[Event], None]
"""Is called with each event, on a thread of its own, while a book is written."""

_LOOK_SECONDS = 1.0


class LibraryBook:
    """One book of a library; what it tells is looked up anew each time."""

    def __init__(self, settings: Settings, identity: str) -> None:
        self._settings = settings
        self.id = identity

    def _opened(self) -> AbstractContextManager[OpenBook]:
        return open_book(self.id, unheard, self._settings)

    def __repr__(self) -> str:
        return f"LibraryBook({self.id!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LibraryBook) and (self.id, self._settings.home) == (other.id, other._settings.home)

    def __hash__(self) -> int:
        return hash((self.id, self._settings.home))

    @property
    def facts(self) -> Book:
        """What the library knows of it: brief, state, calls, tokens, cost, why it rests."""
        with self._opened() as opened:
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
        with self._opened() as opened, opened.storage.read() as stores:
            return stores.nodes.root().written

    def units(self) -> list[TaskNode]:
        """Return the book's parts in reading order, itself first: chapters, scenes and what is above them.

        >>> book.units()[0].label
        '1'
        """
        with self._opened() as opened, opened.storage.read() as stores:
            return [node for node in stores.nodes.walk() if node.is_unit]

    def read(self, place: str = "book") -> str:
        """Return the text, or that of a place: `"chapter 3"`, a label or a title.

        >>> len(book.read().split()) > 500
        True

        Raises:
            NodeNotFound: Nothing is called that.
        """
        with self._opened() as opened:
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
        from bookwright.app.orders.starting import check_writable, end_in  # brings the engine

        with self._opened() as opened:
            limits = Limits.parse(end_in(opened.storage, until), words_today)
            check_writable(opened.book.brief, opened.settings)
            write_book(opened.storage, self._settings, limits, on_event, opened.known_wish)
        return self

    def pause(self) -> bool:
        """Ask whoever writes the book, or begins to, to rest before the next step; False if nobody writes it."""
        with self._opened() as opened:
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

        with EventReader(event_path(self._settings.home, self.id)) as reader:
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
        with self._opened() as opened:
            return export(opened.storage, name, Path(path) if path else export_path(self.id, name, opened.settings))

    def fork(self, at: str | None = None, name: str | None = None) -> Self:
        """Make a branch: a book of its own that shares what stands and pays only for what it writes anew.

        >>> branch = book.fork(name="she stays")
        >>> (branch.title == book.title, branch.state.value, branch.facts.calls)
        (True, 'finished', 0)

        Args:
            at: A chapter or another unit; it and all after it are open again in the branch. All is shared if not given.
            name: What the branch is called.

        Raises:
            NodeNotFound: There is no such place.
            InvalidInput: No branch can begin there, or the book has one of that name.
        """
        from bookwright.app.branches.forks import fork  # these bring the engine

        with self._opened() as opened:
            return type(self)(self._settings, fork(opened, at, name).book)

    def branches(self) -> "BranchTree":
        """Return the book from which this one comes in the end, with all its branches, whichever of them this is.

        >>> [(row.name, row.depth) for row in book.branches().rows[1:]]
        [('she stays', 1)]
        >>> book.branches().facts()["together"]["cost_micros"]
        0
        """
        from bookwright.app.branches.forks import branch_tree

        with self._opened() as opened:
            return branch_tree(opened)

    def compare(self, other: "LibraryBook | str") -> "BranchComparison":
        """Return what differs between this book and another branch of it: units, figures, threads, secrets, cost.

        >>> book.compare(branch).differing
        ()

        Raises:
            BookNotFound: There is no such book.
            InvalidInput: The two are no branches of one book.
        """
        from bookwright.app.branches.comparing import compare, other_branch

        with self._opened() as opened:
            return compare(opened, other_branch(opened, _id_of(other)))

    def merge(
        self, branch: "LibraryBook | str", *, take: str = "book", choices: Mapping[str, str] | None = None
    ) -> "MergePreview":
        """Take over what a branch has made, in one transaction; `undo_merge` takes it back.

        Args:
            branch: What to take from.
            take: Only this chapter or unit, with what is below it.
            choices: How conflicts are settled, by their places: `"ours"`, `"theirs"`, or the words that are to stand
                there; `"all"` settles the rest.

        Raises:
            BookHeld: A worker writes the book.
            InvalidInput: A conflict is not settled, or there is nothing to take; nothing was changed.
        """
        from bookwright.app.branches.merging import MergeOrder, merge

        with self._opened() as opened:
            return merge(opened, MergeOrder(_id_of(branch), take, choices=choices or {}))

    def undo_merge(self) -> None:
        """Take the last merge back: every row is as it was.

        Raises:
            InvalidInput: There is none, or the book has gone on since.
        """
        from bookwright.app.branches.merging import undo_merge

        with self._opened() as opened:
            undo_merge(opened)


def write_book(
    storage: BookStorage, settings: Settings, limits: Limits, on_event: Hearer | None, known_wish: float
) -> None:
    """Have a book written as far as the limits allow, in spite of a known wish that it rest, and its events heard."""
    from bookwright.agents.runtime.events.bus import EventBus
    from bookwright.flows.open_book import RunConfig
    from bookwright.flows.run_book import run_book

    with paced_models(storage.database, settings) as models, closing(EventBus()) as events:
        if on_event:
            events.on("*", on_event)
        around = RunConfig(
            settings, storage.database, models, events=events, limits=limits, cancel=models.cancel,
            wished_since=known_wish,
        )  # fmt: skip
        run_book(storage.book, around)


def _id_of(book: LibraryBook | str) -> str:
    return book if isinstance(book, str) else book.id
