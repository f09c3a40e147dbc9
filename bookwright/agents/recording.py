"""Recording a paid reply, also where the database cannot take it at once."""

import time

from bookwright.models.errors import ReplyLost, StorageError
from bookwright.storage.journal import Attempt, Journal, Move

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds between tries to record a paid reply that the database could not take; each is twice the last."""


def record_surely(
    journal: Journal, attempt: Attempt, move: Move | None, intent: str, *, patience: float, again: bool = False
) -> int:
    """Record a paid reply, trying again for `patience` seconds while the database cannot take it.

    `again` says that an earlier try to record it may have arrived.

    Raises:
        ReplyLost: It still cannot; the reply is lost with this process, and only then.
    """
    deadline = time.monotonic() + patience
    wait = FIRST_WAIT
    while True:
        try:
            return journal.record(attempt, move, intent, again=again)
        except StorageError as error:
            if time.monotonic() + wait > deadline:
                advice = (
                    f"`bookwright resume {attempt.key.book}` asks for the last answer again, which could not be kept"
                )
                raise ReplyLost(str(error), advice) from error
        time.sleep(wait)
        wait, again = min(2 * wait, LONGEST_WAIT), True
