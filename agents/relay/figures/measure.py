"""All figures of a chapter at once, and of the chapters of a book one after the other.

And what one text says twice: passages word for word, and sentences that begin alike.
"""

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from bookwright.agents.relay.figures.across import BookSketch, ChapterSketch, sketch_of
from bookwright.agents.relay.figures.dialogue import dialogue_share
from bookwright.agents.relay.figures.names import name_doubts
from bookwright.agents.relay.figures.stock import StockList, stock_in
from bookwright.agents.relay.figures.style import rhythm_of
from bookwright.agents.relay.figures.text import all_sentences, first_tokens, tokens_with_places
from bookwright.models.text.figures import Figures, Repeated, Repetition
from bookwright.models.text.language import Language

_SIZE = {Language.EN: 5, Language.KO: 4, Language.ZH: 8, Language.JA: 10}
"""Tokens of a passage that is no accident if it comes twice."""
_OPENING = {Language.EN: 2, Language.KO: 1, Language.ZH: 2, Language.JA: 3}
_STOP = re.compile(r"[.!?。！？…\n]+")
_PHRASES = 8
_OPENINGS = 5
_QUOTE = 120


class Measurer:
    """Measures the chapters of one book in reading order, each beside those before it."""

    def __init__(self, language: Language, phrases: StockList, known_names: Iterable[str] = ()) -> None:
        self._language = language
        self._phrases = phrases
        self._known = tuple(known_names)
        self._book: BookSketch | None = None
        """What the chapters taken in left; made with the first of them, as it is large."""

    def measure(self, text: str, target: int | None = None) -> Figures:
        """Measure a text beside the chapters taken in; nothing is remembered of it."""
        text = unicodedata.normalize("NFC", text)
        return self._figures(text, target, sketch_of(text, self._language) if self._book else None)

    def take_in(self, label: str, text: str, target: int | None = None) -> Figures:
        """Measure a chapter and remember it for those that come after."""
        text = unicodedata.normalize("NFC", text)
        sketch = sketch_of(text, self._language)
        figures = self._figures(text, target, sketch)
        self._book = self._book or BookSketch()
        self._book.add(label, sketch)
        return figures

    def _figures(self, text: str, target: int | None, sketch: ChapterSketch | None) -> Figures:
        language = self._language
        return Figures(
            length=language.measure(text), target=target, dialogue=round(dialogue_share(text, language), 4),
            rhythm=rhythm_of(text, language), repetition=repetition_of(text, language),
            stock=stock_in(text, language, self._phrases),
            shared=self._book.compare(sketch) if self._book and sketch else (),
            names=name_doubts(text, self._known, language) if self._known else (),
        )  # fmt: skip


def repetition_of(text: str, language: Language) -> Repetition:
    """Find what a text repeats."""
    openings = _openings(text, language)
    share, phrases = _phrases(text, language)
    alike = sum(a == b for a, b in pairwise(openings))
    common = [(quote, count) for quote, count in Counter(openings).most_common(_OPENINGS) if count > 1]
    return Repetition(
        share=round(share, 4),
        phrases=tuple(phrases),
        openings=tuple(Repeated(quote=quote, count=count) for quote, count in common),
        alike_share=round(alike / (len(openings) - 1), 4) if len(openings) > 1 else 0.0,
    )


def _phrases(text: str, language: Language) -> tuple[float, list[Repeated]]:
    """Return the share of n-grams that come back, and the longest wording of each passage that does."""
    found: dict[tuple[str, ...], Repeated] = {}
    size = _SIZE[language]
    tokens, grams = _grams(text, size, language)
    counts = Counter(filter(None, grams))
    place = repeated = 0
    while place < len(grams):
        count = counts[grams[place]]
        end = place + 1
        while count > 1 and end < len(grams) and counts[grams[end]] == count:
            end += 1
        if count > 1:
            repeated += end - place
            words = tuple(token for token, _, _ in tokens[place : end + size - 1])
            quote = " ".join(text[tokens[place][1] : tokens[end + size - 2][2]].split())
            found.setdefault(words, Repeated(quote=quote[:_QUOTE], count=count))
        place = end
    weightiest = sorted(found.items(), key=lambda item: -len(item[0]) * (item[1].count - 1))
    return repeated / max(counts.total(), 1), [repeated for _, repeated in weightiest[:_PHRASES]]


def _grams(text: str, size: int, language: Language) -> tuple[list[tuple[str, int, int]], list[tuple[str, ...]]]:
    """Return the tokens, and the n-gram that begins with each; empty where a sentence ends within it."""
    tokens = tokens_with_places(text, language)
    stops = [match.start() for match in _STOP.finditer(text)]
    sentence = [bisect(stops, start) for _, start, _ in tokens]
    words = [token for token, _, _ in tokens]
    grams = [
        tuple(words[i : i + size]) if sentence[i] == sentence[i + size - 1] else ()
        for i in range(len(words) - size + 1)
    ]
    return tokens, grams


def _openings(text: str, language: Language) -> list[str]:
    size = _OPENING[language]
    joint = " " if language.is_spaced else ""
    return [joint.join(first_tokens(sentence, language, size)) for sentence in all_sentences(text, language)]
