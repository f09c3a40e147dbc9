"""Reads the order of a book's chapters, at what share of its length each of them ends, and when its units happen."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, Self

from sqlalchemy import Connection, bindparam, select

from bookwright.models.story_time.value import StoryTime
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ChapterPart, Place, ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import nodes

_FEWEST = 3
"""Chapters that a book is thought to have at least, as long as it has none and is not to be written at once."""
_MOST_READ = 60
"""Chapters whose parts are read with what is to happen in them."""

_COARSE = frozenset(level.value for level in Level if level.is_at_least(Level.ACT))
"""Levels whose units hold whole chapters."""

_LIVING = (
    nodes.c.book == bindparam("book"), nodes.c.task_type == TaskType.WRITE.value,
    nodes.c.status != NodeStatus.VOID.value,
)  # fmt: skip
_UNITS = select(
    nodes.c.label,
    nodes.c.level,
    nodes.c.length,
    nodes.c.written,
    nodes.c.status,
    nodes.c.is_last,
    nodes.c.decision,
    nodes.c.story_time,
).where(*_LIVING)
_LEVELS = select(nodes.c.label, nodes.c.level).where(*_LIVING)
_PARTS = select(nodes.c.label, nodes.c.title, nodes.c.goal).where(*_LIVING, nodes.c.label.like(bindparam("below")))


class UnitShare(NamedTuple):
    """What of a unit decides where it stands."""

    label: str
    level: str
    length: int | None
    written: int
    status: str
    is_last: bool
    decision: str | None
    story_time: str | None = None
    """As JSON; None for a unit without a time of its own."""

    @classmethod
    def of(cls, unit: TaskNode) -> Self:
        """Return the row of a unit."""
        when = unit.story_time.model_dump_json() if unit.story_time else None
        return cls(unit.label, unit.level, unit.length, unit.written, unit.status, unit.is_last, unit.decision, when)


UnitRows = dict[str, UnitShare]
"""The living units of a book by their labels."""


def read_units(connection: Connection, book: str) -> UnitRows:
    """Return the living units of a book."""
    return {row.label: UnitShare(*row) for row in connection.execute(_UNITS, {"book": book})}


def read_names(connection: Connection, book: str) -> ReadingOrder:
    """Return the chapters alone, as they are numbered in names: one short query, however long the book is."""
    return names_of({row.label: row.level for row in connection.execute(_LEVELS, {"book": book})})


def names_of(levels: Mapping[str, str]) -> ReadingOrder:
    """Return the chapters alone, by the levels of the living units."""
    return ReadingOrder(chapters=tuple(_chapters(levels)))


def update_units(rows: UnitRows, changed: Iterable[TaskNode]) -> None:
    """Take in how units stand that were added or changed."""
    for unit in changed:
        if unit.status is NodeStatus.VOID:
            rows.pop(unit.label, None)
        elif unit.is_unit:
            rows[unit.label] = UnitShare.of(unit)


def read_order(
    connection: Connection, book: str, rows: Mapping[str, UnitShare], places: Iterable[Place],
    parts: Sequence[str] | None = None,
) -> ReadingOrder:  # fmt: skip
    """Return the chapters as far as they are there, or the highest units of a book without chapters.

    `rows` are the book's living units, `places` those at which the codex has something due: only there it is told
    what happens in a chapter's parts. `parts` are the labels in order where they are known.
    """
    parts = parts or _chapters({label: row.level for label, row in rows.items()})
    root = rows.get("1")
    times = _times(rows)
    if root is None:
        return ReadingOrder(chapters=tuple(parts), times=times)
    is_whole = not parts and (root.decision == Decision.PROCEED_TO_WRITE or root.status != NodeStatus.OPEN)
    order = ReadingOrder(
        chapters=tuple(parts), ends=_ends(parts, rows), usual=0.0 if is_whole else _usual(parts, rows),
        coarse=() if is_whole else tuple(_coarse(parts, rows)), times=times,
    )  # fmt: skip
    return order.model_copy(update={"parts": _parts(connection, book, order, rows, places)})


def _chapters(levels: Mapping[str, str]) -> list[str]:
    """The labels of the chapters in reading order, by the units' levels; without chapters of the highest units."""
    labels = [label for label, level in levels.items() if level == Level.CHAPTER]
    return sorted(labels or [label for label in levels if label.count(".") == 1], key=order_of)


def _times(rows: Mapping[str, UnitShare]) -> tuple[tuple[str, StoryTime], ...]:
    timed = sorted((order_of(row.label), row.label, row.story_time) for row in rows.values() if row.story_time)
    return tuple((label, StoryTime.model_validate_json(when)) for _, label, when in timed)


def _ends(chapters: Sequence[str], rows: Mapping[str, UnitShare]) -> tuple[float, ...]:
    """At how many percent each chapter ends: what stands before it as it was written, itself as it was planned.

    So a chapter that turns out longer or shorter moves none of those before it, nor its own end.
    """
    whole = max(rows["1"].length or 1, 1)
    is_open, found = NodeStatus.OPEN.value, [rows[label] for label in chapters]
    planned = [row.length or 0 for row in found]
    standing = [
        row.written if row.written and row.status != is_open else length
        for row, length in zip(found, planned, strict=True)
    ]
    before = accumulate(standing, initial=0)
    ends = [round(100 * (start + length) / whole, 3) for start, length in zip(before, planned, strict=False)]
    if chapters and _is_complete(chapters, rows):
        ends[-1] = 100.0
    return tuple(ends)


def _usual(chapters: Sequence[str], rows: Mapping[str, UnitShare]) -> float:
    whole = max(rows["1"].length or 1, 1)
    if not chapters:
        return round(100 * min(Level.CHAPTER.usual_length / whole, 1 / _FEWEST), 3)
    if _is_complete(chapters, rows):
        return 0.0
    lengths = [rows[label].length or 1 for label in chapters]
    return round(100 * sum(lengths) / len(lengths) / whole, 3)


def _is_complete(chapters: Sequence[str], rows: Mapping[str, UnitShare]) -> bool:
    """True once the last chapter is there."""
    if rows["1"].status != NodeStatus.OPEN:
        return True
    steps = chapters[-1].split(".")
    path = (".".join(steps[:depth]) for depth in range(2, len(steps) + 1))
    return all(rows[label].is_last for label in path if label in rows)


def _coarse(chapters: Sequence[str], rows: Mapping[str, UnitShare]) -> Iterable[str]:
    own = set(chapters)
    return (label for label, row in rows.items() if row.level in _COARSE and label not in own)


def _parts(
    connection: Connection, book: str, order: ReadingOrder, rows: Mapping[str, UnitShare], places: Iterable[Place]
) -> tuple[ChapterPart, ...]:
    """The units below the chapters in which something may be due, and below the one that is being written."""
    due = {order.number(place) for place in places}
    if not due:
        return ()
    wanted = _wanted(order.chapters, due, rows)
    found = []
    for chapter in sorted(wanted, key=order_of):
        below = connection.execute(_PARTS, {"book": book, "below": f"{chapter}.%"})
        found += [ChapterPart(label=row.label, told=f"{row.title}\n{row.goal}") for row in below]
    return tuple(sorted(found, key=lambda part: order_of(part.label)))


def _wanted(chapters: Sequence[str], due: Collection[int], rows: Mapping[str, UnitShare]) -> list[str]:
    numbered = list(enumerate(chapters, 1))
    here = [label for _, label in numbered if rows[label].status == NodeStatus.OPEN]
    there = [label for number, label in numbered if number in due]
    return list(dict.fromkeys([*here[:1], *there[-_MOST_READ:]]))
