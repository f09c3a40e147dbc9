"""Adding gates to a book that is begun, and taking them away: each is looked at against the tree before it is kept."""

from collections.abc import Sequence

from bookwright.app.places import node_at
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidInput
from bookwright.models.gate import PHASES
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.models.tree.unit_rule import Spot, UnitRule
from bookwright.storage.stores import Stores


def with_gates(brief: Brief, added: Sequence[str], removed: Sequence[str], stores: Stores) -> tuple[Brief, list[str]]:
    """Return a brief with more gates, or fewer, and which of the new ones stand where nothing is yet.

    Raises:
        InvalidBrief: One is neither a phase nor a rule for units.
        InvalidInput: One could never open, or one that is to go is not there.
    """
    wanted = brief.changed(gates=[*brief.gates, *added])
    gone = brief.changed(gates=list(removed)).gates
    for gate in gone:
        if gate not in wanted.gates:
            raise InvalidInput(f"the brief has no gate {gate!r}; it has {', '.join(brief.gates) or 'none'}")
    new = [gate for gate in wanted.gates if gate not in brief.gates]
    ahead = [gate for gate in new if gate not in PHASES and _is_ahead(UnitRule.parse(gate), stores)]
    return wanted.changed(gates=[gate for gate in wanted.gates if gate not in gone]), ahead


def _is_ahead(rule: UnitRule, stores: Stores) -> bool:
    """True if the unit that a rule names is still to come.

    Raises:
        InvalidInput: It is there and closed, or is no unit.
    """
    unit = _found(rule.spot, stores) if rule.spot is not None else None
    if unit is None:
        return rule.spot is not None
    if not unit.is_unit:
        raise InvalidInput(f"{unit.name} is a task of the planning; gates of this kind stand behind units")
    if unit.status is NodeStatus.DONE:
        raise InvalidInput(f"{unit.name} is closed already, so a gate {rule.words!r} would never open")
    return False


def _found(spot: Spot, stores: Stores) -> TaskNode | None:
    """Return the node that a rule names; None while there is none."""
    label = spot.label
    if spot.chapter:
        chapters = stores.codex.reading_order().chapters
        label = chapters[spot.chapter - 1] if spot.chapter <= len(chapters) else ""
    if label:
        return node_at(label, stores)
    parts = stores.nodes.children(stores.nodes.root().key) if spot.part else []
    return next((part for part in parts if part.is_unit and part.unit_index == spot.part), None)
