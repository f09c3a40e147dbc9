"""Compares a chapter with all before it, from a memory of fixed size: the hundredth costs what the second did."""

import numpy as np
from numpy.typing import NDArray

from bookwright.agents.relay.figures.sketch import BANDS, ROWS, ChapterSketch, Hashes, Paragraph, sketch_of
from bookwright.agents.relay.figures.text import excerpt
from bookwright.models.text.figures import SharedPassage
from bookwright.models.text.language import Language

_ALIKE = 0.6
"""Shingles that a near-copy shares, at least, of all that the two paragraphs have."""
_BY_CHANCE = 1 / 256
_PASSAGES = 12
_QUOTE = 160
_WORDING_SLOTS = 2**22
_PARAGRAPH_SLOTS = 2**18


class BookSketch:
    """Fingerprints of all earlier chapters: about 80 MB when full, and little is full before some 5 000 000 words.

    A slot that is wanted twice goes to the newer chapter. So what was said long ago is forgotten first, and
    a long copy, which left many prints, last.
    """

    def __init__(
        self, language: Language, wording_slots: int = _WORDING_SLOTS, paragraph_slots: int = _PARAGRAPH_SLOTS
    ) -> None:
        self._language = language
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

    def sketch(self, text: str) -> ChapterSketch:
        """Sketch a chapter in the book's language."""
        return sketch_of(text, self._language)

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
