"""What takes longer than a page may wait: jobs in the background of this process, and processes started on books."""

import subprocess
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bookwright.app.orders.starting import last_words, start_verb
from bookwright.models.errors import BookPaused, BookwrightError, GateWaiting, InvalidInput
from bookwright.models.settings import Settings

_KEPT = 40
_RESTED = (0, BookPaused.exit_code, GateWaiting.exit_code)
"""A process whose book rests has not failed: the book's row says why."""


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
            while len(self._jobs) > _KEPT:
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


class Runs:
    """Starts processes that outlive the studio."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._failures: dict[str, str] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, book: str, arguments: Sequence[str]) -> bool:
        """Start a verb on a book; False if one that was started here is still at it."""
        with self._lock:
            if book in self._running:
                return False
            self._failures.pop(book, None)
            self._running[book] = process = start_verb(arguments, book, self._settings)
        threading.Thread(target=self._wait, args=(book, process), daemon=True, name=f"waits {book}").start()
        return True

    def is_starting(self, book: str) -> bool:
        """True while a process that was started here lives."""
        with self._lock:
            return book in self._running

    def failure(self, book: str) -> str:
        """Return why the last process on a book failed; empty if it did not."""
        with self._lock:
            return self._failures.get(book, "")

    def _wait(self, book: str, process: "subprocess.Popen[bytes]") -> None:
        code = process.wait()
        with self._lock:
            del self._running[book]
            if code not in _RESTED:
                self._failures[book] = last_words(book, self._settings) or f"it ended with code {code}"
