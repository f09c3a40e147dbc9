"""JSON schemas for weak models: every string and list bounded, nothing asked that code can fill in.

A grammar holds such a model to the shape, but an unbounded string may never end.
Source: facts of our trials with SmolLM2: every invalid answer had been cut off.
"""

import copy
from typing import Any

from pydantic import BaseModel

from bookwright.agents.backends.schema import compact_schema

_LEFT_TO_CODE = frozenset({
    "id", "hierarchical_position", "instructions", "input_brief", "constraints", "acceptance_criteria", "length",
    "complexity_score", "task_type", "reasoning",
})  # fmt: skip
"""Fields that a weak model fills with noise, and that have a default."""

_LONGEST = {"title": 40, "goal": 140, "blurb": 240}
_LONGEST_STRING = 200
_SHORTEST = {"goal": 25, "title": 4, "blurb": 30}
_MOST_ITEMS = 3
_CHARACTERS_A_TOKEN = 2.5


def bounded_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """Return a shape's schema without references, one level deep, with every string and list bounded."""
    schema = compact_schema(shape)
    return _bounded(_resolved(schema, schema), schema, depth=0)


def longest_answer(schema: dict[str, Any]) -> int:
    """Estimate the tokens of the longest answer that a bounded schema allows."""
    return round(_longest(schema) / _CHARACTERS_A_TOKEN) + 40


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = root["$defs"][node["$ref"].rpartition("/")[2]]
    choices = node.get("anyOf")
    return _resolved(choices[0], root) if choices else copy.deepcopy(node)


def _bounded(node: dict[str, Any], root: dict[str, Any], depth: int, name: str = "") -> dict[str, Any]:
    match node.get("type"):
        case "object":
            wanted = _wanted(node["properties"], depth)
            properties = {key: _bounded(_resolved(part, root), root, depth + 1, key) for key, part in wanted.items()}
            return {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            }
        case "array":
            items = _bounded(_resolved(node["items"], root), root, depth, name)
            return {"type": "array", "items": items, "minItems": 1, "maxItems": _MOST_ITEMS}
        case "string" if "enum" not in node:
            longest = min(node.get("maxLength", _LONGEST_STRING), _LONGEST.get(name, _LONGEST_STRING))
            return {"type": "string", "minLength": _SHORTEST.get(name, 1), "maxLength": longest}
        case _:
            return node


def _wanted(properties: dict[str, Any], depth: int) -> dict[str, Any]:
    """The fields to ask for: at the top of a list of tasks just the list, in a task just what it is."""
    if depth == 0 and "sub_tasks" in properties:
        return {"sub_tasks": properties["sub_tasks"]}
    return {key: part for key, part in properties.items() if key not in _LEFT_TO_CODE | {"sub_tasks"}}


def _longest(node: dict[str, Any]) -> int:
    match node.get("type"):
        case "object":
            return sum(len(key) + 6 + _longest(part) for key, part in node["properties"].items()) + 2
        case "array":
            return int(node["maxItems"]) * (_longest(node["items"]) + 2)
        case "string":
            return int(node.get("maxLength", 20))
        case _:
            return 8
