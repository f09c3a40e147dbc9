"""Finds where a draft comes near a secret in other words, by embeddings."""

from collections.abc import Collection, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from bookwright.agents.relay.leaks.background import BACKGROUND
from bookwright.agents.relay.leaks.sharing import SOMEBODY, without_names, without_shared
from bookwright.agents.relay.leaks.units import Run, Sentence, runs_of, spared
from bookwright.agents.relay.leaks.wording import Alike, best_apart
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Embedder, Vectors

LEAST = 0.35
"""Likeness from which on a run is reported; found on the bench's tuning half (`docs/benchmarks.md`).

The 0.75 of DETAILS is for another embedding and whole sentences; with multilingual-e5-small any two sentences
of one language have a plain cosine above that.
"""

_NEAR = LEAST - 0.15
"""Likeness as a whole from which on a run is looked at again; it saves embedding what lies far off."""

_MOST = 50_000
"""Texts kept of one embedder: about 80 MB at 384 numbers each. Past it all are let go."""

_kept: WeakKeyDictionary[Embedder, dict[str, Vectors]] = WeakKeyDictionary()


def _embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Return one vector of length 1 a text, shape (texts, dimension); those not known yet are embedded in one call.

    As questions all of them: what is likened is of one kind, and e5 then wants that prefix on both sides.
    Source: model card of multilingual-e5-small, "symmetric tasks".
    """
    known = _kept.setdefault(embedder, {})
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if len(known) + len(new) > _MOST:
        known.clear()
        new = list(dict.fromkeys(texts))
    if new:
        known.update(zip(new, embedder.embed(new, is_query=True), strict=True))
    return np.array([known[text] for text in texts], np.float32).reshape(len(texts), -1)


class MeaningCheck:
    """Compares the sentences of one draft with secrets.

    Likeness is the cosine of what is left of two vectors when the mean of plain sentences of the
    language is taken out. A run that comes near is compared again without names and without the
    words that it shares with the secret: a harmless sentence about the same people, things and
    places is then like others, one that tells the secret is not. Each sentence is embedded once, and once
    more for a secret that it comes near; a run has the mean of its sentences, longer ones weighing more.
    """

    def __init__(
        self, sentences: Sequence[Sentence], names: Collection[str], language: Language, embedder: Embedder
    ) -> None:
        self._sentences = sentences
        self._names = names
        self._language = language
        self._embedder = embedder
        self._mean = _embedded(BACKGROUND[language], embedder).mean(0)
        self._runs = list(runs_of(len(sentences)))
        self._vectors: dict[tuple[str, ...], Vectors] = {}

    def find(self, secret: Secret) -> list[Alike]:
        """Return the runs that come near enough to be reported, the likest of those that overlap, in reading order."""
        near = [alike.run for alike in self._scored(secret) if alike.score >= _NEAR]
        again = self._scored_again(secret, near) if near else []
        return best_apart([alike for alike in again if alike.score >= LEAST])

    def nearest(self, secret: Secret, count: int) -> list[Alike]:
        """Return so many single sentences, the likest first."""
        single = (alike for alike in self._scored(secret) if alike.run.count == 1)
        return sorted(single, key=lambda alike: (-alike.score, alike.run.first))[:count]

    def _scored(self, secret: Secret) -> list[Alike]:
        texts = spared(self._sentences, secret.allowed_expressions)
        if texts not in self._vectors:  # most secrets spare nothing of the draft
            self._vectors[texts] = self._run_vectors(texts, self._runs)
        return _alike(self._runs, self._vectors[texts], self._left_of([secret.content])[0])

    def _scored_again(self, secret: Secret, runs: Sequence[Run]) -> list[Alike]:
        """Score runs without names and without the words that they share with the secret."""
        content = self._unnamed(secret.content)
        texts = list(spared(self._sentences, secret.allowed_expressions))
        for place in {place for run in runs for place in range(run.first, run.last + 1)}:
            texts[place] = without_shared(self._unnamed(texts[place]), content, self._language)
        return _alike(runs, self._run_vectors(texts, runs), self._left_of([content])[0])

    def _unnamed(self, text: str) -> str:
        return without_names(text, self._names, SOMEBODY[self._language])

    def _run_vectors(self, texts: Sequence[str], runs: Sequence[Run]) -> Vectors:
        """One vector a run; a sentence of which no word is left has none."""
        weights = np.array([[len(text) ** 0.5 * any(map(str.isalnum, text))] for text in texts], np.float32)
        single = self._left_of(texts) * weights
        rows = [single[run.first : run.last + 1].sum(0) for run in runs]
        return _of_length_one(np.array(rows, np.float32))

    def _left_of(self, texts: Sequence[str]) -> Vectors:
        return _of_length_one(_embedded(texts, self._embedder) - self._mean)


def _alike(runs: Sequence[Run], rows: Vectors, secret: Vectors) -> list[Alike]:
    return [Alike(run, float(score)) for run, score in zip(runs, rows @ secret, strict=True)]


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = vectors / np.maximum(lengths, 1e-9)
    return scaled
