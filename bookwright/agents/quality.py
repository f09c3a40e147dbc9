"""Figures about prose that need no opinion, and the places they point at."""

import re
from collections import Counter

from bookwright.models.language import Language
from bookwright.models.prose import paragraphs, sentences

_QUOTE_CHARACTERS = 80
_SPOTS = 6
_PHRASES = 3
_WORD = re.compile(r"\w+")
_LEFTOVERS = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*\s*$|chapter \d+\s*$|第.{1,6}[章节節]\s*$|제\s*\d+\s*장\s*$)", re.IGNORECASE
)


def spots_in(text: str, language: Language) -> list[str]:
    """Find places worth a critic's look, each quoted; worst first, few or none.

    Repeated phrases, sentences that begin alike in a row, and headings left in the prose.
    """
    found = [*_leftovers(text), *_repeated_phrases(text, language), *_same_openings(text, language)]
    return found[:_SPOTS]


def tokens_of(text: str, language: Language) -> list[str]:
    """Split a text into what repeats: words for Latin and Korean script, characters for zh and ja."""
    if language in (Language.EN, Language.KO):
        return _WORD.findall(text.casefold())
    return [c for c in text if c.isalnum()]


def repetition(text: str, language: Language, size: int = 5) -> float:
    """Return the share of n-grams that occur more than once, 0 to 1."""
    grams = _grams(tokens_of(text, language), size)
    if not grams:
        return 0.0
    return sum(count for count in grams.values() if count > 1) / sum(grams.values())


def _grams(tokens: list[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1))


def _leftovers(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if _LEFTOVERS.match(line)]
    return [f'a heading stands in the prose: "{line[:_QUOTE_CHARACTERS]}"' for line in lines[:2]]


def _repeated_phrases(text: str, language: Language) -> list[str]:
    size = 6 if language in (Language.EN, Language.KO) else 10
    joint = " " if size == 6 else ""
    half = size // 2
    spots: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for gram, count in _grams(tokens_of(text, language), size).most_common():
        if count == 1 or len(spots) == _PHRASES:
            break
        pieces = {gram[start : start + half] for start in range(size - half + 1)}
        if not seen & pieces:  # else it is more of a phrase that was shown
            spots.append(f'occurs {count} times: "{joint.join(gram)}"')
        seen |= pieces
    return spots


def _same_openings(text: str, language: Language) -> list[str]:
    for paragraph in paragraphs(text):
        parts = sentences(paragraph)
        openings = [tuple(tokens_of(part, language)[: 1 if language is Language.EN else 2]) for part in parts]
        for index in range(len(openings) - 3):
            if openings[index] and len(set(openings[index : index + 4])) == 1:
                return [f'four sentences in a row open alike: "{parts[index][:_QUOTE_CHARACTERS]}"']
    return []
