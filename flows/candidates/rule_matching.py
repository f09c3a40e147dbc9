"""Decides which units a rule of the brief means, by the tree and the plan as they stand."""

from collections.abc import Sequence

from bookwright.agents.relay.scene import climax_ahead
from bookwright.flows.activities.unit_facts import stands_for_chapter
from bookwright.flows.deps import Deps
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import Place
from bookwright.models.tree.task import TaskNode
from bookwright.models.tree.unit_rule import Position, Spot, UnitRule

_TURNS = (25, 50, 75)
"""Shares of a book, in percent, near which stories turn."""

Line = Sequence[TaskNode]
"""A unit and all above it, nearest first; the book is the last."""


def candidates_wanted(unit: TaskNode, deps: Deps) -> int:
    """Return how many drafts a unit is to have: 1 where its brief asks for no more, and where a weak model writes."""
    count = deps.brief.drafts_a_unit
    if count == 1 or deps.profile.is_small:
        return 1
    line = (unit, *deps.storage.above(unit))
    return count if any(_holds(rule, line, deps) for rule in deps.brief.candidate_rules) else 1


def is_gate_at(unit: TaskNode, deps: Deps) -> bool:
    """True if the author named a unit, by itself or by a rule, as one to be looked at once it is closed."""
    line = (unit, *deps.storage.above(unit))
    return any(_is(rule, line, deps) for rule in deps.brief.gate_rules)


def _holds(rule: UnitRule, line: Line, deps: Deps) -> bool:
    """True if a rule means a unit or one that it lies in; what has a place in the story's build is meant alone."""
    if rule.position is not None:
        return _is_at(rule.position, line, deps)
    return any(_is(rule, line[depth:], deps) for depth in range(len(line)))


def _is(rule: UnitRule, line: Line, deps: Deps) -> bool:
    """True if a rule means this very unit."""
    if rule.position is not None:
        return stands_for_chapter(line[0], deps) and _is_at(rule.position, line, deps)
    if rule.level is None:
        return rule.spot is not None and _is_spot(rule.spot, line, deps)
    is_as_chapter = rule.level is Level.CHAPTER and stands_for_chapter(line[0], deps)
    if line[0].level is not rule.level and not is_as_chapter:
        return False
    spot = rule.spot
    return spot is None or any(_is_spot(spot, line[depth:], deps) for depth in range(1, len(line)))


def _is_spot(spot: Spot, line: Line, deps: Deps) -> bool:
    unit = line[0]
    if spot.label:
        return unit.label == spot.label
    if spot.chapter:
        reading = deps.reading_order()
        return unit.label in reading.chapters and reading.chapter_of(unit.label) == spot.chapter
    is_part = len(line) == 2 and unit.unit_index == spot.part
    return is_part and spot.level in (None, unit.level)


def _is_at(position: Position, line: Line, deps: Deps) -> bool:
    if position is Position.OPENINGS:
        return _is_edge([node.unit_index == 1 for node in line], line)
    if position is Position.ENDS:
        return _is_edge([node.is_last for node in line], line)
    own, *above = line
    within = (own, *(node for node in above if not node.level.is_at_least(Level.ACT)))
    is_height = any(is_climax(node, deps) for node in within)
    return is_height or (position is Position.TURNING_POINTS and _turns(line, deps))


def _is_edge(are_at_edge: Sequence[bool], line: Line) -> bool:
    """True if a unit is the first, or the last, all the way up to a volume or to the book."""
    depth = next(depth for depth, node in enumerate(line) if node.level in (Level.VOLUME, Level.BOOK))
    return all(are_at_edge[:depth])


def _turns(line: Line, deps: Deps) -> bool:
    """True for a chapter, neither the first nor the last, in which a quarter, half or three quarters are reached."""
    reading = deps.reading_order()
    here = reading.chapter_of(line[0].label)
    is_inside = here > 1 and not all(node.is_last for node in line)
    return is_inside and here in {reading.number(Place(share=share)) for share in _TURNS}


def is_climax(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit in whose chapter the plan puts a climax."""
    with deps.stores() as stores:
        reading = stores.codex.reading_order()
        ahead = climax_ahead(unit, stores, reading)
        return ahead is not None and ahead.chapter == reading.chapter_of(unit.label)
