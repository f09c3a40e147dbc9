"""Stops a walk cleanly at SIGTERM and Ctrl-C. Source: DESIGN section 5, rules 6 and 12."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from bookwright.storage.steps.journal import Journal


class Stop:
    """The first signal lets the call in flight end, up to a deadline; the second ends it at once."""

    def __init__(self, seconds: float, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._deadline = threading.Timer(seconds, cancel)
        self._deadline.daemon = True
        self._signals = 0
        self._journal: Journal | None = None

    def tell(self, journal: Journal) -> None:
        """Let a journal hear of it, also of what came before there was one."""
        self._journal = journal
        if self._signals:
            journal.stop_requested = True

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take one signal."""
        self._signals += 1
        if self._journal is not None:
            self._journal.stop_requested = True
        if self._signals == 1:
            self._deadline.start()
        else:
            self._cancel()

    def end(self) -> None:
        """Forget the deadline."""
        self._deadline.cancel()


@contextmanager
def stopping(seconds: float, cancel: Callable[[], None]) -> Iterator[Stop]:
    """Take the signals over while a lease is held; `cancel` ends the call in flight `seconds` after the first one."""
    stop = Stop(seconds, cancel)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.end()


def end_unheeding() -> None:
    """Leave SIGTERM unheeded for as long as this process lasts, but for the walks in it, which take it over.

    For the process of one flow run: Prefect would make a crash of a signal that comes after the walk has ended.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _unheeded)


def _unheeded(number: int, frame: FrameType | None) -> None:
    """Do nothing; unlike SIG_IGN it is not handed on to the programs that are started from here."""
