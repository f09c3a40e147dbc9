"""Where a unit stands in its book: its name in the Relay, the phase of the book, and the climax ahead.

Source: REQUIREMENTS C-14, S2-013.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

PHASE_ORDER = (("initial", 25), ("development", 75), ("climax", 90), ("resolution", 100))
"""The phases of a book, each with the percent of its length at which it ends. Those of an entry are its own."""


@dataclass(frozen=True)
class SceneIdentifier:
    """A unit by the number of its chapter; it leads back to the unit."""

    episode_id: str
    """The number of its chapter; the label of a unit that lies in none."""
    sequence_id: str | None = None
    """Where it lies in its chapter, such as `"2"` or `"2.1"`; None for a whole chapter."""
    chapter_id: str | None = None
    """The label of the unit above its chapter, which is an act where the book has acts."""
    current_phase: str | None = None
    """Which of `PHASE_ORDER` the book is in there; None where its length is not known yet."""

    def __str__(self) -> str:
        """The unit in one word, such as `"ep:10/seq:2/ch:1.3"`; parts that it has not are left out."""
        parts = (("ep", self.episode_id), ("seq", self.sequence_id), ("ch", self.chapter_id))
        return "/".join(f"{name}:{part}" for name, part in parts if part)

    @property
    def key(self) -> str:
        """The key of its caches."""
        return f"{self.episode_id}:{self.sequence_id or ''}"


def scene_of(label: str, reading: ReadingOrder) -> SceneIdentifier:
    """Return a unit's name in the Relay."""
    number = reading.chapter_of(label)
    chapter = next(iter(reading.chapters[number - 1 : number]), label)
    if number <= len(reading.chapters) and (label == chapter or label.startswith(f"{chapter}.")):
        inside = label[len(chapter) + 1 :] or None
        return SceneIdentifier(str(number), inside, chapter.rpartition(".")[0] or None, _phase_of(number, reading))
    return SceneIdentifier(label, None, label.rpartition(".")[0] or None)


def _phase_of(number: int, reading: ReadingOrder) -> str | None:
    """The phase in which a chapter begins, by how much of the book lies before it."""
    if len(reading.ends) < number:
        return None
    before = reading.ends[number - 2] if number > 1 else 0.0
    return next((name for name, end in PHASE_ORDER if before < end), PHASE_ORDER[-1][0])


_CLIMAX = re.compile(r"\bclimax(?:es)?\b|\bclimactic\b|高潮|クライマックス|山場|절정|클라이맥스", re.IGNORECASE)


def climax_ahead(unit: TaskNode, stores: Stores, reading: ReadingOrder) -> Place | None:
    """Return the chapter of the nearest climax from a unit on; None where nothing that is planned names one.

    Read are the unit itself and the titles of its designs, its siblings that wait, and what its parent foresees.
    """
    here = reading.chapter_of(unit.label)
    designs = [f"{task.title} {task.goal}" for task in stores.nodes.design_tasks(unit.key)]
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
