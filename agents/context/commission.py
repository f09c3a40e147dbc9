"""The order for a book as whoever writes a unit of it reads it: the author's words, and where the unit stands.

Source: DESIGN section 9; S3-130.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bookwright.agents.cards import book_card, node_card
from bookwright.agents.context.place import ActivityPlace
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_book_order

_NEIGHBOURS = 5
"""Titles of units before this one that are told."""

_LEAST_PREMISE = 40
"""Tokens below which a part of a premise tells nothing."""

Shorten = Callable[[str, int], str]


@dataclass(frozen=True)
class UnitPlace:
    """Where a unit stands among those of its kind."""

    number: int = 0
    """From 1; 0 for a book in one piece."""
    count: int = 0
    is_settled: bool = True
    """Whether there will be just so many, or about so many."""
    chapter: int = 0
    """The number of the chapter that the unit lies in; 0 for a chapter itself and what stands in its place."""
    before: tuple[str, ...] = ()
    """The titles of the last units before it, nearest last."""


def commission_of(place: ActivityPlace, room: int, count: Callable[[str], int], shorten: Shorten) -> str:
    """Return the order, whole but for a premise that has not room enough."""
    book, stands = book_card(place.brief), place_of(place)

    def printed(premise: str) -> str:
        return render_book_order(replace(book, premise=premise), node_card(place.unit), stands, place.locale)

    left = room - count(printed(""))
    return printed(shorten(place.brief.premise, left) if left >= _LEAST_PREMISE else "")


def place_of(place: ActivityPlace) -> UnitPlace:
    """Return where a unit stands: a chapter in its book, a finer unit in what is right above it."""
    unit, above, nodes = place.unit, place.ancestors, place.stores.nodes
    if unit.parent is None:
        return UnitPlace()
    chapters = place.reading.chapters
    before = tuple(own.title for own in nodes.units_before(unit, _NEIGHBOURS, level=unit.level) if own.title)
    if unit.label in chapters and unit.depth > 1:
        number, count = chapters.index(unit.label) + 1, len(chapters)
        is_settled = all(own.is_last for own in (unit, *above[:-1]))
        return UnitPlace(number, _foreseen(number, count, above[-1], unit, is_settled), is_settled, before=before)
    siblings = nodes.children(above[0].key, TaskType.WRITE)
    number, is_settled = [own.key for own in siblings].index(unit.key) + 1, siblings[-1].is_last
    chapter = 0 if unit.label in chapters else place.reading.chapter_of(unit.label)
    count = _foreseen(number, len(siblings), above[0], unit, is_settled)
    return UnitPlace(number, count, is_settled, chapter, before)


def _foreseen(number: int, count: int, above: TaskNode, unit: TaskNode, is_settled: bool) -> int:
    """How many there are, or will be if all that the unit above holds is as long as this one."""
    if is_settled:
        return count
    likely = round((above.length or 1) / max(unit.length or 1, 1))
    return max(likely, count, number + 1)
