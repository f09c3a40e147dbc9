"""The order for a book as whoever writes a unit of it reads it: the author's words, and where the unit stands.

Source: DESIGN section 9; S3-130.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bookwright.agents.cards import book_card, node_card
from bookwright.agents.context.retrieval_cache import RetrievalCache
from bookwright.models.brief import Brief
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_book_order
from bookwright.storage.stores import Stores

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


def commission_of(
    unit: TaskNode, brief: Brief, stores: Stores, kit: RetrievalCache, room: int, shorten: Shorten
) -> str:
    """Return the order, whole but for a premise that has not room enough."""
    book, place = book_card(brief), place_of(unit, stores)

    def printed(premise: str) -> str:
        return render_book_order(replace(book, premise=premise), node_card(unit), place, kit.locale)

    left = room - kit.count(printed(""))
    return printed(shorten(brief.premise, left) if left >= _LEAST_PREMISE else "")


def place_of(unit: TaskNode, stores: Stores) -> UnitPlace:
    """Return where a unit stands: a chapter in its book, a finer unit in what is right above it."""
    if unit.parent is None:
        return UnitPlace()
    above = stores.nodes.ancestors(unit)
    chapters = stores.codex.reading_order().chapters
    before = tuple(own.title for own in stores.nodes.units_before(unit, _NEIGHBOURS, level=unit.level) if own.title)
    if unit.label in chapters and unit.depth > 1:
        number, count = chapters.index(unit.label) + 1, len(chapters)
        is_settled = all(own.is_last for own in (unit, *above[:-1]))
        return UnitPlace(number, _foreseen(number, count, above[-1], unit, is_settled), is_settled, before=before)
    siblings = stores.nodes.children(above[0].key, TaskType.WRITE)
    number, is_settled = _index_of(unit, siblings), siblings[-1].is_last
    chapter = 0 if unit.label in chapters else stores.codex.reading_order().chapter_of(unit.label)
    count = _foreseen(number, len(siblings), above[0], unit, is_settled)
    return UnitPlace(number, count, is_settled, chapter, before)


def _index_of(unit: TaskNode, siblings: Sequence[TaskNode]) -> int:
    return next(number for number, own in enumerate(siblings, 1) if own.key == unit.key)


def _foreseen(number: int, count: int, above: TaskNode, unit: TaskNode, is_settled: bool) -> int:
    """How many there are, or will be if all that the unit above holds is as long as this one."""
    if is_settled:
        return count
    likely = round((above.length or 1) / max(unit.length or 1, 1))
    return max(likely, count, number + 1)
