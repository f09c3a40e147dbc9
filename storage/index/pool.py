"""The passages among which a question is ranked: the nearest by meaning, and those with its names."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bookwright.models.document import DocumentKind
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.index.passages import Passage, PassageId, PassageRepository, Row
from bookwright.storage.index.ranking import likeness, names
from bookwright.storage.index.whole_index import Look

SIZE = 120
"""Passages for each question. Source: DETAILS, "Context values"."""

_NAMES = 6
"""Names of one search that are looked up."""

_NAMED = 40
"""Passages for each name, the oldest, since what is planted is planted early and they never change."""

_SPARE = 40
"""Passages that the index is asked for beyond `SIZE`, in place of those that may not be returned."""

_KNOWN_NAMES = 2_000
_KNOWN_PASSAGES = 3_000
"""Passages kept with their vectors: some 10 MB, a few times what one search looks at."""

Candidate = tuple[Passage, Vectors]
"""A passage and its vector, shape (dimension,)."""

Nearest = Callable[[Vectors, Sequence[DocumentKind], int], list[list[Row]]]


@dataclass(frozen=True)
class SearchLimits:
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

    def of(self, names: Sequence[str], kinds: tuple[DocumentKind, ...], repository: PassageRepository) -> set[Row]:
        """Return for each name the oldest `_NAMED` passages of some kinds that hold it."""
        newest = repository.last_row()
        for seen, some in self._to_read(names, kinds, newest).items():
            for name, rows in repository.naming(some, kinds, _NAMED, after=seen, up_to=newest).items():
                known, _ = self._known.get((name, kinds), ([], 0))
                self._known[name, kinds] = [*known, *rows][:_NAMED], newest
        found: set[Row] = set()
        for name in names if newest else ():
            found.update(self._known[name, kinds][0])
            self._known.move_to_end((name, kinds))
        while len(self._known) > _KNOWN_NAMES:
            self._known.popitem(last=False)
        return found

    def _to_read(self, names: Sequence[str], kinds: tuple[DocumentKind, ...], newest: Row) -> dict[Row, list[str]]:
        """Group the names that need more by the row up to which was read for them."""
        groups: dict[Row, list[str]] = {}
        for name in names:
            rows, seen = self._known.get((name, kinds), ([], 0))
            if len(rows) < _NAMED and seen < newest:
                groups.setdefault(seen, []).append(name)
        return groups


class PassageCache:
    """A cache of passages and vectors that were read lately; neighbouring searches read much the same.

    For one worker while it holds a book: nobody else changes what a node is called. Whether a passage
    still stands is looked up each time.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Row, Candidate] = OrderedDict()

    def of(self, rows: Iterable[Row], repository: PassageRepository) -> dict[Row, Candidate]:
        """Return those passages that still stand."""
        asked = set(rows)
        documents = {row: self._known[row][0].document for row in asked & self._known.keys()}
        still = repository.standing(set(documents.values()))  # one row each, where their passages would be many
        new = {item.row: (item.passage, item.vector) for item in repository.standing_at(asked - documents.keys())}
        self._known |= new
        standing = {row for row, document in documents.items() if document in still} | new.keys()
        found = {row: self._known[row] for row in sorted(standing)}
        for row in found:
            self._known.move_to_end(row)
        while len(self._known) > _KNOWN_PASSAGES:
            self._known.popitem(last=False)
        return found


@dataclass(frozen=True)
class Pool:
    """Gathers candidates from the index and from what the index does not hold yet.

    Which of the two a passage comes from makes no difference to what is gathered.
    """

    look: Look
    nearest: Nearest | None
    """Asks the index; None where it holds nothing."""
    fresh: Mapping[PassageId, Candidate]
    mentions: Mentions
    cache: PassageCache
    known: Collection[str] = ()
    """Names of the book."""

    def gather(self, asked: Sequence[str], queries: Vectors, limits: SearchLimits) -> list[Candidate]:
        """Return the `SIZE` nearest to each query and what names its names, in order of their ids."""
        names_asked = list(dict.fromkeys(name for query in asked for name in names(query, self.known)))[:_NAMES]
        with self.look() as repository:
            named, near = self._indexed(names_asked, queries, limits, repository)
            standing = repository.standing({document for document, _ in self.fresh})
        candidates = {passage.id: (passage, vector) for passage, vector in (*near, *named)}
        candidates |= {
            identity: held for identity, held in self.fresh.items() if identity[0] in standing and limits.admit(held[0])
        }
        if not candidates:
            return []
        with_names = self._ids_with_names(names_asked, (passage for passage, _ in named), limits)
        chosen = _nearest_to_each(queries, candidates) | with_names
        return [candidates[identity] for identity in sorted(chosen & candidates.keys())]

    def _indexed(
        self, names_asked: Sequence[str], queries: Vectors, limits: SearchLimits, repository: PassageRepository
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return what names the names, and the nearest to each query; ask further until there is enough of these."""
        if self.nearest is None:
            return [], []
        named = self.mentions.of(names_asked, limits.kinds, repository)
        count = SIZE + _SPARE
        while True:
            found = self.nearest(queries, limits.kinds, count)
            held = self.cache.of(named.union(*found), repository)
            held = {row: candidate for row, candidate in held.items() if limits.admit(candidate[0])}
            kept = [[row for row in rows if row in held] for rows in found]
            if all(len(some) >= SIZE or len(rows) < count for some, rows in zip(kept, found, strict=True)):
                return [held[row] for row in named & held.keys()], [held[row] for some in kept for row in some[:SIZE]]
            count *= 4

    def _ids_with_names(
        self, names_asked: Sequence[str], named: Iterable[Passage], limits: SearchLimits
    ) -> set[PassageId]:
        known = {passage.id: passage for passage in (*named, *(passage for passage, _ in self.fresh.values()))}
        chosen: set[PassageId] = set()
        for name in names_asked:
            having = (identity for identity in sorted(known) if name in known[identity].text)
            chosen |= set([identity for identity in having if known[identity].kind in limits.kinds][:_NAMED])
        return chosen


def _nearest_to_each(queries: Vectors, candidates: Mapping[PassageId, Candidate]) -> set[PassageId]:
    ordered = sorted(candidates)
    alike = np.round(likeness(queries, np.array([candidates[identity][1] for identity in ordered])), 9)
    return {ordered[place] for row in alike for place in np.argsort(-row, kind="stable")[:SIZE]}
