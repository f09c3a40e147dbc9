"""What a text is cut into, with places: sentences, runs of two or three of them, and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bookwright.agents.relay.leaks.folding import JOINED, PLAIN, Folded, fold, is_invisible, is_spelt
from bookwright.models.text.plain import CharacterTable
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


@lru_cache(maxsize=16)
def runs_of(count: int) -> tuple[Run, ...]:
    """Return every run of one to `WIDEST` of so many sentences, by its first and then its length."""
    return tuple(Run(first, last) for first in range(count) for last in range(first, min(first + WIDEST, count)))


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


FUNCTION_WORDS = frozenset(
    "a about above after again against ago all almost alone along already also although always am among an and "
    "another any anybody anyone anything are aren around as at away back be became because become been before began "
    "behind being below beneath beside between beyond both but by came can cannot come comes coming could couldn d did "
    "didn do does doesn doing don done down during each either else enough even ever every everybody everyone "
    "everything few for from get gets getting go goes going gone got had hadn has hasn have haven having he her here "
    "hers herself him himself his how however i if in inside into is isn it its itself just keep keeps kept knew know "
    "knows less let ll made make makes making many may me might mine more most much must my myself never no nobody "
    "none nor not nothing now of off often on once one ones only onto or other others ought our ours ourselves out "
    "outside over own perhaps put quite rather re really s said same saw say says see seen several shall she should "
    "shouldn since so some somebody someone something sometimes somewhere soon still such t take taken takes than that "
    "the their theirs them themselves then there these they thing things this those though through throughout to "
    "together too took toward towards two under until up upon us ve very was wasn way we well went were weren what "
    "whatever when where whether which while who whole whom whose why will with within without won would wouldn yes "
    "yet you your yours yourself".split()
)
"""Words that tell nothing by themselves, in plain letters."""


class Token(NamedTuple):
    """A spelt word, or one written character of another script; places count characters of the text."""

    text: str
    start: int
    end: int
    is_wide: bool


def has_content(word: str) -> bool:
    """Whether a word means something by itself; a single letter or figure does not."""
    return len(word) > 1 and word not in FUNCTION_WORDS


def _apart(character: str) -> str:
    """What a character is among tokens: plain letters, spaces around those that stand alone, or a space."""
    plain = character.translate(PLAIN)
    if not plain:
        return "" if is_invisible(character) else " "
    return plain if plain == JOINED or is_spelt(plain[0]) else f" {plain} "


_APART = CharacterTable(_apart)


def fold_tokens(text: str) -> list[str]:
    """Return the tokens of a text alone."""
    apart = text.translate(_APART)
    return [token.text for token in tokens_of(fold(text))] if JOINED in apart else apart.split()


def tokens_of(folded: Folded) -> list[Token]:
    """Cut a text into spelt words and single characters of other scripts, all in plain form."""
    starts, ends, letters = folded.starts, folded.ends, folded.letters
    found: list[Token] = []
    for first, last in pairwise([0, *folded.gaps, len(letters)]):
        row = letters[first:last]
        is_word = row.isascii() and row
        found += [Token(row, starts[first], ends[last - 1], False)] if is_word else _tokens(folded, first, last)
    return found


def _tokens(folded: Folded, first: int, last: int) -> Iterator[Token]:
    """Yield the tokens among letters with nothing between them."""
    while first < last:
        end = first + 1
        is_word = is_spelt(folded.letters[first])
        while end < last and (not folded.opens(end) or (is_word and is_spelt(folded.letters[end]))):
            end += 1
        yield Token(folded.letters[first:end], folded.starts[first], folded.ends[end - 1], not is_word)
        first = end
