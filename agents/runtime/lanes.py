"""Lanes: within one of them everything runs one after another, in the order in which it came."""

import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager


class Lanes:
    """One lane for each tab; a book is one tab, so its calls and its forks share a lane. Source: C-04."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: defaultdict[str, deque[object]] = defaultdict(deque)

    @contextmanager
    def enter(self, tab: str) -> Iterator[None]:
        """Wait for one's turn in a lane and hold it during the block. Not twice by one thread."""
        ticket = object()
        with self._changed:
            self._waiting[tab].append(ticket)
            try:
                self._changed.wait_for(lambda: self._waiting[tab][0] is ticket)
            except BaseException:  # an interrupt: others must not wait for who has gone
                self._leave(tab, ticket)
                raise
        try:
            yield
        finally:
            with self._changed:
                self._leave(tab, ticket)

    def is_busy(self, tab: str) -> bool:
        """True while something runs in a lane, or waits for it."""
        with self._changed:
            return tab in self._waiting

    def _leave(self, tab: str, ticket: object) -> None:
        self._waiting[tab].remove(ticket)
        if not self._waiting[tab]:
            del self._waiting[tab]
        self._changed.notify_all()
