"""A node of the task tree as a row of its table, there and back."""

import json
from typing import Any

from sqlalchemy import Row

from bookwright.models.story_time.value import StoryTime
from bookwright.models.tree.task import TaskNode

_LISTS = ("open_points", "outline")
_NOTHING = "[]"
_PLAIN = (
    "key", "book", "parent", "unit", "label", "ordinal", "revision", "level", "task_type", "title", "goal",
    "complexity_score", "length", "written", "is_last", "unit_index", "status", "planning_round", "decided_round",
    "verdict", "decision", "stage", "stage_title", "folder", "child_level",
    "is_brought_in",
)  # fmt: skip


def encoded(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns as the table takes them: lists and times as JSON."""
    lists = {name: json.dumps(list(columns[name]), ensure_ascii=False) for name in _LISTS if name in columns}
    when = columns.get("story_time")
    return columns | lists | ({"story_time": when.model_dump_json()} if isinstance(when, StoryTime) else {})


def node_of(row: Row[Any]) -> TaskNode:
    """Return the node that a row of the table holds."""
    values = row._asdict()
    fields = {name: values[name] for name in _PLAIN}
    fields |= {name: tuple(items) for name, items in json.loads(values["spec"]).items()}
    fields |= {name: tuple(json.loads(values[name])) for name in _LISTS if values[name] != _NOTHING}
    when = values["story_time"]
    fields["story_time"] = StoryTime.model_validate_json(when) if when else None
    return TaskNode.model_validate(fields)
