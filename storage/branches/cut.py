"""Decides, for a fork, which nodes of the origin the branch has, which of them are open again, and which it lacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus


class Part(IntEnum):
    """On which side of the fork a node of the origin stands."""

    BEFORE = 0
    """It is shared as it stands."""
    ABOVE = 1
    """It holds the place of the fork, and so is not finished."""
    OPENED = 2
    """It is planned, and to be done again."""
    LEFT_OUT = 3


class CutNode(NamedTuple):
    """The columns of a node that decide on which side of a fork it stands."""

    key: int
    label: str
    task_type: str
    status: str
    written: int


@dataclass(frozen=True)
class Cut:
    """The nodes of an origin by what they are to the branch; those that are in none of these stand before."""

    above: Mapping[int, int] = field(default_factory=dict)
    """By key, how much less is written in each."""
    opened: frozenset[int] = frozenset()
    left_out: frozenset[int] = frozenset()

    @property
    def is_partial(self) -> bool:
        """False for a branch that has the whole book."""
        return bool(self.opened)


def cut_at(label: str, found: Iterable[CutNode]) -> Cut:
    """Part a book's nodes at a unit: it and its later neighbours are open again, what was planned after is left out."""
    place = order_of(label)
    above: dict[tuple[int, ...], int] = {}
    opened: dict[tuple[int, ...], CutNode] = {}
    left_out = []
    for node in found:
        order, is_living = order_of(node.label), node.status != NodeStatus.VOID
        depth = len(order)
        if is_living and depth < len(place) and place[:depth] == order:
            above[order] = node.key
        elif order < place:
            continue
        elif is_living and node.task_type == TaskType.WRITE and order[:-1] == place[: len(place) - 1][: depth - 1]:
            opened[order] = node
        else:
            left_out.append(node.key)
    less = {
        key: sum(node.written for order, node in opened.items() if order[: len(path)] == path)
        for path, key in above.items()
    }
    return Cut(less, frozenset(node.key for node in opened.values()), frozenset(left_out))
