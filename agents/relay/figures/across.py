"""Compares a chapter with all before it, from a memory of fixed size: the hundredth costs what the second did.

Chapters are compared by sketches: fingerprints of wording, and signatures of paragraphs.

Wording: n-grams thinned by winnowing, so that a shared run of `size + window - 1` tokens is always seen.
Source: Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003).
Paragraphs: min-wise hashes in bands. Source: Broder, "On the resemblance and containment of documents" (1997).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bookwright.agents.relay.figures.text import excerpt, paragraphs_of, tokens_with_places
from bookwright.models.text.figures import SharedPassage
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

_ALIKE = 0.6
"""Shingles that a near-copy shares, at least, of all that the two paragraphs have."""
_BY_CHANCE = 1 / 256
_PASSAGES = 12
_QUOTE = 160
_WORDING_SLOTS = 2**22
_PARAGRAPH_SLOTS = 2**18

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
    places = [0, *accumulate(len(part) + 1 for part in parts)][:-1]  # joined with one character between
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
    return Paragraph(number, (start, start + len(part)), part[:_QUOTE], (least >> np.uint64(8)).astype(np.uint8), bands)


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


class BookSketch:
    """Fingerprints of all earlier chapters: about 80 MB when full, and little is full before some 5 000 000 words.

    A slot that is wanted twice goes to the newer chapter. So what was said long ago is forgotten first, and
    a long copy, which left many prints, last.
    """

    def __init__(self, wording_slots: int = _WORDING_SLOTS, paragraph_slots: int = _PARAGRAPH_SLOTS) -> None:
        self._labels: list[str] = [""]
        self._checks = np.zeros(wording_slots, dtype=np.uint32)
        self._chapters = np.zeros(wording_slots, dtype=np.uint32)
        self._bands = np.zeros((BANDS, paragraph_slots), dtype=np.uint32)
        self._minima = np.zeros((paragraph_slots, BANDS * ROWS), dtype=np.uint8)
        self._places = np.zeros((paragraph_slots, 2), dtype=np.uint32)
        self._added = 0
        self.looks = 0
        """Slots looked at so far: in proportion to the text compared, whatever is stored."""

    @property
    def size(self) -> int:
        """Bytes that it takes at most; the same from the first chapter on."""
        return sum(table.nbytes for table in (self._checks, self._chapters, self._bands, self._minima, self._places))

    def compare(self, sketch: ChapterSketch) -> tuple[SharedPassage, ...]:
        """Find what a chapter has in common with those added: whole paragraphs first, then wordings outside them."""
        copies = {paragraph.span: copy for paragraph in sketch.paragraphs if (copy := self._copy_of(paragraph))}
        wordings = self._wordings(sketch, list(copies))
        longest = sorted(wordings, key=lambda found: -len(found.quote))
        return (*list(copies.values())[:_PASSAGES], *longest[:_PASSAGES])

    def add(self, label: str, sketch: ChapterSketch) -> None:
        """Remember a chapter."""
        self._labels.append(label)
        chapter = len(self._labels) - 1
        slots = self._slots(sketch.prints)
        self._checks[slots] = _check(sketch.prints)
        self._chapters[slots] = chapter
        for paragraph in sketch.paragraphs:
            self._add_paragraph(chapter, paragraph)

    def _add_paragraph(self, chapter: int, paragraph: Paragraph) -> None:
        slot = self._added % (len(self._minima) - 1) + 1  # none is 0, which means empty
        self._added += 1
        self._minima[slot] = paragraph.minima
        self._places[slot] = chapter, paragraph.number
        self._bands[np.arange(BANDS), self._band_slots(paragraph)] = slot

    def _copy_of(self, paragraph: Paragraph) -> SharedPassage | None:
        """Return the most similar paragraph before, if it is similar enough."""
        met = self._bands[np.arange(BANDS), self._band_slots(paragraph)]
        met = np.unique(met[met > 0])
        self.looks += BANDS + len(met)
        if len(met) == 0:
            return None
        equal = (self._minima[met] == paragraph.minima).mean(axis=1)
        best = int(equal.argmax())
        similarity = max(0.0, (float(equal[best]) - _BY_CHANCE) / (1 - _BY_CHANCE))
        if similarity < _ALIKE:
            return None
        chapter, number = (int(value) for value in self._places[met[best]])
        return SharedPassage(
            kind="paragraph", quote=paragraph.quote, chapter=self._labels[chapter], paragraph=number,
            similarity=round(similarity, 2),
        )  # fmt: skip

    def _wordings(self, sketch: ChapterSketch, told: list[tuple[int, int]]) -> list[SharedPassage]:
        """Join prints that an earlier chapter left too, as long as they overlap and lead to the same chapter.

        Nothing is said of a wording in a paragraph that is told of as a whole.
        """
        slots = self._slots(sketch.prints)
        self.looks += len(slots)
        known = self._chapters[slots] * (self._checks[slots] == _check(sketch.prints))
        runs: list[tuple[int, int, int]] = []
        for (start, end), chapter in zip(sketch.spans, known.tolist(), strict=True):
            if chapter and runs and runs[-1][2] == chapter and start <= runs[-1][1]:
                runs[-1] = (runs[-1][0], end, chapter)
            elif chapter:
                runs.append((start, end, chapter))
        return [
            SharedPassage(
                kind="wording", quote=excerpt(sketch.text, start, end, 0)[:_QUOTE].strip("…"), chapter=self._labels[at]
            )
            for start, end, at in runs
            if not any(low <= start < high for low, high in told)
        ]

    def _slots(self, prints: Hashes) -> NDArray[np.int64]:
        return (prints % np.uint64(len(self._checks))).astype(np.int64)

    def _band_slots(self, paragraph: Paragraph) -> NDArray[np.int64]:
        return (paragraph.bands % np.uint64(self._bands.shape[1])).astype(np.int64)


def _check(prints: Hashes) -> NDArray[np.uint32]:
    return (prints >> np.uint64(32)).astype(np.uint32)
