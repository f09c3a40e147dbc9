"""Sketches of chapters for comparing them: fingerprints of wording, and signatures of paragraphs.

Wording: n-grams thinned by winnowing, so that a shared run of `size + window - 1` tokens is always seen.
Source: Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003).
Paragraphs: min-wise hashes in bands. Source: Broder, "On the resemblance and containment of documents" (1997).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bookwright.agents.relay.figures.text import paragraphs_of, places_of, tokens_with_places
from bookwright.models.text.language import Language

Hashes = NDArray[np.uint64]

BANDS, ROWS = 16, 4
"""Two paragraphs that share half of their shingles meet with a chance of 0.64, with 70 % of them 0.99."""


@dataclass(frozen=True)
class _Grain:
    """How finely a language is looked at, in tokens."""

    size: int
    window: int
    shingle: int
    least: int
    """A paragraph of fewer tokens is too short to be called a copy."""


_GRAINS = {
    Language.EN: _Grain(size=8, window=5, shingle=3, least=15),
    Language.KO: _Grain(size=6, window=4, shingle=2, least=10),
    Language.ZH: _Grain(size=14, window=8, shingle=4, least=30),
    Language.JA: _Grain(size=16, window=8, shingle=5, least=36),
}
_BASE = np.uint64(0x9E3779B97F4A7C15)
_PLACES = np.random.default_rng(20_040_101)
_FACTORS = _PLACES.integers(1, 2**63, BANDS * ROWS, dtype=np.uint64) | np.uint64(1)
_SHIFTS = _PLACES.integers(0, 2**63, BANDS * ROWS, dtype=np.uint64)


@dataclass(frozen=True)
class Paragraph:
    """One paragraph's signature."""

    number: int
    """Its place in the chapter, from 1."""
    span: tuple[int, int]
    quote: str
    minima: NDArray[np.uint8]
    """One byte of each of the least hashes: equal in about the share of shingles that two paragraphs share."""
    bands: Hashes


@dataclass(frozen=True)
class ChapterSketch:
    """A chapter as it is compared: a size that is a fixed share of its own length."""

    text: str
    prints: Hashes
    spans: list[tuple[int, int]]
    """Where each print's n-gram stands in `text`."""
    paragraphs: list[Paragraph]


def sketch_of(text: str, language: Language) -> ChapterSketch:
    """Choose from a chapter's text the fingerprints and paragraphs by which it is compared with others."""
    grain = _GRAINS[language]
    parts = paragraphs_of(text)
    joined = "\n".join(parts)
    tokens = tokens_with_places(joined, language)
    ids = np.array([_token_hash(token) for token, _, _ in tokens], dtype=np.uint64)
    grams = _mixed(_grams(ids, grain.size))
    chosen = _winnowed(grams, grain.window)
    return ChapterSketch(
        text=joined,
        prints=grams[chosen],
        spans=[(tokens[i][1], tokens[i + grain.size - 1][2]) for i in chosen],
        paragraphs=_paragraphs(parts, tokens, ids, grain),
    )


def _paragraphs(parts: list[str], tokens: list[tuple[str, int, int]], ids: Hashes, grain: _Grain) -> list[Paragraph]:
    starts = np.array([start for _, start, _ in tokens], dtype=np.int64)
    places = places_of(parts)
    edges = [*np.searchsorted(starts, places).tolist(), len(tokens)]
    found = []
    for number, (part, low, high) in enumerate(zip(parts, edges, edges[1:], strict=False), 1):
        if high - low >= grain.least:
            shingles = np.unique(_mixed(_grams(ids[low:high], grain.shingle)))
            found.append(_signed(number, places[number - 1], part, shingles))
    return found


def _signed(number: int, start: int, part: str, shingles: Hashes) -> Paragraph:
    least = _mixed(shingles[None, :] * _FACTORS[:, None] + _SHIFTS[:, None]).min(axis=1)
    rows = least.reshape(BANDS, ROWS)
    bands = _mixed((rows * _FACTORS[:ROWS]).sum(axis=1, dtype=np.uint64))
    return Paragraph(number, (start, start + len(part)), part[:160], (least >> np.uint64(8)).astype(np.uint8), bands)


def _grams(ids: Hashes, size: int) -> Hashes:
    """Hash each run of `size` tokens."""
    count = len(ids) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    sums = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        sums = sums * _BASE + ids[offset : offset + count]
    return sums


def _mixed(values: Any) -> Any:
    """Spread hashes over all bits. Source: the finaliser of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _winnowed(grams: Hashes, window: int) -> list[int]:
    """Choose the least hash of each window; neighbours mostly choose the same one."""
    if len(grams) == 0:
        return []
    if len(grams) <= window:
        return [int(grams.argmin())]
    windows = np.lib.stride_tricks.sliding_window_view(grams, window)
    chosen: list[int] = np.unique(windows.argmin(axis=1) + np.arange(len(windows))).tolist()
    return chosen


@lru_cache(maxsize=200_000)
def _token_hash(token: str) -> int:
    """Hash a token, alike in every process."""
    data = token.encode("utf-8", "surrogatepass")
    return crc32(data) << 32 | crc32(data, 0x5BD1E995)
