"""Keeps a book's index as current as its searches need it, and embeds the rest while a model is waited for."""

from collections.abc import Sequence
from contextlib import suppress

from bookwright.models.document import Document
from bookwright.models.errors import StorageError
from bookwright.storage.index.embedding_ahead import EmbedderAhead
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.pool import SearchLimits
from bookwright.storage.steps.journal import Journal

_MOST_LEFT = 32
"""Documents that may wait to be taken in."""


class IndexFollower:
    """Takes documents into an index when a search could return them, and at the latest with the activity after next.

    So searches find what they would find if each document were taken in at once. What the last step has written is
    mostly shown beside what was searched for, or of no kind that is: there is time to embed it with the next call.
    Where an embedding server does not deliver, `BackendError` is raised.
    """

    def __init__(self, index: KnowledgeIndex, embedder: EmbedderAhead, journal: Journal) -> None:
        self._index = index
        self._embedder = embedder
        self._journal = journal
        self._waiting: Sequence[Document] = ()
        """What came since the index caught up, as the activity in hand found it."""
        self._begun = 0
        """The last document whose texts were begun to be embedded."""
        self._failure: Exception | None = None
        index.before_search = self._before_search

    def begin_activity(self, *, is_last: bool = False) -> None:
        """Take in what was embedded meanwhile, and see what came since; call it before a context is built.

        The last activity of a book leaves nothing waiting, for those who ask about the book later.
        """
        if is_last or not self._index.is_ready or len(self._waiting) >= _MOST_LEFT:
            self._index.catch_up(self._journal)
            self._waiting = ()
        elif self._waiting:
            self._index.catch_up(self._journal, up_to=self._waiting[-1].id)
        self._waiting = self._index.new_documents()

    def end_context(self) -> None:
        """Raise what a search failed at that wanted more taken in; call it after a context was built.

        A context may do without what a search brings, but not because documents could not be taken in.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def embed_meanwhile(self) -> None:
        """Begin to embed what waits, on another thread; call it before a model is asked."""
        new = [document for document in self._waiting if document.id > self._begun]
        if new:
            self._begun = new[-1].id
            with suppress(StorageError):  # they are read once more when they are taken in
                self._embedder.begin(self._index.texts_of(new))

    def _before_search(self, limits: SearchLimits) -> None:
        if any(document.kind in limits.kinds and document.node not in limits.excluded for document in self._waiting):
            try:
                self._index.catch_up(self._journal)
            except Exception as error:
                self._failure = error
                raise
            self._waiting = ()
