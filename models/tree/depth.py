"""How much process a unit bears, by its length: a scene of a few pages is not planned like a novel.

Source: measured by blind reading (docs/prose): the more steps a short text went through, the less of
its design reached the page.
"""

from enum import StrEnum

from bookwright.models.brief import Brief
from bookwright.models.text.length import WORDS_PER_CHARACTER

_SLIGHT, _SHORT = 1_500, 12_000
"""Words below which a unit is slight, and below which it is short."""


class Depth(StrEnum):
    """How many steps the activities of a unit have."""

    FULL = "full"
    """All that the profile has."""
    SHORT = "short"
    """A chapter, or a story that is read in a sitting or two: planned once, in few large tasks, none of them judged."""
    SLIGHT = "slight"
    """A few pages: besides, one step tells the writer everything, and a first reader stands for the critic."""


def in_words(length: int, *, counts_words: bool) -> float:
    """Return a length in words or characters in words."""
    return length if counts_words else length * WORDS_PER_CHARACTER


def depth_under(brief: Brief, length: int | None) -> Depth:
    """Return the depth for a unit; an author who names planning rounds has all of it, however short the unit is."""
    words = in_words(length or 1, counts_words=brief.length_unit == "words")
    if brief.max_planning_rounds or words >= _SHORT:
        return Depth.FULL
    return Depth.SHORT if words >= _SLIGHT else Depth.SLIGHT
