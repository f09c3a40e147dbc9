"""Bills: what a walk took, by role and scaled to the whole book; confirmed by a hash before anything is paid."""

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import add
from typing import ClassVar

from bookwright.agents.backends import windows
from bookwright.agents.backends.spending import prices
from bookwright.app.status.progress import EVERY_STEP
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.step import CODE, Activity, Usage
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.models.wording import money, tokens
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage, Stores

RECURRING = (Activity.DIVIDE, Activity.MAINTAIN)
"""What is done for a unit again and again as it grows."""

_LEAST_BEHIND = 3
"""One part in so many of what is closed lies behind the first act, or the first stands for the book, too."""

_THOUGHT_SHARE = 4
"""One part in four of the room that a thinking model is given for thoughts is counted."""


@dataclass(frozen=True)
class Bill:
    """Calls, tokens and money."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int | None = 0
    """Millionths of a US dollar; None where a price is unknown."""
    cached_tokens: int = 0
    """Of the input, what a provider's cache served."""

    def __str__(self) -> str:
        """Say it in one line."""
        taken = tokens(self.input_tokens + self.output_tokens)
        return f"{self.calls:,} calls, {taken} tokens, {money(self.cost_micros)}"

    def __add__(self, other: "Bill") -> "Bill":
        return self._combined(other, add)

    def scaled(self, factor: float) -> "Bill":
        """Return so many times the calls and tokens, not priced yet."""
        return Bill(
            round(self.calls * factor),
            round(self.input_tokens * factor),
            round(self.output_tokens * factor),
            cached_tokens=round(self.cached_tokens * factor),
        )

    def at_least(self, other: "Bill") -> "Bill":
        """Return the greater of each figure; what a cache serves is its own."""
        return replace(self._combined(other, max), cached_tokens=self.cached_tokens)

    def _combined(self, other: "Bill", by: Callable[[int, int], int]) -> "Bill":
        known = self.cost_micros is not None and other.cost_micros is not None
        return Bill(
            by(self.calls, other.calls),
            by(self.input_tokens, other.input_tokens),
            by(self.output_tokens, other.output_tokens),
            by(self.cost_micros or 0, other.cost_micros or 0) if known else None,
            by(self.cached_tokens, other.cached_tokens),
        )


def hash_of(*told: object) -> str:
    """Return the hash of what a person is shown: other words, another state or another price have another one."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Confirmable(ABC):
    """What is done only after a person has confirmed its bill, by the hash of what they were shown."""

    subject: ClassVar[str]
    """Begins the message where it is another by now."""

    @abstractmethod
    def shown(self) -> tuple[object, ...]:
        """Return what a person is shown of it."""

    @property
    def hash(self) -> str:
        """What stands for what is shown: other words or another price have another one."""
        return hash_of(*self.shown())

    def check(self, confirmed: str) -> None:
        """Make sure that this is what was confirmed.

        Raises:
            InvalidInput: It is another by now.
        """
        if confirmed != self.hash:
            raise InvalidInput(f"{self.subject} has changed since its bill was shown; look at it again.")


@dataclass(frozen=True)
class Tally:
    """What a whole book takes by role, as far as a walk tells."""

    written: int
    """What the walk itself wrote."""
    nodes: int
    units: int
    roles: dict[str, Bill]
    """Not priced yet."""


@dataclass
class _Served:
    """One unit with what was done for it and for the tasks that serve it."""

    unit: TaskNode
    nodes: int = 0
    once: dict[str, Bill] = field(default_factory=lambda: defaultdict(Bill))
    """By role: what such a unit takes once."""
    for_each_child: dict[str, Bill] = field(default_factory=lambda: defaultdict(Bill))
    """By role: what it takes again and again, in proportion to what is written of it."""

    @property
    def is_closed(self) -> bool:
        """Whether all of it was walked."""
        return self.unit.status is NodeStatus.DONE


def bill_of(line: StepLine) -> Bill:
    """Return what one call took, not priced yet."""
    return Bill(1, line.input_tokens, line.output_tokens, cached_tokens=line.cached_tokens)


def by_role(lines: Iterable[StepLine], factor_of: Callable[[StepLine], float]) -> dict[str, Bill]:
    """Sum steps up by role, each so many times as its factor says."""
    bills: dict[tuple[str, float], Bill] = defaultdict(Bill)
    for line in lines:
        bills[line.role, factor_of(line)] += bill_of(line)
    roles: dict[str, Bill] = defaultdict(Bill)
    for (role, factor), bill in bills.items():
        roles[role] += bill.scaled(factor)
    return dict(roles)


def tally(storage: BookStorage) -> Tally:
    """Count what a walk took and scale it, level by level, to the book's whole length.

    The closed units of a level, if there are any, stand for the whole level: the book has as many
    more as it is longer than what they hold of what is written. Without them the last unit that was
    begun stands for units of its own length. What lies behind the first act stands for all, where
    enough is closed there: before the first nothing was told, so that its prompts are shorter.
    """
    with storage.read() as stores:
        root = stores.nodes.root()
        served = _served_units(stores)
    is_sample = root.status is not NodeStatus.DONE
    first = next((one.unit.label for one in served if one.unit.level is Level.ACT and one.is_closed and is_sample), "")
    roles: defaultdict[str, Bill] = defaultdict(Bill)
    nodes = units = 0.0
    for level in {entry.unit.level for entry in served}:
        of_level = [entry for entry in served if entry.unit.level is level]
        closed = [entry for entry in of_level if entry.is_closed]
        behind = [entry for entry in closed if not (first and f"{entry.unit.label}.".startswith(f"{first}."))]
        closed = behind if _written(behind) * _LEAST_BEHIND >= _written(closed) else closed
        begun = [entry for entry in of_level if entry.unit.written] or of_level
        share = _written(closed) / max(_written(begun), 1) or 1.0
        for entry in closed or begun[-1:]:
            often, again = _factors(entry, root, share)
            nodes += often * entry.nodes
            units += often
            for role, bill in entry.once.items():
                roles[role] += bill.scaled(often)
            for role, bill in entry.for_each_child.items():
                roles[role] += bill.scaled(often * again)
    return Tally(root.written, round(nodes), round(units), dict(roles))


def priced(bill: Bill, model: str, settings: Settings, *, least: bool = False) -> Bill:
    """Price a role's calls as so many calls of average size: some prices depend on a prompt's length.

    The least that they cost leaves out a model's thoughts, and what a provider's cache serves is priced so.
    """
    if not bill.calls:
        return bill
    thoughts = 0 if least else windows.thinking_allowance(model, settings) // _THOUGHT_SHARE
    output = bill.output_tokens + thoughts * bill.calls
    cached = bill.cached_tokens if least else 0
    usage = Usage(
        input_tokens=math.ceil(bill.input_tokens / bill.calls),
        cached_tokens=cached // bill.calls,
        output_tokens=math.ceil(output / bill.calls),
    )
    each = prices.cost(model, usage, settings)
    return replace(
        bill, output_tokens=output, cached_tokens=cached, cost_micros=None if each is None else each * bill.calls
    )


def _written(entries: Iterable[_Served]) -> int:
    return sum(entry.unit.written for entry in entries)


def _factors(entry: _Served, root: TaskNode, share: float) -> tuple[float, float]:
    """Tell how often the whole book has such a unit, and how often the unit has what recurs in it.

    `share` is what the closed units of its level hold of what is written there.
    """
    if root.status is NodeStatus.DONE:
        return 1.0, 1.0
    length = root.length or 1
    if entry.is_closed:
        return length / max(root.written, 1) / share, 1.0
    own_length = entry.unit.length or 1
    return length / own_length, own_length / max(entry.unit.written, 1)


def _served_units(stores: Stores) -> list[_Served]:
    """Return the units of the tree in reading order, each with what was done for it."""
    units: dict[str, _Served] = {}
    for node in stores.nodes.walk():
        above = units.get(node.label.rpartition(".")[0])
        entry = _Served(node) if node.is_unit or above is None else above
        entry.nodes += 1
        units[node.label] = entry
    for line in stores.steps.lines(limit=EVERY_STEP):
        if line.role == CODE:  # nobody was asked
            continue
        entry = units[line.label]
        bills = entry.for_each_child if line.activity in RECURRING else entry.once
        bills[line.role] += bill_of(line)
    return [entry for label, entry in units.items() if entry.unit.label == label]
