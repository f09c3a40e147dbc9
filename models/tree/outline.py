"""An author's own outline: the design of the book as far as they have it, and the units that they foresee."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from bookwright.models.frozen import FrozenModel

MOST_UNITS = 5_000
MOST_DEPTH = 3
"""Volumes, parts and chapters."""


class OutlineUnit(FrozenModel):
    """One part or chapter that the author foresees."""

    title: str = Field(max_length=120)
    goal: str = Field(default="", max_length=1_200)
    design: str = ""
    """What is settled of it, as Markdown; empty leaves it to the planner."""
    length: int | None = Field(default=None, gt=0)
    """In the book's unit; None leaves it to the engine."""
    story_time: str = ""
    """When it happens in the story, in words; empty where the author does not say."""
    units: tuple["OutlineUnit", ...] = ()
    """The chapters of a part, the parts of a volume."""

    @property
    def own_length(self) -> int | None:
        """Its length, or that of its chapters together where each has one."""
        return self.length or (length_of(self.units) if self.units else None)

    @property
    def weight(self) -> int:
        """How many chapters it is."""
        return sum(unit.weight for unit in self.units) or 1

    @property
    def has_parts(self) -> bool:
        """True for a volume whose chapters stand in parts."""
        return any(unit.units for unit in self.units)

    def every(self) -> "Iterator[OutlineUnit]":
        """Yield it and all that is in it, in their order."""
        yield self
        for unit in self.units:
            yield from unit.every()


class Outline(FrozenModel):
    """All that an author has settled before the book is begun."""

    title: str = ""
    design: str = ""
    """What holds for the whole book, as Markdown."""
    units: tuple[OutlineUnit, ...]

    @property
    def has_parts(self) -> bool:
        """True where chapters stand in parts."""
        return any(unit.units for unit in self.units)

    @property
    def has_volumes(self) -> bool:
        """True where parts stand in volumes."""
        return any(unit.has_parts for unit in self.units)

    def every(self) -> Iterator[OutlineUnit]:
        """Yield all units in their order."""
        for unit in self.units:
            yield from unit.every()

    def below(self, path: Sequence[int]) -> tuple[OutlineUnit, ...]:
        """Return the units below one that lies at a path of places, from 1; below the book for an empty path."""
        units = self.units
        for place in path:
            units = units[place - 1].units if place <= len(units) else ()
        return units


def length_of(units: Sequence[OutlineUnit]) -> int | None:
    """Return how long some units are together; None where one of them does not say."""
    lengths = [unit.own_length for unit in units]
    return sum(length for length in lengths if length) if all(lengths) else None
