"""How a book's blueprint divides units, and what it asks of their form; without a blueprint length alone decides."""

from dataclasses import dataclass

from bookwright.agents.cards import book_card
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import CHARACTERS_A_WORD, UnitPlan
from bookwright.models.tree.level import Level, child_level, usual_child_length
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import FormCard
from bookwright.prompts.render import render
from bookwright.prompts.templates import BLUEPRINT

LEAST_CHILD = 50
"""Words below which a child is not worth a division, however many a blueprint wants."""

_LEEWAY = 0.1
"""By how much a child of a counted division may differ from the others, so that as many come of it."""

_SHORTER, _LONGER = 0.6, 1.6
"""How far a child that is to follow the author's own may be from their usual length."""


@dataclass(frozen=True)
class ChildLengths:
    """How long a unit's children are to be, in the book's unit of length."""

    usual: int
    low: int
    high: int
    is_planned: bool = False
    """A blueprint says so: what may be written at once does not hold them down."""


def in_units(words: float, deps: Deps) -> int:
    """Return a blueprint's words in the book's unit of length."""
    return round(words if deps.brief.length_unit == "words" else words * CHARACTERS_A_WORD)


def plan_of(level: Level, deps: Deps) -> UnitPlan | None:
    """Return what the blueprint says of the units of a level."""
    return deps.blueprint.plan.units.get(level) if deps.blueprint else None


def counted_child(unit: TaskNode, deps: Deps) -> Level | None:
    """Return the level of which a unit is to have a certain number of children; None where it has no room for them."""
    plan = plan_of(unit.level, deps)
    if plan is None or plan.child is None or plan.count is None:
        return None
    return plan.child if (unit.length or 1) >= plan.count * in_units(LEAST_CHILD, deps) else None


def child_level_of(unit: TaskNode, deps: Deps) -> Level | None:
    """Return the level a unit divides into: the author's, the blueprint's, or the coarsest of which three fit in it."""
    if unit.child_level is not None:
        return unit.child_level
    counted = counted_child(unit, deps)
    if counted is not None or deps.blueprint is None:
        return counted or child_level(unit.level, unit.length or 1)
    plan = plan_of(unit.level, deps)
    wanted = [plan.child] if plan and plan.child and plan.count is None else []
    fitting = (finer for finer in (*wanted, *unit.level.finer) if _span(finer, deps)[0] * 3 <= (unit.length or 1))
    return next(fitting, None)


def child_lengths(unit: TaskNode, child: Level, max_unit_length: int, deps: Deps) -> ChildLengths:
    """Return how long a unit's children are to be."""
    written = _written_before(unit, child, deps)
    if written:
        return ChildLengths(written, round(written * _SHORTER), round(written * _LONGER), is_planned=True)
    plan = plan_of(unit.level, deps)
    if plan and plan.count and counted_child(unit, deps) is child:
        usual = max((unit.length or 1) // plan.count, 1)
        return ChildLengths(usual, round(usual * (1 - _LEEWAY)), round(usual * (1 + _LEEWAY)), is_planned=True)
    low, high = _span(child, deps)
    own = plan_of(child, deps)
    if own and own.length:
        return ChildLengths((low + high) // 2, low, high, is_planned=True)
    most = high if child.is_at_least(Level.ACT) else min(high, max_unit_length)  # as much as will be granted
    return ChildLengths(usual_child_length(child, max_unit_length), min(low, most), most)


def _written_before(unit: TaskNode, child: Level, deps: Deps) -> int:
    """Return how long the author's own children of a unit are that goes on where they end; 0 where there are none."""
    if unit.child_level is not child:
        return 0
    with deps.stores() as stores:
        mean = stores.nodes.mean_brought_in(unit.key, child)
    return max(mean, in_units(LEAST_CHILD, deps)) if mean else 0


def chapters_meant(book: TaskNode, usual_chapter: int, deps: Deps) -> int:
    """Return how many chapters a book is meant to have: counted where the blueprint counts them, else by its length."""
    count, level = 1, book.level
    while (plan := plan_of(level, deps)) and plan.child and plan.count:
        count *= plan.count
        if plan.child is Level.CHAPTER:
            return count if (book.length or 1) >= count * in_units(LEAST_CHILD, deps) else 1
        level = plan.child
    own = plan_of(Level.CHAPTER, deps)
    usual = in_units(sum(own.length) / 2, deps) if own and own.length else usual_chapter
    return max((book.length or 1) // max(usual, 1), 1)


def form_of(unit: TaskNode, deps: Deps) -> str:
    """Return what the blueprint asks of a unit's form; empty where it asks nothing."""
    plan = plan_of(unit.level, deps)
    if deps.blueprint is None or plan is None or not plan.directions:
        return ""
    above = deps.storage.above(unit)
    parent = above[0] if above else None
    around = plan_of(parent.level, deps) if parent else None
    child = child_level_of(unit, deps)
    card = FormCard(
        book=book_card(deps.brief),
        level=unit.level.value,
        index=max(unit.unit_index, 1),
        count=(around.count or 0) if around and parent and counted_child(parent, deps) else 0,
        parent_index=parent.unit_index if parent and parent.parent is not None else 0,
        is_last=all(node.is_last for node in (unit, *above)),
        length=unit.length or 0,
        child_level=child.value if child else "",
        child_count=(plan.count or 0) if counted_child(unit, deps) else 0,
        is_in_opening=all(node.unit_index <= 1 for node in above),
    )
    return render(f"{BLUEPRINT}/{plan.directions}", card, deps.desk.locale, deps.blueprint.prompts)


def _span(level: Level, deps: Deps) -> tuple[int, int]:
    plan = plan_of(level, deps)
    if plan is None or plan.length is None:
        return level.bounds
    low, high = plan.length
    return in_units(low, deps), in_units(high, deps)
