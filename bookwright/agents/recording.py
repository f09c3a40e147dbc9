"""Recording a paid reply, also where the database cannot take it at once."""

import time

from bookwright.models.errors import BookPaused, StorageError
from bookwright.storage.journal import Attempt, Journal, Move

RETRY_SECONDS = (0.5, 1, 2, 4, 8)
"""Waits between tries to record a paid reply that the database could not take."""


def record_surely(journal: Journal, attempt: Attempt, move: Move | None, intent: str) -> int:
    """Record a paid reply, trying again while the database cannot take it.

    Raises:
        BookPaused: It still cannot; the reply is lost with this process, and only then.
    """
    failed: StorageError | None = None
    for wait in (0.0, *RETRY_SECONDS):
        if wait:  # even a sleep of nothing gives the processor away
            time.sleep(wait)
        try:
            return (failed and journal.recorded(attempt)) or journal.record(attempt, move, intent)
        except StorageError as error:
            failed = error
    raise BookPaused(str(failed), "the last answer could not be kept") from failed
