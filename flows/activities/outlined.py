"""Children that the author's outline foresees: they are made as it says, and no model is asked."""

import math
from collections.abc import Sequence

from bookwright.flows.activities.unit_facts import is_short_enough, lengths_of_children
from bookwright.flows.deps import Deps
from bookwright.flows.intake.outlining import add_design
from bookwright.models.document import DocumentKind
from bookwright.models.text.length import LAST_KEEPS, TOLERANCE
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.outline import Outline, OutlineUnit
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_LINES = 12


def is_foreseen(unit: TaskNode, last: TaskNode, deps: Deps) -> bool:
    """True if the outline has a child of a unit after the last one that was made."""
    return len(_children(unit, deps)) > last.unit_index


def add_foreseen(unit: TaskNode, level: Level, index: int, deps: Deps) -> bool:
    """Make the `index`th child of a unit as the outline has it; False where it has none."""
    children = _children(unit, deps)
    if index > len(children):
        return False
    ahead = children[index - 1 :]
    length, is_last = _granted(unit, level, ahead, deps)
    own = ahead[0]

    def move(stores: Stores, _: int) -> None:
        item = PlanNode(
            task_type=TaskType.WRITE, title=own.title, goal=own.goal or own.title, length=length,
            story_time=own.story_time,
        )  # fmt: skip
        [child] = stores.nodes.add(
            unit, [item], level=level.value, unit_index=index, is_last=is_last,
            open_points=unit.open_points,
            child_level=_level_below(own),
        )  # fmt: skip
        if own.design:
            add_design(
                stores, child, "The author's notes", f"Say what the author has settled of {own.title}", own.design
            )
            if not own.units:  # nothing is left to plan
                direction = Decision.PROCEED_TO_WRITE if is_short_enough(child, deps) else Decision.DIVIDE_HIERARCHY
                stores.nodes.change(child.key, planning_round=1, decided_round=1, decision=direction.value)
        stores.nodes.change(unit.key, outline=tuple(_line(later) for later in ahead[1 : 1 + _LINES]))

    deps.desk.journal.move(move)
    return True


def _level_below(unit: OutlineUnit) -> str | None:
    if not unit.units:
        return None
    return (Level.ACT if unit.has_parts else Level.CHAPTER).value


def _granted(unit: TaskNode, level: Level, ahead: Sequence[OutlineUnit], deps: Deps) -> tuple[int, bool]:
    """Return how long the first of the units ahead is to be, and whether it is the last child.

    Units without a length share what those with one leave, if that is no more than units of their level have;
    else the outline is only a beginning, and they have the usual length.
    """
    remaining, usual = max(unit.remaining, 1), lengths_of_children(unit, deps).usual
    told = sum(one.own_length or 0 for one in ahead)
    free = sum(one.weight for one in ahead if not one.own_length)
    share = max(remaining - told, 0) / free if free else 0.0
    most = level.bounds[1] / max(one.weight for one in ahead)
    is_whole = share <= most if free else remaining - told <= usual * TOLERANCE
    own = ahead[0].own_length
    length = own * min(remaining / told, 1.0) if own else share * ahead[0].weight if is_whole else usual
    is_last = len(ahead) == 1 and is_whole
    if is_last and own:
        remaining = max(remaining, math.ceil(own * LAST_KEEPS))
    return max(remaining if is_last else round(length), 1), is_last


def _children(unit: TaskNode, deps: Deps) -> tuple[OutlineUnit, ...]:
    """Return the children that the outline foresees for a unit; none for a unit that it does not know."""
    if unit.child_level is None:
        return ()
    with deps.stores() as stores:
        root = stores.nodes.root()
        document = stores.documents.current(root.key, DocumentKind.OUTLINE, with_text=False)
        if document is None:
            return ()
        outline = Outline.model_validate_json(stores.documents.data_of(document))
        path = [
            above.unit_index for above in reversed((unit, *stores.nodes.ancestors(unit))) if above.parent is not None
        ]
    return outline.below(path)


def _line(unit: OutlineUnit) -> str:
    return f"{unit.title}: {unit.goal}" if unit.goal else unit.title
