"""Recording a paid reply, or what a tool brought, also where the database cannot take it at once."""

import time
from collections.abc import Callable
from typing import TypeVar

from bookwright.models.errors import ReplyLost, StorageError
from bookwright.storage.journal import Attempt, Journal, Move

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds between tries to record a paid reply that the database could not take; each is twice the last."""

_T = TypeVar("_T")


def record_surely(
    journal: Journal, attempt: Attempt, move: Move | None, intent: str, *, patience: float, again: bool = False
) -> int:
    """Record a paid reply, trying again for `patience` seconds while the database cannot take it.

    `again` says that an earlier try to record it may have arrived.

    Raises:
        ReplyLost: It still cannot; the reply is lost with this process, and only then.
    """
    advice = f"`bookwright resume {attempt.key.book}` asks for the last answer again, which could not be kept"
    return _patiently(lambda is_again: journal.record(attempt, move, intent, again=again or is_again), advice, patience)


def keep_surely(keep: Callable[[], None], book: str, *, patience: float) -> None:
    """Keep what a tool brought, in the same way.

    Raises:
        ReplyLost: It cannot be kept; nothing that was paid for a model is lost.
    """
    advice = f"`bookwright resume {book}` uses the last tool again, whose answer could not be kept"
    _patiently(lambda is_again: keep(), advice, patience)


def _patiently(write: Callable[[bool], _T], advice: str, patience: float) -> _T:
    deadline = time.monotonic() + patience
    wait, is_again = FIRST_WAIT, False
    while True:
        try:
            return write(is_again)
        except StorageError as error:
            if time.monotonic() + wait > deadline:
                raise ReplyLost(str(error), advice) from error
        time.sleep(wait)
        wait, is_again = min(2 * wait, LONGEST_WAIT), True
