"""Stores an author's outline with a new book: what it settles as a design, the units it foresees for the division."""

from collections.abc import Iterator, Sequence

from bookwright.models.brief import Brief
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import InvalidBrief, InvalidInput
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.level import Level, level_of_parts
from bookwright.models.tree.outline import Outline, OutlineUnit, length_of
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_TOO_LONG = 1.05
"""How far lengths that the outline gives may go beyond the book's."""
_MOST_LISTED = 12_000
"""Characters of the list of chapters that stands in the book's design."""


def keep_outline(brief: Brief, stores: Stores) -> None:
    """Store the outline of a brief with a book that is just begun.

    Raises:
        InvalidBrief: It is none, or its chapters are longer than the book.
    """
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
    design = add_design(stores, root, "The author's outline", "Say what the author has settled of the book", text)
    stores.queue.add(DocumentKind.BOOK_DESIGN, design)


def add_design(stores: Stores, unit: TaskNode, title: str, goal: str, text: str) -> int:
    """Add a task that the author has done below a unit; return the id of its document."""
    item = PlanNode(task_type=TaskType.DESIGN, title=title, goal=goal)
    [task] = stores.nodes.add(
        unit, [item], unit=unit.key, level=unit.level.value, verdict=Verdict.ATOM.value, status=NodeStatus.DONE.value
    )
    new = NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=text, origin=DocumentOrigin.AUTHOR)
    return stores.documents.add(new, None).id


def _read(brief: Brief) -> Outline:
    from bookwright.manuscripts.outlines.outlines import read_outline  # few books have an outline

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
        yield f"{'  ' * depth}- {unit.title}" + (f": {unit.goal}" if unit.goal else "")
        yield from _lines(unit.units, depth + 1)
