"""The processes that this studio started on books: each is waited for, and what it failed of is kept for the page."""

import subprocess
import threading
from collections.abc import Sequence

from bookwright.app.orders.starting import last_words, start_verb
from bookwright.models.errors import BookPaused, GateWaiting
from bookwright.models.settings import Settings

_RESTED = (0, BookPaused.exit_code, GateWaiting.exit_code)
"""A process whose book rests has not failed: the book's row says why."""


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
