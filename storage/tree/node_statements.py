"""The table of the task tree: the statements that the walk asks for again and again, and a node as a row."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, bindparam, func, insert, literal, or_, select, update

from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import IS_LIVING, IS_UNIT, ONE, nodes

_IS_BELOW = nodes.c.parent == bindparam("parent")

BY_KEY = Prepared(select(nodes).where(nodes.c.key == bindparam("key")))
BY_LABEL = Prepared(
    select(nodes).where(nodes.c.book == bindparam("book"), nodes.c.label == bindparam("label"), IS_LIVING)
)
_CHILDREN = select(nodes).where(_IS_BELOW, IS_LIVING).order_by(nodes.c.ordinal)
CHILDREN = Prepared(_CHILDREN)
TITLED_UNITS = Prepared(
    select(nodes)
    .where(nodes.c.book == bindparam("book"), IS_LIVING, IS_UNIT, nodes.c.title != "", nodes.c.parent.is_not(None))
    .order_by(nodes.c.key)
)
_IS_OPEN = nodes.c.status == NodeStatus.OPEN.value
FIRST_OPEN_UNIT = Prepared(
    _CHILDREN.where(IS_UNIT, or_(_IS_OPEN, nodes.c.status == NodeStatus.WRITTEN.value)).limit(ONE)
)
FIRST_OPEN_TASK = Prepared(_CHILDREN.where(~IS_UNIT, _IS_OPEN).limit(ONE))
MEAN_BROUGHT_IN = select(func.avg(nodes.c.written)).where(
    _IS_BELOW, IS_LIVING, IS_UNIT, nodes.c.level == bindparam("level"), nodes.c.is_brought_in,
)  # fmt: skip

LAST_ORDINAL = Prepared(select(func.max(nodes.c.ordinal)).where(_IS_BELOW))


_at = (
    select(nodes.c.key, nodes.c.parent, literal(0).label("distance"))
    .where(nodes.c.key == bindparam("at"))
    .cte(recursive=True)
)
_next = nodes.alias()
_PATH = _at.union_all(select(_next.c.key, _next.c.parent, _at.c.distance + 1).where(_next.c.key == _at.c.parent))
"""The node `at` and all above it, as `key`, `parent` and `distance`."""

ANCESTORS = Prepared(
    select(nodes).join(_PATH, _PATH.c.key == nodes.c.key).where(_PATH.c.distance > 0).order_by(_PATH.c.distance)
)
ADD_WRITTEN = Prepared(
    update(nodes)
    .where(nodes.c.key.in_(select(_PATH.c.key)))
    .values(written=nodes.c.written + bindparam("amount"))
    .returning(*nodes.c)
)


@lru_cache(maxsize=64)
def add(*columns: str) -> Prepared:
    """Add a node of which those columns are told."""
    return Prepared(insert(nodes).returning(*nodes.c), *columns)


@lru_cache(maxsize=64)
def change(*columns: str) -> Prepared:
    """Set columns of the node `at`, each to the value named `new_` and its name."""
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
    return Prepared(update(nodes).where(nodes.c.key == bindparam("at")).values(values).returning(*nodes.c))


_LISTS = ("open_points", "outline")
_NOTHING = "[]"


def encoded(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns as the table takes them: lists and times as JSON."""
    lists = {name: json.dumps(list(columns[name]), ensure_ascii=False) for name in _LISTS if name in columns}
    when = columns.get("story_time")
    return columns | lists | ({"story_time": when.model_dump_json()} if isinstance(when, StoryTime) else {})


def node_of(row: Row[Any]) -> TaskNode:
    """Return the node that a row of the table holds."""
    values = row._asdict()
    values |= json.loads(values["spec"])
    for name in _LISTS:
        values[name] = json.loads(values[name]) if values[name] != _NOTHING else ()
    when = values["story_time"]
    values["story_time"] = StoryTime.model_validate_json(when) if when else None
    return TaskNode.model_validate(values)
