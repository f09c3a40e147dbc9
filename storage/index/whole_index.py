"""Makes sure that a book's index holds what it should: fills it, builds a damaged one again, or does without."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.index.passages import PassageRepository, Row
from bookwright.storage.index.ranking import likeness
from bookwright.storage.index.vector_index import ChromaIndex, IndexDamaged

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


_ROWS_AT_ONCE = 2_000
_SAMPLE = 20

_log = logging.getLogger(__name__)


def open_whole(
    book: str, model: str, settings: Settings, look: Look, damage: IndexDamaged | None = None
) -> ChromaIndex:
    """Open a book's collections and fill them; such as are known or found to be damaged are built again.

    Nothing is embedded: the vectors come from the database.

    Raises:
        IndexDamaged: Not even a new one can be used.
    """
    index = ChromaIndex(book, model, settings)
    reason = str(damage) if damage else _what_is_wrong(index, look)
    if reason:
        _log.warning("the index of book %r is built again: %s", book, reason)
        index.drop()
    fill(index, look)
    index.seal()
    return index


def fill(index: ChromaIndex, look: Look) -> None:
    """Add the passages that came after the collections' stamp."""
    while True:
        with look() as repository:
            rows = repository.after(index.applied, _ROWS_AT_ONCE)
        if not rows:
            return
        index.add(rows)


def _what_is_wrong(index: ChromaIndex, look: Look) -> str:
    """Compare the collections with their stamp and let a sample of vectors find themselves; empty if all is well."""
    try:
        index.break_seal()
        applied = index.applied
        with look() as repository:
            expected = repository.count(up_to=applied)
            sample = repository.sample(_SAMPLE, applied)
        if not index.is_ours():
            return "it was made with other settings"
        if index.count() != expected:
            return f"it holds {index.count()} passages in place of {expected}"
        return "" if index.finds(sample) else "vectors do not find themselves"
    except IndexDamaged as error:
        return str(error)
