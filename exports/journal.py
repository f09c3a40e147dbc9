"""The journal of a book from end to end, which may be long and is written meanwhile."""

from collections.abc import Iterator

from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage

_BATCH = 1_000


def journal_of(storage: BookStorage, node: str | None = None, after: int = 0) -> Iterator[StepLine]:
    """Yield the steps after one, of a node and what is below it if one is named, in batches that are each read at once.

    No look is held open while a batch is worked on: that would hold the log of the database back.
    """
    while True:
        with storage.read() as stores:
            batch = list(stores.steps.lines(node, after=after, limit=_BATCH))
        yield from batch
        if len(batch) < _BATCH:
            return
        after = batch[-1].id
