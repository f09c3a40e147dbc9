"""Finds the nearest vectors by going through the database."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from bookwright.models.document import DocumentKind
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.index.passage import Row
from bookwright.storage.index.passages import PassageRepository
from bookwright.storage.index.ranking import likeness

Look = Callable[[], AbstractContextManager[PassageRepository]]
"""Opens a short read transaction on one book's passages."""


class ScanIndex:
    """Goes through all vectors in the database: exact, always current, and slow for a very long book."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[Row]]:
        """Return for each query the rows of the `count` nearest passages of some kinds, nearest first."""
        best: list[list[tuple[float, Row]]] = [[] for _ in queries]
        with self._look() as repository:
            for rows, vectors in repository.scan(kinds):
                for place, alike in enumerate(likeness(queries, vectors)):
                    best[place] += zip((-alike).tolist(), rows, strict=True)
                    best[place] = sorted(best[place])[:count]
        return [[row for _, row in found] for found in best]

    def close(self) -> None:
        """Nothing is held."""
