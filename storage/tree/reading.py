"""Reads the order of a book's chapters, at what share of its length each of them ends, and when its units happen."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from bookwright.models.tree.place import ChapterPart, Place, ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.tables import nodes
from bookwright.storage.tables.conditions import IS_LIVING, IS_UNIT
from bookwright.storage.tree.unit_table import UnitShare, UnitTable, chapters_of

_MOST_READ = 60
"""Chapters whose parts are read with what is to happen in them."""

_LIVING = (nodes.c.book == bindparam("book"), IS_UNIT, IS_LIVING)
_UNITS = select(*(nodes.c[name] for name in UnitShare._fields)).where(*_LIVING)
_LEVELS = select(nodes.c.label, nodes.c.level).where(*_LIVING)


def _below_a_chapter() -> Select[Any]:
    """The units below a chapter, found by their parents: so what stands elsewhere in the tree is not looked at."""
    chapter = select(nodes.c.key).where(*_LIVING, nodes.c.label == bindparam("chapter")).cte(recursive=True)
    part = nodes.alias()
    is_living = (part.c.task_type == TaskType.WRITE.value, part.c.status != NodeStatus.VOID.value)
    below = chapter.union_all(select(part.c.key).where(part.c.parent == chapter.c.key, *is_living))
    found = select(nodes.c.label, nodes.c.title, nodes.c.goal).join(below, below.c.key == nodes.c.key)
    return found.where(nodes.c.label != bindparam("chapter"))


_PARTS = _below_a_chapter()


def read_units(connection: Connection, book: str) -> UnitTable:
    """Return the living units of a book."""
    return UnitTable({row.label: UnitShare(*row) for row in connection.execute(_UNITS, {"book": book})})


def read_names(connection: Connection, book: str) -> ReadingOrder:
    """Return the chapters alone, as they are numbered in names: one short query, however long the book is."""
    levels = connection.execute(_LEVELS, {"book": book})
    return ReadingOrder(chapters=chapters_of((row.label, row.level) for row in levels))


def read_order(connection: Connection, book: str, units: UnitTable, places: Iterable[Place]) -> ReadingOrder:
    """Return the chapters as far as they are there, or the highest units of a book without chapters.

    `places` are those at which the codex has something due: only there it is told what happens in a chapter's parts.
    """
    order = units.order()
    due = {order.number(place) for place in places}
    found = order.model_copy(update={"parts": _parts(connection, book, _wanted(order.chapters, due, units))})
    if units.last_read is not None:
        found.takes_over(units.last_read)
    units.last_read = found
    return found


def _wanted(chapters: Sequence[str], due: Collection[int], units: UnitTable) -> list[str]:
    """The chapter that is being written, and those in which something may be due."""
    if not due:
        return []
    here = units.first_open()
    there = [chapters[number - 1] for number in sorted(due) if number <= len(chapters)]
    return list(dict.fromkeys([*([here] if here else []), *there[-_MOST_READ:]]))


def _parts(connection: Connection, book: str, wanted: Iterable[str]) -> tuple[ChapterPart, ...]:
    """The units below some chapters, in reading order."""
    found = []
    for chapter in wanted:
        below = connection.execute(_PARTS, {"book": book, "chapter": chapter})
        found += [ChapterPart(label=row.label, told=f"{row.title}\n{row.goal}") for row in below]
    return tuple(sorted(found, key=lambda part: order_of(part.label)))
