"""What the pages of one studio share: its settings, its looks into the database, its jobs and the books it started."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.exc import DBAPIError

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.app.access import OpenBook, open_book, unheard
from bookwright.app.changes.editing import take_in_at_rest
from bookwright.app.watching.library import WatchedLibrary
from bookwright.app.watching.stream import Heard, StreamFollower
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.studio.guard import StudioKeys
from bookwright.studio.jobs import Jobs, Runs


class StudioState:
    """One studio while it runs; nothing is opened before it is looked at."""

    def __init__(self, settings: Settings, keys: StudioKeys) -> None:
        self.settings = settings
        self.keys = keys
        self.library = WatchedLibrary(settings)
        self.jobs = Jobs()
        self.talks = Jobs()
        """Answers of agents; they do not wait for an estimate."""
        self.runs = Runs(settings)
        self._followers: dict[str, StreamFollower] = {}
        self._lock = threading.Lock()

    @contextmanager
    def change(self, book: str) -> Iterator[OpenBook]:
        """Open a book to change it; its folder of files is brought up to date behind it.

        Raises:
            BookNotFound: There is none of that id.
        """
        whole = self.library.opened(book).book.id  # a beginning of an id names no book here
        with open_book(whole, unheard) as opened:
            yield opened

    def take_in(self, book: str) -> None:
        """Take in what was saved while a book was written and nobody writes it any more."""
        try:
            with self.library.opened(book).storage.read() as stores:
                waits = bool(stores.edits.waiting())
            if waits:
                with self.change(book) as opened:
                    take_in_at_rest(opened)
        except (BookwrightError, DBAPIError):
            return  # the next change of the book brings it here again, and a save or a resume takes it in, too

    def heard(self, book: str) -> Heard:
        """Return what the worker of a book has said of late, as far as this machine hears it."""
        with self._lock:
            if book not in self._followers:
                self._followers[book] = StreamFollower(event_path(self.settings.home, book))
            follower = self._followers[book]
            heard = follower.listened()
            while follower.is_behind:
                heard = follower.listened()
            return heard

    def close(self) -> None:
        """Let go of files and connections; the books that were started go on."""
        self.library.close()
        with self._lock:
            for follower in self._followers.values():
                follower.close()


def _studio_of(request: Request) -> StudioState:
    found: StudioState = request.app.state.studio
    return found


ThisStudio = Annotated[StudioState, Depends(_studio_of)]
"""The studio that a request came to."""
