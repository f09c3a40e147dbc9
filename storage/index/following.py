"""Keeps a book's index as current as its searches need it, and embeds the rest while a model is waited for."""

import logging
import threading
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from bookwright.models.document import Document
from bookwright.models.errors import StorageError
from bookwright.storage.engine.prepared import batches
from bookwright.storage.index.embedding import Embedder, Vectors
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.pool import SearchLimits
from bookwright.storage.steps.journal import Journal

_AT_ONCE = 16
"""Texts of one batch; whoever wants a vector meanwhile, or the end, waits for no more than one."""

_MOST_LEFT = 32
"""Documents that may wait to be taken in."""

_log = logging.getLogger(__name__)


class EmbedderAhead:
    """An embedder that can be told what it will be asked for; what it answers is what the one within would answer.

    Any thread may ask it: the embedder within embeds one batch at a time.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._made: dict[str, Vectors] = {}
        """Vectors of texts that nobody has asked for yet."""
        self._to_come: set[str] = set()
        """Texts that a thread is still to embed."""
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    @property
    def name(self) -> str:
        """The model with its version or hash."""
        return self._inner.name

    def begin(self, texts: Sequence[str]) -> None:
        """Begin to embed texts that no question is, on a thread of its own; what fails is left to who asks for it."""
        new = [text for text in dict.fromkeys(texts) if text not in self._to_come and text not in self._made]
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if not new or self._is_closed:
            return
        self._to_come.update(new)
        thread = threading.Thread(target=self._embed_ahead, args=(new,), name="bookwright-embedding", daemon=True)
        self._threads.append(thread)
        thread.start()

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector for each text; for one that is being embedded already, wait for it."""
        if is_query:
            with self._lock:
                return self._inner.embed(texts, is_query=True)
        if not self._to_come.isdisjoint(texts):
            self._wait()
        made = {text: self._made.pop(text) for text in dict.fromkeys(texts) if text in self._made}
        rest = [text for text in texts if text not in made]
        with self._lock:
            vectors = self._inner.embed(rest, is_query=False)
        if not made:
            return vectors
        own = iter(vectors)
        return np.array([made[text] if text in made else next(own) for text in texts], np.float32)

    def close(self) -> None:
        """Stop after the batch in hand, and forget what nobody has asked for."""
        self._is_closed = True
        self._wait()
        self._made.clear()

    def _wait(self) -> None:
        while self._threads:
            self._threads.pop().join()

    def _embed_ahead(self, texts: Sequence[str]) -> None:
        try:
            for some in batches(texts, _AT_ONCE):
                with self._lock:
                    if self._is_closed:
                        return
                    vectors = self._inner.embed(some, is_query=False)
                self._made.update(zip(some, vectors, strict=True))
                _log.debug("embedded %d texts ahead", len(some))
        except Exception:  # the thread's edge: whoever asks for these texts meets the same fault, and tells of it
            _log.debug("nothing was embedded ahead", exc_info=True)
        finally:
            self._to_come.difference_update(texts)


class IndexFollower:
    """Takes documents into an index when a search could return them, and at the latest with the activity after next.

    So searches find what they would find if each document were taken in at once. What the last step has written is
    mostly shown beside what was searched for, or of no kind that is: there is time to embed it with the next call.
    Where an embedding server does not deliver, `BackendError` is raised.
    """

    def __init__(self, index: KnowledgeIndex, embedder: EmbedderAhead, journal: Journal) -> None:
        self.index = index
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
        if is_last or not self.index.is_ready or len(self._waiting) >= _MOST_LEFT:
            self.index.catch_up(self._journal)
            self._waiting = ()
        elif self._waiting:
            self.index.take_in(self._waiting, self._journal)
        self._waiting = self.index.new_documents()

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
                self._embedder.begin(self.index.texts_of(new))

    def _before_search(self, limits: SearchLimits) -> None:
        if any(document.kind in limits.kinds and document.node not in limits.excluded for document in self._waiting):
            try:
                self.index.catch_up(self._journal)
            except Exception as error:
                self._failure = error
                raise
            self._waiting = ()
