"""The JSON Schemas in docs/schemas: from the code's own types where a verb prints one, else from what it prints."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from bookwright.app.doctor.health import Finding
from bookwright.app.doctor.models import ModelTrial
from bookwright.app.estimates.rehearsal import BookEstimate
from bookwright.cli.operating.models import FetchedModel
from bookwright.cli.writing.result import Result
from bookwright.flows.prefect.pool import HandedIn
from bookwright.flows.prefect.workers import Swept
from bookwright.models.talk.event import Event
from bookwright.storage.steps.queries import StepLine
from tests.reference.lines import Said

FOLDER = Path(__file__).parents[2] / "docs/schemas"
TYPES: dict[str, Any] = {
    "write": Result, "estimate": BookEstimate, "doctor": list[Finding], "log": StepLine, "event": Event,
    "doctor-ask": ModelTrial, "models-get": FetchedModel, "submit": HandedIn, "submit-interrupted": Swept,
}  # fmt: skip
"""What verbs print that is a type of the code's."""
_MAPS = ("texts", "findings", "scores", "checks", "windows", "prices", "brief", "models")
"""Objects whose keys are no names of ours."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def made(said: Iterable[Said]) -> dict[str, dict[str, Any]]:
    """Return every schema by its name."""
    values: dict[str, list[Any]] = {}
    for one in said:
        values.setdefault(one.verb, []).extend(documents(one))
    found = {name: inferred(held) for name, held in values.items() if name not in TYPES}
    typed = {name: TypeAdapter(kind).json_schema(mode="serialization", by_alias=True) for name, kind in TYPES.items()}
    typed["doctor-ask"]["properties"]["is_usable"] = {"type": "boolean"}
    return {
        name: {"$schema": _DIALECT, "title": f"bookwright {name.replace('-', ' ')}", **schema}
        for name, schema in sorted((found | typed).items())
    }


def kept() -> dict[str, dict[str, Any]]:
    """Return the schemas as they stand in docs."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in FOLDER.glob("*.json")}


def documents(said: Said) -> Iterator[Any]:
    """Yield the JSON documents that were printed."""
    yield from map(json.loads, said.out.splitlines()) if said.is_lines else [json.loads(said.out)]


def inferred(values: list[Any]) -> dict[str, Any]:
    """Return what some values have in common; what was a text or a number somewhere may be null elsewhere."""
    kinds = {_kind(value) for value in values}
    if kinds == {"object"}:
        keys = list(dict.fromkeys(key for value in values for key in value))
        return {
            "type": "object",
            "properties": {key: _property(key, [value[key] for value in values if key in value]) for key in keys},
            "required": sorted(key for key in keys if all(key in value for value in values)),
        }
    if kinds == {"array"}:
        items = [item for value in values for item in value]
        return {"type": "array", **({"items": inferred(items)} if items else {})}
    return _scalar(kinds)


def _property(key: str, values: list[Any]) -> dict[str, Any]:
    held = [value for value in values if value is not None]
    if key in _MAPS and held and all(isinstance(value, dict) for value in held):
        return {"type": ["object", "null"]}
    if held and len(held) < len(values) and all(isinstance(value, (dict, list)) for value in held):
        return {"anyOf": [inferred(held), {"type": "null"}]}
    return inferred(values)


def _scalar(kinds: set[str]) -> dict[str, Any]:
    known = kinds - {"null"}
    if not known or known & {"object", "array"}:
        return {}
    if "integer" in known or "number" in known:
        known = (known - {"integer"}) | {"number"}
    return {"type": "boolean"} if kinds == {"boolean"} else {"type": sorted(known | {"null"})}


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", str: "string", int: "integer", float: "number", dict: "object", list: "array"}
    return names[type(value)]


def faults(schema: dict[str, Any], value: Any) -> list[str]:
    """Return where a value is not what a schema says; a key that the schema does not know is a fault, too."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(closed(schema)).iter_errors(value)
    ]


def closed(schema: Any) -> Any:
    """Return a schema that knows no other keys than its own."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(part) for key, part in schema.items()}
    is_object = isinstance(schema.get("properties"), dict) and "type" in schema
    return parts | ({"additionalProperties": False} if is_object else {})


def text_of(schema: dict[str, Any]) -> str:
    """Return a schema as its file has it."""
    return json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
