"""What the pages of one studio share: settings, looks into the database, background jobs and processes on books."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy.exc import DBAPIError

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.app.access import OpenBook, open_book, unheard
from bookwright.app.changes.editing import take_in_at_rest
from bookwright.app.orders.starting import Runs
from bookwright.app.watching.library import WatchedLibrary
from bookwright.app.watching.stream import Heard, StreamFollower
from bookwright.models.errors import BookwrightError, InvalidInput
from bookwright.models.settings import Settings
from bookwright.studio.guard import StudioKeys

_KEPT_JOBS = 40


@dataclass
class Job:
    """One piece of work: how far it is, and what came of it."""

    number: int
    line: str = ""
    result: Any = None
    error: str = ""
    is_done: bool = False
    stop: Callable[[], None] = lambda: None
    """Asks it to end before it is done, where it can."""


class Jobs:
    """The background work of one studio; the oldest results are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[int, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._count = 0

    def start(self, work: Callable[[Callable[[str], None]], Any], stop: Callable[[], None] = lambda: None) -> Job:
        """Begin a piece of work, one at a time; it is given what hears, in a line, how far it is."""
        with self._lock:
            self._count += 1
            job = self._jobs[self._count] = Job(self._count, stop=stop)
            while len(self._jobs) > _KEPT_JOBS:
                self._jobs.popitem(last=False)
        threading.Thread(target=self._do, args=(job, work), daemon=True, name=f"studio job {job.number}").start()
        return job

    def get(self, number: int | None, complaint: str) -> Job:
        """Return a job.

        Raises:
            InvalidInput: It was forgotten; the message is the complaint.
        """
        with self._lock:
            job = None if number is None else self._jobs.get(number)
        if job is None:
            raise InvalidInput(complaint)
        return job

    def _do(self, job: Job, work: Callable[[Callable[[str], None]], Any]) -> None:
        def tell(line: str) -> None:
            job.line = line

        with self._turn:
            try:
                job.result = work(tell)
            except BookwrightError as error:
                job.error = str(error)
            except Exception as error:  # a job's outermost edge: the page must not wait for ever
                job.error = f"a fault of the program ({type(error).__name__}: {error})"
            finally:
                job.is_done = True


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
