"""Folds a text to plain letters, each with its place in the text as it was written."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat

from bookwright.agents.relay.leaks.letters import continues_letter, is_invisible, plain_letters

_REPEATS = frozenset("々〻ゝヽ")
"""Stand for the letter before them."""


@dataclass(frozen=True)
class Folded:
    """Letters without case, width, marks, script variants, spaces and signs."""

    text: str
    """The text as it was written."""
    letters: str
    starts: tuple[int, ...]
    """For each of the letters, where what it was made of begins in the text."""
    ends: tuple[int, ...]
    """And where that ends."""

    def opens(self, place: int) -> bool:
        """True if a written letter begins at that place of `letters`; a syllable has several."""
        return place == 0 or self.starts[place] != self.starts[place - 1]

    def closes(self, place: int) -> bool:
        """True if a written letter ends before that place of `letters`."""
        return place == len(self.letters) or self.starts[place] != self.starts[place - 1]

    def gap(self, place: int) -> str:
        """What shows between a letter and the one before it."""
        between = self.text[self.ends[place - 1] : self.starts[place]]
        if between == " " or not between:
            return between
        return "".join(character for character in between if not is_invisible(character))

    @cached_property
    def gaps(self) -> list[int]:
        """The places of `letters` before which something shows."""
        neighbours = zip(self.ends, self.starts[1:], strict=False)
        return [place for place, (end, start) in enumerate(neighbours, 1) if start > end and self.gap(place)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Translate a slice of `letters` into one of the text."""
        return self.starts[start], self.ends[end - 1]


def letters_of(text: str) -> str:
    """Return the `letters` of a folded text, far faster where no written letter of it has two characters."""
    letters = text.translate(_PLAIN)
    return _fold_joined(text).letters if _JOINED in letters else letters


class _Plain(dict[int, str]):
    """What each character that stands alone is in plain letters; made as they are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_joined = continues_letter(character) or character in _REPEATS
        self[code] = _JOINED if is_joined else plain_letters(character)
        return self[code]


_JOINED = "\ue000"
"""Stands for a character that cannot be folded by itself."""

_PLAIN = _Plain()


@lru_cache(maxsize=4)
def fold(text: str) -> Folded:
    """Bring a text to plain letters, in one pass; the last few are remembered, as several look at one chapter."""
    letters = list(map(_PLAIN.__getitem__, map(ord, text)))
    if _JOINED in letters:
        return _fold_joined(text)
    starts = tuple(chain.from_iterable(map(repeat, range(len(letters)), map(len, letters))))
    return Folded(text, "".join(letters), starts, tuple(map((1).__add__, starts)))


def _fold_joined(text: str) -> Folded:
    """Do so where a written letter has more than one character."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _written_letters(text):
        written = text[start:end]
        plain = letters[-1] if written in _REPEATS and letters else plain_letters(written)
        letters += plain
        starts += [start] * len(plain)
        ends += [end] * len(plain)
    return Folded(text, "".join(letters), tuple(starts), tuple(ends))


def _written_letters(text: str) -> list[tuple[int, int]]:
    """Cut a text into letters, each with the marks and invisible signs that belong to it."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and (continues_letter(text[end]) or _is_held(text, end)):
            continue
        found.append((start, end))
        start = end
    return found


def _is_held(text: str, place: int) -> bool:
    """True for an invisible sign between a letter and its mark."""
    return place + 1 < len(text) and is_invisible(text[place]) and continues_letter(text[place + 1])
