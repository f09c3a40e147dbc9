"""Nodes of one book put into another's tree, or made to stand as there."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from bookwright.models.document import DocumentKind
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tables import documents, nodes

_OWN = ("key", "book", "parent", "unit", "label", "ordinal", "written", "revision")
"""Columns that say where a node is and not how it stands."""
_STANDING = tuple(column for column in nodes.c if column.name not in _OWN)


def graft(connection: Connection, theirs: TaskNode, parent: TaskNode, unit: int | None) -> int:
    """Put a copy of a node of another book below one; return its key. Its number is the same, unless that is taken."""
    of_parent = nodes.c.parent == parent.key
    taken = connection.execute(select(nodes.c.key).where(of_parent, nodes.c.ordinal == theirs.ordinal)).first()
    last = connection.execute(select(func.max(nodes.c.ordinal)).where(of_parent)).scalar_one_or_none() or 0
    ordinal = last + 1 if taken else theirs.ordinal
    values = {
        "book": parent.book, "parent": parent.key, "unit": unit, "label": f"{parent.label}.{ordinal}",
        "ordinal": ordinal, "written": theirs.written, "revision": 1,
    }  # fmt: skip
    made = connection.execute(insert(nodes).values(_standing(connection, theirs) | values).returning(nodes.c.key))
    return int(made.scalar_one())


def stand_as(connection: Connection, mine: TaskNode, theirs: TaskNode) -> None:
    """Let a node stand as one of another book does; what was begun of it while it was open is begun again."""
    values = _standing(connection, theirs)
    is_open = theirs.status is not NodeStatus.DONE
    values["revision"] = mine.revision + is_open
    connection.execute(update(nodes).where(nodes.c.key == mine.key).values(values))


def set_aside(connection: Connection, mine: TaskNode, kinds: Iterable[DocumentKind]) -> None:
    """Move documents of some kinds from a node to a replaced one below it: they stand nowhere any more."""
    last = connection.execute(select(func.max(nodes.c.ordinal)).where(nodes.c.parent == mine.key)).scalar_one()
    ordinal = (last or 0) + 1
    values = {
        "book": mine.book, "parent": mine.key, "unit": None, "label": f"{mine.label}.{ordinal}", "ordinal": ordinal,
        "written": 0, "revision": 1, "status": NodeStatus.VOID.value,
    }  # fmt: skip
    made = connection.execute(insert(nodes).values(_standing(connection, mine) | values).returning(nodes.c.key))
    moved = update(documents).where(documents.c.node == mine.key, documents.c.kind.in_([kind.value for kind in kinds]))
    connection.execute(moved.values(node=made.scalar_one()))


def _standing(connection: Connection, node: TaskNode) -> dict[str, Any]:
    return dict(connection.execute(select(*_STANDING).where(nodes.c.key == node.key)).one()._mapping)
