"""What the screen shows, gathered beside it: which tabs there are, and all that is known of the one in front."""

import socket
import time
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace

from sqlalchemy.exc import DBAPIError

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.app.watching.fisheye import Folds
from bookwright.app.watching.library import BookSight, WatchedLibrary
from bookwright.app.watching.stream import Heard, StreamFollower
from bookwright.models.book import BookState
from bookwright.models.errors import BookNotFound, BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.monitoring import BookStatus

_LOOK_SECONDS = 0.5
"""Between two looks at what changes in the database."""
_RETRY_SECONDS = 2.0
_RECENT_SECONDS = 900.0
"""A talk that was silent for longer gets no tab."""


@dataclass(frozen=True)
class ScreenWish:
    """What the person at the screen wants to see."""

    tab: str = ""
    folds: Folds = field(default_factory=Folds)
    shows_planning: bool = False
    """Design and search tasks are to be in the tree, too."""


@dataclass(frozen=True)
class TabSight:
    """A tab: a book, or an agent that somebody talks with."""

    name: str
    standing: str
    """Of a book its state, `gone` if it was deleted; of an agent `agent`."""


@dataclass(frozen=True)
class ScreenSight:
    """All that the screen shows."""

    tabs: tuple[TabSight, ...] = ()
    tab: str = ""
    """The one in front."""
    book: BookSight | None = None
    """None for an agent, and before the first look."""
    status: BookStatus | None = None
    heard: Heard = field(default_factory=Heard)
    source: str = ""
    """Where the text comes from, if it is not said as it is written."""
    trouble: str = ""
    """Why nothing can be seen at the moment."""

    def is_same_text(self, other: "ScreenSight") -> bool:
        """True if the text of two sights is one."""
        if self.source or other.source:
            return self.source == other.source and self.book == other.book
        return self.heard.pieces == other.heard.pieces

    @property
    def is_live(self) -> bool:
        """True while somebody writes the book, or where it is an agent."""
        return self.status is None or self.status.is_held


class Watcher:
    """Looks when asked, from one thread; what is not there now is looked for the next time."""

    def __init__(
        self, settings: Settings, books: tuple[str, ...] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._wanted = books
        self._clock = clock
        self.library = WatchedLibrary(settings)
        self._tabs: dict[str, TabSight] = {}
        self._statuses: dict[str, BookStatus] = {}
        self._followers: dict[str, StreamFollower] = {}
        self._next_look = float("-inf")
        self._wish: ScreenWish | None = None
        self._seen: tuple[object, ...] = ()
        self._sight = ScreenSight()

    def find(self) -> tuple[str, ...]:
        """Return the names of the wanted books and agents in full.

        Raises:
            BookNotFound: One of them is neither.
            StorageError: The database cannot be used.
        """
        known = [status.id for status in self.library.statuses()]
        self._wanted = tuple(dict.fromkeys(_found(name, known, self._talks(known)) for name in self._wanted))
        return self._wanted

    def look(self, wish: ScreenWish) -> ScreenSight | None:
        """Return what is to be seen; None if that is what was returned last."""
        sight = self._looked(wish)
        sight = replace(sight, heard=Heard() if sight.source or not sight.tab else self._follower(sight.tab).listened())
        if sight == self._sight:
            return None
        self._sight = sight
        return sight

    @property
    def is_behind(self) -> bool:
        """True while there are events that were not taken in yet."""
        follower = self._followers.get(self._sight.tab)
        return follower is not None and follower.is_behind

    def close(self) -> None:
        """Let go of files and connections."""
        self.library.close()
        for follower in self._followers.values():
            follower.close()

    def _looked(self, wish: ScreenWish) -> ScreenSight:
        if self._clock() >= self._next_look or wish != self._wish:
            self._wish = wish
            try:
                sight = self._into_database(wish)
                self._next_look = self._clock() + _LOOK_SECONDS
                return sight
            except (BookwrightError, DBAPIError, OSError) as error:
                self._next_look = self._clock() + _RETRY_SECONDS
                return replace(self._sight, trouble=_in_a_line(error))
        return self._sight

    def _into_database(self, wish: ScreenWish) -> ScreenSight:
        statuses = self.library.statuses()
        self._statuses = {status.id: status for status in statuses}
        self._keep_tabs(statuses)
        tab = wish.tab if wish.tab in self._tabs else next(iter(self._tabs), "")
        status = self._statuses.get(tab)
        sight = replace(
            self._sight, tabs=tuple(self._tabs.values()), tab=tab, trouble="", source=self._source(tab, status)
        )
        now = (tab, wish.folds, wish.shows_planning, status.stamp if status else None)
        if now == self._seen and not self._sight.trouble:
            return sight
        before = self._sight if tab == self._sight.tab else ScreenSight()  # a book that was deleted stays as it was
        book = self.library.sight(tab, wish.folds, shows_planning=wish.shows_planning) if status else before.book
        self._seen = now
        return replace(sight, book=book, status=status or before.status)

    def _keep_tabs(self, statuses: list[BookStatus]) -> None:
        for status in statuses:
            if status.id in self._tabs or self._deserves_tab(status):
                self._tabs[status.id] = TabSight(status.id, status.standing)
        for name in self._talks(self._statuses):
            if name not in self._tabs and (name in self._wanted if self._wanted else True):
                self._tabs[name] = TabSight(name, "agent")
        for name, tab in self._tabs.items():
            if tab.standing != "agent" and name not in self._statuses:
                self._tabs[name] = TabSight(name, "gone")
        if not self._tabs and statuses and not self._wanted:
            last = max(statuses, key=lambda status: (not status.is_archived, status.updated_at))
            self._tabs[last.id] = TabSight(last.id, last.standing)

    def _deserves_tab(self, status: BookStatus) -> bool:
        if self._wanted:
            return status.id in self._wanted
        is_looked_for = status.state in (BookState.WRITING, BookState.WAITING) or status.standing == "queued"
        return status.is_held or (is_looked_for and not status.is_archived)

    def _talks(self, books: Container[str]) -> list[str]:
        """Return the names of event files of agents that somebody talked with lately."""
        files = event_path(self._settings.home, "any").parent.glob("*.ndjson")  # none where there is no folder
        since = time.time() - _RECENT_SECONDS
        return sorted(path.stem for path in files if path.stem not in books and path.stat().st_mtime > since)

    def _source(self, tab: str, status: BookStatus | None) -> str:
        host = (status.lease_owner or "").rpartition(" on ")[2] if status and status.is_held else ""
        if host and host != socket.gethostname():
            return f"written on {host}: its text cannot be seen from here, only the journal"
        if status and not event_path(self._settings.home, tab).exists():
            return "there is no event file here: only the journal can be seen"
        return ""

    def _follower(self, tab: str) -> StreamFollower:
        if tab not in self._followers:
            self._followers[tab] = StreamFollower(event_path(self._settings.home, tab))
        return self._followers[tab]


def _found(name: str, books: list[str], talks: list[str]) -> str:
    if name in books or name in talks:
        return name
    near = [each for each in (*books, *talks) if name and each.startswith(name)]
    if len(near) == 1:
        return near[0]
    told = f"more than one begins with {name!r}: {', '.join(near[:5])}" if near else f"there is no book {name!r}"
    raise BookNotFound(f"{told}; `bookwright status` lists the books")


def _in_a_line(error: Exception) -> str:
    said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    return " ".join(said.split())
