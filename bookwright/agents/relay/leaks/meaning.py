"""Finds where a draft comes near a secret in other words, by embeddings."""

from collections.abc import Sequence

import numpy as np

from bookwright.agents.relay.leaks.background import BACKGROUND
from bookwright.agents.relay.leaks.units import Sentence, runs_of, spared
from bookwright.agents.relay.leaks.vectors import KeptVectors
from bookwright.agents.relay.leaks.wording import Alike, best_apart
from bookwright.models.codex import Secret
from bookwright.models.language import Language
from bookwright.storage.embedding import Embedder, Vectors

LEAST = 0.69
"""Likeness from which on a run is reported: one clean draft in twenty of the bench's tuning half reaches it.

The 0.75 of DETAILS is for another embedding; with multilingual-e5-small any two sentences of one language
have a plain cosine above that.
"""


class MeaningCheck:
    """Compares the sentences of one draft with secrets.

    Likeness is the cosine of what is left of two vectors when the mean of plain sentences of the
    language is taken out. Each sentence is embedded once; a run has the mean of its sentences.
    """

    def __init__(self, sentences: Sequence[Sentence], language: Language, embedder: Embedder) -> None:
        self._sentences = sentences
        self._kept = KeptVectors(embedder)
        self._mean = self._kept.of(BACKGROUND[language]).mean(0)
        self._runs = list(runs_of(len(sentences)))
        self._vectors: dict[tuple[str, ...], Vectors] = {}

    def find(self, secret: Secret) -> list[Alike]:
        """Return the runs that come near enough to be reported, the likest of those that overlap, in reading order."""
        return best_apart([alike for alike in self._scored(secret) if alike.score >= LEAST])

    def nearest(self, secret: Secret, count: int) -> list[Alike]:
        """Return so many single sentences, the likest first."""
        single = (alike for alike in self._scored(secret) if alike.run.count == 1)
        return sorted(single, key=lambda alike: (-alike.score, alike.run.first))[:count]

    def _scored(self, secret: Secret) -> list[Alike]:
        texts = spared(self._sentences, secret.allowed_expressions)
        if texts not in self._vectors:  # most secrets spare nothing of the draft
            self._vectors[texts] = self._run_vectors(texts)
        rows = self._vectors[texts] @ self._left_of([secret.content])[0]
        return [Alike(run, float(score)) for run, score in zip(self._runs, rows, strict=True)]

    def _run_vectors(self, texts: tuple[str, ...]) -> Vectors:
        """One vector a run; a sentence of which nothing is left once its allowed expressions are out has none."""
        told = np.array([[any(map(str.isalnum, text))] for text in texts], np.float32)
        single = self._left_of(texts) * told
        rows = [single[run.first : run.last + 1].sum(0) for run in self._runs]
        return _of_length_one(np.array(rows, np.float32))

    def _left_of(self, texts: Sequence[str]) -> Vectors:
        return _of_length_one(self._kept.of(texts) - self._mean)


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = vectors / np.maximum(lengths, 1e-9)
    return scaled
