"""Conditions on rows that many statements ask for."""

from sqlalchemy import ColumnElement, literal_column

from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.tables import documents, nodes

IS_LIVING = nodes.c.status != NodeStatus.VOID.value
"""A node that was not replaced."""
IS_UNIT = nodes.c.task_type == TaskType.WRITE.value
IS_CURRENT = documents.c.is_current.is_(True)
ONE: ColumnElement[int] = literal_column("1")
"""A limit, in the statement itself: SQLite plans it anew whenever a bound limit is bound again."""
