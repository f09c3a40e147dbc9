"""A node of the task tree as a row of its table, there and back."""

import json
from typing import Any

from sqlalchemy import Row

from bookwright.models.story_time.value import StoryTime
from bookwright.models.tree.task import TaskNode

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
