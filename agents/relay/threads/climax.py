"""Where a book comes to its height next, as far as what is planned around a unit says so."""

import re
from collections.abc import Iterable

from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_CLIMAX = re.compile(r"\bclimax(?:es)?\b|\bclimactic\b|高潮|クライマックス|山場|절정|클라이맥스", re.IGNORECASE)


def climax_ahead(unit: TaskNode, stores: Stores, reading: ReadingOrder) -> Place | None:
    """Return the chapter of the nearest climax from a unit on; None where nothing that is planned names one.

    Read are the unit itself and the titles of its designs, its siblings that wait, and what its parent foresees.
    """
    here = reading.chapter_of(unit.label)
    designs = [f"{task.title} {task.goal}" for task in stores.nodes.children(unit.key, TaskType.DESIGN)]
    if _names_climax([*_planned_words(unit), *designs]):
        return Place(chapter=here)
    if unit.parent is None:
        return None
    waiting = stores.nodes.waiting_units(unit.parent)
    at = next((reading.chapter_of(node.label) for node in waiting if _names_climax(_planned_words(node))), None)
    foreseen = stores.nodes.get(unit.parent).outline
    number = next((number for number, line in enumerate(foreseen, here + 1) if _names_climax([line])), None)
    nearest = at or number
    return Place(chapter=nearest) if nearest else None


def _planned_words(unit: TaskNode) -> tuple[str, ...]:
    return (unit.title, unit.goal, *unit.instructions, *unit.acceptance_criteria)


def _names_climax(texts: Iterable[str]) -> bool:
    return any(_CLIMAX.search(text) for text in texts)
