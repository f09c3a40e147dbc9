"""The knowledge index of one book: its designs, findings, summaries and prose, found again by meaning and by name.

Derived from the documents and never asked what is done. Passages and vectors stand in the database;
Chroma holds them a second time for speed and is filled from there, so building it embeds nothing.
What came last is compared in memory until Chroma has it. Source: DESIGN sections 5 (rule 8), 9 and 16.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache

import numpy as np

from bookwright.models.document import Document, DocumentKind
from bookwright.models.settings import Settings
from bookwright.storage.index.chunks import LIMIT, PROSE_LIMIT, chunks
from bookwright.storage.index.embedding import Embedder, Vectors
from bookwright.storage.index.passages import KINDS, NewPassage, Passage, PassageId, PassageRepository, Row
from bookwright.storage.index.pool import Candidate, Mentions, PassageCache, Pool, SearchLimits
from bookwright.storage.index.ranking import rank
from bookwright.storage.index.vector_index import ChromaIndex, IndexDamaged
from bookwright.storage.index.whole_index import ScanIndex, fill, open_whole
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores

_IN_MEMORY, _PROSE_IN_MEMORY = 64, 192
"""Passages, and those of prose beside them, up to which a book is compared in memory and never opens Chroma."""

_DOCUMENTS_AT_ONCE = 64
_ROWS_AT_ONCE = 2_000
_KNOWN_QUERIES = 256

_chunks = lru_cache(_DOCUMENTS_AT_ONCE)(chunks)
"""Cut once for two: whoever embeds ahead, and whoever takes in."""

_log = logging.getLogger(__name__)


class KnowledgeIndex:
    """Takes documents in and answers questions about them; `BackendError` where an embedding server does not deliver.

    The holder of the book's lease keeps the index and may use Chroma; anybody else gives
    `is_holder=False`, writes nothing, and gets the same answers from the database.
    """

    def __init__(self, storage: BookStorage, embedder: Embedder, settings: Settings, *, is_holder: bool = True) -> None:
        self._storage = storage
        self._embedder = embedder
        self._settings = settings
        self._is_holder = is_holder
        self._is_open = False
        self._has_all_vectors = False
        self._index: ChromaIndex | ScanIndex | None = None
        self._fresh: dict[PassageId, Candidate] = {}
        """What `_index` does not hold yet."""
        self._last = 0
        """The newest document taken in."""
        self._queries: OrderedDict[str, Vectors] = OrderedDict()
        self._embedded = 0
        self._mentions = Mentions()
        self._cache = PassageCache()
        self.before_search: Callable[[SearchLimits], None] = lambda limits: None
        """Told what a search may return before it looks; whoever keeps the index takes in what it needs."""

    @property
    def is_ready(self) -> bool:
        """True once it has caught up and holds something, so that only what came since is missing."""
        return self._is_open and self._has_all_vectors and self._last > 0

    def catch_up(self, journal: Journal) -> None:
        """Take in what documents came since the last time, before they are searched for.

        What is new is stored inside the transaction of the next step; a backlog of many documents,
        and all vectors after the embedding model was changed, in transactions of their own.
        """
        self._open()
        if not self._has_all_vectors:
            self._embed_what_lacks_vectors(journal)
            self._has_all_vectors = True
        while documents := self.new_documents():
            is_backlog = len(documents) == _DOCUMENTS_AT_ONCE
            self.take_in(documents, journal, writes_now=is_backlog)
            if not is_backlog:
                return

    def new_documents(self) -> list[Document]:
        """Return the first documents that came since the last time, in order, with their texts."""
        with self._storage.look() as stores:
            return stores.documents.after(self._last, KINDS, _DOCUMENTS_AT_ONCE)

    def texts_of(self, documents: Sequence[Document]) -> list[str]:
        """Return what taking some documents in wants embedded, as it stands now."""
        new, known = self._cut(documents)
        return [item.passage.searchable for item in new if item.vector_hash not in known]

    def search(
        self,
        queries: Sequence[str],
        kinds: Sequence[DocumentKind],
        limit: int,
        exclude_nodes: Iterable[int] = (),
        before: tuple[int, ...] | None = None,
        known: Collection[str] = (),
    ) -> list[Passage]:
        """Return up to `limit` passages that answer any of the queries best, best first, ties by id.

        Empty queries are passed over. `exclude_nodes` are keys of nodes whose documents are shown elsewhere, `before`
        is the reading order that what is found has to come before, `known` are names of the book, which no rule would
        find in scripts without capitals.
        """
        asked = list(dict.fromkeys(query for query in queries if query.strip()))
        if not asked or not kinds:
            return []
        self._open()
        limits = SearchLimits(tuple(kinds), frozenset(exclude_nodes), before)
        self.before_search(limits)
        vectors = self._query_vectors(asked)
        nearest = self._nearest if self._index else None
        pool = Pool(self._look, nearest, self._fresh, self._mentions, self._cache, known)
        candidates = pool.gather(asked, vectors, limits)
        texts = [passage.searchable for passage, _ in candidates]
        scores = rank(asked, vectors, texts, np.array([vector for _, vector in candidates], np.float32), known)
        scored = zip(scores.tolist(), (passage for passage, _ in candidates), strict=True)
        best = sorted(scored, key=lambda found: (-found[0], found[1].id))[:limit]
        return [replace(passage, score=score) for score, passage in best]

    def has(self, count: int) -> bool:
        """True if at least so many passages are on record."""
        with self._look() as repository:
            return repository.has(count)

    def reindex(self, journal: Journal, told: Callable[[int], None] = lambda documents: None) -> int:
        """Cut all documents anew and build the index; return how many texts were embedded.

        A text whose vector is stored is not embedded again. `told` hears of so many further documents.
        """
        self._embedded = 0
        self.drop()
        journal.move(lambda stores, step: self._repository(stores).clear())
        self._open()
        while documents := self.new_documents():
            self.take_in(documents, journal, writes_now=True)
            told(len(documents))
        journal.move(lambda stores, step: self._repository(stores).drop_unused_vectors())
        return self._embedded

    def drop(self) -> None:
        """Remove what Chroma holds of this book; the next use builds it again."""
        self.close()
        ChromaIndex(self._storage.book, self._embedder.name, self._settings).drop()

    def close(self) -> None:
        """Let go of files and connections; what is new and not yet committed is taken in again later."""
        if self._index is not None:
            self._index.close()
        self._is_open, self._index, self._fresh = False, None, {}
        self._mentions, self._cache = Mentions(), PassageCache()

    def _open(self) -> None:
        if self._is_open:
            return
        if not self._is_holder:
            self._index = ScanIndex(self._look)
        else:
            with self._look() as repository:
                self._last = repository.last_document()
                rows = repository.after(0, _IN_MEMORY + _PROSE_IN_MEMORY + 1)
            self._fresh = {row.passage.id: (row.passage, row.vector) for row in rows}
            self._move_to_chroma()
        self._is_open = True

    def take_in(self, documents: Sequence[Document], journal: Journal, *, writes_now: bool = False) -> None:
        """Take in what `new_documents` gave, or the first of it; it is stored with the next step, or at once."""
        new, known = self._cut(documents)
        embedded = self._embed(item for item in new if item.vector_hash not in known)
        vectors = known | embedded

        def write(stores: Stores) -> None:
            self._repository(stores).add(new, embedded)

        if writes_now:
            journal.move(lambda stores, step: write(stores))
        else:
            journal.defer(write)
        self._fresh |= {item.passage.id: (item.passage, vectors[item.vector_hash]) for item in new}
        self._last = documents[-1].id
        self._move_to_chroma()

    def _cut(self, documents: Sequence[Document]) -> tuple[list[NewPassage], dict[str, Vectors]]:
        """Cut documents into passages; return these, and the vectors by hash that are stored for them already."""
        with self._storage.look() as stores:
            new = [item for document in documents for item in _passages_of(document, stores)]
            return new, self._repository(stores).known_vectors(item.vector_hash for item in new)

    def _embed(self, items: Iterable[NewPassage]) -> dict[str, Vectors]:
        texts = {item.vector_hash: item.passage.searchable for item in items}
        self._embedded += len(texts)
        return dict(zip(texts, self._embedder.embed(list(texts.values()), is_query=False), strict=True))

    def _embed_what_lacks_vectors(self, journal: Journal) -> None:
        """Embed the passages that were taken in with another model."""
        with self._look() as repository:
            if not repository.newest_lacks_vector():
                return
        while True:
            with self._look() as repository:
                items = repository.without_vector(_ROWS_AT_ONCE)
            if not items:
                break
            self._keep_vectors(self._embed(items), journal)
        self.close()
        self._open()

    def _keep_vectors(self, embedded: dict[str, Vectors], journal: Journal) -> None:
        journal.move(lambda stores, step: self._repository(stores).add_vectors(embedded))

    def _move_to_chroma(self) -> None:
        """Hand over to Chroma what is committed, once there is enough to be worth it."""
        prose = sum(passage.kind is DocumentKind.PROSE for passage, _ in self._fresh.values())
        if prose <= _PROSE_IN_MEMORY and len(self._fresh) - prose <= _IN_MEMORY:
            return
        try:
            if self._index is None:
                self._index = open_whole(self._storage.book, self._embedder.name, self._settings, self._look)
            elif isinstance(self._index, ChromaIndex):
                fill(self._index, self._look)
        except IndexDamaged as error:
            self._do_without_chroma(error)
        with self._look() as repository:
            held = repository.last_document()
        self._fresh = {identity: pair for identity, pair in self._fresh.items() if identity[0] > held}

    def _nearest(self, vectors: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[Row]]:
        assert self._index is not None
        try:
            return self._index.nearest(vectors, kinds, count)
        except IndexDamaged as damage:
            self._index.close()
            try:
                self._index = open_whole(self._storage.book, self._embedder.name, self._settings, self._look, damage)
            except IndexDamaged as error:
                self._do_without_chroma(error)
            return self._index.nearest(vectors, kinds, count)

    def _do_without_chroma(self, error: IndexDamaged) -> None:
        _log.warning("book %r is searched without Chroma until it is opened again: %s", self._storage.book, error)
        self._index = ScanIndex(self._look)

    def _query_vectors(self, queries: Sequence[str]) -> Vectors:
        new = [query for query in queries if query not in self._queries]
        self._queries |= dict(zip(new, self._embedder.embed(new, is_query=True), strict=True))
        vectors = np.array([self._queries[query] for query in queries])
        while len(self._queries) > _KNOWN_QUERIES:
            self._queries.popitem(last=False)
        return vectors

    @contextmanager
    def _look(self) -> Iterator[PassageRepository]:
        with self._storage.look() if self._is_holder else self._storage.read() as stores:
            yield self._repository(stores)

    def _repository(self, stores: Stores) -> PassageRepository:
        return PassageRepository(stores.connection, self._storage.book, self._embedder.name)


def _passages_of(document: Document, stores: Stores) -> list[NewPassage]:
    node = stores.nodes.get(document.node)
    limit = PROSE_LIMIT if document.kind is DocumentKind.PROSE else LIMIT
    found = [
        Passage(
            text=text, document=document.id, chunk=number, kind=document.kind, node=node.key, label=node.label,
            level=node.level.value, task_type=node.task_type.value, title=node.title, goal=node.goal,
        )
        for number, text in enumerate(_chunks(document.text, limit))
    ]  # fmt: skip
    return [NewPassage(passage, text_hash(passage.searchable)) for passage in found]
