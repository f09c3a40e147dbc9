"""Ranks passages for questions: likeness of vectors, and words in common, names above all.

Source: facts/local-models-chroma.md section B: weighted z-scores measured better than rank fusion,
and cosines of e5 have no threshold, so only ranks and z-scores mean anything.
"""

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from bookwright.models.text.language import detect_language, lazy_pattern
from bookwright.storage.index.embedding import Vectors

LEXICAL_WEIGHT = 0.3
NAME_WEIGHT = 2.5

_FARTHEST = -2.0
"""Likeness below which a text is no farther: among many that are much alike, a name must still tell."""

_K1, _B = 1.2, 0.5
_LEAST_OF_A_LANGUAGE = 5
"""Passages of one language below which their own mean says nothing."""

_KNOWN_PASSAGES = 4_096
"""Passages whose words are remembered, ten times what one search looks at: some 15 MB."""

_CJK_RANGES = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK = lazy_pattern(f"[{_CJK_RANGES}]")
_WORD = lazy_pattern(r"[^\W_]+")
_RUN = lazy_pattern(rf"(?P<cjk>[{_CJK_RANGES}]+)|(?P<word>[^\W_{_CJK_RANGES}]+)")
_SMALL = lazy_pattern(r"\b[a-z][\w’'-]+")
_CAPITALISED = lazy_pattern(r"\b[A-Z][\w’'-]{2,}")
_MARKED = lazy_pattern(r"[「『《“\"]([^」』》”\"\n]{2,12})[」』》”\"]|([\u30a1-\u30ff]{2,})")
_COMMON = frozenset(
    "a about after all also an and any are as at be because been before but by can could did do does every for from "
    "give had has have he her his how i if in into is it its keep let make may might more must no not of on one or our "
    "out over she should show so some such tell that the their them then there these they this those through to under "
    "until up use was we were what when where which while who why will with without would write you your".split()
)

Floats = NDArray[np.float64]


def terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text: words in lower case, and pairs of neighbouring CJK characters."""
    if not _CJK.search(text):
        return tuple(word for word in _WORD.findall(text.casefold()) if word not in _COMMON)
    found: list[str] = []
    for run in _RUN.finditer(text):
        if run.lastgroup == "word":
            word = run.group().casefold()
            found.extend([word] if word not in _COMMON else [])
        else:
            signs = run.group()
            found.extend([signs[index : index + 2] for index in range(len(signs) - 1)] or [signs])
    return tuple(found)


_known_terms = lru_cache(maxsize=8_192)(terms)


def names(text: str, known: Collection[str] = ()) -> list[str]:
    """Return what in a text is likely to be a name: known ones, full names, then in the order of mention.

    Capitalised words that the text does not also write small, katakana, and what stands in quotation or title marks.
    Scripts without capitals show nothing of the sort, so it is told the names that the book itself has put on record.
    """
    lower = set(_SMALL.findall(text)) | _COMMON
    words = [match for match in _CAPITALISED.finditer(text) if match.group().lower() not in lower]
    full = [
        f"{one.group()} {other.group()}" for one, other in pairwise(words) if text[one.end() : other.start()] == " "
    ]
    single = [(match.start(), match.group()) for match in words]
    single += [(match.start(), match.group(1) or match.group(2)) for match in _MARKED.finditer(text)]
    told = sorted((name for name in known if name in text), key=text.index)
    return list(dict.fromkeys([*told, *full, *(name for _, name in sorted(single))]))


def weights(text: str, known: Collection[str] = ()) -> dict[str, float]:
    """Return the terms of a question, each with its weight; names weigh more."""
    named = {term for name in names(text, known) for term in _known_terms(name)}
    return {term: NAME_WEIGHT if term in named else 1.0 for term in _known_terms(text)}


def likeness(queries: Vectors, vectors: Vectors) -> Floats:
    """Return the cosine of each query (rows) with each vector (columns).

    Not by matrix product: BLAS wakes its threads for it, which on a busy machine takes 20 times as long.
    """
    return np.asarray(np.einsum("qd,vd->qv", queries.astype(np.float64), vectors.astype(np.float64)))


def rank(
    queries: Sequence[str], query_vectors: Vectors, texts: Sequence[str], vectors: Vectors, known: Collection[str] = ()
) -> Floats:
    """Score every text by the question that it answers best; only their order means anything.

    `texts` are what is compared by words, `vectors` (texts, dimension) what is compared by meaning.
    `known` are names of the book.
    """
    if not texts:
        return np.zeros(0)
    languages = [_language(text) for text in texts]
    bags = [_bag(text) for text in texts]
    lengths = np.array([bag.total() for bag in bags], np.float64)
    lexical = [_z(_bm25(weights(query, known), bags, lengths)) for query in queries]
    scores = [
        np.maximum(_z(_centred(row, languages)), _FARTHEST) + LEXICAL_WEIGHT * words
        for words, row in zip(lexical, likeness(query_vectors, vectors), strict=True)
    ]
    return _fairly(np.round(scores, 6))


def _fairly(scores: Floats) -> Floats:
    """Merge the scores (questions, texts) so that every question has its best text before any has its second.

    The highest of z-scores would give all the room to the question that some texts answer far
    better than the rest, and another, which many answer alike, would get none.
    """
    places = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    merged: Floats = np.round(np.tanh(scores.max(axis=0)) / 4 - places.min(axis=0), 6)
    return merged


@lru_cache(maxsize=_KNOWN_PASSAGES)
def _language(text: str) -> str:
    return detect_language(text).value


@lru_cache(maxsize=_KNOWN_PASSAGES)
def _bag(text: str) -> Counter[str]:
    """Count the terms of a passage, which most searches of one unit look at again."""
    return Counter(map(sys.intern, terms(text)))  # passages share their words, so they share the strings


def _bm25(query: dict[str, float], bags: Sequence[Counter[str]], lengths: Floats) -> Floats:
    """Score each bag of terms, of such lengths. Source: Robertson and Zaragoza 2009; frequencies within these bags."""
    norms = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
    scores = np.zeros(len(bags))
    for term, weight in query.items():
        counts = np.array([bag.get(term, 0) for bag in bags], np.float64)
        holding = int(np.count_nonzero(counts))
        if holding:
            rarity = log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
            scores += weight * rarity * counts * (_K1 + 1) / (counts + norms)
    return scores


def _centred(scores: Floats, languages: Sequence[str]) -> Floats:
    """Take from each score its language's mean, for e5 prefers passages in the question's language."""
    tags = np.array(languages)
    means = np.full(len(scores), scores.mean())
    for language in dict.fromkeys(languages):
        own = tags == language
        if own.sum() >= _LEAST_OF_A_LANGUAGE:
            means[own] = scores[own].mean()
    return np.asarray(scores - means)


def _z(scores: Floats) -> Floats:
    deviation = max(float(scores.std()), 1e-9)
    return np.asarray((scores - scores.mean()) / deviation)
