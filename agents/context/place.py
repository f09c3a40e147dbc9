"""Where in the book an activity stands, the book as it is there, and what was retrieved for its unit.

All activities of a unit read the same. A model condenses only what must be there and does not fit, once; it is found
again by its content. Source: DESIGN section 9, "Pruner".
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from bookwright.agents.context.allocation import OWN_PART
from bookwright.agents.context.components import BY_TAG
from bookwright.agents.context.pruner import Focus, Pruned
from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.models.brief import Brief
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.models.tree.place import ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.ranking import weights
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.stores import Stores

_MOST_TASKS = 200
"""Tasks of one look: more than a whole path of units has."""

_KNOWN_UNITS = 32


@dataclass(frozen=True)
class ActivityPlace:
    """Where in the book an activity stands, and the book as it is there."""

    node: TaskNode
    unit: TaskNode
    activity: Activity
    ancestors: tuple[TaskNode, ...]
    """The units above the unit, nearest first."""
    stores: Stores
    brief: Brief
    locale: str
    """The language of the prompts."""

    @cached_property
    def reading(self) -> ReadingOrder:
        """The order in which the book is read."""
        return self.stores.codex.reading_order()

    def tasks(self, parents: Iterable[int]) -> list[TaskNode]:
        """Return the newest design and search tasks right below some nodes, in the order they were planned."""
        children = self.stores.nodes.children
        below = [task for parent in parents for task in children(parent, TaskType.DESIGN, TaskType.SEARCH)]
        newest = sorted(below, key=lambda task: (task.ordinal, task.key))[-_MOST_TASKS:]
        return sorted(newest, key=lambda task: order_of(task.label))

    @property
    def is_dividing(self) -> bool:
        """True where the next thing written comes after the unit's present parts."""
        return self.activity is Activity.DIVIDE

    @property
    def is_for_writer(self) -> bool:
        """True where prose is written: those eyes know no labels."""
        return self.activity is Activity.WRITE

    @property
    def written_before(self) -> tuple[int, ...]:
        """Reading order that finished text has to come before, to be the story so far."""
        return (*self.unit.order[:-1], self.unit.ordinal + 1) if self.is_dividing else self.unit.order

    @property
    def plan_words(self) -> str:
        """What the unit is to hold, in the words of its plan."""
        return _words_of(self.unit)

    @cached_property
    def unit_focus(self) -> Focus:
        """What the unit is about; the same for all its activities."""
        return weights(self.plan_words)

    @cached_property
    def focus(self) -> Focus:
        """What the node is about, and its unit."""
        return weights(f"{_words_of(self.node)}\n{self.plan_words}")


def _words_of(node: TaskNode) -> str:
    lists = (node.instructions, node.input_brief, node.constraints, node.acceptance_criteria)
    return "\n".join([node.title, node.goal, *(item for items in lists for item in items)])


@dataclass
class RetrievalCache:
    """What the contexts of one book share: its index, its token counts, and the newest retrievals."""

    index: KnowledgeIndex
    count: Callable[[str], int]
    profile: Profile
    director: ContinuityDirector = field(default_factory=ContinuityDirector)
    _retrieved: OrderedDict[tuple[Hashable, ...], Pruned] = field(default_factory=OrderedDict, init=False)
    """What was retrieved once for a unit, by component, unit, revision, room and whatever else decides it."""
    _replaced: int = field(default=0, init=False)
    """How many times texts had been replaced when that was retrieved."""

    def forget_before(self, replaced: int) -> None:
        """Empty the cache if texts have been replaced since it was filled."""
        if replaced != self._replaced:
            self._retrieved.clear()
            self._replaced = replaced

    def once(self, key: tuple[Hashable, ...], retrieve: Callable[[], Pruned]) -> Pruned:
        """Return what was retrieved under this key, retrieving it first if need be."""
        if key not in self._retrieved:
            self._retrieved[key] = retrieve()
        self._retrieved.move_to_end(key)
        while len(self._retrieved) > _KNOWN_UNITS:
            self._retrieved.popitem(last=False)
        return self._retrieved[key]

    def short(self, text: str, room: int, stores: Stores) -> str:
        """Return a text, or where it does not fit the condensed form that a model made of it."""
        if self.count(text) <= room or not self.profile.condenses:
            return text
        return stores.steps.answer(Activity.CONDENSE, name_of(text, self.profile)) or text


_PART = 0.3
"""Of the block's room, for each of the two texts in it: the author's premise and the book's design.

What is left goes to the sentences of the whole design that bear most on the task in hand.
"""


def room_of(profile: Profile) -> int:
    """Return how many tokens of a premise, or of a book's design, a prompt of the walk has room for."""
    block = (profile.context_budget["planner"] - OWN_PART) * BY_TAG["book_level_design"].share
    return round(block * _PART)


def name_of(text: str, profile: Profile) -> str:
    """Return the journal's name for condensing a text: the same text for the same room is the same step."""
    return f"condense.{text_hash(text)[:16]}.{room_of(profile)}"
