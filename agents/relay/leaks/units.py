"""The sentences of a draft with their places, and runs of two or three of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bookwright.models.text.prose import paragraphs, sentences

WIDEST = 3
"""Sentences of a run: a leak is seldom spread over more."""

_LONGEST = 240
"""Characters of a sentence; what has no ends is cut at its commas."""

_CUT = re.compile(rf".{{1,{_LONGEST}}}(?:[,;:，；：、\s]|$)|.{{1,{_LONGEST}}}", re.DOTALL)


@dataclass(frozen=True)
class Sentence:
    """One sentence; places count characters of the draft."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Run:
    """Neighbouring sentences, by their numbers."""

    first: int
    last: int
    """The last one, included."""

    @property
    def count(self) -> int:
        """How many sentences it has."""
        return self.last - self.first + 1

    def span(self, sentences: Sequence[Sentence]) -> tuple[int, int]:
        """Return where it begins and ends in the draft."""
        return sentences[self.first].start, sentences[self.last].end

    def overlaps(self, other: "Run") -> bool:
        """Whether the two share a sentence."""
        return self.first <= other.last and other.first <= self.last


def sentences_of(draft: str) -> list[Sentence]:
    """Cut a draft into sentences, in order."""
    found: list[Sentence] = []
    place = 0
    for paragraph in paragraphs(draft):
        for whole in sentences(paragraph):
            for piece in _pieces(whole):
                place = draft.index(piece, place)
                found.append(Sentence(piece, place))
                place += len(piece)
    return found


def runs_of(count: int) -> Iterator[Run]:
    """Yield every run of one to `WIDEST` of so many sentences, by its first and then its length."""
    for first in range(count):
        yield from (Run(first, last) for last in range(first, min(first + WIDEST, count)))


def spared(sentences: Sequence[Sentence], expressions: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences' texts without the expressions that may be said, whatever their case and spacing."""
    patterns = [r"\s+".join(map(re.escape, expression.split())) for expression in expressions if expression.strip()]
    if not patterns:
        return tuple(sentence.text for sentence in sentences)
    allowed = re.compile("|".join(sorted(patterns, key=len, reverse=True)), re.IGNORECASE)
    return tuple(allowed.sub(" ", sentence.text) for sentence in sentences)


def _pieces(sentence: str) -> list[str]:
    if len(sentence) <= _LONGEST:
        return [sentence]
    return [piece.strip() for piece in _CUT.findall(sentence) if piece.strip()]
