"""The passages among which a question is ranked: the nearest by meaning, and those with its names."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bookwright.models.document import DocumentKind
from bookwright.storage.embedding import Vectors
from bookwright.storage.passages import Passage, PassageId, PassageRepository, Row
from bookwright.storage.ranking import likeness, names
from bookwright.storage.scan_index import Look

SIZE = 120
"""Passages for each question. Source: DETAILS, "Context values"."""

_NAMES = 6
"""Names of one search that are looked up."""

_NAMED = 40
"""Passages for each name, the oldest, since what is planted is planted early and they never change."""

_KNOWN_NAMES = 2_000

Candidate = tuple[Passage, Vectors]
"""A passage and its vector, shape (dimension,)."""

Nearest = Callable[[Vectors, Sequence[DocumentKind], int], list[list[Row]]]


@dataclass(frozen=True)
class Limits:
    """What a search may return."""

    kinds: tuple[DocumentKind, ...]
    excluded: frozenset[int]
    """Keys of nodes."""
    before: tuple[int, ...] | None
    """A reading order."""

    def admit(self, passage: Passage) -> bool:
        """True if the passage may be returned."""
        in_time = self.before is None or passage.order < self.before
        return in_time and passage.kind in self.kinds and passage.node not in self.excluded


class Mentions:
    """Which passages hold a name. All are read once for a name, and after that only those that came since."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, tuple[DocumentKind, ...]], tuple[list[Row], Row]] = OrderedDict()
        """By name and kinds, the oldest passages and the row up to which was read."""

    def of(self, name: str, kinds: tuple[DocumentKind, ...], repository: PassageRepository) -> list[Row]:
        """Return the oldest `_NAMED` passages of some kinds that hold a name."""
        key = name, kinds
        rows, seen = self._known.get(key, ([], 0))
        newest = repository.last_row() if len(rows) < _NAMED else seen
        if newest > seen:
            rows = rows + repository.naming(name, kinds, _NAMED - len(rows), after=seen, up_to=newest)
            self._known[key] = rows, newest
        if key in self._known:
            self._known.move_to_end(key)
        while len(self._known) > _KNOWN_NAMES:
            self._known.popitem(last=False)
        return rows


@dataclass(frozen=True)
class Pool:
    """Gathers candidates from the index and from what the index does not hold yet.

    Which of the two a passage comes from makes no difference to what is gathered.
    """

    look: Look
    nearest: Nearest
    fresh: Mapping[PassageId, Candidate]
    mentions: Mentions
    known: Collection[str] = ()
    """Names of the book."""

    def gather(self, asked: Sequence[str], queries: Vectors, limits: Limits) -> list[Candidate]:
        """Return the `SIZE` nearest to each query and what names its names, in order of their ids."""
        named = self._named(asked, limits)
        found = self._near(queries, limits) | named
        with self.look() as repository:
            vectors = repository.vectors_of(found)
            standing = repository.standing({document for document, _ in self.fresh})
        candidates = {passage.id: (passage, vectors[row]) for row, passage in found.items()}
        candidates |= {
            identity: held for identity, held in self.fresh.items() if identity[0] in standing and limits.admit(held[0])
        }
        if not candidates:
            return []
        chosen = _nearest_to_each(queries, candidates) | self._ids_with_names(asked, named.values(), limits)
        return [candidates[identity] for identity in sorted(chosen & candidates.keys())]

    def _near(self, queries: Vectors, limits: Limits) -> dict[Row, Passage]:
        """Ask the index, and further until there is enough within the limits for each query."""
        places: dict[Row, Passage] = {}
        count = SIZE
        while True:
            found = self.nearest(queries, limits.kinds, count)
            with self.look() as repository:
                places |= repository.places({row for rows in found for row in rows} - places.keys())
            kept = [[row for row in rows if row in places and limits.admit(places[row])] for rows in found]
            if all(len(some) >= SIZE or len(rows) < count for some, rows in zip(kept, found, strict=True)):
                return {row: places[row] for some in kept for row in some[:SIZE]}
            count *= 4

    def _named(self, asked: Sequence[str], limits: Limits) -> dict[Row, Passage]:
        with self.look() as repository:
            rows = {
                row for name in _names(asked, self.known) for row in self.mentions.of(name, limits.kinds, repository)
            }
            return {row: passage for row, passage in repository.places(rows).items() if limits.admit(passage)}

    def _ids_with_names(self, asked: Sequence[str], named: Iterable[Passage], limits: Limits) -> set[PassageId]:
        known = {passage.id: passage for passage in (*named, *(passage for passage, _ in self.fresh.values()))}
        chosen: set[PassageId] = set()
        for name in _names(asked, self.known):
            having = (identity for identity in sorted(known) if name in known[identity].text)
            chosen |= set([identity for identity in having if known[identity].kind in limits.kinds][:_NAMED])
        return chosen


def _names(asked: Sequence[str], known: Collection[str]) -> list[str]:
    return list(dict.fromkeys(name for query in asked for name in names(query, known)))[:_NAMES]


def _nearest_to_each(queries: Vectors, candidates: Mapping[PassageId, Candidate]) -> set[PassageId]:
    ordered = sorted(candidates)
    alike = np.round(likeness(queries, np.array([candidates[identity][1] for identity in ordered])), 9)
    return {ordered[place] for row in alike for place in np.argsort(-row, kind="stable")[:SIZE]}
