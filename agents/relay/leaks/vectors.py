"""Vectors of sentences, each text embedded once and kept as long as its embedder lives."""

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from bookwright.storage.index.embedding import Embedder, Vectors

_MOST = 50_000
"""Texts kept of one embedder: about 80 MB at 384 numbers each. Past it all are let go."""

_kept: WeakKeyDictionary[Embedder, dict[str, Vectors]] = WeakKeyDictionary()


class KeptVectors:
    """The vectors of one embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known = _kept.setdefault(embedder, {})

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text, shape (texts, dimension)."""
        self._need(texts)
        return np.array([self._known[text] for text in texts], np.float32).reshape(len(texts), -1)

    def _need(self, texts: Iterable[str]) -> None:
        """Embed those texts that are not known yet, in one call.

        As questions all of them: what is likened is of one kind, and e5 then wants that prefix on both sides.
        Source: model card of multilingual-e5-small, "symmetric tasks".
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) + len(new) > _MOST:
            self._known.clear()
            new = list(dict.fromkeys(texts))
        if new:
            self._known.update(zip(new, self._embedder.embed(new, is_query=True), strict=True))
