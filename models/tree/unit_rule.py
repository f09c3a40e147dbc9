"""Which units of a book an author means: one small grammar for all that is asked for at some places of a book.

```
1.4                     the unit with this label, as `tree` shows it
chapter 3, or 3         the third chapter of the book
volume 2, act 2         the second of the book's own parts
chapters                every chapter; so with volumes, acts, scenes, beats and paragraphs
chapters of 2           every chapter of the book's second part; also `chapters of volume 2`, `scenes of 1.4`
openings, ends          what opens or ends the book or a volume
climaxes                where the plan puts a climax
turning_points          climaxes, and where a quarter, half and three quarters of the book are reached
```

`every climax` and `every chapter of 2` say the same as `climaxes` and `chapters of 2`.
"""

import re
from collections.abc import Collection
from enum import StrEnum
from typing import Any

from bookwright.models.frozen import FrozenModel
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import chapter_number

LANGUAGE = (
    "a label (1.4), chapter 3, volume 2, a level in the plural (chapters), one within a part (chapters of 2, "
    "scenes of chapter 3), openings, ends, climaxes or turning_points"
)
"""What a rule may be, in words."""

_LABEL = re.compile(r"1(?:\.[1-9][0-9]{0,8})*", re.ASCII)
_ORDINAL = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_NAMED = re.compile(r"(volume|act) ([1-9][0-9]{0,5})", re.ASCII)
_PLURALS = {f"{level.value}s": level for level in Level if level is not Level.BOOK}


class Position(StrEnum):
    """Where in a story's build a unit stands."""

    OPENINGS = "openings"
    ENDS = "ends"
    CLIMAXES = "climaxes"
    TURNING_POINTS = "turning_points"


_POSITIONS = {position.value: position for position in Position} | {
    "opening": Position.OPENINGS, "end": Position.ENDS, "climax": Position.CLIMAXES,
    "turning points": Position.TURNING_POINTS, "turning point": Position.TURNING_POINTS,
}  # fmt: skip


class Spot(FrozenModel):
    """One unit, as a rule names it: by its label, as a chapter of the book, or as one of the book's own parts."""

    label: str = ""
    chapter: int = 0
    part: int = 0
    """The book's second part, of whatever level its parts are; 0 for none."""
    level: Level | None = None
    """Which level that part has to have; None for any."""


class UnitRule(FrozenModel):
    """A rule by which units are chosen; in files and JSON its words, nothing more."""

    words: str
    """As it is kept and shown."""
    position: Position | None = None
    level: Level | None = None
    """Every unit of a level."""
    spot: Spot | None = None
    """The unit that is meant; with a `level` the one within which all are."""

    @classmethod
    def parse(cls, text: str) -> "UnitRule":
        """Read a rule; `ValueError` is raised for what is none."""
        words = " ".join(text.replace("_", " ").split()).casefold()
        bare = words.removeprefix("every ").removeprefix("all ")
        if bare in _POSITIONS:
            position = _POSITIONS[bare]
            return cls(words=position.value, position=position)
        plural, is_within, within = bare.partition(" of ")
        level = _PLURALS.get(plural) or _PLURALS.get(f"{plural}s" if bare != words else plural)
        if level is not None:
            spot = _spot(within, is_part=True) if is_within else None
            if spot is not None or not is_within:
                return cls(
                    words=f"{level.value}s of {within}" if is_within else f"{level.value}s", level=level, spot=spot
                )
        elif (spot := _spot(words)) is not None:
            return cls(words=words, spot=spot)
        raise ValueError(f"{text[:60]!r} names no units of a book; say {LANGUAGE}")


def rules_of(texts: Any, words: Collection[str] = ()) -> tuple[str, ...]:
    """Return the rules that stand in a list or, with commas between them, in one text; each once, as it is kept.

    `words` are names of something else that may stand among them.

    Raises:
        ValueError: One is no rule.
    """
    if not isinstance(texts, (str, list, tuple)):
        raise ValueError("is no list of names")
    parts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, str) and not all(str(part).strip() for part in parts):
        raise ValueError(f"an empty name names no units of a book; say {LANGUAGE}")
    named = [part.strip() for text in parts for part in str(text).split(",") if part.strip()]
    return tuple(dict.fromkeys(name if name in words else UnitRule.parse(name).words for name in named))


def _spot(words: str, *, is_part: bool = False) -> Spot | None:
    if words in ("book", "the book"):
        return Spot(label="1")
    if _LABEL.fullmatch(words) and not (is_part and _ORDINAL.fullmatch(words)):
        return Spot(label=words)
    if is_part and _ORDINAL.fullmatch(words):
        return Spot(part=int(words))
    if found := _NAMED.fullmatch(words):
        return Spot(part=int(found[2]), level=Level(found[1]))
    number = chapter_number(words)
    return Spot(chapter=number) if number is not None else None
