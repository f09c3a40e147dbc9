"""The seven narrative levels, their usual lengths, and which one a unit divides into."""

from enum import StrEnum


class Level(StrEnum):
    """One level of the tree, coarsest first."""

    BOOK = "book"
    VOLUME = "volume"
    ACT = "act"
    CHAPTER = "chapter"
    SCENE = "scene"
    BEAT = "beat"
    PARAGRAPH = "paragraph"

    @property
    def depth(self) -> int:
        """0 for the book, 6 for a paragraph."""
        return _ORDER[self]

    @property
    def bounds(self) -> tuple[int, int]:
        """Shortest and longest usual length, in the book's unit. Source: DESIGN section 4."""
        return _SIZES[self][0]

    @property
    def usual_length(self) -> int:
        """The length a child of this level gets where nothing else decides."""
        return _SIZES[self][1]

    @property
    def finer(self) -> tuple["Level", ...]:
        """The levels below this one, coarsest first."""
        return _FINER[self]

    def is_at_least(self, other: "Level") -> bool:
        """True if this level is `other` or coarser."""
        return self.depth <= other.depth


_ORDER = {level: depth for depth, level in enumerate(Level)}
_FINER = {level: tuple(Level)[depth + 1 :] for level, depth in _ORDER.items()}
_SIZES = {
    Level.BOOK: ((1, 5_000_000), 100_000),
    Level.VOLUME: ((50_000, 500_000), 150_000),
    Level.ACT: ((20_000, 50_000), 30_000),
    Level.CHAPTER: ((2_000, 5_000), 3_000),
    Level.SCENE: ((500, 3_000), 1_000),
    Level.BEAT: ((50, 500), 300),
    Level.PARAGRAPH: ((1, 300), 80),
}
"""The bounds of each level's length, and its usual length."""

_VOLUME = {"words": 100_000, "characters": 160_000}


def level_of_parts(mean: float, length_unit: str) -> Level:
    """Tell whether the parts into which an author divides a book are volumes or acts, by their mean length."""
    return Level.VOLUME if mean >= _VOLUME[length_unit] else Level.ACT


def child_level(level: Level, length: int) -> Level | None:
    """Choose what a unit of this level and length divides into.

    The coarsest finer level whose lower bound is at most a third of the length, so a short book
    skips the levels it does not need; None for a paragraph. Source: DESIGN section 4, "Levels".
    """
    return next((finer for finer in level.finer if finer.bounds[0] * 3 <= length), None)


def usual_child_length(child: Level, max_unit_length: int) -> int:
    """The usual length of a child of this level; where it is written, no more than may be written at once."""
    return child.usual_length if child.is_at_least(Level.ACT) else min(child.usual_length, max_unit_length)


def division_is_incremental(child: Level) -> bool:
    """True where children are made one at a time, each after the former is closed.

    Down to the chapter; scenes, beats and paragraphs are all made at once. Source: I-01.
    """
    return child.is_at_least(Level.CHAPTER)
