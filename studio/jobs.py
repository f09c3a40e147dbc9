"""What takes longer than a page may wait: done in the background, asked after by its number."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bookwright.models.errors import BookwrightError, InvalidInput

_KEPT = 40


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
