"""Opening a book for one verb, and waiting until nobody holds it."""

import time
from functools import partial

from bookwright.app import access
from bookwright.app.access import OpenBook, at_rest
from bookwright.cli.output import note
from bookwright.models.errors import BookHeld
from bookwright.storage.lease import Lease, is_dead
from bookwright.storage.stores import BookStorage

_SLACK_SECONDS = 2.0
"""What a lease is waited for beyond its time."""


open_book = partial(access.open_book, note=note)
"""Open one book by its id or a beginning of it; what is worth telling beside the facts goes to stderr."""


def wait_until_free(opened: OpenBook) -> None:
    """Return once nobody holds the book; wait only for a worker of this machine that has died.

    One that gave no sign of life in the time of a whole lease, by this process's monotonic clock, holds
    it no longer, whatever the database's clock says: that may have been set back.

    Raises:
        BookHeld: A living worker holds it, or one whose life cannot be seen from here.
    """
    storage, began = opened.storage, time.monotonic()
    with storage.read() as stores:
        sign = stores.books.get(storage.book).lease_expires  # every renewal changes it
    told = ""
    while (held := _holding(storage)) is not None:
        is_over = time.monotonic() - began > opened.settings.lease_seconds + _SLACK_SECONDS
        if not is_dead(held.owner) or (is_over and not _end(storage, held.owner, sign)):
            raise held
        if held.owner != told:
            note(f"{held.owner} has died; the lease of {held.book} runs out in {held.seconds_left:.0f} s")
            told = held.owner
        time.sleep(min(held.seconds_left, 1.0) + 0.05)


def _end(storage: BookStorage, owner: str, sign: float) -> bool:
    """End the lease of a dead worker; False if it was renewed after all."""
    with storage.write() as stores:
        return Lease.end(stores.connection, storage.book, owner, sign)


def _holding(storage: BookStorage) -> BookHeld | None:
    """Return what keeps the book from being taken; None if nothing does."""
    try:
        with at_rest(storage):
            return None
    except BookHeld as held:
        return held
