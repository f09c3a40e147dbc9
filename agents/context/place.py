"""Where in the book an activity stands, and the book as it is there."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bookwright.agents.context.pruner import Focus
from bookwright.models.brief import Brief
from bookwright.models.step import Activity
from bookwright.models.tree.place import ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.ranking import weights
from bookwright.storage.stores import Stores

_MOST_TASKS = 200
"""Tasks of one look: more than a whole path of units has."""


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
