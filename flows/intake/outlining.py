"""The author's outline: what it settles becomes a new book's design, its units are made as the walk divides."""

import math
from collections.abc import Iterator, Sequence

from bookwright.flows.activities.outcomes import document_kind
from bookwright.flows.activities.unit_facts import is_short_enough, lengths_of_children
from bookwright.flows.deps import Deps
from bookwright.models.brief import Brief
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import InvalidBrief, InvalidInput
from bookwright.models.text.length import LAST_KEEPS, TOLERANCE
from bookwright.models.tree.decision import Decision, Verdict
from bookwright.models.tree.level import Level, level_of_parts
from bookwright.models.tree.outline import Outline, OutlineUnit, length_of
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_TOO_LONG = 1.05
"""How far lengths that the outline gives may go beyond the book's."""
_MOST_LISTED = 12_000
"""Characters of the list of chapters that stands in the book's design."""
_LINES = 12


def keep_outline(brief: Brief, stores: Stores) -> None:
    """Store the outline of a brief with a new book; raise `InvalidBrief` if it is none, or longer than the book."""
    outline = _read(brief)
    root = stores.nodes.root()
    stores.nodes.change(root.key, child_level=_top_level(outline, brief).value)
    stores.documents.add(
        NewDocument(
            node=root.key, kind=DocumentKind.OUTLINE, text=brief.outline, data=outline.model_dump_json(),
            origin=DocumentOrigin.AUTHOR,
        ), None,
    )  # fmt: skip
    text = "\n\n".join(part for part in (outline.design, _listed(outline)) if part)
    design = _add_design(stores, root, "The author's outline", "Say what the author has settled of the book", text)
    stores.queue.add(DocumentKind.BOOK_DESIGN, design)


def _add_design(stores: Stores, unit: TaskNode, title: str, goal: str, text: str) -> int:
    plan = PlanNode(task_type=TaskType.DESIGN, title=title, goal=goal)
    return add_done(stores, unit, unit, plan, text, DocumentOrigin.AUTHOR)[1]


def add_done(
    stores: Stores, parent: TaskNode, unit: TaskNode, plan: PlanNode, text: str, origin: DocumentOrigin,
    *, folder: str = "", note: str = "",
) -> tuple[TaskNode, int]:  # fmt: skip
    """Add a task of a unit that somebody else has done; return it, and the id of its document."""
    [task] = stores.nodes.add(
        parent, [plan], unit=unit.key, level=unit.level.value, verdict=Verdict.ATOM.value,
        status=NodeStatus.DONE.value, folder=folder,
    )  # fmt: skip
    new = NewDocument(node=task.key, kind=document_kind(task), text=text, origin=origin, note=note)
    return task, stores.documents.add(new, None).id


def _read(brief: Brief) -> Outline:
    from bookwright.manuscripts.outlines import read_outline  # few books have an outline

    try:
        outline = read_outline(brief.outline)
    except InvalidInput as error:
        raise InvalidBrief(str(error)) from None
    told = length_of(outline.units) or 0
    if told > brief.length * _TOO_LONG:
        raise InvalidBrief(
            f"the outline's chapters are {told:,} {brief.length_unit} together and the book has {brief.length:,}; "
            "give one of the two another length"
        )
    return outline


def _top_level(outline: Outline, brief: Brief) -> Level:
    if not outline.has_parts:
        return Level.CHAPTER
    if outline.has_volumes:
        return Level.VOLUME
    return level_of_parts(brief.length / len(outline.units), brief.length_unit)


def _listed(outline: Outline) -> str:
    lines, size = [], 0
    for line in _lines(outline.units):
        size += len(line)
        if size > _MOST_LISTED:
            lines.append("...")
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(units: Sequence[OutlineUnit], depth: int = 0) -> Iterator[str]:
    for unit in units:
        yield f"{'  ' * depth}- {_line(unit)}"
        yield from _lines(unit.units, depth + 1)


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
            unit, [item], level=level.value, unit_index=index, is_last=is_last, open_points=unit.open_points,
            child_level=(Level.ACT if own.has_parts else Level.CHAPTER).value if own.units else None,
        )  # fmt: skip
        if own.design:
            _add_design(
                stores, child, "The author's notes", f"Say what the author has settled of {own.title}", own.design
            )
            if not own.units:  # nothing is left to plan
                direction = Decision.PROCEED_TO_WRITE if is_short_enough(child, deps) else Decision.DIVIDE_HIERARCHY
                stores.nodes.change(child.key, planning_round=1, decided_round=1, decision=direction.value)
        stores.nodes.change(unit.key, outline=tuple(_line(later) for later in ahead[1 : 1 + _LINES]))

    deps.desk.journal.move(move)
    return True


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
