"""Waiting for the lease of a worker that has died."""

import os
import re
import socket
import time

from bookwright.cli.access import at_rest
from bookwright.cli.output import note
from bookwright.models.errors import BookHeld
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

_SLACK_SECONDS = 2.0
_OWNER = re.compile(r"process (\d+) on (.+)")
"""As `flows.hold.owner_name` names a worker."""


def wait_until_free(storage: BookStorage, settings: Settings) -> None:
    """Return once nobody holds the book; wait only for a worker of this machine that has died.

    Raises:
        BookHeld: A living worker holds it, or one whose life cannot be seen from here.
    """
    began = time.monotonic()
    told = ""
    while (held := _holding(storage)) is not None:
        if not is_dead(held.owner) or time.monotonic() - began > settings.lease_seconds + _SLACK_SECONDS:
            raise held
        if held.owner != told:
            note(f"{held.owner} has died; the lease of {held.book} runs out in {held.seconds_left:.0f} s")
            told = held.owner
        time.sleep(min(held.seconds_left, 1.0) + 0.05)


def _holding(storage: BookStorage) -> BookHeld | None:
    """Return what keeps the book from being taken; None if nothing does."""
    try:
        with at_rest(storage):
            return None
    except BookHeld as held:
        return held


def is_dead(owner: str) -> bool:
    """True if a lease's owner is a process of this machine that no longer runs."""
    found = _OWNER.fullmatch(owner)
    if found is None or found.group(2) != socket.gethostname() or os.name != "posix":
        return False  # elsewhere signal 0 is no mere question
    try:
        os.kill(int(found.group(1)), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
