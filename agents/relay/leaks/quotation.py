"""Finds setting text that stands in a draft letter by letter."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bookwright.agents.relay.leaks.folding import Folded, fold, is_spelt, letters_of

CHARACTERS = 20
"""Characters that make a quotation, signs and spaces included. Source: DETAILS "Leak checks and thresholds"."""

WORDS = 6
"""And words that it has at least where words are spelt: twenty letters are three words, which any two texts share."""

_GRAM = 12
"""Letters by which quotations are looked up; a quotation has more of them in every script."""

_REPEATS = 16
"""Places of one run of letters in a text that are tried, so that a text of one letter costs no more than others."""

_TRIED_AGAIN = 4 * _GRAM
"""Letters of a shared run that is no quotation (it has too few words) up to which one is sought inside it."""


@dataclass(frozen=True)
class Quoted:
    """A run of characters that the draft shares with a setting text; places count those of the draft."""

    start: int
    end: int
    setting: int
    """Which of the texts, from 0."""


def find_quotations(draft: Folded, settings: Sequence[str]) -> list[Quoted]:
    """Return the longest shared runs, in the order of the texts and of the draft.

    Takes time in proportion to the length of draft and texts together: the draft is read once
    along the places of its twelve-letter runs in a text, never compared place by place.
    """
    return [
        Quoted(*draft.span(start, end), number)
        for number, text in enumerate(settings)
        for start, end in _shared(draft, fold(text))
    ]


def _shared(draft: Folded, setting: Folded) -> list[tuple[int, int]]:
    """Return slices of the draft's letters that stand in the setting and are long enough."""
    places = _places(setting.letters, _grams(draft.letters))
    found: list[tuple[int, int]] = []
    start = 0
    while places and start <= len(draft.letters) - _GRAM:
        there = places.get(draft.letters[start : start + _GRAM])
        end = max(_common_end(draft.letters, start, setting.letters, place) for place in there) if there else start
        if end > start and is_long_enough(draft.text[slice(*draft.span(start, end))]):
            found.append((start, end))
            start = end
        else:
            start = end if end - start > _TRIED_AGAIN else start + 1
    return found


@lru_cache(maxsize=2)
def _grams(letters: str) -> frozenset[str]:
    """The runs of `_GRAM` letters of a draft, which is held against one setting text after the other."""
    return frozenset(letters[place : place + _GRAM] for place in range(len(letters) - _GRAM + 1))


def _places(letters: str, wanted: Collection[str]) -> dict[str, list[int]]:
    """Return where each of the wanted runs of `_GRAM` letters begins, the first few places each."""
    found: dict[str, list[int]] = {}
    for place in [at for at in range(len(letters) - _GRAM + 1) if letters[at : at + _GRAM] in wanted]:
        known = found.setdefault(letters[place : place + _GRAM], [])
        if len(known) < _REPEATS:
            known.append(place)
    return found


def _common_end(draft: str, start: int, setting: str, there: int) -> int:
    limit = min(len(draft) - start, len(setting) - there)
    step = next((step for step in range(_GRAM, limit) if draft[start + step] != setting[there + step]), limit)
    return start + step


def is_long_enough(text: str) -> bool:
    """Whether so much of a setting text is a quotation."""
    words = text.strip()
    if len(words) < CHARACTERS:
        return False
    return not is_spelt(letters_of(words[0])[:1] or words[0]) or len(words.split()) >= WORDS
